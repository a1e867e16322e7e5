package toolfs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seamfs/seamfs/toolfs"
	"github.com/seamfs/seamfs/vfs"
)

// fakeStage has changes, and notes what it is told to apply.
type fakeStage struct {
	changes []toolfs.StagedChange
	diff    string
	err     error
	applied [][]string
}

func (s *fakeStage) Staged(context.Context) ([]toolfs.StagedChange, error) { return s.changes, s.err }

func (s *fakeStage) Diff(_ context.Context, path string) (string, error) {
	if s.diff == "" {
		return "", &vfs.Error{Code: vfs.NotFound, Message: "nothing was changed at " + path}
	}
	return s.diff, s.err
}

func (s *fakeStage) Apply(_ context.Context, paths []string) (string, error) {
	s.applied = append(s.applied, paths)
	return fmt.Sprintf("Applied %d.", len(paths)), s.err
}

func staged(t *testing.T, s *fakeStage, cfg toolfs.Config) *world {
	cfg.Stage, cfg.Staged = s, true
	return newWorld(t, map[string]string{"f": "x\n", "d/g": "y\n"}, cfg)
}

func TestGoldenStaged(t *testing.T) {
	w := staged(t, &fakeStage{}, toolfs.Config{Apply: true})
	list, sections := w.tools.List(), w.tools.PromptSections()
	require.Len(t, list, 8)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	require.NoError(t, e.Encode(list[6:]))
	for _, s := range sections[6:] {
		b.WriteString("## " + s.Name + "\n" + s.Text + "\n\n")
	}
	golden(t, "staged.md", b.Bytes())
	assert.False(t, slices.ContainsFunc(list, func(tool toolfs.Tool) bool { return tool.Hints.Destructive != (tool.Name == "apply") }))
	assert.Len(t, staged(t, &fakeStage{}, toolfs.Config{}).tools.List(), 7, "apply is not there unless asked for")
	_, err := toolfs.New(w.fs, toolfs.Config{Apply: true})
	assert.Equal(t, vfs.InvalidArgument, vfs.CodeOf(err))
}

func TestChangesShowsAPage(t *testing.T) {
	s := &fakeStage{changes: []toolfs.StagedChange{
		{Letter: "A", Path: "a\nb", Detail: "2 bytes"}, {Letter: "M", Path: "d/g"}, {Letter: "R", Path: "new", From: "d/old"}, {Letter: "D", Path: "dd"},
	}}
	w := staged(t, s, toolfs.Config{})
	for _, c := range []struct{ args, want string }{
		{`{}`, "<path>/w</path>\n<content>\nA \"a\\nb\" (2 bytes)\nM d/g\nR d/old -> new\nD dd\n\n(4 changes)\n</content>"},
		{`{"path":"d"}`, "<path>/w/d</path>\n<content>\nM d/g\nR d/old -> new\n\n(2 changes)\n</content>"},
		{`{"path":"/w/dd"}`, "<path>/w/dd</path>\n<content>\nD dd\n\n(1 change)\n</content>"},
		{`{"offset":2,"limit":2}`, "<path>/w</path>\n<content>\nM d/g\nR d/old -> new\n\n(Showing changes 2-3 of 4. Use offset=4 to continue.)\n</content>"},
		{`{"offset":4}`, "<path>/w</path>\n<content>\nD dd\n\n(Showing changes 4-4 of 4.)\n</content>"},
		{`{"path":"f"}`, "<path>/w/f</path>\n<content>\n(Nothing was changed)\n</content>"},
	} {
		r := w.raw("changes", c.args)
		assert.False(t, r.IsError)
		assert.Equal(t, c.want, r.Content[0], c.args)
	}
	for args, want := range map[string]string{
		`{"offset":5}`:                "offset 5 is out of range",
		`{"offset":0}`:                "positive integer",
		`{"path":""}`:                 "non-empty",
		`{"diff":true}`:               "give its path",
		`{"path":"f","diff":true}`:    "nothing was changed at f",
		`{"path":"../x"}`:             "leaves",
		`{"path":"f","diff":"maybe"}`: "true or false",
	} {
		r := w.raw("changes", args)
		assert.True(t, r.IsError, args)
		assert.Contains(t, r.Text(), want, args)
	}
	s.err = vfs.IOError
	assert.True(t, w.raw("changes", `{}`).IsError)
}

func TestChangesShowsADiffWithinTheBound(t *testing.T) {
	s := &fakeStage{diff: "--- a/f\n+++ b/f\n" + strings.Repeat("+a line\n", 5000) + "+" + strings.Repeat("x", 5000) + "\n"}
	w := staged(t, s, toolfs.Config{MaxResultChars: 10_000})
	seen, offset := 0, 1
	for offset != 0 {
		r := w.raw("changes", fmt.Sprintf(`{"path":"f","diff":true,"offset":%d}`, offset))
		require.False(t, r.IsError, r.Text())
		require.LessOrEqual(t, len(r.Content[0]), 10_000)
		v := r.Value.(toolfs.ChangesValue)
		require.NotEmpty(t, v.Diff)
		seen += len(v.Diff)
		next := offset + len(v.Diff)
		if offset = 0; next <= int(v.Total) {
			require.Contains(t, r.Content[0], fmt.Sprintf("Use offset=%d to continue.", next))
			offset = next
		} else {
			require.Contains(t, r.Content[0], "(line truncated to 2000 chars)")
		}
	}
	assert.Equal(t, 5003, seen)
}

func TestApplyTakesPaths(t *testing.T) {
	s := &fakeStage{}
	w := staged(t, s, toolfs.Config{Apply: true})
	for _, args := range []string{`{}`, `{"paths":["f","/w/d/"]}`, `{"paths":"d/g"}`, `{"path":["."]}`} {
		assert.False(t, w.raw("apply", args).IsError, args)
	}
	assert.Equal(t, [][]string{nil, {"f", "d"}, {"d/g"}, {"."}}, s.applied)
	for args, want := range map[string]string{
		`{"paths":[]}`: "at least one path", `{"paths":[1]}`: "array of paths", `{"paths":{}}`: "array of paths", `{"paths":["../x"]}`: "leaves", `{"paths":[""]}`: "array of paths",
	} {
		r := w.raw("apply", args)
		assert.True(t, r.IsError, args)
		assert.Contains(t, r.Text(), want, args)
	}
	assert.Len(t, s.applied, 4)
	s.err = vfs.Fail(vfs.Conflict, "both changed")
	r := w.raw("apply", `{}`)
	assert.Equal(t, vfs.Conflict, r.Err.Code)
}
