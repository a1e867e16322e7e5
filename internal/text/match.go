package text

import (
	"bytes"
	"iter"
	"strings"
)

// view is content as an edit sees it: without the byte order mark, and with CRLF read as LF.
type view struct {
	bom int    // bytes of the mark before raw
	raw []byte // the content after the mark
	lf  []byte // raw with each CR that stands before an LF left out; raw itself when there is none; made on demand
}

func newView(content []byte) *view {
	raw, _ := CutBOM(content)
	return &view{bom: len(content) - len(raw), raw: raw}
}

// lines returns the LF view. It copies only content that has CRLF.
func (v *view) lines() []byte {
	if v.lf == nil {
		v.lf = cutCRs(v.raw)
	}
	return v.lf
}

// ending is the line end that most lines have; the CRs that the LF view left out need not be counted again.
func (v *view) ending() string {
	if v.lf != nil {
		return majority(v.raw, len(v.raw)-len(v.lf))
	}
	return MajorityEnding(v.raw)
}

// textFor returns the bytes to look for needle in. A needle without CR and LF lies within a line, where raw and view
// are the same bytes, so raw will do and nothing need be copied.
func (v *view) textFor(needle string) []byte {
	if strings.IndexByte(needle, '\n') < 0 && strings.IndexByte(needle, '\r') < 0 {
		return v.raw
	}
	return v.lines()
}

// reading is one way to take the arguments of an edit.
type reading struct {
	old, new string
	anchored bool // old stands for the very start of the text
}

// readings returns the ways to take e, in the order in which they are tried: as sent; with CRLF read as LF; and, when
// the file has a byte order mark and old_string brought it along, without it at the start of the text.
func (v *view) readings(e Edit) []reading {
	rs := []reading{{old: e.Old, new: e.New}}
	if s := readLF(e.Old); s != e.Old {
		rs = append(rs, reading{old: s, new: e.New})
	}
	if v.bom == 0 || !strings.HasPrefix(e.Old, BOM) || e.Old == BOM {
		return rs
	}
	for _, r := range rs {
		rs = append(rs, reading{old: r.old[len(BOM):], new: strings.TrimPrefix(r.new, BOM), anchored: true})
	}
	return rs
}

// match is a reading that was found.
type match struct {
	reading
	view   *view
	text   []byte // what old was found in: view.raw or the LF view
	needle []byte // old
	first  int    // its first place in text
}

// find returns the first reading of e that occurs.
func (v *view) find(e Edit) (match, bool) {
	for _, r := range v.readings(e) {
		m := match{reading: r, view: v, text: v.textFor(r.old), needle: []byte(r.old)}
		if r.anchored {
			if bytes.HasPrefix(m.text, m.needle) {
				return m, true
			}
			continue
		}
		if m.first = bytes.Index(m.text, m.needle); m.first >= 0 {
			return m, true
		}
	}
	return match{}, false
}

// next returns the first occurrence at or after from, -1 when there is none.
func (m match) next(from int) int {
	if i := bytes.Index(m.text[from:], m.needle); i >= 0 {
		return from + i
	}
	return -1
}

// unique tells whether the first occurrence is the only one, overlapping ones included.
func (m match) unique() bool { return m.anchored || m.next(m.first+1) < 0 }

// spans yields the occurrences as spans of the content: the first, or all of them left to right without overlap.
func (m match) spans(all bool) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		w := walker{text: m.text, raw: m.view.raw}
		for at := m.first; at >= 0; {
			end := at + len(m.needle)
			from := m.view.bom + w.offset(at)
			to := m.view.bom + w.offset(end)
			if !yield(from, to) || !all || m.anchored {
				return
			}
			at = m.next(end)
		}
	}
}

// walker maps positions of a view to offsets of what it is a view of. Positions must not decrease.
type walker struct {
	text, raw []byte
	at        int // position up to which hidden CRs are counted
	hidden    int // hidden CRs before at
}

// offset returns pos plus the hidden CRs at positions below it. A hidden CR has the position of its LF, so a span
// that begins with a line end includes its CR, and one that stops before a line end leaves it.
func (w *walker) offset(pos int) int {
	if len(w.text) == len(w.raw) {
		return pos
	}
	for w.at < pos {
		i := bytes.IndexByte(w.text[w.at:pos], '\n')
		if i < 0 {
			w.at = pos
			break
		}
		lf := w.at + i
		if w.raw[lf+w.hidden] == '\r' {
			w.hidden++
		}
		w.at = lf + 1
	}
	return pos + w.hidden
}
