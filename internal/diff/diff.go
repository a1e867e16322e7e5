package diff

import "bytes"

// Edit says that lines [A, AEnd) of the old text are replaced by lines [B, BEnd) of the new one. Lines count from 0.
type Edit struct{ A, AEnd, B, BEnd int }

// Diff is the comparison of two texts. It keeps both and changes neither; it is safe for concurrent use.
type Diff struct {
	a, b  lines
	edits []Edit
}

// Compute compares a with b, which the Diff goes on to refer to.
func Compute(a, b []byte) *Diff {
	d := &Diff{a: split(a), b: split(b)}
	if bytes.Equal(a, b) {
		return d
	}
	d.edits = d.compare()
	d.slide()
	return d
}

// Edits returns what differs, in order; between two edits is at least one line that is the same. The caller must not
// change it.
func (d *Diff) Edits() []Edit { return d.edits }

// Stat returns how many lines were added and removed; a changed line is one of each.
func (d *Diff) Stat() (added, removed int) {
	for _, e := range d.edits {
		added += e.BEnd - e.B
		removed += e.AEnd - e.A
	}
	return added, removed
}

// Common returns how many bytes are in lines that both texts have in common.
func (d *Diff) Common() int {
	n := len(d.a.text)
	for _, e := range d.edits {
		n -= len(d.a.span(e.A, e.AEnd))
	}
	return n
}

// compare finds the edits, as far left as the search happened to put them.
func (d *Diff) compare() []Edit {
	n, m := d.a.len(), d.b.len()
	head := 0
	for head < n && head < m && bytes.Equal(d.a.at(head), d.b.at(head)) {
		head++
	}
	for n > head && m > head && bytes.Equal(d.a.at(n-1), d.b.at(m-1)) {
		n, m = n-1, m-1
	}
	if head == n || head == m {
		return []Edit{{head, n, head, m}}
	}
	goneA, goneB := match(d.intern(head, n, m))
	return collect(goneA, goneB, head)
}

// collect makes edits of the marks of lines that have no partner. As many have one on either side.
func collect(goneA, goneB []bool, head int) []Edit {
	var edits []Edit
	for i, j := 0, 0; i < len(goneA) || j < len(goneB); {
		e := Edit{A: i + head, B: j + head}
		for i < len(goneA) && goneA[i] {
			i++
		}
		for j < len(goneB) && goneB[j] {
			j++
		}
		if e.AEnd, e.BEnd = i+head, j+head; e.A < e.AEnd || e.B < e.BEnd {
			edits = append(edits, e)
			continue
		}
		i, j = i+1, j+1
	}
	return edits
}
