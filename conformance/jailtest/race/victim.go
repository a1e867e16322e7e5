package race

import (
	"context"
	"io/fs"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

// Verb is what a victim is asked to do.
type Verb string

// The verbs. Names are relative to the root of the victim.
const (
	Read      Verb = "read"       // the whole content of Name
	ReadAt    Verb = "read-at"    // open, and read a part
	Hash      Verb = "hash"       // the version of the content
	Stat      Verb = "stat"       // links followed
	Lstat     Verb = "lstat"      // links told
	Readlink  Verb = "readlink"   // the body of the link
	List      Verb = "list"       // names, and what is known of each
	Walk      Verb = "walk"       // the same for the whole tree
	Put       Verb = "put"        // the whole content becomes Text, in one step
	PutNew    Verb = "put-new"    // the same where nothing may be there
	Edit      Verb = "edit"       // the text To in Name becomes Text
	EditTwo   Verb = "edit-two"   // the same in Name and in Name + "2", both or none
	Truncate  Verb = "truncate"   // open for writing, emptied, and write Text
	Append    Verb = "append"     // open for appending, and write Text
	WriteAt   Verb = "write-at"   // open for writing, and write Text at 1
	CreateNew Verb = "create-new" // open a file that may not be there, and write Text
	MakeDir   Verb = "mkdir"
	MakeDirs  Verb = "mkdirs" // with parents
	Remove    Verb = "remove"
	RemoveAll Verb = "remove-all"
	Move      Verb = "move" // Name to To
	MoveOver  Verb = "move-over"
	Link      Verb = "link" // To becomes a second name of Name
	Symlink   Verb = "symlink"
	Chmod     Verb = "chmod"  // to 0640
	Chtimes   Verb = "chtime" // to 2011
)

// ofTheEntry reports whether a link at the end of the name is meant itself.
func (v Verb) ofTheEntry() bool {
	switch v {
	case Lstat, Readlink, Remove, RemoveAll, Move, MoveOver:
		return true
	default:
		return false
	}
}

// looks reports whether the verb changes nothing.
func (v Verb) looks() bool {
	switch v {
	case Read, ReadAt, Hash, Stat, Lstat, Readlink, List, Walk:
		return true
	default:
		return false
	}
}

// Call is one thing to do.
type Call struct {
	Verb           Verb
	Name, To, Text string
}

// Seen is what a victim tells of an entry.
type Seen struct {
	Name string
	Size int64
	Mode fs.FileMode
	Time time.Time
}

// Result is all that a victim gives away in answer to a [Call].
type Result struct {
	Bytes   string
	Seen    []Seen
	Version string
	Code    vfs.Code // "" when it was done
	Text    string   // of the error
}

// Victim is a jail under attack. A nil context value is never passed.
type Victim interface {
	Do(ctx context.Context, c Call) Result
	Close() error
}

// Maker makes a victim over the directory root.
type Maker func(root string) (Victim, error)

// Failed is the answer that an operation gives that failed with err.
func Failed(err error) Result {
	if err == nil {
		return Result{}
	}
	return Result{Code: vfs.CodeOf(err), Text: err.Error()}
}

var longAgo = time.Date(2011, 1, 1, 0, 0, 0, 0, time.UTC)
