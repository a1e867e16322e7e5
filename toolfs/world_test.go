package toolfs_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/policy"
	"github.com/seamfs/seamfs/toolfs"
	"github.com/seamfs/seamfs/vfs"
)

// counted counts what reaches a provider. Resolution goes through LinkFree, so
// that every Lstat is a stat that somebody asked for.
type counted struct {
	*mem.Provider
	lstat, open, list, apply atomic.Int64

	onLstat func(n int64) // called before the nth stat
}

func (c *counted) Lstat(ctx context.Context, p vfs.Place, want vfs.Want) (vfs.Info, error) {
	if n := c.lstat.Add(1); c.onLstat != nil {
		c.onLstat(n)
	}
	return c.Provider.Lstat(ctx, p, want)
}

func (c *counted) Open(ctx context.Context, p vfs.Place) (vfs.File, error) {
	c.open.Add(1)
	return c.Provider.Open(ctx, p)
}

func (c *counted) List(ctx context.Context, p vfs.Place) ([]vfs.Entry, error) {
	c.list.Add(1)
	return c.Provider.List(ctx, p)
}

func (c *counted) Apply(ctx context.Context, changes []vfs.Change) ([]vfs.Outcome, error) {
	c.apply.Add(1)
	return c.Provider.Apply(ctx, changes)
}

// world is a tree in memory with tools over it.
type world struct {
	t        testing.TB
	provider *counted
	fs       *vfs.FS
	tools    *toolfs.Tools
	me       toolfs.Session
}

// newWorld makes a world without a policy: the tools are unconditional.
func newWorld(t testing.TB, files map[string]string, cfg toolfs.Config) *world {
	t.Helper()
	w := &world{t: t, provider: &counted{Provider: mem.FromMap(files)}, me: toolfs.Session{Actor: vfs.NewOwner("me")}}
	var err error
	w.fs, err = vfs.New(w.provider, vfs.Options{Base: "/w"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.fs.Close()) })
	w.tools, err = toolfs.New(w.fs, cfg)
	require.NoError(t, err)
	return w
}

// guarded attaches read-before-write.
func (w *world) guarded() *world {
	policy.NewReadBeforeWrite(nil).Attach(w.fs.Events())
	return w
}

func (w *world) raw(tool, args string) toolfs.Result {
	return w.tools.Call(context.Background(), w.me, tool, json.RawMessage(args))
}

// call takes its arguments in pairs of name and value.
func (w *world) call(tool string, pairs ...any) toolfs.Result {
	w.t.Helper()
	return w.tools.Call(context.Background(), w.me, tool, args(w.t, pairs...))
}

func args(t testing.TB, pairs ...any) json.RawMessage {
	t.Helper()
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	b, err := json.Marshal(m)
	require.NoError(t, err)
	return b
}

// ok calls and returns the first block of a success.
func (w *world) ok(tool string, pairs ...any) string {
	w.t.Helper()
	r := w.call(tool, pairs...)
	require.False(w.t, r.IsError, "%s: %s", tool, r.Text())
	return r.Content[0]
}

// fails calls and wants a code; it returns all the text.
func (w *world) fails(code vfs.Code, tool string, pairs ...any) string {
	w.t.Helper()
	return w.failed(code, w.call(tool, pairs...))
}

func (w *world) failed(code vfs.Code, r toolfs.Result) string {
	w.t.Helper()
	require.True(w.t, r.IsError, "want %s, got %s", code, r.Text())
	assert.Equal(w.t, code, r.Err.Code, r.Text())
	assert.Equal(w.t, "FsError", r.Err.Name)
	assert.Equal(w.t, "Error: "+r.Err.Message, r.Content[0])
	assert.Nil(w.t, r.Value)
	return r.Text()
}

// content returns what is in a file, past the tools.
func (w *world) content(name string) string {
	w.t.Helper()
	c, err := w.fs.ReadBytes(context.Background(), w.target(name), 1<<30)
	require.NoError(w.t, err)
	return string(c.Bytes)
}

// put changes a file behind everyone's back.
func (w *world) put(name, content string) {
	w.t.Helper()
	_, err := w.provider.Apply(context.Background(), []vfs.Change{{Op: vfs.OpPut, Place: vfs.Place(name), Parents: true,
		Fill: func(context.Context, vfs.Prior) (vfs.Draft, error) {
			return vfs.Draft{Pieces: []vfs.Piece{vfs.Bytes([]byte(content))}}, nil
		}}})
	require.NoError(w.t, err)
}

func (w *world) change(c vfs.Change) {
	w.t.Helper()
	_, err := w.provider.Apply(context.Background(), []vfs.Change{c})
	require.NoError(w.t, err)
}

func (w *world) target(name string) vfs.Target {
	w.t.Helper()
	t, err := w.fs.Resolve(context.Background(), name, vfs.ResolveOptions{})
	require.NoError(w.t, err)
	return t
}

func (w *world) exists(name string) bool {
	_, err := w.provider.Provider.Lstat(context.Background(), vfs.Place(name), 0)
	return err == nil
}

// body returns what stands between <content> and </content>.
func body(t testing.TB, block string) string {
	t.Helper()
	_, rest, found := strings.Cut(block, "\n<content>\n")
	require.True(t, found, block)
	rest, found = strings.CutSuffix(rest, "\n</content>")
	require.True(t, found, block)
	return rest
}
