package toolfs_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seamfs/seamfs/toolfs"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "%s: a prompt prefix that models have cached would change; with -update it is accepted", name)
}

func TestGoldenSections(t *testing.T) {
	var b bytes.Buffer
	for _, s := range newWorld(t, nil, every).tools.PromptSections() {
		b.WriteString("## " + s.Name + "\n" + s.Text + "\n\n")
	}
	golden(t, "sections.md", b.Bytes())
	assert.Len(t, newWorld(t, nil, toolfs.Config{}).tools.PromptSections(), 6, "no section for a tool that is not switched on")
}

func TestGoldenTools(t *testing.T) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	require.NoError(t, e.Encode(newWorld(t, nil, every).tools.List()))
	golden(t, "tools.json", b.Bytes())
}

func TestHints(t *testing.T) {
	for _, staged := range []bool{false, true} {
		cfg := every
		cfg.Staged = staged
		for _, tool := range newWorld(t, nil, cfg).tools.List() {
			reads := slices.Contains([]string{"list", "read", "glob", "grep"}, tool.Name)
			assert.Equal(t, reads, tool.Hints.ReadOnly, tool.Name)
			assert.Equal(t, reads, tool.Concurrent, tool.Name)
			assert.Equal(t, !reads && !staged, tool.Hints.Destructive, tool.Name)
			assert.False(t, tool.Hints.OpenWorld)
		}
	}
}

// Schemas stay within what every client and model takes.
func TestSchemasArePortable(t *testing.T) {
	var walk func(t *testing.T, v any)
	walk = func(t *testing.T, v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, inner := range v {
				for _, bad := range []string{"additionalProperties", "$ref", "$defs", "anyOf", "oneOf", "allOf", "format", "not"} {
					assert.NotEqual(t, bad, key)
				}
				if key == "type" {
					if s, ok := inner.(string); ok && s == "integer" {
						assert.Contains(t, v, "minimum")
					}
					_, list := inner.([]any)
					assert.False(t, list, "a union of types")
				}
				walk(t, inner)
			}
		case []any:
			for _, inner := range v {
				walk(t, inner)
			}
		}
	}
	for _, tool := range newWorld(t, nil, every).tools.List() {
		for _, raw := range []json.RawMessage{tool.InputSchema, tool.OutputSchema} {
			var v any
			require.NoError(t, json.Unmarshal(raw, &v), tool.Name)
			walk(t, v)
			compiled(t, raw)
		}
	}
}

func compiled(t *testing.T, raw json.RawMessage) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	require.NoError(t, json.Unmarshal(raw, &s))
	resolved, err := s.Resolve(nil)
	require.NoError(t, err)
	return resolved
}

// Canonical values are what the output schemas say, field by field.
func TestValuesMatchTheirSchemas(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "a\nb\n", "d/x": ""}, every)
	schemas := map[string]json.RawMessage{}
	inputs := map[string]*jsonschema.Resolved{}
	for _, tool := range w.tools.List() {
		schemas[tool.Name], inputs[tool.Name] = tool.OutputSchema, compiled(t, tool.InputSchema)
	}
	for _, c := range []struct {
		tool string
		args []any
	}{
		{"list", []any{"path", ".", "offset", 1}},
		{"read", []any{"file_path", "f", "offset", 1, "limit", 2}},
		{"write", []any{"file_path", "f", "content", "x y"}},
		{"edit", []any{"file_path", "f", "old_string", "x", "new_string", "z", "replace_all", true}},
		{"multi_edit", []any{"file_path", "f", "edits", []any{map[string]any{"old_string": "z", "new_string": "q"}}}},
		{"move", []any{"source", "f", "destination", "g"}},
		{"delete", []any{"file_path", "g"}},
		{"glob", []any{"pattern", "*", "path", ".", "newest_first", true, "include_ignored", false, "offset", 1, "limit", 5}},
		{"grep", []any{"pattern", "x", "path", ".", "glob", "*", "output_mode", "content", "literal", true, "ignore_case", true, "whole_word", false,
			"multiline", false, "context", 1, "before", 0, "after", 2, "newest_first", false, "include_ignored", true, "offset", 1, "limit", 5}},
	} {
		var in any
		require.NoError(t, json.Unmarshal(args(t, c.args...), &in))
		assert.NoError(t, inputs[c.tool].Validate(in), c.tool)
		r := w.call(c.tool, c.args...)
		require.False(t, r.IsError, r.Text())
		raw, err := json.Marshal(r.Value)
		require.NoError(t, err)
		var out any
		require.NoError(t, json.Unmarshal(raw, &out))
		assert.NoError(t, compiled(t, schemas[c.tool]).Validate(out), c.tool)
		var s jsonschema.Schema
		require.NoError(t, json.Unmarshal(schemas[c.tool], &s))
		assert.ElementsMatch(t, fields(reflect.TypeOf(r.Value)), keys(s.Properties), c.tool)
	}
}

func fields(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

func keys(m map[string]*jsonschema.Schema) []string {
	var names []string
	for k := range m {
		names = append(names, k)
	}
	return names
}

// The value stays in the process.
func TestValueIsNotMarshalled(t *testing.T) {
	w := newWorld(t, map[string]string{"f": "secret-content\n"}, toolfs.Config{})
	b, err := json.Marshal(w.call("edit", "file_path", "f", "old_string", "secret", "new_string", "x"))
	require.NoError(t, err)
	assert.NotContains(t, string(b), "content")
}
