package tree

import (
	"io/fs"
	"math"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

// Options configures a [Provider]. The zero value, like nil, is a tree without
// limits that belongs to a plain user.
type Options struct {
	User  *User            // who acts; nil is uid 1000, gid 1000
	Umask *fs.FileMode     // taken from the modes of new entries; nil is 022
	Now   func() time.Time // the clock of modification times; nil is time.Now

	// MaxBytes bounds the content of all files and links together, MaxEntries the
	// number of names; 0 is no bound. What would go beyond is FS_NO_SPACE.
	MaxBytes, MaxEntries int64

	// OwnerWrite makes [Load] add the owner's write permission: files of an
	// embed.FS, and directories of an fstest.MapFS, have none.
	OwnerWrite bool

	// Fault is for tests. It is called before each step, see the Step constants,
	// and its error is what the call returns, with nothing changed. It may block.
	// It may be called from several goroutines at once.
	Fault func(step string, p vfs.Place) error
}

// User is whom a provider acts for. New files are its own; modes are held
// against it as a kernel would. The user with UID 0 may do everything.
type User struct {
	UID, GID int
	Groups   []int // further groups
}

// config is Options with the defaults filled in. It never changes, so a
// provider, its snapshots and its forks share one.
type config struct {
	user       User
	umask      fs.FileMode
	now        func() time.Time
	maxBytes   int64
	maxEntries int64
	ownerWrite bool
	fault      func(step string, p vfs.Place) error

	lower  vfs.Reader // nil for none
	walker vfs.Walker // lower, where it has CapWalk
	first  *state     // a tree that has lower and no change
	fsid   uint64     // part of the FileIDs, so that those of two layers differ
}

func configOf(o *Options) *config {
	c := &config{
		user: User{UID: 1000, GID: 1000}, umask: 0o022, now: time.Now,
		maxBytes: math.MaxInt64, maxEntries: math.MaxInt64,
	}
	if o == nil {
		return c
	}
	if o.User != nil {
		c.user = *o.User
	}
	if o.Umask != nil {
		c.umask = o.Umask.Perm()
	}
	if o.Now != nil {
		c.now = o.Now
	}
	if o.MaxBytes > 0 {
		c.maxBytes = o.MaxBytes
	}
	if o.MaxEntries > 0 {
		c.maxEntries = o.MaxEntries
	}
	c.ownerWrite, c.fault = o.OwnerWrite, o.Fault
	return c
}
