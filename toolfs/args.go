package toolfs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/seamfs/seamfs/internal/text"
	"github.com/seamfs/seamfs/vfs"
)

// path returns a path argument that has to be there.
func (c *call) path(name string) (string, error) {
	p, given, err := c.args.path(name)
	if err != nil {
		return "", err
	}
	if !given || p == "" {
		return "", invalid(name + " must be a non-empty string")
	}
	return p, c.plainPath(name, p)
}

// optionalPath returns a path argument, "" when it was not given.
func (c *call) optionalPath(name string) (string, error) {
	p, given, err := c.args.path(name)
	if err != nil {
		return "", invalid(name + " must be a non-empty string when given")
	}
	if !given {
		return "", nil
	}
	if p == "" {
		return "", invalid(name + " must be a non-empty string when given")
	}
	return p, c.plainPath(name, p)
}

// plainPath refuses what looks like a path to others and is none here. Taken
// literally, it would make a directory called "~" or "file:".
func (c *call) plainPath(name, p string) error {
	switch {
	case p == "~" || strings.HasPrefix(p, "~/"):
		return invalid(name + ` must be a plain path: "~" is not expanded here; pass a path relative to the workspace or beneath ` + quoted(c.fs.Base()))
	case len(p) >= 7 && strings.EqualFold(p[:7], "file://"):
		return invalid(name + ` must be a plain path, not a file:// address; pass a path relative to the workspace or beneath ` + quoted(c.fs.Base()))
	}
	return nil
}

// path decodes a path. Lone surrogates \udc80 to \udcff are the bytes 0x80 to
// 0xff, so that every name that list shows can be sent back.
func (a *arguments) path(name string) (p string, given bool, err error) {
	raw, given := a.fields[name]
	if !given {
		return "", false, nil
	}
	if raw[0] != '"' {
		return "", true, invalid(name + " must be a non-empty string")
	}
	p, err = text.UnquotePath(raw)
	if err != nil {
		return "", true, invalid(name + " is " + err.Error())
	}
	return p, true, nil
}

// text decodes an argument whose content goes into a file as it is. Nothing is
// coerced, and what the decoder would repair is refused.
func (a *arguments) text(name string) (string, error) {
	raw, given := a.fields[name]
	if !given || raw[0] != '"' {
		return "", invalid(name + " must be a string")
	}
	if at, found := text.LoneSurrogate(raw); found {
		return "", invalid(fmt.Sprintf("%s is not text: it has half a character, %s, at byte %d of its JSON; send the whole character",
			name, raw[at:at+6], at))
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", invalid(name + " must be a string")
	}
	return s, nil
}

// positive returns an integer argument of at least 1, def when it was not given.
// It may be sent as a string.
func (a *arguments) positive(name string, def int64) (int64, error) {
	raw, given := a.fields[name]
	if !given {
		return def, nil
	}
	n, ok := integer(scalar(raw))
	if !ok || n < 1 {
		return 0, invalid(name + " must be a positive integer")
	}
	return n, nil
}

// integer reads a whole number, also one that is written 10.0 or 1e3.
func integer(s string) (int64, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	const exact = 1 << 53 // beyond it a float no longer tells its neighbours apart
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > exact {
		return 0, false
	}
	return int64(f), true
}

// boolean returns a flag, false when it was not given. It may be sent as a string.
func (a *arguments) boolean(name string) (bool, error) {
	raw, given := a.fields[name]
	if !given {
		return false, nil
	}
	switch strings.ToLower(scalar(raw)) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, invalid(name + " must be true or false")
}

// scalar returns a number or boolean as text, out of its quotes when a model has
// sent it as a string.
func scalar(raw json.RawMessage) string {
	var s string
	if raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return strings.TrimSpace(s)
	}
	return string(raw)
}

// edit returns one literal replacement, checked.
func (a *arguments) edit() (vfs.Edit, error) {
	old, err := a.text("old_string")
	if err != nil || old == "" {
		if err == nil || len(a.fields["old_string"]) == 0 {
			err = invalid("old_string must be a non-empty string")
		}
		return vfs.Edit{}, err
	}
	fresh, err := a.text("new_string")
	if err != nil {
		return vfs.Edit{}, err
	}
	if old == fresh {
		return vfs.Edit{}, invalid("old_string and new_string must differ")
	}
	all, err := a.boolean("replace_all")
	return vfs.Edit{Old: old, New: fresh, ReplaceAll: all}, err
}

// edits returns the list of multi_edit. Some models send it as a string.
func (a *arguments) edits(maxBytes int) ([]vfs.Edit, error) {
	bad := invalid("edits must be a non-empty array of objects")
	raw := a.fields["edits"]
	if len(raw) > 0 && raw[0] == '"' {
		if _, found := text.LoneSurrogate(raw); found {
			return nil, bad
		}
		var inner string
		if json.Unmarshal(raw, &inner) != nil {
			return nil, bad
		}
		raw = bytes.TrimSpace([]byte(inner))
	}
	var items []json.RawMessage
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &items) != nil || len(items) == 0 {
		return nil, bad
	}
	list := make([]vfs.Edit, len(items))
	for i, item := range items {
		one, err := parseArguments(item, []param{oldStringParam, newStringParam, replaceAllParam}, maxBytes)
		if err == nil {
			list[i], err = one.edit()
		}
		if err != nil {
			return nil, invalid(fmt.Sprintf("edit %d of %d: %s", i+1, len(items), err))
		}
	}
	return list, nil
}
