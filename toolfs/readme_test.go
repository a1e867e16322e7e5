package toolfs_test

import (
	"context"
	"fmt"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/policy"
	"github.com/seamfs/seamfs/toolfs"
	"github.com/seamfs/seamfs/vfs"
)

// The README shows the body of this example; internal/repotest holds the two
// together.
func Example_readme() {
	provider := mem.FromMap(map[string]string{"main.go": "package main\r\n"})
	fsys, err := vfs.New(provider, vfs.Options{Base: "/workspace"})
	if err != nil {
		panic(err)
	}
	policy.NewReadBeforeWrite(nil).Attach(fsys.Events())
	tools, err := toolfs.New(fsys, toolfs.Config{})
	if err != nil {
		panic(err)
	}
	me := toolfs.Session{Actor: vfs.NewOwner("agent")}
	call := func(tool, args string) {
		fmt.Println(tools.Call(context.Background(), me, tool, []byte(args)).Text())
	}
	call("edit", `{"file_path": "main.go", "old_string": "main", "new_string": "app"}`)
	call("read", `{"file_path": "main.go"}`)
	call("edit", `{"file_path": "main.go", "old_string": "main", "new_string": "app"}`)
	// Output:
	// Error: cannot edit "/workspace/main.go": it has not been read; read it first
	// <path>/workspace/main.go</path>
	// <type>file</type>
	// <content>
	// 1: package main
	//
	// (End of file - total 1 lines)
	// </content>
	// The file /workspace/main.go has been updated successfully.
}
