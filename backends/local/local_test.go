package local_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/seamfs/seamfs/backends/local"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
)

func Example() {
	dir, _ := os.MkdirTemp("", "local")
	defer os.RemoveAll(dir)
	ctx := context.Background()

	fsys, err := local.Open(dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer fsys.Close()
	target, _ := fsys.Resolve(ctx, "notes/today.txt", vfs.ResolveOptions{})
	out, _ := fsys.WriteText(ctx, target, "hello\n", vfs.WriteOptions{Guard: vfs.CreateIfAbsent()})
	text, _ := fsys.ReadText(ctx, target)
	fmt.Printf("%s %q %t\n", out.Effect, text.Content, out.Version == text.Version)
	// Output: create "hello\n" true
}

func TestOpen(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte("x"), 0o644))
	fsys, err := local.Open(dir, &local.Options{NoSync: true, SyncDir: true, Events: vfs.NewEvents()})
	require.NoError(t, err)
	relative, err := fsys.Resolve(ctx, "f", vfs.ResolveOptions{})
	require.NoError(t, err)
	absolute, err := fsys.Resolve(ctx, filepath.Join(dir, "f"), vfs.ResolveOptions{})
	require.NoError(t, err)
	require.Equal(t, relative.Key(), absolute.Key())
	require.Equal(t, filepath.Join(dir, "f"), relative.Display())

	other, err := local.Open("/", nil)
	require.NoError(t, err)
	again, err := other.Resolve(ctx, filepath.Join(dir, "f"), vfs.ResolveOptions{})
	require.NoError(t, err)
	require.Equal(t, relative.Key(), again.Key(), "one tree has one identity")
	require.NoError(t, other.Close())
	require.NoError(t, fsys.Close())
	_, err = fsys.ReadText(ctx, relative)
	require.Equal(t, vfs.Closed, vfs.CodeOf(err))

	for _, bad := range []string{filepath.Join(dir, "none"), filepath.Join(dir, "f")} {
		_, err := local.Open(bad, nil)
		require.Error(t, err)
	}
	p, err := local.New("", nil)
	require.NoError(t, err)
	require.NoError(t, p.Close())
}
