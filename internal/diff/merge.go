package diff

import (
	"bytes"

	"github.com/seamfs/seamfs/internal/text"
)

// Range is lines [From, To) of a text, counting from 0.
type Range struct{ From, To int }

// Conflict is where both sides changed the same lines, or lines next to each other, and not in the same way.
type Conflict struct{ Base, Ours, Theirs Range }

// Merge puts what ours and theirs changed in base together, line by line. What both changed in the same way is taken
// once. When there are conflicts, merged is nil: show them with [MergeMarked].
func Merge(base, ours, theirs []byte) (merged []byte, conflicts []Conflict) {
	m := newMerger(base, ours, theirs)
	m.each(func(r region) {
		if chosen, ok := m.choose(r); ok {
			merged = append(merged, chosen...)
			return
		}
		conflicts = append(conflicts, Conflict(r))
	})
	if len(conflicts) > 0 {
		return nil, conflicts
	}
	if merged == nil {
		merged = []byte{}
	}
	return merged, nil
}

// Labels say in the markers of a conflict where each text is from. An empty one leaves the marker bare.
type Labels struct{ Base, Ours, Theirs string }

// MergeMarked is [Merge] with each conflict written between markers, of the line ends that most lines of ours have:
//
//	<<<<<<< ours
//	||||||| base
//	=======
//	>>>>>>> theirs
//
// A text whose last line has no LF gets a line end in front of a marker, and is told apart from one that has by nothing.
func MergeMarked(base, ours, theirs []byte, labels Labels) []byte {
	m := newMerger(base, ours, theirs)
	end := text.MajorityEnding(ours)
	var out []byte
	marker := func(sign, label string) {
		if n := len(out); n > 0 && out[n-1] != '\n' {
			out = append(out, end...)
		}
		if out = append(out, sign...); label != "" {
			out = append(append(out, ' '), label...)
		}
		out = append(out, end...)
	}
	m.each(func(r region) {
		if chosen, ok := m.choose(r); ok {
			out = append(out, chosen...)
			return
		}
		marker("<<<<<<<", labels.Ours)
		out = append(out, m.ours.b.span(r.Ours.From, r.Ours.To)...)
		marker("|||||||", labels.Base)
		out = append(out, m.ours.a.span(r.Base.From, r.Base.To)...)
		marker("=======", "")
		out = append(out, m.theirs.b.span(r.Theirs.From, r.Theirs.To)...)
		marker(">>>>>>>", labels.Theirs)
	})
	return out
}

// region is lines of base and what stands for them on either side.
type region Conflict

type merger struct{ ours, theirs *Diff }

func newMerger(base, ours, theirs []byte) merger {
	return merger{Compute(base, ours), Compute(base, theirs)}
}

// each calls f with regions that in this order make up all three texts. Edits that overlap or touch are one region.
func (m merger) each(f func(region)) {
	ours, theirs := m.ours.edits, m.theirs.edits
	at := region{} // what is done of each text, as empty ranges
	for len(ours) > 0 || len(theirs) > 0 {
		from, to := start(ours, theirs)
		same := from - at.Base.From
		f(at.take(same, same, same))
		r := at
		shiftOurs, shiftTheirs := r.Ours.From-r.Base.From, r.Theirs.From-r.Base.From
		for {
			if len(ours) > 0 && ours[0].A <= to {
				to, shiftOurs = max(to, ours[0].AEnd), ours[0].BEnd-ours[0].AEnd
				ours = ours[1:]
			} else if len(theirs) > 0 && theirs[0].A <= to {
				to, shiftTheirs = max(to, theirs[0].AEnd), theirs[0].BEnd-theirs[0].AEnd
				theirs = theirs[1:]
			} else {
				break
			}
		}
		f(at.take(to-r.Base.From, to+shiftOurs-r.Ours.From, to+shiftTheirs-r.Theirs.From))
	}
	rest := m.ours.a.len() - at.Base.From
	f(at.take(rest, rest, rest))
}

// start is the lines of base that the first edit of either side is about.
func start(ours, theirs []Edit) (from, to int) {
	if len(theirs) == 0 || len(ours) > 0 && ours[0].A <= theirs[0].A {
		return ours[0].A, ours[0].AEnd
	}
	return theirs[0].A, theirs[0].AEnd
}

// take returns the region of the next so many lines of each text, and puts r behind it.
func (r *region) take(base, ours, theirs int) region {
	next := region{
		Base:   Range{r.Base.To, r.Base.To + base},
		Ours:   Range{r.Ours.To, r.Ours.To + ours},
		Theirs: Range{r.Theirs.To, r.Theirs.To + theirs},
	}
	*r = region{
		Base:   Range{next.Base.To, next.Base.To},
		Ours:   Range{next.Ours.To, next.Ours.To},
		Theirs: Range{next.Theirs.To, next.Theirs.To},
	}
	return next
}

// choose returns what a region becomes; ok is false for a conflict.
func (m merger) choose(r region) (chosen []byte, ok bool) {
	base := m.ours.a.span(r.Base.From, r.Base.To)
	ours := m.ours.b.span(r.Ours.From, r.Ours.To)
	theirs := m.theirs.b.span(r.Theirs.From, r.Theirs.To)
	switch {
	case bytes.Equal(ours, theirs), bytes.Equal(base, theirs):
		return ours, true
	case bytes.Equal(base, ours):
		return theirs, true
	}
	return nil, false
}
