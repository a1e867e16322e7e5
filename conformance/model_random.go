package conformance

import (
	"io/fs"

	"github.com/seamfs/seamfs/vfs"
)

// RandomScript draws a script for a provider with these capabilities. Which of n
// things comes next pick says, from 0 to n-1: so the numbers may be those of a
// seed, or of a library that shrinks them.
func RandomScript(pick func(n int) int, caps vfs.Caps, steps int) Script {
	d := drawer{pick: pick, caps: caps, providers: 1}
	s := make(Script, 0, steps)
	for range steps {
		s = append(s, d.step())
	}
	return s
}

type drawer struct {
	pick      func(n int) int
	caps      vfs.Caps
	providers int
}

const maxProviders = 3

func draw[T any](d *drawer, list ...T) T { return list[d.pick(len(list))] }

func (d *drawer) step() step {
	st := step{on: d.pick(d.providers)}
	if d.caps.Has(vfs.CapSnapshot) {
		switch kind := d.pick(25); {
		case kind == 24:
			return step{on: st.on, do: "snapshot"}
		case kind == 23 && d.providers < maxProviders:
			d.providers++
			return step{on: st.on, do: "fork"}
		}
	}
	n := 1
	if d.caps.Has(vfs.CapBatch) && d.pick(6) == 5 {
		n += 1 + d.pick(3)
	}
	for range n {
		st.changes = append(st.changes, d.change())
	}
	return st
}

// place draws one of few places, so that they meet.
func (d *drawer) place() vfs.Place {
	p := vfs.Root
	for range []int{1, 1, 1, 2, 2, 2, 3, 0}[d.pick(8)] {
		p = p.Join(draw(d, "a", "b", "c", "\xff"))
	}
	return p
}

func (d *drawer) text() string { return draw(d, "x", "", "x\r\ny", "\xef\xbb\xbfz", "\x00") }

func (d *drawer) change() modelChange {
	c := modelChange{op: d.op(), place: d.place(), parents: d.pick(3) == 0}
	switch d.pick(8) {
	case 6:
		c.absent = true
	case 7:
		at := d.text()
		c.at = &at
	}
	switch c.op {
	case vfs.OpPut:
		c.text = d.text()
		c.how = draw(d, "", "", "", "", howAppend, howAppend, howStream, howFails)
	case vfs.OpSymlink:
		c.text = draw(d, "a", "../b", "nowhere", ".", "a/./b/")
	case vfs.OpLink, vfs.OpMove, vfs.OpExchange:
		if c.from = d.place(); c.from == c.place {
			c.from = "d" // what a move to where it is means, no law says
		}
		c.noReplace = c.op == vfs.OpMove && d.pick(3) == 0
	case vfs.OpSetAttrs:
		// What its owner can always go on with, and never the root, which is not
		// of the provider's making.
		c.mode = draw(d, 0o700, 0o755, 0o775, 0o755|fs.ModeSetuid)
		if c.place == vfs.Root {
			c.place = "a"
		}
	}
	if c.op != vfs.OpSetAttrs && c.op != vfs.OpPut && d.pick(20) == 19 {
		c.how = howCancelled
	}
	return c
}

// needs are the capabilities that operations take besides CapApply.
var needs = map[vfs.Op]vfs.Caps{vfs.OpSymlink: vfs.CapSymlink, vfs.OpLink: vfs.CapLink, vfs.OpExchange: vfs.CapExchange, vfs.OpSetAttrs: vfs.CapMode}

func (d *drawer) op() vfs.Op {
	ops := []vfs.Op{vfs.OpPut, vfs.OpPut, vfs.OpPut, vfs.OpPut, vfs.OpMakeDir, vfs.OpMakeDir, vfs.OpMove, vfs.OpMove, vfs.OpRemove, vfs.OpRemoveAll}
	for _, op := range []vfs.Op{vfs.OpSymlink, vfs.OpLink, vfs.OpExchange, vfs.OpSetAttrs, vfs.OpSetAttrs} {
		if d.caps.Has(needs[op]) {
			ops = append(ops, op)
		}
	}
	return draw(d, ops...)
}
