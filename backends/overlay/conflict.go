package overlay

import (
	"github.com/seamfs/seamfs/vfs"
)

// Class is why a change cannot be applied: what happened below since it was made.
type Class uint8

// The classes.
const (
	BothModified   Class = iota + 1 // other content here and below
	DeletedBelow                    // modified here, gone below
	ModifiedBelow                   // deleted here, other content below
	BothAdded                       // added here and below, not alike
	TypeChanged                     // a file, directory or link became another of these below
	NewChildren                     // a directory was removed or replaced here, and has new entries below
	SourceChanged                   // what was renamed here changed below, or is gone
	TargetAppeared                  // something is below where it was renamed to
	BothModes                       // other modes here and below
	BothTargets                     // other bodies of a link here and below
	ParentMissing                   // the directory that it is in is gone below
	CaseCollision                   // below, two names would be one
	Unreadable                      // what is below cannot be looked at

	// SourceNeeded is no matter of what happened below, but of what was picked: another
	// change, which was not, still shows from below what this one would overwrite.
	SourceNeeded
	// ParentNeeded is the same of a directory that took the place of another here.
	ParentNeeded
)

var classes = [...]struct{ name, what, next string }{
	BothModified:   {"both-modified", "it was changed here and below", "merge (--merge), or keep one side: discard here, or --force it over what is below"},
	DeletedBelow:   {"modified-deleted", "it was changed here and deleted below", "discard it, or --force to write it again"},
	ModifiedBelow:  {"deleted-modified", "it was deleted here and changed below", "discard to keep what is below, or --force to delete it"},
	BothAdded:      {"both-added", "it was added here and below, and the two differ", "merge (--merge), discard, or --force"},
	TypeChanged:    {"type-changed", "it is of another type below by now", "discard, or --force to replace what is below"},
	NewChildren:    {"new-children", "the directory has entries below that were not there when it was removed or replaced here", "look at them; discard, or move them away first"},
	SourceChanged:  {"rename-source-changed", "what was renamed here was changed or removed below", "discard the rename, or --force to move what is below"},
	TargetAppeared: {"rename-target-appeared", "something is below by now where it was renamed to", "rename it to another name, or --force to replace what is below"},
	BothModes:      {"mode-both-changed", "its mode was changed here and below", "discard, or --force the mode of here"},
	BothTargets:    {"symlink-both-changed", "the link was pointed elsewhere here and below", "discard, or --force the one of here"},
	ParentMissing:  {"parent-missing", "the directory that it is in is gone below", "make the directory below, or --force to make it"},
	CaseCollision:  {"case-collision", "below, its name is one with another that differs only in case", "rename one of the two"},
	Unreadable:     {"base-unreadable", "what is below cannot be read", "make it readable and try again, or discard; what does not need its content can be applied without this"},
	ParentNeeded:   {"parent-needed", "the directory that it is in took the place of another here, and was not picked", "apply the directory as well"},
	SourceNeeded:   {"source-needed", "a change that was not picked has moved or linked what this would overwrite", "apply that one as well, or discard it"},
}

// String is the class in one word, as --json has it.
func (c Class) String() string {
	if int(c) < len(classes) {
		return classes[c].name
	}
	return ""
}

// forceable says whether Force can meet it: not where something would be lost that
// nobody has looked at.
func (c Class) forceable() bool {
	return c != CaseCollision && c != NewChildren && c != Unreadable && c < SourceNeeded
}

// Conflict is why one change cannot be applied.
type Conflict struct {
	Class Class
	// Base, Below and Here are the three versions of the content, "" for none or
	// unknown: when it was first changed here, below now, and here.
	Base, Below, Here vfs.Version
	err               error // of Unreadable
}

// What says in a sentence what happened.
func (c *Conflict) What() string {
	if code := vfs.CodeOf(c.err); code != "" {
		return classes[c.Class].what + ", " + string(code)
	}
	return classes[c.Class].what
}

// Next says what can be done about it.
func (c *Conflict) Next() string { return classes[c.Class].next }
