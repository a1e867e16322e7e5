package mem_test

import (
	"context"
	"fmt"
	"io"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/vfs"
)

// A fork costs nothing, and neither side sees what the other does.
func Example() {
	ctx := context.Background()
	p := mem.FromMap(map[string]string{"docs/a.txt": "one\n"})
	fork, err := p.Fork(ctx)
	if err != nil {
		panic(err)
	}
	_, err = fork.Apply(ctx, []vfs.Change{{Op: vfs.OpPut, Place: "docs/a.txt", Fill: text("two\n")}})
	if err != nil {
		panic(err)
	}
	for _, r := range []vfs.Reader{p, fork} {
		f, err := r.Open(ctx, "docs/a.txt")
		if err != nil {
			panic(err)
		}
		b, _ := io.ReadAll(f)
		fmt.Print(string(b))
	}
	// Output:
	// one
	// two
}

// Several changes are all made, or none of them.
func ExampleProvider_Apply() {
	p := mem.New(nil)
	_, err := p.Apply(context.Background(), []vfs.Change{
		{Op: vfs.OpPut, Place: "a", Fill: text("a")},
		{Op: vfs.OpPut, Place: "missing/b", Fill: text("b")},
	})
	fmt.Println(err)
	list, _ := p.List(context.Background(), vfs.Root)
	fmt.Println(len(list), "entries")
	// Output:
	// FS_NOT_FOUND
	// 0 entries
}

func text(s string) vfs.Fill {
	return func(context.Context, vfs.Prior) (vfs.Draft, error) {
		return vfs.Draft{Pieces: []vfs.Piece{vfs.Bytes([]byte(s))}}, nil
	}
}
