package policy_test

import (
	"context"
	"fmt"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/policy"
	"github.com/seamfs/seamfs/vfs"
)

// A file that was never read cannot be overwritten by a tool that asks the gate.
func ExampleReadBeforeWrite() {
	ctx := context.Background()
	fs, err := vfs.New(mem.FromMap(map[string]string{"notes.txt": "keep\n"}), vfs.Options{Base: "/w"})
	if err != nil {
		panic(err)
	}
	p := policy.NewReadBeforeWrite(nil)
	defer p.Close()
	p.Attach(fs.Events())

	agent := vfs.NewOwner("agent")
	target, _ := fs.Resolve(ctx, "notes.txt", vfs.ResolveOptions{})
	_, err = fs.Events().EditIntent(ctx, vfs.Intent{Target: target, Actor: agent})
	fmt.Println(err)

	text, _ := fs.ReadText(ctx, target)
	_ = fs.Events().Observed(ctx, vfs.Observation{Target: target, Actor: agent, Present: true, Version: text.Version})
	guard, err := fs.Events().EditIntent(ctx, vfs.Intent{Target: target, Actor: agent})
	fmt.Println(guard == vfs.AtVersion(text.Version), err)
	// Output:
	// cannot edit "/w/notes.txt": it has not been read; read it first
	// true <nil>
}

func ExampleRules() {
	ctx := context.Background()
	p, err := policy.Rules(mem.FromMap(map[string]string{"src/.env": "KEY=1\n"}), policy.RulesOptions{Deny: []string{".env"}})
	if err != nil {
		panic(err)
	}
	fs, _ := vfs.New(p, vfs.Options{Base: "/w"})
	_, err = fs.Resolve(ctx, "src/.env", vfs.ResolveOptions{})
	fmt.Println(err)
	// Output:
	// cannot resolve "src/.env": permission denied by a rule of this workspace
}
