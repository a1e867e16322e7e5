package commitlog

import (
	"time"

	"github.com/seamfs/seamfs/vfs"
)

const (
	// MaxRecord bounds a record, in bytes.
	MaxRecord = 16 << 20
	// InlineMax is up to how many bytes a caller had better keep a content in the
	// body of a record; a blob costs one more round trip.
	InlineMax = 8 << 10
)

// Record is one commit. Bodies are shared, those that this package hands out and
// those that it is given: they must not be written to.
type Record struct {
	Seq   uint64    // its number: 1, 2, 3 ...
	Op    string    // names the attempt; random if the caller gives none. At most 255 bytes
	Time  time.Time // when it was made, by the clock of who made it; now if the caller gives none
	Actor string    // who made it, in the caller's words. At most 1024 bytes
	Body  []byte
	Noop  bool // a fence: it takes a number and changes nothing
}

// State is how a commit ended.
type State int

const (
	// NotApplied means that the record is not in the log, and will not be.
	NotApplied State = iota
	// Applied means that the record is in the log, durably as the driver has it.
	Applied
	// Unknown means that the record may be in the log or come into it yet.
	Unknown
)

// String returns the state in a word or two.
func (s State) String() string {
	return [...]string{"not applied", "applied", "unknown"}[s]
}

// Outcome is what became of a commit.
type Outcome struct {
	State  State
	Seq    uint64 // the number that was, or was to be, its own
	Op     string // its id: what [Log.Resolve] asks for
	Record Record // when NotApplied and there is no error: what is at Seq instead
}

const (
	maxOp    = 255
	maxActor = 1024
)

// kind is what an envelope holds.
type kind byte

const (
	kindHead       kind = 1 + iota // the first of a workspace, under number 0
	kindCommit                     // a commit of the caller's
	kindFence                      // takes a number and does nothing
	kindEnd                        // the last of a workspace that was removed
	kindCheckpoint                 // not in the log: a state, and the op of the record that it is the state after
)

// segment is a part of a log that a fork begins with: what place holds, up to and
// with a number.
type segment struct {
	place   place
	through uint64
}

// envelope is all that is stored of a record or a checkpoint.
type envelope struct {
	kind   kind
	seq    uint64
	time   time.Time
	op     string
	actor  string
	family string    // of a head: where blobs are
	chain  []segment // of a head: what it was forked from, oldest first
	body   []byte
}

func (e envelope) record() Record {
	return Record{Seq: e.seq, Op: e.op, Time: e.time, Actor: e.actor, Body: e.body, Noop: e.kind == kindFence}
}

// check refuses what must not be written.
func (e envelope) check() error {
	switch {
	case len(e.op) > maxOp:
		return vfs.Fail(vfs.InvalidArgument, "the id of a commit is too long: 255 bytes at most")
	case len(e.actor) > maxActor:
		return vfs.Fail(vfs.InvalidArgument, "the actor of a commit is too long: 1024 bytes at most")
	case e.seq > maxSeq:
		return vfs.Fail(vfs.TooLarge, "the log is full: fork it, or begin another")
	}
	return nil
}
