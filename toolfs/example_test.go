package toolfs_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/toolfs"
	"github.com/seamfs/seamfs/vfs"
)

func tree() *vfs.FS {
	fs, err := vfs.New(mem.FromMap(map[string]string{"go.mod": "module x\n", "cmd/main.go": "package main\n"}), vfs.Options{Base: "/w"})
	if err != nil {
		panic(err)
	}
	return fs
}

func ExampleNew() {
	tools, err := toolfs.New(tree(), toolfs.Config{ReadLimit: 100, Delete: true})
	if err != nil {
		panic(err)
	}
	for _, tool := range tools.List() {
		fmt.Println(tool.Name, tool.Hints.ReadOnly)
	}
	// Output:
	// list true
	// read true
	// write false
	// edit false
	// glob true
	// grep true
	// delete false
}

func ExampleTools_Call() {
	tools, _ := toolfs.New(tree(), toolfs.Config{})
	me := toolfs.Session{Actor: vfs.NewOwner("agent")}
	r := tools.Call(context.Background(), me, "list", json.RawMessage(`{"path": "/w"}`))
	fmt.Println(r.Content[0])
	r = tools.Call(context.Background(), me, "read", json.RawMessage(`{"file_path": "cmd/Main.go"}`))
	fmt.Println(r.IsError, r.Err.Code)
	fmt.Println(r.Text())
	// Output:
	// <path>/w</path>
	// <type>directory</type>
	// <content>
	// cmd/
	// go.mod
	//
	// (2 entries: 1 directories, 1 files)
	// </content>
	// true FS_NOT_FOUND
	// Error: cannot read "/w/cmd/Main.go": not found
	//
	// Hint: did you mean "cmd/main.go"?
}

// A framework that wants a function per tool gets one.
func ExampleTools_Plain() {
	tools, _ := toolfs.New(tree(), toolfs.Config{})
	for _, tool := range tools.Plain(toolfs.Session{}) {
		if tool.Name == "edit" {
			text, err := tool.Call(context.Background(), json.RawMessage(`{"file_path": "go.mod", "old_string": "x", "new_string": "y"}`))
			fmt.Println(text, err)
		}
	}
	// Output:
	// The file /w/go.mod has been updated successfully. <nil>
}

// A scope can be given fewer tools; the prompt stays the same.
func ExampleTools_Restrict() {
	tools, _ := toolfs.New(tree(), toolfs.Config{})
	reader := tools.Restrict("list", "read")
	r := reader.Call(context.Background(), toolfs.Session{}, "write", json.RawMessage(`{"file_path": "x", "content": ""}`))
	fmt.Println(r.Text())
	fmt.Println(len(reader.List()), len(reader.PromptSections()))
	// Output:
	// Error: there is no tool "write"; the tools are list, read
	// 2 6
}
