package gitpatch

import (
	"bytes"
	"fmt"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// ApplyError says why a patch does not fit content.
type ApplyError struct {
	Path string
	Line int // of the content, from 1; 0 when it is about all of it
	Why  string
}

// Error is the path, the line and what is wrong there.
func (e *ApplyError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", quote(e.Path), e.Why)
	}
	return fmt.Sprintf("%s, line %d: %s", quote(e.Path), e.Line, e.Why)
}

// Apply returns what the patch makes of old, which it leaves alone. It fits exactly or is an *ApplyError: every line of
// context is as it says and where it says. For a creation old is empty, and for a removal the result is nil. Where the
// patch has the whole id of a blob, a binary old must have that id, and what comes out of an old that has it must have
// the new id. The result may share memory with old.
func (p Patch) Apply(old []byte) ([]byte, error) {
	if p.Kind == Create && len(old) > 0 {
		return nil, p.fail(0, "the patch creates it, and it has content already")
	}
	known := whole(p.OldID) && BlobID(old) == p.OldID
	var new []byte
	var err error
	switch {
	case p.Binary:
		new, err = p.applyBinary(old, known)
	case len(p.file.TextFragments) > 0:
		new, err = p.applyText(old)
	case p.Kind == Delete && known: // made with --irreversible-delete
		return nil, nil
	default:
		new = old
	}
	if err != nil {
		return nil, err
	}
	if p.Kind == Delete {
		if len(new) > 0 {
			return nil, p.fail(0, "the patch deletes it, and it has more content than the patch says")
		}
		return nil, nil
	}
	if known && whole(p.NewID) && p.NewID != noBlob && BlobID(new) != p.NewID {
		return nil, p.fail(0, "the patch is damaged: it does not make the content whose id it has")
	}
	return new, nil
}

func (p Patch) fail(line int, format string, args ...any) error {
	path := p.Old
	if path == "" {
		path = p.New
	}
	return &ApplyError{path, line, fmt.Sprintf(format, args...)}
}

// whole tells whether id is all of a SHA-1.
func whole(id string) bool { return len(id) == len(noBlob) }

func (p Patch) applyBinary(old []byte, known bool) ([]byte, error) {
	if p.file.BinaryFragment == nil {
		return nil, p.fail(0, "the patch says that it is binary and has no content for it; make it with git diff --binary")
	}
	if whole(p.OldID) && p.OldID != noBlob && !known {
		return nil, p.fail(0, "it is binary, and not the content that the patch was made from")
	}
	var out bytes.Buffer
	err := gitdiff.Apply(&out, bytes.NewReader(old), p.file, gitdiff.WithMaxBinaryFragmentBytes(p.limit))
	if err != nil {
		return nil, p.fail(0, "the binary patch does not apply: %v", err)
	}
	if out.Len() == 0 {
		return []byte{}, nil
	}
	return out.Bytes(), nil
}

// applyText applies the hunks. go-gitdiff would put a hunk of no old lines one line too high.
func (p Patch) applyText(old []byte) ([]byte, error) {
	t := patcher{p: p, old: old, line: 1}
	for _, hunk := range p.file.TextFragments {
		if err := t.apply(hunk); err != nil {
			return nil, err
		}
	}
	if len(t.old) > 0 {
		if err := t.put(t.old); err != nil {
			return nil, err
		}
	}
	if t.out == nil {
		t.out = []byte{}
	}
	return t.out, nil
}

type patcher struct {
	p    Patch
	old  []byte // what is left
	line int    // its first line
	out  []byte
}

func (t *patcher) apply(hunk *gitdiff.TextFragment) error {
	first := hunk.OldPosition
	if hunk.OldLines == 0 {
		first++ // it is after the line of that number
	}
	for int64(t.line) < first {
		line := t.next()
		if line == nil {
			return t.p.fail(t.line, "the file ends before hunk %s, which is at line %d", hunkRange(hunk), first)
		}
		if err := t.put(line); err != nil {
			return err
		}
	}
	for _, l := range hunk.Lines {
		at := t.line
		if l.Old() {
			if found := t.next(); string(found) != l.Line {
				return t.p.fail(at, "hunk %s does not fit: it has %s here, the file %s", hunkRange(hunk), shown([]byte(l.Line)), shown(found))
			}
		}
		if l.New() {
			if err := t.put([]byte(l.Line)); err != nil {
				return err
			}
		}
	}
	return nil
}

// next takes a line off the old content, nil at its end.
func (t *patcher) next() []byte {
	if len(t.old) == 0 {
		return nil
	}
	n := bytes.IndexByte(t.old, '\n') + 1
	if n == 0 {
		n = len(t.old)
	}
	line := t.old[:n]
	t.old, t.line = t.old[n:], t.line+1
	return line
}

// put adds to the result, where only the last line may have no LF.
func (t *patcher) put(line []byte) error {
	if n := len(t.out); n > 0 && t.out[n-1] != '\n' {
		return t.p.fail(t.line, "the patch has a line without a line end in the middle of the file")
	}
	if int64(len(t.out)+len(line)) > t.p.limit {
		return t.p.fail(t.line, "the result is larger than %d bytes, which is the limit", t.p.limit)
	}
	t.out = append(t.out, line...)
	return nil
}

// hunkRange names a hunk.
func hunkRange(hunk *gitdiff.TextFragment) string {
	return fmt.Sprintf("@@ -%d,%d @@", hunk.OldPosition, hunk.OldLines)
}

// shown is a line for a message, with what cannot be seen escaped.
func shown(line []byte) string {
	const most = 80
	if line == nil {
		return "no more lines"
	}
	if len(line) > most {
		return fmt.Sprintf("%q...", line[:most])
	}
	return fmt.Sprintf("%q", line)
}
