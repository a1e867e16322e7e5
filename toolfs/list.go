package toolfs

import (
	"context"
	"fmt"

	"github.com/seamfs/seamfs/vfs"
)

// ListValue is the canonical value of list: one page of entries, and what the
// whole directory holds.
type ListValue struct {
	Path         string      `json:"path"`
	Offset       int64       `json:"offset"`
	Entries      []ListEntry `json:"entries"`
	TotalEntries int         `json:"totalEntries"`
	Counts       ListCounts  `json:"counts"`
}

// ListEntry is one direct child; Type is "file", "directory" or "other".
type ListEntry struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// ListCounts says what a directory is made of.
type ListCounts struct {
	Directories int `json:"directories"`
	Files       int `json:"files"`
	Other       int `json:"other"`
}

func listTool(Config) definition {
	return definition{
		Tool: Tool{
			Name: "list",
			Description: "Show what one directory contains: the name and kind of every direct child, hidden ones included, " +
				"directories first (name/), then files, then everything else (name@). One page at a time; the footer gives the totals " +
				"and, when there is more, the offset to go on from.",
			InputSchema: listInput(), OutputSchema: listOutput,
			Hints:      Hints{ReadOnly: true, Idempotent: true},
			Concurrent: true,
		},
		params: []param{dirPathParam, offsetParam},
		run:    runList,
	}
}

// runList is one FS.List. It observes nothing: a name is not a content.
func runList(ctx context.Context, c *call) (string, any, error) {
	name, err := c.optionalPath("path")
	if err != nil {
		return "", nil, err
	}
	offset, err := c.args.positive("offset", 1)
	if err != nil {
		return "", nil, err
	}
	if name == "" {
		name = "."
	}
	t, err := c.resolve(ctx, name, "list", false)
	if err != nil {
		return "", nil, err
	}
	entries, err := c.fs.List(ctx, t)
	if err != nil {
		c.explainMiss(ctx, name, err)
		return "", nil, err
	}
	v := ListValue{Path: t.Display(), Offset: offset, TotalEntries: len(entries)}
	ordered, counts := orderEntries(entries)
	v.Counts = counts
	if offset > 1 && offset > int64(len(ordered)) {
		return "", nil, &vfs.Error{Code: vfs.NotFound, Op: "list", Path: t.Display(),
			Message: fmt.Sprintf("offset %d is out of range for %s (%d entries)", offset, quoted(t.Display()), len(ordered))}
	}
	page := ordered[min(int(offset)-1, len(ordered)):]
	v.Entries = page[:min(c.cfg.ListMaxEntries, len(page))]
	return renderList(&v, c.room()), v, nil
}

// orderEntries puts directories first, then files, then all else; within each
// they stay in the byte order that FS.List gives.
func orderEntries(entries []vfs.Entry) ([]ListEntry, ListCounts) {
	ordered := make([]ListEntry, 0, len(entries))
	take := func(kind string, is func(vfs.Kind) bool) int {
		n := 0
		for _, e := range entries {
			if is(e.Kind) {
				ordered = append(ordered, ListEntry{Name: e.Name, Type: kind})
				n++
			}
		}
		return n
	}
	var counts ListCounts
	counts.Directories = take("directory", func(k vfs.Kind) bool { return k == vfs.KindDir })
	counts.Files = take("file", func(k vfs.Kind) bool { return k == vfs.KindFile })
	counts.Other = take("other", func(k vfs.Kind) bool { return k != vfs.KindDir && k != vfs.KindFile })
	return ordered, counts
}
