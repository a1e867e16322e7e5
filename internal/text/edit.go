package text

import "fmt"

// Edit replaces Old by New, literally. Old must occur exactly once, counting overlapping occurrences, unless All is
// set: then every occurrence is replaced, left to right without overlap.
type Edit struct {
	Old, New string
	All      bool
}

// EditKind says why an edit was refused.
type EditKind int

// The kinds of refusal.
const (
	NotFound    EditKind = iota + 1 // Old does not occur
	Ambiguous                       // Old occurs more than once
	NoChange                        // the result would be the same bytes
	BadArgument                     // the edits are wrong, whatever the content
	TooLarge                        // the result would exceed the limit
)

// EditError says which edit was refused and why. Message is complete, shorter than 2 KB, says what to do next, and
// never echoes a large argument; when there are several edits it names the one.
type EditError struct {
	Kind    EditKind
	Index   int // of the edit, from 0
	Of      int // how many edits there were
	Message string
}

// Error returns Message.
func (e *EditError) Error() string { return e.Message }

// refuse makes an EditError whose place in the sequence is not known yet.
func refuse(kind EditKind, format string, args ...any) *EditError {
	return &EditError{Kind: kind, Of: 1, Message: fmt.Sprintf(format, args...)}
}

// at puts e in its place in the sequence.
func (e *EditError) at(index, of int) *EditError {
	e.Index, e.Of = index, of
	if of > 1 {
		e.Message = fmt.Sprintf("edit %d of %d: %s", index+1, of, e.Message)
	}
	return e
}

// CheckEdits checks the arguments alone, before any I/O: there is an edit, no Old is empty, none equals its New, and
// all are text. Its errors are of kind BadArgument.
func CheckEdits(edits []Edit) *EditError {
	if len(edits) == 0 {
		return &EditError{Kind: BadArgument, Message: "edits must have at least one edit"}
	}
	for i, e := range edits {
		if err := checkEdit(e); err != nil {
			return err.at(i, len(edits))
		}
	}
	return nil
}

func checkEdit(e Edit) *EditError {
	switch {
	case e.Old == "":
		return refuse(BadArgument, "old_string must be a non-empty string")
	case e.Old == e.New:
		return refuse(BadArgument, "old_string and new_string must differ")
	}
	if f := CheckString(e.Old); f != nil {
		return refuse(BadArgument, "old_string %s", argumentFault(f))
	}
	if f := CheckString(e.New); f != nil {
		return refuse(BadArgument, "new_string %s", argumentFault(f))
	}
	return nil
}

// argumentFault words f for an argument: the advice of Fault.Error is about files.
func argumentFault(f *Fault) string {
	if f.Kind == NUL {
		return fmt.Sprintf("must be text: it has a NUL byte at offset %d", f.Offset)
	}
	return fmt.Sprintf("must be UTF-8 text: it has an invalid byte at offset %d", f.Offset)
}
