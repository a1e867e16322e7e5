package jailtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os/user"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// errnoWords are what hosts say, and what no answer of the seam says in its own
// words.
var errnoWords = []string{
	"no such file", "file exists", "cross-device", "operation not permitted", ": is a directory", "directory not empty",
	"too many levels", "file name too long", "no space left on", "read-only file system", "text file busy",
	"device or resource", "temporarily unavailable", "bad file descriptor", "too many open files", "invalid argument",
	"stale", "no such device", "escapes from parent", "openat", "fstatat", "/proc/",
}

// scanError holds an error, in every way it may be printed, against what must not
// show; and what a log gets must be what a model gets.
func (p *P) scanError(label string, inputs []string, host bool, err error) {
	text := err.Error()
	all := append(renderings(err), text, fmt.Sprintf("%#v", err), logged(err))
	p.scan(label, inputs, !host, all...)
	if plus := fmt.Sprintf("%+v", err); plus != text {
		p.Errorf("%s: %%+v says %q where Error says %q", label, plus, text)
	}
}

// renderings are the texts that a value may become.
func renderings(v any) []string {
	list := []string{fmt.Sprintf("%+v", v), fmt.Sprintf("%q", v)}
	if b, err := json.Marshal(v); err == nil {
		list = append(list, string(b))
	}
	return list
}

func logged(v any) string {
	var b bytes.Buffer
	slog.New(slog.NewJSONHandler(&b, nil)).Info("", "v", v)
	slog.New(slog.NewTextHandler(&b, nil)).Info("", "v", v)
	return b.String()
}

// scan looks in texts for what only somebody who looked outside can know, and for
// what only the host can have said.
func (p *P) scan(label string, inputs []string, words bool, texts ...string) {
	for _, text := range texts {
		if mark := p.leak(text, inputs, words); mark != "" {
			p.Errorf("%s: the answer shows %q: %s", label, mark, short(strings.ToValidUTF8(text, "?")))
			return
		}
	}
}

// leak returns what a text shows that it must not.
func (p *P) leak(text string, inputs []string, words bool) string {
	said := strings.Join(inputs, "\n")
	for _, input := range inputs {
		for _, form := range []string{input, path.Clean(input)} {
			if len(form) > 3 {
				text = strings.ReplaceAll(text, form, "<said>")
			}
		}
	}
	marks := []string{entryMark}
	if !p.row.shown {
		marks = append(marks, contentMark, "2001-02-03", fmt.Sprintf("Size:%d", outSize), fmt.Sprintf(`"Size":%d`, outSize))
	}
	if !strings.Contains(said, outName) {
		marks = append(marks, outName)
	}
	marks = append(marks, p.secret...)
	if words {
		marks = append(marks, errnoWords...)
	}
	for _, mark := range marks {
		if mark != "" && strings.Contains(text, mark) && !strings.Contains(said, mark) {
			return mark
		}
	}
	return p.hostPath(text)
}

// hostPath finds the path of the world in a text where it is not that of the base,
// and the name of the user.
func (p *P) hostPath(text string) string {
	dir := filepath.ToSlash(p.dir)
	allowed := []string{dir + "/" + rootName}
	if p.want.Base != "" {
		allowed = nil
	}
	if p.alias != "" {
		allowed = append(allowed, p.alias)
	}
	for at := strings.Index(text, dir); at >= 0 && dir != ""; at = strings.Index(text, dir) {
		text = text[at:]
		if !slices.ContainsFunc(allowed, func(base string) bool { return hasName(text, base) }) {
			return dir
		}
		text = text[len(dir):]
	}
	if me, err := user.Current(); err == nil && len(me.Username) > 4 && me.Username != "nobody" && !strings.Contains(dir, me.Username) && strings.Contains(text, me.Username) {
		return me.Username
	}
	return ""
}

// hasName reports whether text begins with a path, and not merely with the beginning
// of the path of a neighbour.
func hasName(text, path string) bool {
	rest, found := strings.CutPrefix(text, path)
	return found && (rest == "" || !strings.ContainsRune("-_.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", rune(rest[0])))
}
