package conformance

import (
	"fmt"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// modelCases are about everything at once: what no other case has thought of.
var modelCases = []Case{
	{Name: "model/changes", Law: "M1", Needs: vfs.CapApply, Run: func(c *C) { c.model(40, 30, c.P.Caps()&^(vfs.CapBatch|vfs.CapSnapshot)) }},
	{Name: "model/batches", Law: "M1", Needs: vfs.CapApply | vfs.CapBatch, Run: func(c *C) { c.model(20, 30, c.P.Caps()&^vfs.CapSnapshot) }},
	{Name: "model/snapshots-and-forks", Law: "M1", Needs: vfs.CapApply | vfs.CapSnapshot, Run: func(c *C) { c.model(20, 60, c.P.Caps()) }},
}

// model plays scripts, and prints the shortest it finds of one that fails.
func (c *C) model(scripts, steps int, caps vfs.Caps) {
	if c.spec.Confined {
		caps &^= vfs.CapLink
	}
	for range scripts {
		s := RandomScript(c.Rand.IntN, caps, steps)
		if c.spec.Confined {
			s.tame()
		}
		if c.plays(s) == nil {
			continue
		}
		s = s.Shrink(300, func(less Script) bool { return c.plays(less) != nil })
		c.Fatalf("%v\n\tthe script, for ParseScript and Play:\n%s", c.plays(s), s)
	}
}

// tame takes out of a script what a confined provider refuses.
func (s Script) tame() {
	for i := range s {
		for j := range s[i].changes {
			ch := &s[i].changes[j]
			ch.mode = ch.mode.Perm()
			if ch.op == vfs.OpSymlink {
				ch.text = strings.TrimPrefix(ch.text, "../")
			}
		}
	}
}

// plays plays a script over a provider of its own. A panic is a difference.
func (c *C) plays(s Script) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return s.Play(c.Ctx, c.spec.New(c.TB))
}
