package jailtest

import (
	"context"
	"io/fs"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

// The operations of the seam, as an attacker may try each of them on a name. What
// other corpora try besides and the seam does not have is in docs/containment.md.
const (
	opRead         = "read"
	opReadBytes    = "read-bytes"
	opLines        = "read-lines"
	opOpen         = "open"
	opStat         = "stat"
	opLstat        = "lstat"
	opReadlink     = "readlink"
	opList         = "list"
	opWalk         = "walk"
	opWrite        = "write"
	opWriteBytes   = "write-bytes"
	opCreate       = "create-exclusive"
	opEdit         = "edit"
	opBatch        = "batch"
	opMkdir        = "mkdir"
	opMkdirAll     = "mkdir-all"
	opRemove       = "remove"
	opRemoveAll    = "remove-all"
	opMoveFrom     = "move-from"
	opMoveTo       = "move-to"
	opSymlink      = "symlink"
	opLinkFrom     = "link-from"
	opLinkTo       = "link-to"
	opChmod        = "chmod"
	opChtimes      = "chtimes"
	opHandle       = "handle-read"
	opHandleWrite  = "handle-write"
	opHandleAppend = "handle-append"
	opHandleTrunc  = "handle-truncate"
	opHandleCreate = "handle-create"
	opHandleExcl   = "handle-exclusive"
)

const written = "written S\n"

// ops is how each operation is made; they are tried in the order of Ops.
var ops = map[string]func(ctx context.Context, f *vfs.FS, name string) (any, error){
	opRead:      on(func(ctx context.Context, f *vfs.FS, t vfs.Target) (any, error) { return f.ReadText(ctx, t) }),
	opReadBytes: on(func(ctx context.Context, f *vfs.FS, t vfs.Target) (any, error) { return f.ReadBytes(ctx, t, 1<<20) }),
	opLines: on(func(ctx context.Context, f *vfs.FS, t vfs.Target) (any, error) {
		return f.ReadLines(ctx, t, vfs.Window{First: 1, Limit: 5})
	}),
	opOpen: on(readOpen),
	opStat: on(func(ctx context.Context, f *vfs.FS, t vfs.Target) (any, error) {
		return f.Stat(ctx, t, vfs.WantVersion)
	}),
	opLstat: at(func(ctx context.Context, f *vfs.FS, t vfs.Target) (any, error) {
		return f.Lstat(ctx, t, vfs.WantVersion)
	}),
	opReadlink: at(func(ctx context.Context, f *vfs.FS, t vfs.Target) (any, error) { return f.Readlink(ctx, t) }),
	opList:     on(func(ctx context.Context, f *vfs.FS, t vfs.Target) (any, error) { return f.List(ctx, t) }),
	opWalk:     on(func(ctx context.Context, f *vfs.FS, t vfs.Target) (any, error) { return walk(ctx, f, t) }),
	opWrite: on(func(ctx context.Context, f *vfs.FS, t vfs.Target) (any, error) {
		return f.WriteText(ctx, t, written, vfs.WriteOptions{})
	}),
	opWriteBytes: on(func(ctx context.Context, f *vfs.FS, t vfs.Target) (any, error) {
		return f.WriteBytes(ctx, t, []byte(written), vfs.WriteOptions{NoParents: true})
	}),
	opCreate: on(func(ctx context.Context, f *vfs.FS, t vfs.Target) (any, error) {
		return f.WriteText(ctx, t, written, vfs.WriteOptions{Guard: vfs.CreateIfAbsent()})
	}),
	opEdit: on(func(ctx context.Context, f *vfs.FS, t vfs.Target) (any, error) {
		return f.EditText(ctx, t, []vfs.Edit{{Old: "S", New: "edited"}}, vfs.EditOptions{})
	}),
	opBatch: on(batch),
	opMkdir: on(func(ctx context.Context, f *vfs.FS, t vfs.Target) (any, error) {
		return f.MakeDir(ctx, t, vfs.MakeDirOptions{})
	}),
	opMkdirAll: on(func(ctx context.Context, f *vfs.FS, t vfs.Target) (any, error) {
		return f.MakeDir(ctx, t, vfs.MakeDirOptions{Parents: true})
	}),
	opRemove: at(func(ctx context.Context, f *vfs.FS, t vfs.Target) (any, error) {
		return f.Remove(ctx, t, vfs.RemoveOptions{})
	}),
	opRemoveAll: at(func(ctx context.Context, f *vfs.FS, t vfs.Target) (any, error) {
		return f.Remove(ctx, t, vfs.RemoveOptions{Recursive: true})
	}),
	opMoveFrom:     at(moveFrom),
	opMoveTo:       at(moveTo),
	opSymlink:      at(func(ctx context.Context, f *vfs.FS, t vfs.Target) (any, error) { return f.Symlink(ctx, t, "top") }),
	opLinkFrom:     at(linkFrom),
	opLinkTo:       at(linkTo),
	opChmod:        on(chmod),
	opChtimes:      on(chtimes),
	opHandle:       handle(vfs.HandleOptions{}),
	opHandleWrite:  handle(vfs.HandleOptions{Write: true}),
	opHandleAppend: handle(vfs.HandleOptions{Write: true, Append: true}),
	opHandleTrunc:  handle(vfs.HandleOptions{Write: true, Truncate: true}),
	opHandleCreate: handle(vfs.HandleOptions{Write: true, Create: true}),
	opHandleExcl:   handle(vfs.HandleOptions{Write: true, Create: true, Exclusive: true}),
}

// opNeeds are the capabilities without which an operation is FS_UNSUPPORTED.
var opNeeds = map[string]vfs.Caps{
	opSymlink: vfs.CapSymlink, opLinkFrom: vfs.CapLink, opLinkTo: vfs.CapLink, opChmod: vfs.CapMode, opChtimes: vfs.CapTimes,
	opHandle: vfs.CapHandle, opHandleWrite: vfs.CapHandle, opHandleAppend: vfs.CapHandle, opHandleTrunc: vfs.CapHandle,
	opHandleCreate: vfs.CapHandle, opHandleExcl: vfs.CapHandle,
}

// Ops returns the names of the operations that are tried on every name, those that
// only look first.
func Ops() []string {
	return []string{
		opRead, opReadBytes, opLines, opOpen, opStat, opLstat, opReadlink, opList, opWalk, opHandle,
		opWrite, opWriteBytes, opCreate, opEdit, opBatch, opMkdir, opMkdirAll, opMoveFrom, opMoveTo, opSymlink, opLinkFrom, opLinkTo,
		opChmod, opChtimes, opHandleWrite, opHandleAppend, opHandleTrunc, opHandleCreate, opHandleExcl, opRemove, opRemoveAll,
	}
}

// Operate makes one operation of [Ops] on a name, and returns what a consumer would
// see of it.
func Operate(ctx context.Context, f *vfs.FS, op, name string) (any, error) {
	do, known := ops[op]
	if !known {
		return nil, vfs.Fail(vfs.InvalidArgument, "no such operation: "+op)
	}
	return do(ctx, f, name)
}

type onTarget func(ctx context.Context, f *vfs.FS, t vfs.Target) (any, error)

// on is an operation on what a name leads to, at one on the entry itself.
func on(do onTarget) func(context.Context, *vfs.FS, string) (any, error) {
	return resolving(vfs.ResolveOptions{}, do)
}

func at(do onTarget) func(context.Context, *vfs.FS, string) (any, error) {
	return resolving(vfs.ResolveOptions{NoFollow: true}, do)
}

func resolving(opts vfs.ResolveOptions, do onTarget) func(context.Context, *vfs.FS, string) (any, error) {
	return func(ctx context.Context, f *vfs.FS, name string) (any, error) {
		t, err := f.Resolve(ctx, name, opts)
		if err != nil {
			return nil, err
		}
		value, err := do(ctx, f, t)
		return []any{t.Display(), string(t.Key()), t, value}, err
	}
}

// other resolves the second name of an operation on two.
func other(ctx context.Context, f *vfs.FS, name string) (vfs.Target, error) {
	return f.Resolve(ctx, f.Base()+"/"+name, vfs.ResolveOptions{NoFollow: true})
}

func readOpen(ctx context.Context, f *vfs.FS, t vfs.Target) (any, error) {
	file, err := f.Open(ctx, t)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	b := make([]byte, 100)
	n, err := file.Read(b)
	return []any{string(b[:n]), file.Info()}, err
}

func batch(ctx context.Context, f *vfs.FS, t vfs.Target) (any, error) {
	text := written
	return f.Batch(ctx, []vfs.FileChange{{Target: t, Write: &text}})
}

func moveFrom(ctx context.Context, f *vfs.FS, t vfs.Target) (any, error) {
	to, err := other(ctx, f, "moved")
	if err != nil {
		return nil, err
	}
	return f.Move(ctx, t, to, vfs.MoveOptions{})
}

func moveTo(ctx context.Context, f *vfs.FS, t vfs.Target) (any, error) {
	from, err := other(ctx, f, "mover")
	if err != nil {
		return nil, err
	}
	return f.Move(ctx, from, t, vfs.MoveOptions{Replace: true, NoParents: true})
}

func linkFrom(ctx context.Context, f *vfs.FS, t vfs.Target) (any, error) {
	to, err := other(ctx, f, "linked")
	if err != nil {
		return nil, err
	}
	return f.Link(ctx, t, to)
}

func linkTo(ctx context.Context, f *vfs.FS, t vfs.Target) (any, error) {
	from, err := other(ctx, f, "top")
	if err != nil {
		return nil, err
	}
	return f.Link(ctx, from, t)
}

func chmod(ctx context.Context, f *vfs.FS, t vfs.Target) (any, error) {
	mode := fs.FileMode(0o600)
	return f.SetAttrs(ctx, t, vfs.Attrs{Mode: &mode})
}

func chtimes(ctx context.Context, f *vfs.FS, t vfs.Target) (any, error) {
	when := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	return f.SetAttrs(ctx, t, vfs.Attrs{ModTime: &when})
}

// handle opens a name as a kernel would, and reads, or writes and truncates.
func handle(opts vfs.HandleOptions) func(context.Context, *vfs.FS, string) (any, error) {
	return on(func(ctx context.Context, f *vfs.FS, t vfs.Target) (any, error) {
		h, err := f.OpenHandle(ctx, t, opts)
		if err != nil {
			return nil, err
		}
		defer h.Close()
		info, err := h.Info()
		if err != nil {
			return nil, err
		}
		if opts.Write {
			n, err := h.Write([]byte(written))
			return []any{info, n}, err
		}
		b := make([]byte, 100)
		n, err := h.Read(b)
		return []any{info, string(b[:n])}, err
	})
}

// walk visits a tree as a search would: by open directories, following nothing. It
// returns what it met.
func walk(ctx context.Context, f *vfs.FS, t vfs.Target) ([]string, error) {
	dir, err := f.OpenDir(ctx, t)
	if err != nil {
		return nil, err
	}
	var met []string
	err = visit(ctx, dir, "", &met)
	return met, err
}

func visit(ctx context.Context, dir vfs.Dir, prefix string, met *[]string) error {
	defer dir.Close()
	entries, err := dir.Entries(ctx)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := prefix + e.Name
		*met = append(*met, e.Kind.String()+" "+name)
		if e.Kind != vfs.KindDir {
			continue
		}
		sub, err := dir.OpenDir(ctx, e.Name)
		if err != nil {
			*met = append(*met, string(vfs.CodeOf(err))+" "+name)
			continue
		}
		if err := visit(ctx, sub, name+"/", met); err != nil {
			return err
		}
	}
	return nil
}
