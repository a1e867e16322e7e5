package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/seamfs/seamfs/mcpserver"
	"github.com/seamfs/seamfs/vfs"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// dryWorld is a root with three files, and a place for sessions.
func dryWorld(t *testing.T) (root string) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	return dirWith(t, map[string]string{"f": "one\ntwo\nthree\n", "g": "a\nb\nc\nd\ne\n", "h": "gone\n"})
}

func write(name, content string) string {
	return toolCall("write", map[string]any{"file_path": name, "content": content})
}

// digestOf is a digest of all that is in a directory.
func digestOf(t *testing.T, dir string) string {
	t.Helper()
	sum := sha256.New()
	require.NoError(t, filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		fmt.Fprintln(sum, at, info.Mode(), info.ModTime())
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(at)
			require.NoError(t, err)
			sum.Write(b)
		}
		return nil
	}))
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// worked is a root in whose session "s" f and g were modified, h deleted and n added.
func worked(t *testing.T) (root string) {
	t.Helper()
	root = dryWorld(t)
	before := digestOf(t, root)
	for i, r := range session(t, []string{
		edit("two", "2"), write("g", "A\nb\nc\nd\ne\n"), toolCall("delete", map[string]any{"file_path": "h"}), write("n", "new\n"),
	}, "--root", root, "--dry=s", "--no-policy", "--delete") {
		require.False(t, r.IsError, "%d %v", i, r.Content)
	}
	require.Equal(t, before, digestOf(t, root))
	return root
}

func TestDryTouchesNothingAndIsSeenByEveryTool(t *testing.T) {
	root := dryWorld(t)
	before := digestOf(t, root)
	replies := session(t, []string{
		readF, edit("two", "2"), readF, toolCall("grep", map[string]any{"pattern": "^2$"}), toolCall("glob", map[string]any{"pattern": "*"}),
		write("d/new", "x\n"), toolCall("list", map[string]any{"path": "d"}), toolCall("move", map[string]any{"source": "g", "destination": "G"}),
		toolCall("changes", nil), toolCall("changes", map[string]any{"path": "f", "diff": true}),
	}, "--root", root, "--dry", "--move", "--no-policy")
	for i, r := range replies {
		require.False(t, r.IsError, "%d %v", i, r.Content)
	}
	assert.Contains(t, replies[2].Content[0], "2: 2\n")
	assert.Contains(t, replies[3].Content[0], "f\n2: 2")
	assert.Contains(t, replies[6].Content[0], "new")
	assert.Contains(t, replies[8].Content[0], "R g -> G\nA d (directory)\nA d/new (2 bytes)\nM f (14 -> 12 bytes)\n\n(4 changes)")
	assert.Contains(t, replies[9].Content[0], "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n")
	assert.Equal(t, before, digestOf(t, root))

	code, out, errs := seamfs(t, "", "call", "changes", `{"path":"d","limit":1}`, "--root", root, "--dry")
	assert.Equal(t, exitOK, code)
	assert.Contains(t, out, "Use offset=2 to continue")
	assert.Regexp(t, regexp.MustCompile(`stay in the session dry-\d{8}-\d{6};`), errs, "the newest is taken again")
	code, out, _ = seamfs(t, "", "call", "changes", `{"path":"h","diff":true}`, "--root", root, "--dry")
	assert.Equal(t, exitTool, code)
	assert.Contains(t, out, "nothing was changed at h")
	code, out, _ = seamfs(t, "", "call", "apply", "--root", root, "--dry")
	assert.Equal(t, exitTool, code)
	assert.Contains(t, out, `there is no tool "apply"`)
	assert.Equal(t, before, digestOf(t, root))
}

func TestDryFlagsThatDoNotGo(t *testing.T) {
	root := dryWorld(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--dry", "--mem"}, "--dry is about --root"},
		{[]string{"--dry", "--unconfined", "--root", root}, "needs a confined"},
		{[]string{"--allow-apply", "--root", root}, "--allow-apply is about --dry"},
		{[]string{"--dry", "--allow-apply", "--read-only", "--root", root}, "exclude each other"},
		{[]string{"--state", root, "--root", root}, "--state is about --dry"},
		{[]string{"--dry=", "--root", root}, "the name of a session"},
	} {
		code, _, errs := seamfs(t, "", append([]string{"call", "list"}, c.args...)...)
		assert.Equal(t, exitUsage, code, c.args)
		assert.Contains(t, errs, c.want)
	}
	code, _, errs := seamfs(t, "", "call", "list", "--dry=a b", "--root", root)
	assert.Equal(t, exitTool, code)
	assert.Contains(t, errs, "a session's name is")
}

// Sessions are kept for their owner only, apart from the root, and known by the root
// with its links followed.
func TestSessionsAreKeyedByRoot(t *testing.T) {
	root := worked(t)
	other := dirWith(t, map[string]string{"f": "other\n"})
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(root, link))
	code, out, _ := seamfs(t, "", "changes", "--root", link)
	assert.Equal(t, exitOK, code)
	assert.Contains(t, out, "M f")
	code, _, errs := seamfs(t, "", "changes", "--root", other)
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, errs, "has no session")
	code, _, errs = seamfs(t, "", "changes", "--root", root, "--session", "nope")
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, errs, "it has s")

	state := os.Getenv("XDG_STATE_HOME")
	require.NoError(t, filepath.WalkDir(filepath.Join(state, "seamfs"), func(at string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		assert.Zero(t, info.Mode()&0o077, "%s %s", at, info.Mode())
		return nil
	}))
	t.Setenv("XDG_STATE_HOME", filepath.Join(root, "state"))
	code, _, errs = seamfs(t, "", "call", "list", "--dry", "--root", root)
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, errs, "inside of the root")
	assert.NoDirExists(t, filepath.Join(root, "state"))
	code, _, _ = seamfs(t, "", "call", "list", "--dry", "--root", root, "--state", filepath.Join(root, "kept"))
	assert.Equal(t, exitOK, code)
	assert.DirExists(t, filepath.Join(root, "kept"))
}

func TestDryWallLeavesTheRootReadOnly(t *testing.T) {
	root := dryWorld(t)
	state := filepath.Join(os.Getenv("XDG_STATE_HOME"), "seamfs")
	walls = nil
	code, _, errs := seamfs(t, "", "call", "list", "--dry", "--root", root)
	require.Equal(t, exitOK, code, errs)
	code, _, errs = seamfs(t, "", "call", "list", "--dry", "--allow-apply", "--root", root)
	require.Equal(t, exitOK, code, errs)
	require.Len(t, walls, 2)
	assert.Equal(t, []string{root}, walls[0].rules.ReadOnly)
	assert.Equal(t, []string{state}, walls[0].rules.ReadWrite)
	assert.Empty(t, walls[1].rules.ReadOnly)
	assert.Equal(t, []string{state, root}, walls[1].rules.ReadWrite)
}

func TestAllowApply(t *testing.T) {
	root := dryWorld(t)
	flags := []string{"--root", root, "--dry", "--allow-apply", "--no-policy", "--deny", ".env"}
	require.NoError(t, os.WriteFile(filepath.Join(root, ".env"), []byte("S=1\n"), 0o644))
	session(t, []string{toolCall("write", map[string]any{"file_path": ".env", "content": "S=2\n"})}, "--root", root, "--dry", "--no-policy")
	replies := session(t, []string{
		edit("two", "2"), write("n", "new\n"), toolCall("apply", map[string]any{"paths": []string{"f"}}), toolCall("changes", nil),
		toolCall("apply", map[string]any{"paths": []string{".env"}}),
		toolCall("apply", map[string]any{"paths": []string{"g"}}), toolCall("apply", map[string]any{"paths": []string{}}),
		toolCall("apply", map[string]any{"paths": []string{"../x"}}), toolCall("apply", nil), toolCall("apply", nil),
	}, flags...)
	assert.Equal(t, "Applied 1 change:\nM f (14 -> 12 bytes)\nStill staged: 2 changes.", replies[2].Content[0])
	assert.NotContains(t, replies[3].Content[0], ".env", "what is denied is not shown")
	for i, want := range map[int]string{4: "", 5: "nothing to apply", 6: "at least one path", 7: "leaves", 9: "nothing to apply"} {
		assert.True(t, replies[i].IsError, "%d %v", i, replies[i].Content)
		assert.Contains(t, replies[i].Content[0], want)
	}
	r := session(t, []string{toolCall("list", nil)}, flags...)[0]
	assert.NotContains(t, r.Content[0], ".seamfs", "what is kept for undo is nobody's file")
	assert.Equal(t, "one\n2\nthree\n", bytesOf(t, root, "f"))
	assert.Equal(t, "new\n", bytesOf(t, root, "n"))
	assert.Equal(t, "S=1\n", bytesOf(t, root, ".env"), "nor applied")

	session(t, []string{write("g", "mine\n")}, flags...)
	require.NoError(t, os.WriteFile(filepath.Join(root, "g"), []byte("theirs\n"), 0o644))
	r = session(t, []string{toolCall("apply", nil)}, flags...)[0]
	require.True(t, r.IsError)
	assert.Equal(t, string(vfs.Conflict), r.Error.Code)
	assert.Contains(t, r.Content[0], "both-modified")
	assert.Equal(t, "theirs\n", bytesOf(t, root, "g"))
}

// Over MCP: over an overlay nothing but apply is destructive.
func TestDryOverMCP(t *testing.T) {
	root := dryWorld(t)
	before := digestOf(t, root)
	for _, allow := range []bool{false, true} {
		cmd := &cobra.Command{}
		var errs bytes.Buffer
		cmd.SetErr(&errs)
		cmd.SetContext(t.Context())
		var w workspace
		w.flags(cmd)
		args := []string{"--root", root, "--dry=mcp", "--delete", "--no-policy"}
		if allow {
			args = append(args, "--allow-apply")
		}
		require.NoError(t, cmd.ParseFlags(args))
		config := w.config
		config.MaxResultChars = mcpserver.MaxResultChars
		fsys, tools, me, err := w.open(cmd, config)
		require.NoError(t, err)
		defer fsys.Close()
		here, there := mcp.NewInMemoryTransports()
		server, err := mcpserver.New(tools, mcpserver.Options{Session: me, Staged: true}).Connect(t.Context(), there, nil)
		require.NoError(t, err)
		client, err := mcp.NewClient(&mcp.Implementation{Name: "client"}, nil).Connect(t.Context(), here, nil)
		require.NoError(t, err)
		assert.Contains(t, client.InitializeResult().Instructions, "Changes are staged")
		list, err := client.ListTools(t.Context(), nil)
		require.NoError(t, err)
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
			assert.Equal(t, tool.Name == "apply", *tool.Annotations.DestructiveHint, tool.Name)
			assert.False(t, *tool.Annotations.OpenWorldHint)
		}
		assert.Equal(t, allow, strings.Contains(strings.Join(names, " "), "apply"))
		assert.Contains(t, names, "changes")
		long := strings.Repeat("a line of some length\n", 3000)
		_, err = client.CallTool(t.Context(), &mcp.CallToolParams{Name: "write", Arguments: map[string]string{"file_path": "long", "content": long}})
		require.NoError(t, err)
		got, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "changes", Arguments: map[string]any{"path": "long", "diff": true}})
		require.NoError(t, err)
		body := got.Content[0].(*mcp.TextContent).Text
		assert.Less(t, len(body), mcpserver.MaxResultChars)
		assert.Regexp(t, `\(Showing lines 1-\d+ of 300\d\. Use offset=\d+ to continue\.\)\n</content>$`, body)
		require.NoError(t, client.Close())
		require.NoError(t, server.Wait())
	}
	assert.Equal(t, before, digestOf(t, root))
}
