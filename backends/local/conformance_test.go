package local_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/seamfs/seamfs/backends/local"
	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/vfs"
)

// below shows a directory of the disk as if it were the root, since the suite
// wants a provider that is empty at first. It confines nothing.
type below struct {
	*local.Provider
	dir vfs.Place
}

func (b below) at(p vfs.Place) vfs.Place {
	if p == vfs.Root {
		return b.dir
	}
	return b.dir + "/" + p
}

func (b below) Lstat(ctx context.Context, p vfs.Place, want vfs.Want) (vfs.Info, error) {
	return b.Provider.Lstat(ctx, b.at(p), want)
}

func (b below) Open(ctx context.Context, p vfs.Place) (vfs.File, error) {
	return b.Provider.Open(ctx, b.at(p))
}

func (b below) List(ctx context.Context, p vfs.Place) ([]vfs.Entry, error) {
	return b.Provider.List(ctx, b.at(p))
}

func (b below) LinkFree(ctx context.Context, p vfs.Place) (exists, linkFree bool, err error) {
	return b.Provider.LinkFree(ctx, b.at(p))
}

func (b below) OpenDir(ctx context.Context, p vfs.Place) (vfs.Dir, error) {
	return b.Provider.OpenDir(ctx, b.at(p))
}

func (b below) OpenHandle(ctx context.Context, p vfs.Place, opts vfs.HandleOptions) (vfs.Handle, error) {
	return b.Provider.OpenHandle(ctx, b.at(p), opts)
}

func (b below) Apply(ctx context.Context, list []vfs.Change) ([]vfs.Outcome, error) {
	list, err := b.moved(list)
	if err != nil {
		return nil, err
	}
	return b.Provider.Apply(ctx, list)
}

func (b below) ApplyBatch(ctx context.Context, list []vfs.Change, opts vfs.BatchOptions) (string, []vfs.Outcome, error) {
	list, err := b.moved(list)
	if err != nil {
		return "", nil, err
	}
	return b.Provider.ApplyBatch(ctx, list, opts)
}

func (b below) Batches(ctx context.Context) ([]vfs.BatchInfo, error) {
	list, err := b.Provider.Batches(ctx)
	for _, info := range list {
		for i, p := range info.Places {
			info.Places[i] = vfs.Place(strings.TrimPrefix(string(p), string(b.dir)+"/"))
		}
	}
	return list, err
}

func (b below) moved(list []vfs.Change) ([]vfs.Change, error) {
	list = append([]vfs.Change(nil), list...)
	for i, c := range list {
		// What the disk would allow, or refuse with another code, at any other place.
		if c.Op != vfs.OpPut && (c.Place == vfs.Root && c.Op != vfs.OpMakeDir || c.From == vfs.Root) {
			return nil, vfs.InvalidArgument
		}
		list[i].Place = b.at(c.Place)
		if c.From != "" {
			list[i].From = b.at(c.From)
		}
	}
	return list, nil
}

func disk(opts *local.Options) conformance.Provider {
	return conformance.Provider{Privileged: os.Geteuid() == 0, New: func(tb conformance.TB) vfs.Provider {
		dir := tb.TempDir()
		p, err := local.New(dir, opts)
		if err != nil {
			tb.Fatalf("local.New: %v", err)
		}
		tb.Cleanup(func() { _ = p.Close() })
		return below{p, vfs.Place(strings.TrimPrefix(p.FSOptions().Base, "/"))}
	}}
}

func TestConformance(t *testing.T) { conformance.Run(t, disk(nil)) }
