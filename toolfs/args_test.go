package toolfs

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seamfs/seamfs/vfs"
)

var testParams = []param{filePathParam, offsetParam, contentParam, oldStringParam, newStringParam, replaceAllParam}

func TestParseArguments(t *testing.T) {
	for _, c := range []struct {
		name, raw string
		want      map[string]string
		unknown   []string
	}{
		{"nothing", ``, nil, nil},
		{"null", ` null `, nil, nil},
		{"empty", `{}`, map[string]string{}, nil},
		{"space", " {\n\t\"file_path\" : \"a\" ,\r\"offset\":1 } ", map[string]string{"file_path": `"a"`, "offset": "1"}, nil},
		{"bare last", `{"offset":12}`, map[string]string{"offset": "12"}, nil},
		{"bare words", `{"replace_all":true,"offset":-1.5e3}`, map[string]string{"replace_all": "true", "offset": "-1.5e3"}, nil},
		{"brackets in strings", `{"content":"}],\"{","offset":1}`, map[string]string{"content": `"}],\"{"`, "offset": "1"}, nil},
		{"nested", `{"content":{"a":[1,{"b":"]"}]},"offset":[[]]}`, map[string]string{"content": `{"a":[1,{"b":"]"}]}`, "offset": "[[]]"}, nil},
		{"nulls are absent", `{"offset":null,"file_path":"x"}`, map[string]string{"file_path": `"x"`}, nil},
		{"alias", `{"filePath":"x","oldString":"a","new_str":"b","replaceAll":1}`,
			map[string]string{"file_path": `"x"`, "old_string": `"a"`, "new_string": `"b"`, "replace_all": "1"}, nil},
		{"alias and name agree", `{"path":"x","file_path":"x"}`, map[string]string{"file_path": `"x"`}, nil},
		{"null alias", `{"path":null,"file_path":"x"}`, map[string]string{"file_path": `"x"`}, nil},
		{"escaped name", `{"file\u005fpath":"x"}`, map[string]string{"file_path": `"x"`}, nil},
		{"unknown", `{"timeout":5,"":1,"file_path":"x"}`, map[string]string{"file_path": `"x"`}, []string{"timeout", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := parseArguments(json.RawMessage(c.raw), testParams, 1000)
			require.NoError(t, err)
			got := map[string]string{}
			for k, v := range a.fields {
				got[k] = string(v)
			}
			if c.want == nil {
				c.want = map[string]string{}
			}
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.unknown, a.unknown)
		})
	}
}

func TestParseArgumentsRefuses(t *testing.T) {
	for _, c := range []struct {
		name, raw, want string
		code            vfs.Code
	}{
		{"cut", `{"file_path":"a`, "not valid JSON", vfs.InvalidArgument},
		{"two values", `{} {}`, "not valid JSON", vfs.InvalidArgument},
		{"array", `["a"]`, "must be a JSON object", vfs.InvalidArgument},
		{"text", `"a"`, "must be a JSON object", vfs.InvalidArgument},
		{"bytes", "{\"file_path\":\"\xff\"}", "invalid byte at offset 14", vfs.InvalidArgument},
		{"nul", "{\"file_path\":\"\x00\"}", "not UTF-8 JSON", vfs.InvalidArgument},
		{"twice", `{"file_path":"a","file_path":"b"}`, "file_path is given twice", vfs.InvalidArgument},
		{"twice by alias", `{"path":"a","filePath":"b"}`, "file_path is given twice", vfs.InvalidArgument},
		{"deep", strings.Repeat(`{"a":`, 20000), "not valid JSON", vfs.InvalidArgument},
		{"large", `{"content":"` + strings.Repeat("x", 200_000) + `"}`, "at most 150000 are taken", vfs.TooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parseArguments(json.RawMessage(c.raw), testParams, 150_000)
			require.ErrorContains(t, err, c.want)
			assert.Equal(t, c.code, vfs.CodeOf(err))
			assert.Less(t, len(err.Error()), 300)
		})
	}
}

func TestScalars(t *testing.T) {
	of := func(raw string) *arguments {
		return &arguments{fields: map[string]json.RawMessage{"n": json.RawMessage(raw)}}
	}
	for raw, want := range map[string]int64{`7`: 7, `"7"`: 7, `" 7 "`: 7, `7.0`: 7, `"7.0"`: 7, `1e3`: 1000, `9223372036854775807`: 9223372036854775807} {
		n, err := of(raw).positive("n", 1)
		assert.NoError(t, err, raw)
		assert.Equal(t, want, n, raw)
	}
	for _, raw := range []string{`0`, `-1`, `1.5`, `"1.5"`, `"x"`, `""`, `true`, `[1]`, `{"a":1}`, `1e400`, `1e30`, `"NaN"`, `"Inf"`} {
		_, err := of(raw).positive("n", 1)
		assert.EqualError(t, err, "n must be a positive integer", raw)
	}
	for raw, want := range map[string]bool{`true`: true, `false`: false, `"true"`: true, `"False"`: false} {
		b, err := of(raw).boolean("n")
		assert.NoError(t, err, raw)
		assert.Equal(t, want, b, raw)
	}
	for _, raw := range []string{`1`, `0`, `"yes"`, `""`, `[]`} {
		_, err := of(raw).boolean("n")
		assert.EqualError(t, err, "n must be true or false", raw)
	}
}

// The scanner agrees with the decoder on every object, and never panics.
func FuzzParseArguments(f *testing.F) {
	for _, s := range []string{`{}`, `{"path":"a","offset":"1"}`, `{"content":"\ud83d\ude00\\\"","x":[{},[1,2]],"offset":1e2}`, `null`, `{"a":{"a":{}}}`, ` { "content" : "}" } `} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, err := parseArguments(raw, testParams, 1<<20)
		if err != nil || len(a.fields) == 0 {
			return
		}
		var want map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(raw, &want))
		for _, p := range testParams {
			got, given := a.fields[p.name]
			_, named := want[p.name]
			for _, alias := range p.aliases {
				_, also := want[alias]
				named = named || also
			}
			if given {
				require.True(t, named)
				require.True(t, json.Valid(got), "%q", got)
			}
			if direct, ok := want[p.name]; ok && string(direct) != "null" {
				require.Equal(t, string(direct), string(got))
			}
		}
		_, _, _ = a.path("file_path")
		_, _ = a.text("content")
		_, _ = a.edit()
		_, _ = a.edits(1 << 20)
		_, _ = a.positive("offset", 1)
		_ = a.unknownNote()
	})
}
