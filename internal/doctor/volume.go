package doctor

import (
	"context"
	"fmt"

	"github.com/seamfs/seamfs/internal/hostfs"
	"github.com/seamfs/seamfs/vfs"
)

// fileSystem makes the changes that a file system may not be able to, by the engine
// that makes them later, and asks it what it had to do without.
func fileSystem(ctx context.Context, dir string, found map[string]finding) {
	e, err := hostfs.New(dir, &hostfs.Options{NoSync: true})
	if err != nil {
		for _, f := range facts {
			if f.volume {
				found[f.name] = no(err.Error())
			}
		}
		return
	}
	defer e.Close()
	errs := map[string]error{}
	for _, step := range []struct {
		about  string
		change vfs.Change
	}{
		{"tmpfile", write("f", "one\n", vfs.CreateIfAbsent())},
		{"exchange", write("f", "two\n", vfs.Guard{})},
		{"hardlinks", vfs.Change{Op: vfs.OpLink, From: "f", Place: "linked"}},
		{"noreplace", vfs.Change{Op: vfs.OpMove, From: "linked", Place: "moved", NoReplace: true}},
	} {
		_, errs[step.about] = e.Apply(ctx, []vfs.Change{step.change})
	}
	r := e.Report()
	if r.Engine == hostfs.Portable || len(r.Volumes) == 0 {
		for _, name := range []string{"tmpfile", "noreplace", "exchange", "leases", "flock"} {
			found[name] = no(fmt.Sprintf("the %s engine does not use it", r.Engine))
		}
		found["hardlinks"] = outcome(errs["hardlinks"], "")
		return
	}
	without := r.Volumes[0].Without
	has := func(name string, f hostfs.Feature) {
		switch {
		case errs[name] != nil:
			found[name] = no(errs[name].Error())
		case without&f != 0:
			found[name] = no(fmt.Sprintf("%s has no %s", r.Volumes[0].Type, without&f))
		default:
			found[name] = yes("")
		}
	}
	has("tmpfile", hostfs.Tmpfile|hostfs.LinkTemp)
	has("noreplace", hostfs.NoReplace)
	has("exchange", hostfs.Exchange)
	has("leases", hostfs.Lease)
	has("flock", hostfs.Flock)
	has("hardlinks", hostfs.Linkat)
	if r.Leases.Granted == 0 && found["leases"].state == Yes {
		found["leases"] = no("none was granted: " + r.Leases.String())
	}
	if r.Unlocked > 0 && found["flock"].state == Yes {
		found["flock"] = no("a change went without a lock")
	}
}

func write(place vfs.Place, body string, guard vfs.Guard) vfs.Change {
	return vfs.Change{Op: vfs.OpPut, Place: place, Guard: guard, Fill: func(context.Context, vfs.Prior) (vfs.Draft, error) {
		return vfs.Draft{Pieces: []vfs.Piece{vfs.Bytes([]byte(body))}}, nil
	}}
}
