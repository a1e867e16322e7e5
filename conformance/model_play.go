package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
)

// Play makes the operations of a script on an empty provider and on a model of
// it, and returns how the two differ, nil when they do not. After each step it
// looks at the places that the step names, at the end at everything, snapshots
// and forks included.
func (s Script) Play(ctx context.Context, p vfs.Provider) error {
	umask, err := umaskOf(ctx, p)
	if err != nil {
		return err
	}
	g := game{ctx: ctx, boards: []*board{{p, newModelTree(umask)}}}
	for i, st := range s {
		if err := g.step(st); err != nil {
			return fmt.Errorf("step %d, %s: %w", i+1, strings.TrimSpace(Script{st}.String()), err)
		}
	}
	return g.end()
}

// umaskOf learns what new files lack, by one.
func umaskOf(ctx context.Context, p vfs.Provider) (fs.FileMode, error) {
	_, put := p.Apply(ctx, []vfs.Change{{Op: vfs.OpPut, Place: "umask", Fill: Content("")}})
	info, err := p.Lstat(ctx, "umask", 0)
	_, remove := p.Apply(ctx, []vfs.Change{{Op: vfs.OpRemove, Place: "umask"}})
	return 0o666 &^ info.Mode.Perm(), errors.Join(put, err, remove)
}

type game struct {
	ctx       context.Context
	boards    []*board
	snapshots []snapshotOf
}

// board is a provider and what it should be.
type board struct {
	p vfs.Provider
	m *modelTree
}

type snapshotOf struct {
	r vfs.Reader
	m *modelTree
}

func (g *game) step(st step) error {
	if st.on >= len(g.boards) {
		return nil // its fork was shrunk away
	}
	b := g.boards[st.on]
	if st.do == "" {
		return b.changes(g.ctx, st.changes)
	}
	s, ok := b.p.(vfs.Snapshotter)
	if !ok || !b.p.Caps().Has(vfs.CapSnapshot) {
		return nil // replayed over a provider that has none
	}
	if st.do == "fork" {
		fork, err := s.Fork(g.ctx)
		g.boards = append(g.boards, &board{fork, b.m.clone()})
		return err
	}
	snap, err := s.Snapshot(g.ctx)
	g.snapshots = append(g.snapshots, snapshotOf{snap, b.m.clone()})
	return err
}

func (g *game) end() error {
	for i, b := range g.boards {
		if err := b.m.hold(g.ctx, b.p); err != nil {
			return fmt.Errorf("in the end, provider %d: %w", i, err)
		}
	}
	for i, s := range g.snapshots {
		if err := s.m.hold(g.ctx, s.r); err != nil {
			return fmt.Errorf("in the end, snapshot %d: %w", i, err)
		}
	}
	return nil
}

// changes makes the changes of one step, all or none, and looks at their places.
func (b *board) changes(ctx context.Context, list []modelChange) error {
	want := b.m.clone()
	var effects []vfs.Effect
	var wrong []vfs.Code
	changes := make([]vfs.Change, len(list))
	applyCtx := ctx
	if len(list) > 1 && !b.p.Caps().Has(vfs.CapBatch) {
		wrong = append(wrong, vfs.Unsupported)
	}
	for i := range list {
		c := &list[i]
		changes[i] = c.change()
		if !b.p.Caps().Has(needs[c.op]) {
			wrong = append(wrong, vfs.Unsupported)
		}
		if len(wrong) == 0 {
			var effect vfs.Effect
			effect, wrong = want.apply(c)
			effects = append(effects, effect)
		}
		if c.how == howCancelled && applyCtx == ctx {
			cancelled, cancel := context.WithCancel(ctx)
			cancel()
			applyCtx = cancelled
		}
	}
	if applyCtx != ctx {
		wrong = append(wrong, vfs.Aborted)
	}
	if len(wrong) > 0 {
		want = b.m
		for i := range list { // arguments may be checked before anything is done
			wrong = append(wrong, anyOf(when(list[i].takesRoot(), vfs.InvalidArgument))...)
		}
	}
	out, err := b.p.Apply(applyCtx, changes)
	if code := vfs.CodeOf(err); len(wrong) > 0 && !slices.Contains(wrong, code) || len(wrong) == 0 && code != "" {
		return fmt.Errorf("got %s (%v), want %s", orOK(code), err, oneOf(wrong))
	}
	b.m = want
	if err == nil {
		if err := outcomes(list, out, effects); err != nil {
			return err
		}
	}
	return b.lookAround(ctx, list)
}

// lookAround looks at the places that changes name, and at their parents.
func (b *board) lookAround(ctx context.Context, list []modelChange) error {
	for i := range list {
		places := []vfs.Place{list[i].place, list[i].place.Parent()}
		if hasFrom(list[i].op) {
			places = append(places, list[i].from, list[i].from.Parent())
		}
		for _, p := range places {
			if err := b.m.look(ctx, b.p, p); err != nil {
				return err
			}
		}
	}
	return nil
}

func oneOf(codes []vfs.Code) string {
	if len(codes) == 0 {
		return "success"
	}
	return fmt.Sprint(codes)
}

// outcomes holds what was answered against what the laws say of it.
func outcomes(list []modelChange, got []vfs.Outcome, want []vfs.Effect) error {
	if len(got) != len(list) {
		return fmt.Errorf("got %d outcomes, want %d", len(got), len(list))
	}
	for i, o := range got {
		if list[i].op == vfs.OpPut && o.Effect != want[i] {
			return fmt.Errorf("outcome %d: got %q, want %q", i, o.Effect, want[i])
		}
		if list[i].op == vfs.OpPut && list[i].how != howAppend && o.Version != content.Sum([]byte(list[i].text)) {
			return fmt.Errorf("outcome %d: got version %s, want that of %q", i, o.Version, list[i].text)
		}
	}
	return nil
}

// hold looks at every place of the model.
func (m *modelTree) hold(ctx context.Context, r vfs.Reader) error {
	for p := range m.at {
		if err := m.look(ctx, r, p); err != nil {
			return err
		}
	}
	return nil
}

// look asks in every way what is at p.
func (m *modelTree) look(ctx context.Context, r vfs.Reader, p vfs.Place) error {
	o := m.at[p]
	missing := first(m.reach(p), when(o == nil, vfs.NotFound))
	isFile, isDir := o != nil && o.kind == vfs.KindFile, o != nil && o.kind == vfs.KindDir
	info, err := r.Lstat(ctx, p, vfs.WantVersion)
	if got := vfs.CodeOf(err); got != missing {
		return fmt.Errorf("lstat %q: got %s (%v), want %s", p, orOK(got), err, orOK(missing))
	}
	if missing == "" {
		if err := m.describe(r.Caps(), p, info); err != nil {
			return err
		}
	}
	body, err := readFrom(ctx, r, p)
	if got, want := vfs.CodeOf(err), first(missing, when(!isFile, vfs.NotRegularFile)); got != want {
		return fmt.Errorf("read %q: got %s (%v), want %s", p, orOK(got), err, orOK(want))
	}
	if isFile && body != o.body {
		return fmt.Errorf("read %q: got %s, want %s", p, show(body), show(o.body))
	}
	list, err := r.List(ctx, p)
	if got, want := vfs.CodeOf(err), first(missing, when(!isDir, vfs.NotDirectory)); got != want {
		return fmt.Errorf("list %q: got %s (%v), want %s", p, orOK(got), err, orOK(want))
	}
	if isDir && !slices.Equal(list, m.below(p)) {
		return fmt.Errorf("list %q: got %v, want %v", p, list, m.below(p))
	}
	return m.linkFree(ctx, r, p)
}

// describe holds what Lstat tells against the model.
func (m *modelTree) describe(caps vfs.Caps, p vfs.Place, info vfs.Info) error {
	o := m.at[p]
	got, want := fmt.Sprintf("%s %q", info.Kind, info.Link), fmt.Sprintf("%s %q", o.kind, "")
	switch o.kind {
	case vfs.KindSymlink:
		want = fmt.Sprintf("%s %q", o.kind, o.body)
	case vfs.KindFile:
		got += fmt.Sprintf(" of %d bytes, version %s", info.Size, info.Version)
		want += fmt.Sprintf(" of %d bytes, version %s", len(o.body), content.Sum([]byte(o.body)))
	}
	if caps.Has(vfs.CapMode) && o.kind != vfs.KindSymlink && p != vfs.Root {
		const bits = fs.ModePerm | fs.ModeSetuid
		got += fmt.Sprintf(", mode %v", info.Mode&bits)
		want += fmt.Sprintf(", mode %v", o.mode&bits)
	}
	if caps.Has(vfs.CapLink) && o.kind == vfs.KindFile && info.Links != 0 {
		got += fmt.Sprintf(", %d names", info.Links)
		want += fmt.Sprintf(", %d names", m.names(o))
	}
	if got != want {
		return fmt.Errorf("lstat %q: got %s, want %s", p, got, want)
	}
	return nil
}

func (m *modelTree) linkFree(ctx context.Context, r vfs.Reader, p vfs.Place) error {
	resolver, ok := r.(vfs.Resolver)
	if !ok || !r.Caps().Has(vfs.CapResolve) {
		return nil
	}
	exists, free, err := resolver.LinkFree(ctx, p)
	o := m.at[p]
	if err != nil && m.reach(p) == "" {
		return fmt.Errorf("link-free %q: got %v", p, err)
	}
	if isLink := o != nil && o.kind == vfs.KindSymlink; err == nil && free && (m.reach(p) != "" || isLink || exists != (o != nil)) {
		return fmt.Errorf("link-free %q: got exists %v, link-free %v, where there is %+v behind %q", p, exists, free, o, m.reach(p))
	}
	return nil
}

func readFrom(ctx context.Context, r vfs.Reader, p vfs.Place) (string, error) {
	f, err := r.Open(ctx, p)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	return string(b), err
}

// Shrink returns a part of a script that still fails, and of which no step and no
// change can be left out. It asks at most so many times.
func (s Script) Shrink(tries int, fails func(Script) bool) Script {
	for smaller := true; smaller; {
		smaller = false
		for n := max(len(s)/2, 1); n > 0; n /= 2 {
			for at := 0; at+n <= len(s) && tries > 0; {
				tries--
				if less := slices.Concat(s[:at], s[at+n:]); fails(less) {
					s, smaller = less, true
				} else {
					at += n
				}
			}
		}
	}
	for i := range s {
		for j := 0; j < len(s[i].changes) && len(s[i].changes) > 1 && tries > 0; {
			tries--
			less := slices.Clone(s)
			less[i].changes = slices.Delete(slices.Clone(s[i].changes), j, j+1)
			if fails(less) {
				s = less
			} else {
				j++
			}
		}
	}
	return s
}

// Operations is how many changes, snapshots and forks there are in a script.
func (s Script) Operations() (n int) {
	for _, st := range s {
		n += max(1, len(st.changes))
	}
	return n
}
