package vfs

import (
	"context"
	"errors"
	"io"

	"github.com/seamfs/seamfs/internal/text"
)

// maxRecordBytes is how large a content may be to be carried in a [Mutation].
const maxRecordBytes = 4 << 20

// Mutation is what a write or an edit came to. Before and After are the raw
// texts, with byte order mark and line endings; Before is nil for a create.
// Above 4 MiB both are left out and Oversize is set.
type Mutation struct {
	Effect       Effect
	Version      Version
	Notes        []string
	Replacements int
	Before       *string
	After        string
	Oversize     bool
}

// record carries from a Fill, which may run more than once, to the Mutation what
// it saw last.
type record struct {
	before       *string
	after        string
	oversize     bool
	replacements int
}

func (r *record) mutation(o Outcome) Mutation {
	m := Mutation{Effect: o.Effect, Version: o.Version, Notes: o.Notes, Replacements: r.replacements, Oversize: r.oversize}
	if !r.oversize {
		m.Before, m.After = r.before, r.after
	}
	return m
}

// apply makes one change to t and adds to the record what came of it.
func (f *FS) apply(ctx context.Context, op string, t Target, c Change) (Outcome, error) {
	if err := f.begin(ctx, op, t); err != nil {
		return Outcome{}, err
	}
	defer f.gate.leave()
	out, err := f.provider.Apply(ctx, []Change{c})
	if err != nil {
		return Outcome{}, f.fail(op, t.display, err)
	}
	if len(out) != 1 {
		return Outcome{}, f.fail(op, t.display, Fail(IOError, "the backend answered one change with another number of outcomes"))
	}
	return out[0], nil
}

// writable refuses targets that no text can be put at, before any I/O.
func (t Target) writable() error {
	switch {
	case t.dangling:
		return Fail(NotRegularFile, "not a regular file, but a symbolic link to something that does not exist; write to the place it should point to, or remove the link first")
	case t.mustDir:
		return Fail(NotRegularFile, "not a regular file: the name ends in a slash, which means a directory")
	case t.place == Root:
		return Fail(NotRegularFile, "not a regular file, but the root directory")
	}
	return nil
}

// checkPrior makes sure that what is about to be replaced is text, and returns it
// when it is small enough to be carried along.
func checkPrior(ctx context.Context, prior Prior) (content *string, oversize bool, err error) {
	if prior.Info().Size <= maxRecordBytes {
		b, err := prior.Bytes(maxRecordBytes)
		if err != nil {
			return nil, false, err
		}
		if fault := text.Check(b); fault != nil {
			return nil, false, failText(fault)
		}
		s := string(b)
		return &s, false, nil
	}
	var s text.Scanner
	r := io.NewSectionReader(prior, 0, prior.Info().Size)
	buf := streamBuffers.Get().(*[streamBlock]byte)
	defer streamBuffers.Put(buf)
	for {
		n, err := r.Read(buf[:])
		if fault := s.Scan(buf[:n]); fault != nil {
			return nil, false, failText(fault)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, false, err
		}
	}
	if fault := s.End(); fault != nil {
		return nil, false, failText(fault)
	}
	return nil, true, nil
}
