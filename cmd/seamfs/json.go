package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/vfs"
)

// The forms that --json prints. Names that are not UTF-8 have U+FFFD in them.

type jsonSide struct {
	Type string `json:"type"`
	Mode string `json:"mode"`
	Size int64  `json:"size"`
	Link string `json:"link,omitempty"`
}

type jsonChange struct {
	Letter string    `json:"letter"`
	Kind   string    `json:"kind"`
	Path   string    `json:"path"`
	From   string    `json:"from,omitempty"`
	LinkOf string    `json:"linkOf,omitempty"`
	Before *jsonSide `json:"before"`
	After  *jsonSide `json:"after"`
}

type jsonHunk struct {
	ID      string `json:"id"`
	Header  string `json:"header"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	Body    string `json:"body"`
}

type jsonFile struct {
	jsonChange
	Binary   bool       `json:"binary"`
	TooLarge bool       `json:"tooLarge"`
	Added    int        `json:"added"`
	Removed  int        `json:"removed"`
	Hunks    []jsonHunk `json:"hunks"`
}

type jsonConflict struct {
	Class string `json:"class"`
	What  string `json:"what"`
	Next  string `json:"next"`
	Base  string `json:"base,omitempty"`
	Below string `json:"below,omitempty"`
	Here  string `json:"here,omitempty"`
}

type jsonItem struct {
	jsonChange
	Already  bool          `json:"already"`
	Merged   bool          `json:"merged"`
	Forced   bool          `json:"forced"`
	Partial  bool          `json:"partial"`
	Conflict *jsonConflict `json:"conflict,omitempty"`
}

func jsonName(p vfs.Place) string { return strings.ToValidUTF8(string(p), "\ufffd") }

func sideJSON(s *overlay.Side) *jsonSide {
	if s.Kind == vfs.KindUnknown {
		return nil
	}
	return &jsonSide{s.Kind.String(), fmt.Sprintf("%04o", s.Mode), s.Size, jsonName(vfs.Place(s.Link))}
}

func changeJSON(c *overlay.Change) jsonChange {
	return jsonChange{c.Kind.Letter(), c.Kind.String(), jsonName(c.Place), jsonName(c.From), jsonName(c.LinkOf), sideJSON(&c.Before), sideJSON(&c.After)}
}

func changesJSON(list []overlay.Change) []jsonChange {
	out := make([]jsonChange, len(list))
	for i := range list {
		out[i] = changeJSON(&list[i])
	}
	return out
}

func fileJSON(f *overlay.FileDiff) jsonFile {
	out := jsonFile{changeJSON(&f.Change), f.Binary, f.TooLarge, f.Added, f.Removed, []jsonHunk{}}
	for _, h := range f.Hunks {
		out.Hunks = append(out.Hunks, jsonHunk{h.ID, h.Header, h.Added, h.Removed, string(h.Body)})
	}
	return out
}

func itemsJSON(items []overlay.Item) []jsonItem {
	out := make([]jsonItem, len(items))
	for i := range items {
		it := &items[i]
		out[i] = jsonItem{changeJSON(&it.Change), it.Applied, it.Merged, it.Forced, it.Partial, nil}
		if c := it.Conflict; c != nil {
			out[i].Conflict = &jsonConflict{c.Class.String(), c.What(), c.Next(), string(c.Base), string(c.Below), string(c.Here)}
		}
	}
	return out
}

func printJSON(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
