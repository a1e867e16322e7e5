package vfs

import (
	"context"

	"github.com/seamfs/seamfs/internal/text"
)

// Edit replaces literal text: Old, which must occur exactly once unless
// ReplaceAll, by New. Matching reads CRLF as LF; what is inserted takes the line
// ending that most lines of the file have. Nothing is fuzzy.
type Edit struct {
	Old, New   string
	ReplaceAll bool
}

// EditOptions are the condition of an edit. The zero value edits whatever is there.
type EditOptions struct{ Guard Guard }

// EditText applies edits to a text file in order, each to the result of the one
// before, all or nothing. Every byte outside the replaced spans stays. The guard
// is checked before anything is matched, and both happen within one critical
// section of the provider. It is FS_EDIT_NOT_FOUND or FS_AMBIGUOUS_EDIT when an
// old text occurs never or more than once, FS_NOT_TEXT when the file is not
// text, and FS_INVALID_ARGUMENT when an edit asks for nothing or changes nothing.
func (f *FS) EditText(ctx context.Context, t Target, edits []Edit, opts EditOptions) (Mutation, error) {
	var r record
	change, err := editChange(t, edits, opts, &r)
	if err != nil {
		return Mutation{}, f.fail("edit", t.display, err)
	}
	out, err := f.apply(ctx, "edit", t, change)
	if err != nil {
		return Mutation{}, err
	}
	return r.mutation(out), nil
}

// editChange checks edits and makes the change of them.
func editChange(t Target, edits []Edit, opts EditOptions, r *record) (Change, error) {
	list := make([]text.Edit, len(edits))
	for i, e := range edits {
		list[i] = text.Edit{Old: e.Old, New: e.New, All: e.ReplaceAll}
	}
	if bad := text.CheckEdits(list); bad != nil {
		return Change{}, failEdit(bad)
	}
	if err := t.writable(); err != nil {
		return Change{}, err
	}
	fill := func(_ context.Context, prior Prior) (Draft, error) {
		*r = record{}
		if !prior.Exists() {
			return Draft{}, Fail(NotFound, "not found; use write to create it")
		}
		content, err := prior.Bytes(MaxTextBytes)
		if err != nil {
			return Draft{}, err
		}
		if fault := text.Check(content); fault != nil {
			return Draft{}, failText(fault)
		}
		spliced, bad := text.Splice(content, list, MaxTextBytes)
		if bad != nil {
			return Draft{}, failEdit(bad)
		}
		r.replacements = spliced.Replacements
		if r.oversize = max(int64(len(content)), spliced.Size) > maxRecordBytes; !r.oversize {
			before := string(content)
			r.before, r.after = &before, stringOf(spliced.Bytes(content))
		}
		return draftOf(spliced), nil
	}
	return Change{Op: OpPut, Place: t.place, Guard: opts.Guard, Fill: fill}, nil
}

func draftOf(s text.Spliced) Draft {
	d := Draft{Pieces: make([]Piece, len(s.Pieces))}
	for i, p := range s.Pieces {
		if p.Text != nil {
			d.Pieces[i] = Bytes(p.Text)
		} else {
			d.Pieces[i] = Keep(int64(p.From), int64(p.To-p.From))
		}
	}
	return d
}

var editCodes = map[text.EditKind]Code{
	text.NotFound: EditNotFound, text.Ambiguous: AmbiguousEdit, text.NoChange: InvalidArgument,
	text.BadArgument: InvalidArgument, text.TooLarge: TooLarge,
}

func failEdit(e *text.EditError) error { return Fail(editCodes[e.Kind], e.Message) }
