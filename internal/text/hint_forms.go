package text

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// skeleton stands for any letter that is not ASCII, and for any letter with marks on it: a form that both ways of
// writing an accented letter share, found without Unicode's tables.
const skeleton = '\ufffc'

// combines tells whether r joins the letter before it: a mark, or a vowel or final of a Hangul syllable.
func combines(r rune) bool { return unicode.Is(unicode.Mn, r) || r >= 0x1160 && r <= 0x11FF }

// cluster returns the length of the letter that s starts with, its marks included, and what it folds to.
func cluster(s string) (n int, as rune) {
	r, n := utf8.DecodeRuneInString(s)
	as = r
	letter := unicode.IsLetter(r)
	if letter && r >= utf8.RuneSelf {
		as = skeleton
	}
	for n < len(s) && letter {
		m, size := utf8.DecodeRuneInString(s[n:])
		if !combines(m) {
			break
		}
		as = skeleton
		n += size
	}
	return n, as
}

// hintNormalForm finds old_string when composed and decomposed letters (NFC, NFD) are taken for the same.
func hintNormalForm(h *hinter) string {
	if !strings.ContainsFunc(h.old, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return "" // without a letter that has two forms there is nothing to take for another
	}
	f := h.fold(func(dst []byte, line string) []byte {
		for len(line) > 0 {
			n, as := cluster(line)
			dst = utf8.AppendRune(dst, as)
			line = line[n:]
		}
		return dst
	})
	for at, lineStart := range h.matches(f) {
		line, _, _ := strings.Cut(h.text[lineStart:], "\n")
		skip := utf8.RuneCount(f.text[bytes.LastIndexByte(f.text[:at], '\n')+1 : at])
		start := lineStart
		for ; skip > 0; skip-- { // one code point of the fold is one cluster
			n, _ := cluster(line)
			start, line = start+n, line[n:]
		}
		if hint := h.formsAt(start); hint != "" {
			return hint
		}
	}
	return ""
}

// formsAt compares old_string with the text at start, letter by letter. It makes its claim only when each difference
// is one of form.
func (h *hinter) formsAt(start int) string {
	file, old := h.text[start:], h.old
	hint := ""
	for len(old) > 0 && len(file) > 0 {
		n, _ := cluster(file)
		m, _ := cluster(old)
		a, b := file[:n], old[:m]
		file, old = file[n:], old[m:]
		if a == b {
			continue
		}
		if !otherForm(a, b) {
			return ""
		}
		if hint == "" {
			hint = fmt.Sprintf("it matches line %d apart from the form of an accented letter (composed or decomposed, NFC or NFD): the file has %s where old_string has %s",
				h.lineAt(start), codePoints(a), codePoints(b))
		}
	}
	return hint
}

// codePoints lists the first code points of s.
func codePoints(s string) string {
	var out []string
	for _, r := range s {
		if len(out) == 4 {
			out = append(out, "...")
			break
		}
		out = append(out, fmt.Sprintf("U+%04X", r))
	}
	return strings.Join(out, " ")
}

// accents lists composed letters of Europe by their mark, each after its base, to check a claim about them.
var accents = map[rune]string{
	0x0300: "AÀEÈIÌOÒUÙaàeèiìoòuùNǸnǹ",
	0x0301: "AÁEÉIÍOÓUÚYÝaáeéiíoóuúyýCĆcćLĹlĺNŃnńRŔrŕSŚsśZŹzź",
	0x0302: "AÂEÊIÎOÔUÛaâeêiîoôuûCĈcĉGĜgĝHĤhĥJĴjĵSŜsŝWŴwŵYŶyŷ",
	0x0303: "AÃNÑOÕaãnñoõIĨiĩUŨuũ",
	0x0304: "AĀaāEĒeēIĪiīOŌoōUŪuū",
	0x0306: "AĂaăEĔeĕGĞgğIĬiĭOŎoŏUŬuŭ",
	0x0307: "CĊcċEĖeėGĠgġIİZŻzż",
	0x0308: "AÄEËIÏOÖUÜaäeëiïoöuüyÿYŸ",
	0x030A: "AÅaåUŮuů",
	0x030B: "OŐoőUŰuű",
	0x030C: "CČcčDĎdďEĚeěNŇnňRŘrřSŠsšTŤtťZŽzž",
	0x0327: "CÇcçGĢKĶkķLĻlļNŅnņRŖrŗSŞsşTŢtţ",
	0x0328: "AĄaąEĘeęIĮiįUŲuų",
}

// otherForm tells whether a and b can be one letter in two forms: one has fewer code points, and nothing that is
// known speaks against it.
func otherForm(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) == len(y) || len(x) == 0 || unicode.IsUpper(x[0]) != unicode.IsUpper(y[0]) {
		return false
	}
	for mark, pairs := range accents {
		rs := []rune(pairs)
		for i := 1; i < len(rs); i += 2 {
			if rs[i] == x[0] && len(x) == 1 {
				return len(y) == 2 && y[0] == rs[i-1] && y[1] == mark
			}
		}
	}
	return x[0] >= utf8.RuneSelf
}
