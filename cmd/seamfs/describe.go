package main

import (
	"fmt"
	"strings"

	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/internal/text"
	"github.com/seamfs/seamfs/vfs"
)

// detail says in a few words what a change is about, beside its letter and name.
func detail(c *overlay.Change) string {
	var list []string
	b, a := &c.Before, &c.After
	switch {
	case c.LinkOf != "":
		list = append(list, "another name of "+text.ShowName(string(c.LinkOf)))
	case c.Kind == overlay.Retyped:
		list = append(list, b.Kind.String()+" -> "+a.Kind.String())
	case a.Kind == vfs.KindDir || a.Kind == vfs.KindUnknown && b.Kind == vfs.KindDir:
		list = append(list, "directory")
	case a.Kind == vfs.KindSymlink:
		list = append(list, "link to "+text.ShowName(a.Link))
	case a.Kind == vfs.KindUnknown && b.Kind == vfs.KindSymlink:
		list = append(list, "link to "+text.ShowName(b.Link))
	case a.Kind == vfs.KindFile && b.Kind == vfs.KindFile && c.Content:
		list = append(list, fmt.Sprintf("%d -> %d bytes", b.Size, a.Size))
	case a.Kind == vfs.KindFile && b.Kind == vfs.KindUnknown && c.From == "":
		list = append(list, fmt.Sprintf("%d bytes", a.Size))
	case a.Kind == vfs.KindUnknown:
		list = append(list, fmt.Sprintf("%d bytes", b.Size))
	}
	if modeChanged(c) {
		list = append(list, fmt.Sprintf("mode %04o -> %04o", b.Mode, a.Mode))
	} else if c.Attrs && c.Kind == overlay.Modified {
		list = append(list, "owner or attributes")
	}
	for i := range c.Gone { // another thing has come here with a directory
		list = append(list, "the "+c.Gone[i].Before.Kind.String()+" that was here is removed")
	}
	return strings.Join(list, ", ")
}

func modeChanged(c *overlay.Change) bool {
	return c.Attrs && c.Before.Kind == c.After.Kind && c.Before.Mode != c.After.Mode && c.After.Kind != vfs.KindSymlink
}

// nameOf is where a change is, and where it was.
func nameOf(c *overlay.Change) string {
	if c.From != "" {
		return text.ShowName(string(c.From)) + " -> " + text.ShowName(string(c.Place))
	}
	return text.ShowName(string(c.Place))
}

func changeLine(c *overlay.Change) string {
	line := c.Kind.Letter() + " " + nameOf(c)
	if d := detail(c); d != "" {
		line += " (" + d + ")"
	}
	return line
}

// itemLine is a change of a plan, and how it will be made.
func itemLine(it *overlay.Item) string {
	line := changeLine(&it.Change)
	for _, w := range []struct {
		set  bool
		word string
	}{{it.Applied, "already so"}, {it.Merged, "merged"}, {it.Forced, "forced: overwrites what is there"}, {it.Partial, "some hunks"}} {
		if w.set {
			line += " [" + w.word + "]"
		}
	}
	return line
}

// itemLines are the changes of a plan, at most so many, and every deletion, and all that
// overwrites: what is lost is never left out.
func itemLines(items []overlay.Item, most int) []string {
	var lines []string
	left := 0
	for i := range items {
		it := &items[i]
		if len(lines) < most || it.Kind == overlay.Deleted || it.Kind == overlay.Retyped || it.Forced {
			lines = append(lines, itemLine(it))
		} else {
			left++
		}
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("... and %d more, none of them a deletion", left))
	}
	return lines
}

// fileHeader is what stands above the hunks of a file.
func fileHeader(f *overlay.FileDiff) []string {
	from := f.Place
	if f.From != "" {
		from = f.From
	}
	old, new := "a/"+string(from), "b/"+string(f.Place)
	lines := []string{"diff " + text.ShowName(old) + " " + text.ShowName(new) + " (" + f.Kind.String() + ")"}
	plain := func(k vfs.Kind) bool { return k == vfs.KindFile || k == vfs.KindUnknown }
	if d := detail(&f.Change); d != "" && (!plain(f.Before.Kind) || !plain(f.After.Kind) || modeChanged(&f.Change) || f.LinkOf != "") {
		lines = append(lines, d)
	}
	switch {
	case f.Binary:
		lines = append(lines, fmt.Sprintf("binary: %d -> %d bytes", f.Before.Size, f.After.Size))
	case f.TooLarge:
		lines = append(lines, fmt.Sprintf("too large to compare: %d -> %d bytes", f.Before.Size, f.After.Size))
	case len(f.Hunks) > 0:
		if f.Before.Kind != vfs.KindFile {
			old = "/dev/null"
		}
		if f.After.Kind != vfs.KindFile {
			new = "/dev/null"
		}
		lines = append(lines, "--- "+text.ShowName(old), "+++ "+text.ShowName(new))
	}
	return lines
}
