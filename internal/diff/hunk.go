package diff

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
)

// DefaultContext is how many lines that are the same are shown around a change, as git does.
const DefaultContext = 3

// Hunk is edits that are shown in one piece with the lines around them. It is what a person picks: what
// `git add -p` would offer. Two edits are in one hunk when at most twice the context is between them.
type Hunk struct {
	// ID names the hunk within its file, see the package.
	ID string
	// Edit spans the lines of the hunk, context included.
	Edit
	// Edits are what changes within it. The caller must not change it.
	Edits []Edit
}

// Header is the line that a unified diff starts the hunk with, without an LF: "@@ -1,7 +1,8 @@".
func (h Hunk) Header() string {
	return "@@ -" + unifiedRange(h.A, h.AEnd) + " +" + unifiedRange(h.B, h.BEnd) + " @@"
}

// unifiedRange counts lines from 1. No lines are said to be after the line before them, and one line needs no number.
func unifiedRange(from, to int) string {
	switch to - from {
	case 0:
		return strconv.Itoa(from) + ",0"
	case 1:
		return strconv.Itoa(from + 1)
	}
	return strconv.Itoa(from+1) + "," + strconv.Itoa(to-from)
}

// Hunks groups the edits, with so many lines of context (0 and more) on either side where there are as many.
func (d *Diff) Hunks(context int) []Hunk {
	context = max(context, 0)
	var hunks []Hunk
	for from := 0; from < len(d.edits); {
		to := from + 1
		for to < len(d.edits) && d.edits[to].A-d.edits[to-1].AEnd <= 2*context {
			to++
		}
		first, last := d.edits[from], d.edits[to-1]
		before, after := min(context, first.A), min(context, d.a.len()-last.AEnd)
		hunks = append(hunks, Hunk{
			Edit:  Edit{first.A - before, last.AEnd + after, first.B - before, last.BEnd + after},
			Edits: d.edits[from:to:to],
		})
		from = to
	}
	d.name(hunks)
	return hunks
}

// name gives the hunks their ids.
func (d *Diff) name(hunks []Hunk) {
	seen := make(map[string]int, len(hunks))
	for i := range hunks {
		id := d.digits(hunks[i])
		seen[id]++
		if hunks[i].ID = id; seen[id] > 1 {
			hunks[i].ID = fmt.Sprintf("%s-%d", id, seen[id])
		}
	}
}

// digits hashes the lines of a hunk, each with what happens to it and its length, so that no two hunks that differ
// are written alike.
func (d *Diff) digits(h Hunk) string {
	sum := sha256.New()
	var head [9]byte
	d.eachLine(h, func(op byte, line []byte) {
		head[0] = op
		binary.LittleEndian.PutUint64(head[1:], uint64(len(line)))
		sum.Write(head[:])
		sum.Write(line)
	})
	return hex.EncodeToString(sum.Sum(nil)[:4])
}

// eachLine calls f with the lines of a hunk in the order that they are shown in; op is ' ', '-' or '+'.
func (d *Diff) eachLine(h Hunk, f func(op byte, line []byte)) {
	at := h.A
	for _, e := range h.Edits {
		for ; at < e.A; at++ {
			f(' ', d.a.at(at))
		}
		for ; at < e.AEnd; at++ {
			f('-', d.a.at(at))
		}
		for j := e.B; j < e.BEnd; j++ {
			f('+', d.b.at(j))
		}
	}
	for ; at < h.AEnd; at++ {
		f(' ', d.a.at(at))
	}
}

// Select returns the old text with only those hunks applied that keep says yes to. Every other byte is that of the old
// text: with none it is the old text, with all it is the new one. hunks are some or all of what d.Hunks gave, in order.
func (d *Diff) Select(hunks []Hunk, keep func(Hunk) bool) []byte {
	out := make([]byte, 0, max(len(d.a.text), len(d.b.text)))
	at := 0
	for _, h := range hunks {
		if !keep(h) {
			continue
		}
		for _, e := range h.Edits {
			out = append(out, d.a.span(at, e.A)...)
			out = append(out, d.b.span(e.B, e.BEnd)...)
			at = e.AEnd
		}
	}
	return append(out, d.a.span(at, d.a.len())...)
}

// Unified appends hunks to dst as the body of a unified diff, what follows "---" and "+++" in a patch. Lines are
// written as they are; one without LF at its end is followed by "\ No newline at end of file".
func (d *Diff) Unified(dst []byte, hunks []Hunk) []byte {
	for _, h := range hunks {
		dst = append(append(dst, h.Header()...), '\n')
		d.eachLine(h, func(op byte, line []byte) {
			dst = append(append(dst, op), line...)
			if line[len(line)-1] != '\n' {
				dst = append(dst, "\n\\ No newline at end of file\n"...)
			}
		})
	}
	return dst
}
