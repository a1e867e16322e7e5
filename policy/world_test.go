package policy_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/policy"
	"github.com/seamfs/seamfs/vfs"
)

// world does by hand what tools do: an intent, the operation, an observation.
type world struct {
	t      testing.TB
	fs     *vfs.FS
	policy *policy.ReadBeforeWrite
	me     *vfs.Owner
}

func newWorld(t testing.TB, files map[string]string, opts *policy.ReadBeforeWriteOptions) *world {
	t.Helper()
	fs, err := vfs.New(mem.FromMap(files), vfs.Options{Base: "/w", ID: "id"})
	require.NoError(t, err)
	p := policy.NewReadBeforeWrite(opts)
	p.Attach(fs.Events())
	return &world{t: t, fs: fs, policy: p, me: vfs.NewOwner("me")}
}

func (w *world) target(name string) vfs.Target {
	w.t.Helper()
	t, err := w.fs.Resolve(context.Background(), name, vfs.ResolveOptions{})
	require.NoError(w.t, err)
	return t
}

func (w *world) observe(actor any, name string, view *vfs.View) {
	w.t.Helper()
	t := w.target(name)
	o := vfs.Observation{Target: t, Actor: actor, View: view}
	if info, err := w.fs.Stat(context.Background(), t, vfs.WantVersion); err == nil {
		o.Present, o.Version = true, info.Version
	}
	require.NoError(w.t, w.fs.Events().Observed(context.Background(), o))
}

// read is a look at the whole content.
func (w *world) read(name string) { w.t.Helper(); w.observe(w.me, name, nil) }

func (w *world) write(name, content string) error {
	return w.writeAs(w.me, name, content)
}

func (w *world) writeAs(actor any, name, content string) error {
	w.t.Helper()
	t := w.target(name)
	g, err := w.fs.Events().WriteIntent(context.Background(), vfs.Intent{Target: t, Actor: actor})
	if err != nil {
		return err
	}
	m, err := w.fs.WriteText(context.Background(), t, content, vfs.WriteOptions{Guard: g})
	if err != nil {
		return err
	}
	return w.fs.Events().Observed(context.Background(), vfs.Observation{Target: t, Actor: actor, Present: true, Version: m.Version})
}

func (w *world) edit(name, before, after string) error {
	w.t.Helper()
	t := w.target(name)
	g, err := w.fs.Events().EditIntent(context.Background(), vfs.Intent{Target: t, Actor: w.me})
	if err != nil {
		return err
	}
	m, err := w.fs.EditText(context.Background(), t, []vfs.Edit{{Old: before, New: after}}, vfs.EditOptions{Guard: g})
	if err != nil {
		return err
	}
	return w.fs.Events().Observed(context.Background(), vfs.Observation{
		Target: t, Actor: w.me, Present: true, Version: m.Version, View: &vfs.View{First: 1, Last: 0, Total: -1},
	})
}

func (w *world) remove(name string) error {
	w.t.Helper()
	t := w.target(name)
	g, err := w.fs.Events().RemoveIntent(context.Background(), vfs.Intent{Target: t, Actor: w.me})
	if err != nil {
		return err
	}
	_, err = w.fs.Remove(context.Background(), t, vfs.RemoveOptions{Guard: g})
	return err
}

func (w *world) move(from, to string) error {
	w.t.Helper()
	in := vfs.MoveIntent{From: w.target(from), To: w.target(to), Actor: w.me}
	g, err := w.fs.Events().MoveIntent(context.Background(), in)
	if err != nil {
		return err
	}
	_, err = w.fs.Move(context.Background(), in.From, in.To, vfs.MoveOptions{Guard: g})
	return err
}

// theirs changes a file as somebody whom no policy asks.
func (w *world) theirs(name, content string) {
	w.t.Helper()
	_, err := w.fs.WriteText(context.Background(), w.target(name), content, vfs.WriteOptions{})
	require.NoError(w.t, err)
}

func (w *world) content(name string) string {
	w.t.Helper()
	text, err := w.fs.ReadText(context.Background(), w.target(name))
	require.NoError(w.t, err)
	return text.Content
}

// code checks the code of an error, "" for none.
func (w *world) code(want vfs.Code, err error) {
	w.t.Helper()
	assert.Equal(w.t, want, vfs.CodeOf(err), "%v", err)
}
