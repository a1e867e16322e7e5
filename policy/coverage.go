package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// span is a range of lines, both ends included.
type span struct {
	First int64 `json:"first"`
	Last  int64 `json:"last"`
}

// coverage is which lines of one version an owner has been shown. The zero value
// is none.
type coverage struct {
	all   bool
	spans []span // sorted, apart from each other by at least a line
	total int64  // lines of that version; 0 or less when not known
}

// whole reports whether every line was shown.
func (c coverage) whole() bool {
	return c.all || c.total > 0 && len(c.spans) == 1 && c.spans[0].First <= 1 && c.spans[0].Last >= c.total
}

// renewed returns the coverage after one more view. A view of no line at all
// comes from a change that the owner made itself: who knew all still does, and
// who knew a part knows no line by its number any more.
func (c coverage) renewed(present, sameVersion bool, v *vfs.View) coverage {
	same := present && sameVersion
	switch {
	case v == nil || v.Total == 0 || same && c.all:
		return coverage{all: true}
	case v.Last < v.First && present && c.whole():
		return coverage{all: true}
	case v.Last < v.First && same:
		return c
	case v.Last < v.First:
		return coverage{}
	}
	next := coverage{total: v.Total}
	if same {
		next.spans = slices.Clone(c.spans)
	}
	next.spans = merge(append(next.spans, span{max(v.First, 1), v.Last}))
	return next
}

// merge sorts spans and joins those that touch.
func merge(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.First, b.First) })
	out := spans[:1]
	for _, s := range spans[1:] {
		if last := &out[len(out)-1]; s.First <= last.Last+1 {
			last.Last = max(last.Last, s.Last)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// String says which lines were shown, in a few words.
func (c coverage) String() string {
	const most = 4
	if len(c.spans) == 0 {
		return "no line of its present content"
	}
	var parts []string
	for i, s := range c.spans {
		if i == most {
			parts = append(parts, "...")
			break
		}
		parts = append(parts, fmt.Sprintf("%d-%d", s.First, s.Last))
	}
	lines := "lines " + strings.Join(parts, ", ")
	if c.total > 0 {
		lines += fmt.Sprintf(" of %d", c.total)
	}
	return lines
}
