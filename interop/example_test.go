package interop_test

import (
	"context"
	"fmt"
	"io/fs"
	"testing/fstest"

	"github.com/hack-pad/hackpadfs"
	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/interop"
	"github.com/seamfs/seamfs/vfs"
	"github.com/spf13/afero"
)

// Anything that reads an io/fs.FS reads an FS.
func ExampleFS() {
	f, err := vfs.New(mem.FromMap(map[string]string{"docs/a.md": "# A\n", "docs/b.txt": "b\n"}), vfs.Options{})
	if err != nil {
		panic(err)
	}
	names, _ := fs.Glob(interop.FS(f), "docs/*.md")
	fmt.Println(names)
	// Output: [docs/a.md]
}

// A program that is written for afero works on an FS.
func ExampleAfero() {
	f, err := vfs.New(mem.New(nil), vfs.Options{Base: "/"})
	if err != nil {
		panic(err)
	}
	a := interop.Afero(f)
	_ = a.MkdirAll("/etc/app", 0o755)
	_ = afero.WriteFile(a, "/etc/app/conf", []byte("on = true\n"), 0o644)
	target, _ := f.Resolve(context.Background(), "/etc/app/conf", vfs.ResolveOptions{})
	text, _ := f.ReadText(context.Background(), target)
	fmt.Print(text.Content)
	// Output: on = true
}

// hackpadfs has files that can be written, by the names of io/fs.
func ExampleHackpad() {
	f, err := vfs.New(mem.New(nil), vfs.Options{})
	if err != nil {
		panic(err)
	}
	h := interop.Hackpad(f)
	_ = hackpadfs.MkdirAll(h, "a/b", 0o755)
	_ = hackpadfs.WriteFullFile(h, "a/b/c", []byte("hello\n"), 0o644)
	b, _ := hackpadfs.ReadFile(h, "a/b/c")
	fmt.Print(string(b))
	// Output: hello
}

// What is embedded in a program, or in an archive, is a lower layer.
func ExampleFromFS() {
	files := fstest.MapFS{"templates/mail.txt": {Data: []byte("Dear all\n")}}
	f, err := vfs.New(interop.FromFS(files), vfs.Options{})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	target, _ := f.Resolve(ctx, "templates/mail.txt", vfs.ResolveOptions{})
	text, _ := f.ReadText(ctx, target)
	fmt.Print(text.Content)
	_, err = f.WriteText(ctx, target, "Hi\n", vfs.WriteOptions{})
	fmt.Println(vfs.CodeOf(err))
	// Output:
	// Dear all
	// FS_UNSUPPORTED
}

// Guards hold on an afero.Fs that knows none.
func ExampleFromAfero() {
	store := afero.NewMemMapFs()
	f, err := vfs.New(interop.FromAfero(store, &interop.AferoOptions{Writable: true}), vfs.Options{})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	target, _ := f.Resolve(ctx, "notes", vfs.ResolveOptions{})
	first, _ := f.WriteText(ctx, target, "one\n", vfs.WriteOptions{Guard: vfs.CreateIfAbsent()})
	_ = afero.WriteFile(store, "/notes", []byte("behind its back\n"), 0o644)
	_, err = f.WriteText(ctx, target, "two\n", vfs.WriteOptions{Guard: vfs.ReplaceIfVersion(first.Version)})
	fmt.Println(vfs.CodeOf(err))
	// Output: FS_STALE_VERSION
}
