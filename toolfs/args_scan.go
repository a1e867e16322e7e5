package toolfs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seamfs/seamfs/internal/text"
	"github.com/seamfs/seamfs/vfs"
)

// param is one argument of a tool: its name, and the other names under which
// models send it, since other tools call it so.
type param struct {
	name    string
	aliases []string
}

var (
	filePathParam   = param{"file_path", []string{"path", "filePath"}}
	dirPathParam    = param{"path", []string{"file_path", "filePath"}}
	offsetParam     = param{name: "offset"}
	limitParam      = param{name: "limit"}
	contentParam    = param{name: "content"}
	oldStringParam  = param{"old_string", []string{"oldString", "old_str"}}
	newStringParam  = param{"new_string", []string{"newString", "new_str"}}
	replaceAllParam = param{"replace_all", []string{"replaceAll"}}
	editsParam      = param{name: "edits"}
	sourceParam     = param{"source", []string{"from", "source_path", "old_path", "oldPath"}}
	destParam       = param{"destination", []string{"to", "destination_path", "new_path", "newPath"}}
)

// arguments are the fields of a call under their own names, each still raw, so
// that what Go's decoder would quietly repair can be refused.
type arguments struct {
	fields  map[string]json.RawMessage
	unknown []string
}

// parseArguments splits the arguments of a call. It decodes no value.
func parseArguments(raw json.RawMessage, params []param, maxBytes int) (*arguments, error) {
	if len(raw) > maxBytes {
		return nil, &vfs.Error{Code: vfs.TooLarge, Op: "call", Message: fmt.Sprintf(
			"the arguments have %d bytes and at most %d are taken; nothing was done", len(raw), maxBytes)}
	}
	trimmed := bytes.TrimSpace(raw)
	if len(trimmed) == 0 || string(trimmed) == "null" {
		return &arguments{}, nil
	}
	if fault := text.Check(raw); fault != nil {
		return nil, invalid(fmt.Sprintf("the arguments are not UTF-8 JSON: invalid byte at offset %d", fault.Offset))
	}
	if !json.Valid(trimmed) {
		return nil, invalid("the arguments are not valid JSON: " + syntaxOf(trimmed))
	}
	if trimmed[0] != '{' {
		return nil, invalid("the arguments must be a JSON object")
	}
	return split(trimmed, params)
}

// syntaxOf says what is wrong with JSON that is not valid.
func syntaxOf(raw []byte) string {
	var any json.RawMessage
	err := json.Unmarshal(raw, &any)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Sprintf("%s (byte %d)", text.Excerpt(syntax.Error(), 120), syntax.Offset)
	}
	return "it cannot be parsed"
}

// split sorts the members of a valid JSON object by what they mean. A null is an
// argument that was not given.
func split(object []byte, params []param) (*arguments, error) {
	names := make(map[string]string)
	for _, p := range params {
		for _, alias := range p.aliases {
			names[alias] = p.name
		}
	}
	for _, p := range params {
		names[p.name] = p.name
	}
	a := &arguments{fields: make(map[string]json.RawMessage)}
	return a, members(object, func(key string, value json.RawMessage) error {
		name, ok := names[key]
		if !ok {
			a.unknown = append(a.unknown, key)
			return nil
		}
		if string(value) == "null" {
			return nil
		}
		if earlier, twice := a.fields[name]; twice && !bytes.Equal(earlier, value) {
			return invalid(name + " is given twice, with different values")
		}
		a.fields[name] = value
		return nil
	})
}

// members walks the members of an object that is known to be valid JSON, without
// copying: a value may be a whole file.
func members(object []byte, visit func(key string, value json.RawMessage) error) error {
	rest := bytes.TrimSpace(object)[1:]
	for {
		rest = bytes.TrimLeft(rest, " \t\r\n,")
		if rest[0] == '}' {
			return nil
		}
		n := valueLen(rest)
		var key string
		if err := json.Unmarshal(rest[:n], &key); err != nil {
			return invalid("the arguments have a name that cannot be read")
		}
		rest = bytes.TrimLeft(rest[n:], " \t\r\n:")
		n = valueLen(rest)
		if err := visit(key, json.RawMessage(rest[:n])); err != nil {
			return err
		}
		rest = rest[n:]
	}
}

// valueLen returns how long the JSON value at the start of b is. b is a part of
// valid JSON in which something follows the value.
func valueLen(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			i += stringLen(b[i:]) - 1
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i // it closes what is around a bare number or word
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\r', '\n', ':':
			if depth == 0 {
				return i
			}
		}
	}
	return len(b)
}

// stringLen returns how long the JSON string at the start of b is, quotes included.
func stringLen(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

// unknownNote names the arguments that no tool parameter has, a few of them.
func (a *arguments) unknownNote() string {
	const most = 5
	list := a.unknown
	if len(list) > most {
		list = list[:most]
	}
	shown := make([]string, len(list))
	for i, name := range list {
		shown[i] = `"` + text.Excerpt(name, 40) + `"`
	}
	if len(a.unknown) > most {
		shown = append(shown, "...")
	}
	return "Note: not known and not used: " + strings.Join(shown, ", ") + "."
}
