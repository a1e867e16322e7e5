package overlay_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/vfs"
)

// duel is an overlay, and forks of it, each beside a directory of its own.
type duel struct {
	top    string
	back   reopen
	lower  vfs.Provider
	boards []*board
	snaps  []snapshotOf
	closes []func() error
}

// board is an overlay and its directory.
type board struct {
	o       *overlay.Overlay
	dir     string
	disk    vfs.Provider
	handles [3]*pair
	touched bool // something was changed above
}

// pair is a handle on both sides.
type pair struct{ ours, theirs vfs.Handle }

type snapshotOf struct {
	r    vfs.Reader
	want dump
}

func (g *duel) begin(lower string) error {
	low := filepath.Join(g.top, "lower")
	if err := os.Mkdir(low, 0o755); err != nil {
		return err
	}
	p, done := modelLowers[lower](low)
	g.closes = append(g.closes, done)
	g.lower = p
	o, err := overlay.New(ctx, p, modelOptions())
	if err != nil {
		return err
	}
	dir := g.newDir()
	return errors.Join(os.Mkdir(dir, 0o755), g.add(o, dir))
}

func (g *duel) newDir() string { return filepath.Join(g.top, "disk"+strconv.Itoa(len(g.boards))) }

func (g *duel) add(o *overlay.Overlay, dir string) error {
	disk, done := realDir(dir)
	g.closes = append(g.closes, done)
	g.boards = append(g.boards, &board{o: o, dir: dir, disk: disk})
	return nil
}

func (g *duel) close() {
	for _, b := range g.boards {
		b.closeHandles()
	}
	for _, done := range g.closes {
		_ = done()
	}
}

func (b *board) closeHandles() {
	for i, h := range b.handles {
		if h != nil {
			_, _ = h.ours.Close(), h.theirs.Close()
			b.handles[i] = nil
		}
	}
}

func (g *duel) step(op modelOp) error {
	if op.on >= len(g.boards) {
		return nil // its fork was shrunk away
	}
	b := g.boards[op.on]
	switch op.do {
	case "fork":
		return g.fork(b)
	case "snapshot":
		snap, err := b.o.Snapshot(ctx)
		if err != nil {
			return err
		}
		want, err := tryDump(func(tb conformance.TB) dump { return dumpDir(tb, b.dir, nil) })
		g.snaps = append(g.snaps, snapshotOf{snap, want})
		return err
	case "reopen":
		b.closeHandles()
		o, err := g.back(b.o)
		b.o = o
		b.touched = true
		return err
	case "open", "write", "truncate", "read", "close":
		b.touched = true
		if err := b.handle(op); err != nil {
			return err
		}
		return b.look(op)
	}
	c := op.change()
	ours := vfs.Provider(b.o)
	if op.low && !b.touched && len(g.boards) == 1 && len(g.snaps) == 0 {
		ours = g.lower
	} else {
		b.touched = true
	}
	_, err := ours.Apply(ctx, []vfs.Change{c})
	_, want := b.disk.Apply(ctx, []vfs.Change{c})
	if err := sameCode(op, err, want); err != nil {
		return err
	}
	return b.look(op)
}

// sameCode compares codes. Where two places are wrong no law says which is told
// first; TestModelOfTheSuite holds those codes.
func sameCode(op modelOp, got, want error) error {
	if op.from != "" && got != nil && want != nil {
		return nil
	}
	if a, b := vfs.CodeOf(got), vfs.CodeOf(want); a != b {
		return fmt.Errorf("got %q (%v), the directory says %q (%v)", a, got, b, want)
	}
	return nil
}

func (g *duel) fork(b *board) error {
	if len(g.boards) == 3 {
		return nil
	}
	o, err := reopens["a fork"](b.o)
	if err != nil {
		return err
	}
	b.touched = true
	dir := g.newDir()
	return errors.Join(copyDir(b.dir, dir), g.add(o, dir))
}

// copyDir copies what a dump shows: modes, contents, links and hard links.
func copyDir(from, to string) error {
	first := map[uint64]string{}
	type modeOf struct {
		path string
		mode fs.FileMode
	}
	var modes []modeOf
	err := filepath.WalkDir(from, func(p string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(from, p)
		at := filepath.Join(to, rel)
		info, err := os.Lstat(p)
		if err != nil {
			return err
		}
		ino := info.Sys().(*syscall.Stat_t).Ino
		switch {
		case info.IsDir():
			modes = append(modes, modeOf{at, info.Mode().Perm()})
			return os.Mkdir(at, 0o700)
		case first[ino] != "":
			return os.Link(first[ino], at)
		}
		first[ino] = at
		if info.Mode().Type() == fs.ModeSymlink {
			body, err := os.Readlink(p)
			return errors.Join(err, os.Symlink(body, at))
		}
		modes = append(modes, modeOf{at, info.Mode().Perm()})
		content, err := os.ReadFile(p)
		return errors.Join(err, os.WriteFile(at, content, 0o600))
	})
	for _, m := range slices.Backward(modes) {
		err = errors.Join(err, os.Chmod(m.path, m.mode))
	}
	return err
}

func (g *duel) end() error {
	for i, b := range g.boards {
		want, err := tryDump(func(tb conformance.TB) dump { return dumpDir(tb, b.dir, nil) })
		if err != nil {
			return err
		}
		if err := shows(b.o, want); err != nil {
			return fmt.Errorf("in the end, overlay %d: %w", i, err)
		}
	}
	for i, s := range g.snaps {
		if err := shows(s.r, s.want); err != nil {
			return fmt.Errorf("in the end, snapshot %d: %w", i, err)
		}
	}
	return nil
}

func shows(r vfs.Reader, want dump) error {
	got, err := tryDump(func(tb conformance.TB) dump { return dumpReader(tb, r, nil) })
	if err != nil {
		return err
	}
	if got.String() != want.String() {
		return fmt.Errorf("it shows\n%s\nand the directory\n%s", got, want)
	}
	return nil
}

// tryDump is a dump whose failure is an error.
func tryDump(dump func(conformance.TB) dump) (d dump, err error) {
	defer func() {
		if v := recover(); v != nil {
			failed, ok := v.(error)
			if !ok {
				panic(v)
			}
			err = failed
		}
	}()
	return dump(thrower{}), nil
}

// thrower is a TB whose failures are panics.
type thrower struct{ conformance.TB }

func (thrower) Helper()                           {}
func (thrower) Fatalf(format string, args ...any) { panic(fmt.Errorf(format, args...)) }

// look compares what both sides show of the places of an operation.
func (b *board) look(op modelOp) error {
	places := []vfs.Place{op.at, op.at.Parent()}
	if op.from != "" {
		places = append(places, op.from, op.from.Parent())
	}
	for _, p := range places {
		if p == "" {
			continue
		}
		got, want := facts(b.o, p), facts(b.disk, p)
		if got != want {
			return fmt.Errorf("at %q got %s, the directory has %s", p, got, want)
		}
	}
	return nil
}

func facts(r vfs.Reader, p vfs.Place) string {
	info, err := r.Lstat(ctx, p, vfs.WantVersion)
	if err != nil {
		return string(vfs.CodeOf(err))
	}
	said := fmt.Sprintf("%s %v %q", info.Kind, info.Mode, info.Link)
	if info.Kind == vfs.KindDir {
		list, err := r.List(ctx, p)
		return fmt.Sprint(said, list, vfs.CodeOf(err))
	}
	return fmt.Sprint(said, info.Size, info.Version, info.Links)
}

var handleOptions = []vfs.HandleOptions{
	{}, {Write: true}, {Write: true, Append: true}, {Write: true, Create: true},
	{Write: true, Create: true, Truncate: true}, {Write: true, Create: true, Exclusive: true},
}

func (b *board) handle(op modelOp) error {
	h := b.handles[op.slot]
	if op.do == "open" {
		opts := handleOptions[op.n%int64(len(handleOptions))]
		ours, err := b.o.OpenHandle(ctx, op.at, opts)
		theirs, want := b.disk.(vfs.Handler).OpenHandle(ctx, op.at, opts)
		if err != nil || want != nil {
			for _, opened := range []vfs.Handle{ours, theirs} {
				if opened != nil {
					_ = opened.Close()
				}
			}
			return sameCode(op, err, want)
		}
		if h != nil {
			_, _ = h.ours.Close(), h.theirs.Close()
		}
		b.handles[op.slot] = &pair{ours, theirs}
		return nil
	}
	if h == nil {
		return nil
	}
	switch op.do {
	case "close":
		b.handles[op.slot] = nil
		return sameCode(op, h.ours.Close(), h.theirs.Close())
	case "truncate":
		return sameCode(op, h.ours.Truncate(op.n), h.theirs.Truncate(op.n))
	case "write":
		n, err := writeBy(h.ours, op)
		m, want := writeBy(h.theirs, op)
		if n != m {
			return fmt.Errorf("wrote %d bytes (%v), to the directory %d (%v)", n, err, m, want)
		}
		return sameCode(op, err, want)
	}
	got, err := readBy(h.ours)
	want, werr := readBy(h.theirs)
	if got != want {
		return fmt.Errorf("the handle reads %s, and that of the directory %s", got, want)
	}
	return sameCode(op, err, werr)
}

func writeBy(h vfs.Handle, op modelOp) (int, error) {
	if op.flag {
		return h.Write([]byte(op.text))
	}
	return h.WriteAt([]byte(op.text), op.n)
}

// readBy reads a whole file, and what is told of it.
func readBy(h vfs.Handle) (string, error) {
	info, err := h.Info()
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(io.NewSectionReader(h, 0, info.Size+1))
	return fmt.Sprintf("%v, %d names, %d bytes: %s", info.Mode, info.Links, info.Size, brief(string(b))), err
}
