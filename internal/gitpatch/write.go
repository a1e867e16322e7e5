package gitpatch

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/seamfs/seamfs/internal/diff"
)

const (
	devNull = "/dev/null"
	noBlob  = "0000000000000000000000000000000000000000"
)

// Options are how a patch is written.
type Options struct {
	// Notes are what the patch does not carry. They are written in front as comments, which git ignores.
	Notes []Note
	// Strict makes notes a *LossError.
	Strict bool
}

// Write writes a patch of files, in their order, that `git apply` accepts, and takes back with -R. A file that did not
// change leaves no trace. A rename is written as one only when no other of the files has its old path after, or its new
// path before (or is below it, for a symlink); else as what became of either path. Nothing is written when one of them cannot be in a patch, or for
// strictness.
func Write(w io.Writer, files []File, opts Options) error {
	if opts.Strict && len(opts.Notes) > 0 {
		return &LossError{opts.Notes}
	}
	files, err := pairUp(files)
	if err != nil {
		return err
	}
	var entries []File
	for _, f := range files {
		entries = append(entries, f.entries()...)
	}
	out := bufio.NewWriter(w)
	if len(opts.Notes) > 0 {
		fmt.Fprintln(out, "# Not in this patch, since git has no place for it:")
		for _, n := range opts.Notes {
			fmt.Fprintf(out, "#   %s: %s\n", quote(n.Path), quote(n.What))
		}
		fmt.Fprintln(out)
	}
	for _, f := range entries {
		f.write(out)
	}
	return out.Flush()
}

// entries are what a file is in git: nothing, itself, or for a change of type a removal and a creation.
func (f File) entries() []File {
	if f.Old == nil || f.New == nil {
		return []File{f}
	}
	switch {
	case (f.Old.Mode == Symlink) != (f.New.Mode == Symlink):
		if f.Copy {
			return []File{{New: f.New}}
		}
		return []File{{Old: f.Old}, {New: f.New}}
	case f.Old.Path == f.New.Path && f.Old.Mode == f.New.Mode && bytes.Equal(f.Old.Content, f.New.Content):
		return nil
	}
	return []File{f}
}

// write writes one entry. What goes wrong with out is told by its Flush.
func (f File) write(out *bufio.Writer) {
	old, new := f.Old, f.New
	if old == nil {
		old = &Side{Path: new.Path}
	}
	if new == nil {
		new = &Side{Path: old.Path}
	}
	d := diff.Compute(old.Content, new.Content)
	same := len(d.Edits()) == 0
	fmt.Fprintf(out, "diff --git %s %s\n", quoteHeader("a/"+old.Path), quoteHeader("b/"+new.Path))
	f.writeHeader(out, d)
	if f.Old != nil && f.New != nil && same {
		return
	}
	ids, mode := [2]string{noBlob, noBlob}, ""
	labels := [2]string{devNull, devNull}
	if f.Old != nil {
		ids[0], labels[0] = BlobID(old.Content), label("a/"+old.Path)
	}
	if f.New != nil {
		ids[1], labels[1] = BlobID(new.Content), label("b/"+new.Path)
	}
	if old.Mode == new.Mode {
		mode = " " + old.Mode.String()
	}
	fmt.Fprintf(out, "index %s..%s%s\n", ids[0], ids[1], mode)
	switch {
	case same: // an empty file that came or went
	case isBinary(old.Content) || isBinary(new.Content):
		writeBinary(out, old.Content, new.Content)
	default:
		fmt.Fprintf(out, "--- %s\n+++ %s\n", labels[0], labels[1])
		out.Write(d.Unified(nil, d.Hunks(diff.DefaultContext)))
	}
}

// writeHeader writes the lines between "diff" and "index".
func (f File) writeHeader(out *bufio.Writer, d *diff.Diff) {
	switch {
	case f.Old == nil:
		fmt.Fprintf(out, "new file mode %s\n", f.New.Mode)
		return
	case f.New == nil:
		fmt.Fprintf(out, "deleted file mode %s\n", f.Old.Mode)
		return
	case f.Old.Mode != f.New.Mode:
		fmt.Fprintf(out, "old mode %s\nnew mode %s\n", f.Old.Mode, f.New.Mode)
	}
	if f.Old.Path == f.New.Path {
		return
	}
	how := "rename"
	if f.Copy {
		how = "copy"
	}
	fmt.Fprintf(out, "similarity index %d%%\n%s from %s\n%s to %s\n",
		similarity(f, d), how, quote(f.Old.Path), how, quote(f.New.Path))
}

// similarity is how much of the longer side both have in common, in percent of its bytes; 100 only for all.
func similarity(f File, d *diff.Diff) int {
	if len(d.Edits()) == 0 {
		return 100
	}
	return min(99, int(100*int64(d.Common())/int64(max(len(f.Old.Content), len(f.New.Content)))))
}

// quoteHeader is quote for the first line. Git loses its way there in a plain name with a space before a slash, its own
// patches included, when no other line has the name.
func quoteHeader(name string) string {
	if plain := quote(name); plain != name || !strings.Contains(name, " /") {
		return plain
	}
	return `"` + name + `"`
}

// label is a name behind "---" or "+++". Git ends one that has a space with a tab, since other programs write the time
// there.
func label(name string) string {
	if strings.Contains(name, " ") {
		return quote(name) + "\t"
	}
	return quote(name)
}
