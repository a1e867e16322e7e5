package text

import (
	"bytes"
	"unicode/utf8"
)

// partial is the line being read: its first max code points, and what is known of the rest.
type partial struct {
	max   int // code points to keep; 0 or less: all
	text  []byte
	runes int  // code points in text; kept only when max > 0
	open  bool // the line has a byte
	extra int  // bytes beyond text
	cr    bool // the bytes beyond text are one CR, which may turn out to be hidden
}

// add appends the next part of the line, whole code points without LF.
func (p *partial) add(b []byte) {
	if len(b) == 0 {
		return
	}
	p.open = true
	if p.max <= 0 {
		p.text = append(p.text, b...)
		return
	}
	if p.extra == 0 {
		n := p.fit(b)
		p.text = append(p.text, b[:n]...)
		b = b[n:]
	}
	if len(b) > 0 {
		p.cr = p.extra == 0 && len(b) == 1 && b[0] == '\r'
		p.extra += len(b)
	}
}

// fit returns how many bytes of b the limit leaves room for, and counts their code points.
func (p *partial) fit(b []byte) int {
	room := p.max - p.runes
	if n := utf8.RuneCount(b); n <= room {
		p.runes += n
		return len(b)
	}
	p.runes = p.max
	i := 0
	for ; room > 0; room-- {
		_, size := utf8.DecodeRune(b[i:])
		i += size
	}
	return i
}

// end closes the line and makes ready for the next. The text is valid until the next add.
func (p *partial) end(newline bool) (text []byte, truncated bool) {
	text = p.text
	switch {
	case p.extra > 0:
		truncated = !(newline && p.cr)
	case newline:
		text = bytes.TrimSuffix(text, []byte{'\r'})
	}
	*p = partial{max: p.max, text: p.text[:0]}
	return text, truncated
}
