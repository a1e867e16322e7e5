package text

import "bytes"

// maxPieces bounds the pieces that one edit makes. A replacement of more occurrences is built as one run of bytes
// from the first to the last, since a piece weighs more than what it stands for when they are dense.
const maxPieces = 1024

// Piece is a part of a result: a range of the content that was given, or inserted bytes. No piece is empty.
type Piece struct {
	From, To int    // the kept range [From,To), when Text is nil
	Text     []byte // inserted bytes
}

// Len returns how many bytes the piece adds to the result.
func (p Piece) Len() int {
	if p.Text != nil {
		return len(p.Text)
	}
	return p.To - p.From
}

// Spliced is the result of edits, as pieces in order. They share the content and each other's bytes: read them only.
type Spliced struct {
	Pieces       []Piece
	Size         int64 // of the result
	Replacements int   // occurrences replaced, of all edits
}

// Bytes returns the result in full; content must be what was given to Splice.
func (s Spliced) Bytes(content []byte) []byte {
	out := make([]byte, 0, s.Size)
	for _, p := range s.Pieces {
		if p.Text != nil {
			out = append(out, p.Text...)
		} else {
			out = append(out, content[p.From:p.To]...)
		}
	}
	return out
}

// Splice applies edits in order, each to the result of the one before, all or nothing: the same as one call for each.
// content must be text, and is not changed. Every byte outside the replaced spans stays as it is. The line ends of New
// become those that most lines of the file have. A result, also between two edits, of more than maxSize bytes is
// refused before memory is taken for it; 0 or less means no limit.
func Splice(content []byte, edits []Edit, maxSize int64) (Spliced, *EditError) {
	if err := CheckEdits(edits); err != nil {
		return Spliced{}, err
	}
	var total Spliced
	cur := content
	for i, e := range edits {
		step, err := spliceOne(cur, e, maxSize)
		if err != nil {
			if err.Kind == NotFound && i > 0 {
				if _, was := newView(content).find(e); was {
					err = refuse(NotFound, "old_string was not found in the file: it was there until an edit before this one changed it; make it match the result of the edits before it")
				}
			}
			return Spliced{}, err.at(i, len(edits))
		}
		if i+1 < len(edits) {
			cur = step.Bytes(cur)
		}
		if i > 0 {
			step.Pieces = compose(total.Pieces, step.Pieces)
			step.Replacements += total.Replacements
		}
		total = step
	}
	return total, nil
}

// spliceOne applies one edit.
func spliceOne(content []byte, e Edit, maxSize int64) (Spliced, *EditError) {
	v := newView(content)
	m, ok := v.find(e)
	if !ok {
		return Spliced{}, notFound(v, e)
	}
	if !e.All && !m.unique() {
		return Spliced{}, ambiguous(m)
	}
	insert := writeEnding(m.new, v.ending)
	s := Spliced{Size: int64(len(content))}
	changed := false
	var spans [][2]int // the first of them
	for from, to := range m.spans(e.All) {
		if s.Replacements++; s.Replacements <= maxPieces {
			spans = append(spans, [2]int{from, to})
		}
		s.Size += int64(len(insert) - (to - from))
		changed = changed || !bytes.Equal(content[from:to], insert)
	}
	switch {
	case !changed && m.anchored:
		return Spliced{}, refuse(NoChange, "old_string and new_string are the same apart from the byte order mark, which an edit keeps: nothing would change")
	case !changed:
		return Spliced{}, refuse(NoChange, "old_string and new_string are the same apart from line endings, and an edit keeps those of the file: nothing would change")
	case maxSize > 0 && s.Size > maxSize:
		return Spliced{}, refuse(TooLarge, "the result would have %d bytes (%d replacements), more than the limit of %d; make new_string shorter or replace fewer occurrences", s.Size, s.Replacements, maxSize)
	}
	if s.Replacements > len(spans) {
		s.Pieces = m.dense(content, insert, s)
	} else {
		s.Pieces = pieces(len(content), spans, insert)
	}
	return s, nil
}

// pieces lays out a result in which insert stands for each span of the content's size bytes.
func pieces(size int, spans [][2]int, insert []byte) []Piece {
	var out []Piece
	kept := 0
	for _, span := range spans {
		out = appendPiece(out, Piece{From: kept, To: span[0]})
		out = appendPiece(out, Piece{Text: insert})
		kept = span[1]
	}
	return appendPiece(out, Piece{From: kept, To: size})
}

// dense builds the stretch from the first to the last occurrence as one piece.
func (m match) dense(content, insert []byte, s Spliced) []Piece {
	start, kept := -1, 0
	var run []byte
	for from, to := range m.spans(true) {
		if start < 0 {
			start, kept = from, from
			run = make([]byte, 0, s.Size-int64(from))
		}
		run = append(run, content[kept:from]...)
		run = append(run, insert...)
		kept = to
	}
	out := appendPiece(nil, Piece{From: 0, To: start})
	out = appendPiece(out, Piece{Text: run})
	return appendPiece(out, Piece{From: kept, To: len(content)})
}

// appendPiece appends p, unless it is empty, and joins it to a kept range that it continues.
func appendPiece(out []Piece, p Piece) []Piece {
	if p.Len() == 0 {
		return out
	}
	if n := len(out); n > 0 && p.Text == nil && out[n-1].Text == nil && out[n-1].To == p.From {
		out[n-1].To = p.To
		return out
	}
	return append(out, p)
}

// compose returns next, whose kept ranges are of what prev makes, as pieces of what prev was made from.
func compose(prev, next []Piece) []Piece {
	var out []Piece
	i, base := 0, 0 // prev[i] starts at base
	for _, p := range next {
		if p.Text != nil {
			out = appendPiece(out, p)
			continue
		}
		for at := p.From; at < p.To; {
			for base+prev[i].Len() <= at {
				base += prev[i].Len()
				i++
			}
			end := min(p.To, base+prev[i].Len())
			out = appendPiece(out, prev[i].part(at-base, end-base))
			at = end
		}
	}
	return out
}

// part returns the bytes [from,to) of what p adds.
func (p Piece) part(from, to int) Piece {
	if p.Text != nil {
		return Piece{Text: p.Text[from:to]}
	}
	return Piece{From: p.From + from, To: p.From + to}
}
