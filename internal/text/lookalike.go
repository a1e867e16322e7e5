package text

// zeroWidth tells whether r takes no room on a line: it can be in a text without being seen.
func zeroWidth(r rune) bool {
	switch r {
	case 0x00AD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF:
		return true
	}
	return false
}

// lookAlike returns the ASCII character that r is taken for, or r.
func lookAlike(r rune) rune {
	switch r {
	case 0x00A0, 0x1680, 0x202F, 0x205F, 0x3000:
		return ' '
	case 0x2018, 0x2019, 0x201A, 0x201B, 0x2032, 0x02BC:
		return '\''
	case 0x201C, 0x201D, 0x201E, 0x201F, 0x2033:
		return '"'
	case 0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015, 0x2212:
		return '-'
	case 0x037E:
		return ';'
	case 0x2044, 0x2215:
		return '/'
	}
	if r >= 0x2000 && r <= 0x200A {
		return ' '
	}
	if r >= 0xFF01 && r <= 0xFF5E { // full width forms of ASCII
		return r - 0xFF01 + '!'
	}
	return r
}
