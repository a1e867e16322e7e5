package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func init() { probeOnSignal = probing }

// probing makes a process that runs the command try, when it gets SIGUSR1, what
// it should be kept from, beside the command and past all of its code: in threads that
// were there before the wall, and in new ones. What came of it goes to descriptor 3.
func probing(secret string) {
	const threads = 8
	now, results := make(chan struct{}), make(chan []string)
	var ready sync.WaitGroup
	for range threads {
		ready.Add(1)
		go func() {
			runtime.LockOSThread()
			ready.Done()
			<-now
			results <- reach(secret)
		}()
	}
	ready.Wait()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	go func() {
		<-signals
		close(now)
		go func() { runtime.LockOSThread(); results <- reach(secret) }()
		all := [][]string{}
		for range threads + 1 {
			all = append(all, <-results)
		}
		_ = json.NewEncoder(os.NewFile(3, "probe")).Encode(all)
	}()
}

// reach tries to get at a file and its directory, and names what succeeded.
func reach(secret string) []string {
	got, dir := []string{}, filepath.Dir(secret)
	try := func(what string, err error) {
		if err == nil {
			got = append(got, what)
		}
	}
	_, err := os.ReadFile(secret)
	try("read", err)
	_, err = os.ReadDir(dir)
	try("list", err)
	f, err := os.OpenFile(secret, os.O_WRONLY, 0)
	try("open for writing", err)
	_ = f.Close()
	try("truncate", os.Truncate(secret, 7))
	name := filepath.Join(dir, fmt.Sprint(syscall.Gettid()))
	try("create", os.WriteFile(name, nil, 0o600))
	try("remove", os.Remove(name))
	try("mkdir", os.Mkdir(name, 0o700))
	try("rmdir", os.Remove(name))
	return got
}

var everything = []string{"read", "list", "open for writing", "truncate", "create", "remove", "mkdir", "rmdir"}

// command is the binary as a process of user uid, with a probe.
func command(t *testing.T, uid int, secret string, args ...string) (cmd *exec.Cmd, probe func() [][]string) {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	cmd = exec.Command(shared(t), args...)
	cmd.Env = append(os.Environ(), asMain+"="+secret)
	cmd.ExtraFiles = []*os.File{w}
	if os.Geteuid() == 0 && uid != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return cmd, func() (got [][]string) {
		require.NoError(t, cmd.Process.Signal(syscall.SIGUSR1))
		require.NoError(t, json.NewDecoder(r).Decode(&got))
		return got
	}
}

// shared is the test binary where every user may run it.
var shared = func() func(t *testing.T) string {
	var once sync.Once
	var path string
	return func(t *testing.T) string {
		once.Do(func() {
			dir, err := os.MkdirTemp("", "seamfs-shared")
			require.NoError(t, err)
			require.NoError(t, os.Chmod(dir, 0o755))
			path = filepath.Join(dir, "seamfs")
			cleanups = append(cleanups, func() { os.RemoveAll(dir) })
			self, err := os.Executable()
			require.NoError(t, err)
			if os.Link(self, path) == nil && os.Chmod(path, 0o755) == nil {
				return
			}
			body, err := os.ReadFile(self)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, body, 0o755))
		})
		return path
	}
}()

// owned is a root of user uid, and a file beside it that the user may write, so that
// it is not permissions that hold it.
func owned(t *testing.T, uid int) (root, secret string) {
	t.Helper()
	top, err := os.MkdirTemp("", "seamfs-owned")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(top) })
	root, secret = filepath.Join(top, "root"), filepath.Join(top, "out", "secret")
	for _, dir := range []string{root, filepath.Dir(secret), filepath.Join(root, "d")} {
		require.NoError(t, os.MkdirAll(dir, 0o755))
	}
	require.NoError(t, os.WriteFile(secret, []byte("SECRET\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(root, "f"), []byte("one\r\ntwo\n"), 0o644))
	require.NoError(t, filepath.WalkDir(top, func(path string, _ os.DirEntry, err error) error {
		if err == nil && os.Geteuid() == 0 {
			err = os.Lchown(path, uid, uid)
		}
		return err
	}))
	return root, secret
}

// users are those that a test of this file is run as.
func users() []int {
	if os.Geteuid() == 0 {
		return []int{0, 65534}
	}
	return []int{os.Geteuid()}
}

// With the wall the process itself, whatever its code does, reaches nothing outside:
// in no thread, as root or not. Without it, it does.
func TestLandlockHoldsTheWholeProcess(t *testing.T) {
	for _, uid := range users() {
		for mode, want := range map[string][]string{"require": {}, "auto": {}, "off": everything} {
			t.Run(fmt.Sprint(uid, " ", mode), func(t *testing.T) {
				root, secret := owned(t, uid)
				cmd, probe := command(t, uid, secret, "call", "-", "--root", root, "--landlock="+mode)
				in, err := cmd.StdinPipe()
				require.NoError(t, err)
				out, err := cmd.StdoutPipe()
				require.NoError(t, err)
				cmd.Stderr = os.Stderr
				require.NoError(t, cmd.Start())
				lines := bufio.NewReader(out)
				ask := func(line string) (r reply) {
					_, err := io.WriteString(in, line+"\n")
					require.NoError(t, err)
					answer, err := lines.ReadBytes('\n')
					require.NoError(t, err)
					require.NoError(t, json.Unmarshal(answer, &r))
					return r
				}
				assert.False(t, ask(readF).IsError) // an answer: so the wall is up
				for _, got := range probe() {
					assert.Equal(t, want, got)
				}
				assert.False(t, ask(edit("two", "2")).IsError)
				require.NoError(t, in.Close())
				require.NoError(t, cmd.Wait())
				assert.Equal(t, "one\r\n2\n", bytesOf(t, root, "f"))
			})
		}
	}
}

func TestLandlockHoldsTheServer(t *testing.T) {
	for _, uid := range users() {
		for mode, want := range map[string][]string{"require": {}, "off": everything} {
			t.Run(fmt.Sprint(uid, " ", mode), func(t *testing.T) {
				root, secret := owned(t, uid)
				cmd, probe := command(t, uid, secret, "mcp", "--root", root, "--landlock="+mode)
				client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
				require.NoError(t, err)
				defer client.Close()
				ask := func(tool, args string) (string, bool) {
					r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
					require.NoError(t, err)
					return r.Content[0].(*mcp.TextContent).Text, r.IsError
				}
				text, isError := ask("read", `{"file_path":"f"}`)
				assert.False(t, isError, text)
				for _, got := range probe() {
					assert.Equal(t, want, got)
				}
				text, isError = ask("edit", `{"file_path":"f","old_string":"two","new_string":"2"}`)
				assert.False(t, isError, text)
				text, isError = ask("write", `{"file_path":"a/b/new","content":"x"}`)
				assert.False(t, isError, text)
				for _, name := range leaving(secret)[:7] { // those that need no link
					text, isError = ask("read", `{"file_path":"`+name+`"}`)
					assert.True(t, isError)
					assert.Contains(t, text, "only paths beneath it can be used", name)
				}
			})
		}
	}
}

// With the wall every tool does, shows and leaves what it does without.
func TestToolsAreTheSameBehindTheWall(t *testing.T) {
	calls := []string{
		toolCall("list", map[string]any{}), readF, edit("two", "2"),
		toolCall("write", map[string]any{"file_path": "new", "content": "1\n"}),
		toolCall("write", map[string]any{"file_path": "a/b/c", "content": "deep\n"}),
		toolCall("read", map[string]any{"file_path": "a/b/c"}),
		toolCall("write", map[string]any{"file_path": "a/b/c", "content": "deeper\n"}),
		toolCall("multi_edit", map[string]any{"file_path": "a/b/c", "edits": []any{
			map[string]any{"old_string": "deep", "new_string": "x"}, map[string]any{"old_string": "er", "new_string": "y"}}}),
		toolCall("move", map[string]any{"source": "a/b/c", "destination": "d/moved"}),
		toolCall("move", map[string]any{"source": "a", "destination": "d/a"}),
		toolCall("read", map[string]any{"file_path": "new"}),
		toolCall("delete", map[string]any{"file_path": "new"}),
		toolCall("read", map[string]any{"file_path": "../out/secret"}),
		toolCall("list", map[string]any{"path": "d"}),
	}
	for _, uid := range users() {
		var seen []string
		for _, flags := range [][]string{{"--landlock=off"}, {"--landlock=require"}, {"--landlock=require", "--engine=os.Root"}} {
			root, secret := owned(t, uid)
			cmd, _ := command(t, uid, secret, append([]string{"call", "-", "--root", root, "--multi-edit", "--move", "--delete"}, flags...)...)
			cmd.Stdin, cmd.Stderr = strings.NewReader(strings.Join(calls, "\n")), os.Stderr
			out, err := cmd.Output()
			require.NoError(t, err)
			assert.Equal(t, 1, strings.Count(string(out), `"isError":true`), "%s", out)
			tree, err := exec.Command("bash", "-euc", `cd "$1" && find . -printf '%p %y %m %U\n' | sort && find . -type f -exec grep -H '' {} + | sort`, "-", root).CombinedOutput()
			require.NoError(t, err, "%s", tree)
			seen = append(seen, strings.ReplaceAll(string(out), root, "ROOT")+string(tree))
		}
		assert.Equal(t, seen[0], seen[1], "uid %d", uid)
		assert.Equal(t, seen[0], seen[2], "uid %d", uid)
	}
}

// A root that may only be read is not to be written by the process either.
func TestReadOnlyWall(t *testing.T) {
	root, _ := owned(t, os.Geteuid())
	cmd, probe := command(t, os.Geteuid(), filepath.Join(root, "f"), "call", "-", "--root", root, "--read-only", "--landlock=require")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = io.WriteString(in, readF+"\n")
	require.NoError(t, err)
	answer, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	assert.Contains(t, answer, "1: one")
	for _, got := range probe() {
		assert.Equal(t, []string{"read", "list"}, got)
	}
	require.NoError(t, in.Close())
	require.NoError(t, cmd.Wait())
}

// What is mounted in the root is outside, unless it is named; then it is inside for
// the second wall, too.
func TestAllowMount(t *testing.T) {
	for _, uid := range users() {
		for _, engine := range []string{"openat2", "os.Root"} {
			for allow, want := range map[string]string{"": "FS_OUTSIDE_ROOT", "m": ""} {
				root, secret := owned(t, uid)
				flags := "--engine=" + engine
				if allow != "" {
					flags += " --allow-mount=" + allow
				}
				cmd, _ := command(t, uid, secret)
				cmd.Path, cmd.Args = "/usr/bin/unshare", []string{"unshare", "-rm", "bash", "-euc", `
					mkdir "$1/m" && mount -t tmpfs tmpfs "$1/m" && echo inside > "$1/m/f"
					"$0" call - --root "$1" --landlock=require --no-policy $2`, shared(t), root, flags}
				cmd.Stdin = strings.NewReader(strings.Join([]string{
					toolCall("read", map[string]any{"file_path": "m/f"}),
					toolCall("edit", map[string]any{"file_path": "m/f", "old_string": "in", "new_string": "out"}),
					toolCall("write", map[string]any{"file_path": "m/new", "content": "x"}),
				}, "\n"))
				cmd.Stderr = os.Stderr
				out, err := cmd.Output()
				require.NoError(t, err, "%s", out)
				dec := json.NewDecoder(strings.NewReader(string(out)))
				for range 3 {
					var r reply
					require.NoError(t, dec.Decode(&r))
					if want == "" {
						assert.False(t, r.IsError, "%s: %v", flags, r.Content)
						continue
					}
					require.True(t, r.IsError, "%s: %v", flags, r.Content)
					assert.Equal(t, want, r.Error.Code, "%s: %v", flags, r.Content)
					assert.NotContains(t, r.Content[0], "inside")
				}
			}
		}
	}
}
