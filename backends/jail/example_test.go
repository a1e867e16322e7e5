package jail_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seamfs/seamfs/backends/jail"
	"github.com/seamfs/seamfs/vfs"
)

func Example() {
	dir, _ := os.MkdirTemp("", "jail")
	defer os.RemoveAll(dir)
	_ = os.Symlink("/etc", filepath.Join(dir, "etc"))
	ctx := context.Background()

	fsys, err := jail.Open(dir, &jail.Options{Base: "/"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer fsys.Close()
	for _, name := range []string{"notes.txt", "/notes.txt", "etc/passwd", "../notes.txt"} {
		t, err := fsys.Resolve(ctx, name, vfs.ResolveOptions{})
		fmt.Println(strings.TrimSpace(fmt.Sprintf("%s: %q %s", name, t.Display(), vfs.CodeOf(err))))
	}
	// Output:
	// notes.txt: "/notes.txt"
	// /notes.txt: "/notes.txt"
	// etc/passwd: "" FS_OUTSIDE_ROOT
	// ../notes.txt: "" FS_OUTSIDE_ROOT
}
