package mem

import (
	"io/fs"

	"github.com/seamfs/seamfs/internal/tree"
)

// Provider is a tree in memory. [New], [Load] and [FromMap] make one.
type Provider = tree.Provider

// Options configures a [Provider]. The zero value, like nil, is a tree without
// limits that belongs to a plain user.
type Options = tree.Options

// User is whom a provider acts for. New files are its own; modes are held
// against it as a kernel would. The user with UID 0 may do everything.
type User = tree.User

// The steps that [Options].Fault is called before.
const (
	StepLstat   = tree.StepLstat   // Lstat and LinkFree
	StepOpen    = tree.StepOpen    // Open, OpenDir and OpenHandle
	StepRead    = tree.StepRead    // content is read: of a File, or for a version or a guard
	StepList    = tree.StepList    // List and Entries
	StepFill    = tree.StepFill    // the guard of a Put holds, Fill is next
	StepStage   = tree.StepStage   // a change is about to be made, unseen by readers
	StepPublish = tree.StepPublish // all changes are made; called once for each, then all are shown
)

// New returns an empty tree. Options may be nil.
func New(opts *Options) *Provider { return tree.New(opts) }

// Load returns a tree with what is in fsys: modes and times are kept, and links
// where it is an [fs.ReadLinkFS]. All of it belongs to the user of opts, which
// may be nil. Special files become entries that are neither file nor link.
func Load(fsys fs.FS, opts *Options) (*Provider, error) { return tree.Load(fsys, opts) }

// FromMap returns a tree with a file for each key, and the directories that lead
// to them, with the default options. A key that ends in a slash is an empty
// directory. It is for tests: a key that is no [vfs.Place] panics.
func FromMap(files map[string]string) *Provider { return tree.FromMap(files) }
