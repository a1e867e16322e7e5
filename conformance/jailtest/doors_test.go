package jailtest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hack-pad/hackpadfs"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/seamfs/seamfs/backends/jail"
	"github.com/seamfs/seamfs/conformance/jailtest"
	"github.com/seamfs/seamfs/interop"
	"github.com/seamfs/seamfs/mcpserver"
	"github.com/seamfs/seamfs/toolfs"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
)

// doors are the ways to an FS besides its methods. A new one is one line here.
func doors() []jailtest.Door {
	return []jailtest.Door{
		{Name: "tools", Ops: toolOps, Says: toolName, Enter: tools, Also: noReplace},
		{Name: "mcp", Ops: toolOps, Says: toolName, Enter: overMCP, Also: noReplace},
		{Name: "io/fs", Ops: []string{"read", "open", "stat", "lstat", "readlink", "list"}, Says: fs.ValidPath, Enter: ioFS, Host: true},
		{Name: "afero", Ops: aferoOps, Says: viewName, Enter: aferoFS, Host: true, Also: removesNothing},
		{Name: "hackpadfs", Ops: aferoOps, Says: fs.ValidPath, Enter: hackpad, Host: true, Also: removesNothing},
	}
}

// TestDoors tries the static rows by every door, over both engines.
func TestDoors(t *testing.T) {
	seamfs := filepath.Join(t.TempDir(), "seamfs")
	out, err := exec.Command("go", "build", "-o", seamfs, "../../cmd/seamfs").CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			j := confined(engine)
			j.Doors = doors()
			if engine == jail.Openat2 { // which is what the binary takes here
				j.Doors = append(j.Doors, jailtest.Door{Name: "seamfs call", Ops: toolOps, Says: toolName, Enter: command(seamfs), Also: noReplace})
			}
			j.Only = jailtest.Row.Static
			jailtest.Run(t, j)
		})
	}
}

// toolName tells the names that a tool can be given: JSON carries text, and what a
// shell would expand is refused by the tools themselves, as no plain path.
func toolName(name string) bool {
	return utf8.ValidString(name) && !strings.HasPrefix(name, "~") && !strings.Contains(name, "://")
}

// viewName tells the names that mean in a view what they mean in an FS: those that
// do not climb, since a view stops at its root, and that are not absolute.
func viewName(name string) bool {
	return name != "" && !strings.HasPrefix(name, "/") && !slices.Contains(strings.Split(name, "/"), "..")
}

// The tools: what each operation of the corpus is in them.
var toolOps = []string{"read", "list", "write", "edit", "move-from", "move-to", "remove"}

// noReplace: the tool move replaces nothing, and delete takes an empty directory.
var noReplace = map[string][]vfs.Code{"move-to": {vfs.Exists}, "remove": {vfs.NotEmpty}, "edit": {vfs.EditNotFound, vfs.AmbiguousEdit}}

var toolConfig = toolfs.Config{Move: true, Delete: true, MaxResultChars: mcpserver.MaxResultChars}

// toolCall is the call that an operation is.
func toolCall(op, name string) (tool string, args map[string]any) {
	switch op {
	case "read":
		return "read", map[string]any{"file_path": name}
	case "list":
		return "list", map[string]any{"path": name}
	case "write":
		return "write", map[string]any{"file_path": name, "content": "written S\n"}
	case "edit":
		return "edit", map[string]any{"file_path": name, "old_string": "S", "new_string": "edited"}
	case "move-from":
		return "move", map[string]any{"source": name, "destination": "moved"}
	case "move-to":
		return "move", map[string]any{"source": "mover", "destination": name}
	}
	return "delete", map[string]any{"path": name}
}

func toolsOver(tb jailtest.TB, fsys *vfs.FS) *toolfs.Tools {
	tools, err := toolfs.New(fsys, toolConfig)
	if err != nil {
		tb.Fatalf("tools: %v", err)
	}
	return tools
}

func tools(tb jailtest.TB, _ string, fsys *vfs.FS) jailtest.Do {
	tools := toolsOver(tb, fsys)
	return func(ctx context.Context, op, name string) (any, error) {
		return byTools(ctx, tools, op, name)
	}
}

func byTools(ctx context.Context, tools *toolfs.Tools, op, name string) (any, error) {
	tool, args := toolCall(op, name)
	body, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	result := tools.Call(ctx, toolfs.Session{}, tool, body)
	if result.IsError {
		return nil, &answered{result.Err.Code, result.Text()}
	}
	return result.Text(), nil
}

// answered is a refusal as a model gets it.
type answered struct {
	code vfs.Code
	text string
}

func (a *answered) Error() string { return a.text }
func (a *answered) Unwrap() error { return a.code }

// overMCP asks a server what the tools were asked, which has to refuse in the same
// words, since MCP carries no code.
func overMCP(tb jailtest.TB, _ string, fsys *vfs.FS) jailtest.Do {
	tools := toolsOver(tb, fsys)
	here, there := mcp.NewInMemoryTransports()
	session, err := mcpserver.New(tools, mcpserver.Options{Version: "test"}).Connect(tb.Context(), there, nil)
	if err != nil {
		tb.Fatalf("server: %v", err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "client"}, nil).Connect(tb.Context(), here, nil)
	if err != nil {
		tb.Fatalf("client: %v", err)
	}
	tb.Cleanup(func() { _ = client.Close(); _ = session.Wait() })
	return func(ctx context.Context, op, name string) (any, error) {
		tool, args := toolCall(op, name)
		value, refused := byTools(ctx, tools, op, name)
		if refused == nil {
			return value, nil // it is made by now, and cannot be made twice
		}
		result, err := client.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			return nil, fmt.Errorf("the protocol failed: %w", err)
		}
		var text []string
		for _, block := range result.Content {
			text = append(text, block.(*mcp.TextContent).Text)
		}
		if got := strings.Join(text, "\n\n"); !result.IsError || got != refused.Error() {
			return nil, fmt.Errorf("over MCP it is %q, and else %q", got, refused)
		}
		return nil, refused
	}
}

// command asks the binary, which makes a jail of its own over the directory.
func command(seamfs string) func(tb jailtest.TB, root string, _ *vfs.FS) jailtest.Do {
	return func(tb jailtest.TB, root string, _ *vfs.FS) jailtest.Do {
		cmd := exec.Command(seamfs, "call", "-", "--root", root, "--no-policy", "--move", "--delete")
		cmd.Dir = root
		in, err := cmd.StdinPipe()
		if err != nil {
			tb.Fatalf("%v", err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			tb.Fatalf("%v", err)
		}
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			tb.Fatalf("%v", err)
		}
		tb.Cleanup(func() { _ = in.Close(); _, _ = io.Copy(io.Discard, out); _ = cmd.Wait() })
		lines := bufio.NewReaderSize(out, 1<<20)
		return func(_ context.Context, op, name string) (any, error) { return line(in, lines, op, name) }
	}
}

func line(in io.Writer, lines *bufio.Reader, op, name string) (any, error) {
	tool, args := toolCall(op, name)
	if err := json.NewEncoder(in).Encode(map[string]any{"tool": tool, "arguments": args}); err != nil {
		return nil, err
	}
	body, err := lines.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	var answer struct {
		Content []string
		IsError bool
		Error   *struct{ Code vfs.Code }
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, err
	}
	if answer.IsError {
		return nil, &answered{answer.Error.Code, strings.Join(answer.Content, "\n\n")}
	}
	return answer.Content, nil
}

func ioFS(_ jailtest.TB, _ string, fsys *vfs.FS) jailtest.Do {
	view := interop.FS(fsys)
	return func(_ context.Context, op, name string) (any, error) {
		switch op {
		case "read":
			body, err := fs.ReadFile(view, name)
			return string(body), err
		case "open":
			f, err := view.Open(name)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			body := make([]byte, 100)
			n, err := f.Read(body)
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return string(body[:n]), err
		case "stat":
			return shown(fs.Stat(view, name))
		case "lstat":
			return shown(fs.Lstat(view, name))
		case "readlink":
			return fs.ReadLink(view, name)
		}
		entries, err := fs.ReadDir(view, name)
		return entries, err
	}
}

// shown is what an Info says, with what it says of its system.
func shown(info fs.FileInfo, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return fmt.Sprintf("%s Size:%d %v %v %+v", info.Name(), info.Size(), info.Mode(), info.ModTime().UTC(), info.Sys()), nil
}

// The operations of the writable views. There, what is missing may be removed, and a
// slash behind a link is refused before the link is looked at.
var (
	aferoOps       = []string{"read", "stat", "list", "handle-create", "handle-append", "mkdir", "mkdir-all", "chmod", "chtimes", "move-from", "remove", "remove-all"}
	removesNothing = map[string][]vfs.Code{"remove-all": {""}, "list": {vfs.NotRegularFile}, "move-from": {vfs.NotDirectory}, "remove": {vfs.NotDirectory}}
)

func aferoFS(_ jailtest.TB, _ string, fsys *vfs.FS) jailtest.Do {
	view := interop.Afero(fsys)
	return func(_ context.Context, op, name string) (any, error) {
		switch op {
		case "read":
			f, err := view.Open(name)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			body, err := io.ReadAll(f)
			return string(body), err
		case "stat":
			return shown(view.Stat(name))
		case "list":
			f, err := view.Open(name)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			return f.Readdirnames(-1)
		case "handle-create", "handle-append":
			flag := os.O_RDWR | os.O_CREATE
			if op == "handle-append" {
				flag = os.O_WRONLY | os.O_APPEND
			}
			f, err := view.OpenFile(name, flag, 0o644)
			if err != nil {
				return nil, err
			}
			_, err = f.WriteString("written S\n")
			return nil, errors.Join(err, f.Close())
		case "mkdir":
			return nil, view.Mkdir(name, 0o755)
		case "mkdir-all":
			return nil, view.MkdirAll(name, 0o755)
		case "chmod":
			return nil, view.Chmod(name, 0o600)
		case "chtimes":
			return nil, view.Chtimes(name, newYear, newYear)
		case "move-from":
			return nil, view.Rename(name, "moved")
		case "remove":
			return nil, view.Remove(name)
		}
		return nil, view.RemoveAll(name)
	}
}

func hackpad(_ jailtest.TB, _ string, fsys *vfs.FS) jailtest.Do {
	view := interop.Hackpad(fsys)
	return func(_ context.Context, op, name string) (any, error) {
		switch op {
		case "read":
			body, err := hackpadfs.ReadFile(view, name)
			return string(body), err
		case "stat":
			return shown(hackpadfs.Stat(view, name))
		case "list":
			return hackpadfs.ReadDir(view, name)
		case "handle-create", "handle-append":
			flag := hackpadfs.FlagReadWrite | hackpadfs.FlagCreate
			if op == "handle-append" {
				flag = hackpadfs.FlagWriteOnly | hackpadfs.FlagAppend
			}
			f, err := hackpadfs.OpenFile(view, name, flag, 0o644)
			if err != nil {
				return nil, err
			}
			_, err = hackpadfs.WriteFile(f, []byte("written S\n"))
			return nil, errors.Join(err, f.Close())
		case "mkdir":
			return nil, hackpadfs.Mkdir(view, name, 0o755)
		case "mkdir-all":
			return nil, hackpadfs.MkdirAll(view, name, 0o755)
		case "chmod":
			return nil, hackpadfs.Chmod(view, name, 0o600)
		case "chtimes":
			return nil, hackpadfs.Chtimes(view, name, newYear, newYear)
		case "move-from":
			return nil, hackpadfs.Rename(view, name, "moved")
		case "remove":
			return nil, hackpadfs.Remove(view, name)
		}
		return nil, hackpadfs.RemoveAll(view, name)
	}
}
