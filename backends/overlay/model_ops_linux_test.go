package overlay_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/vfs"
)

// modelOp is one operation of a script.
type modelOp struct {
	on       int  // which fork
	low      bool // made below, while nothing is above yet
	do       string
	from, at vfs.Place
	text     string
	n        int64 // offset, size, mode, or which options
	slot     int   // of the handle
	flag     bool  // parents; no-replace; at the position of the handle
}

func (op modelOp) String() string {
	s := fmt.Sprintf("@%d %s", op.on, op.do)
	if op.low {
		s = "below: " + op.do
	}
	switch op.do {
	case "open":
		return fmt.Sprintf("%s %d %q %+v", s, op.slot, op.at, handleOptions[op.n])
	case "write", "truncate", "read", "close":
		return fmt.Sprintf("%s %d %s at %d, here %v", s, op.slot, brief(op.text), op.n, op.flag)
	case "fork", "snapshot", "reopen":
		return s
	}
	return fmt.Sprintf("%s %q %q %s %o %v", s, op.from, op.at, brief(op.text), op.n, op.flag)
}

// change is the operation as a change, where it is one.
func (op modelOp) change() vfs.Change {
	c := vfs.Change{Place: op.at, From: op.from}
	switch op.do {
	case "put":
		c.Op, c.Parents, c.Fill = vfs.OpPut, op.flag, conformance.Content(op.text)
	case "append":
		c.Op = vfs.OpPut
		c.Fill = func(_ context.Context, prior vfs.Prior) (vfs.Draft, error) {
			return vfs.Draft{Pieces: []vfs.Piece{vfs.Keep(0, prior.Info().Size), vfs.Bytes([]byte(op.text))}}, nil
		}
	case "mkdir":
		c.Op, c.Parents = vfs.OpMakeDir, op.flag
	case "symlink":
		c.Op, c.Link = vfs.OpSymlink, op.text
	case "link":
		c.Op = vfs.OpLink
	case "move":
		c.Op, c.NoReplace = vfs.OpMove, op.flag
	case "exchange":
		c.Op = vfs.OpExchange
	case "remove":
		c.Op = vfs.OpRemove
	case "remove-all":
		c.Op = vfs.OpRemoveAll
	case "chmod":
		mode := fs.FileMode(op.n)
		c.Op, c.Attrs = vfs.OpSetAttrs, &vfs.Attrs{Mode: &mode}
	default:
		panic("no operation " + op.do)
	}
	return c
}

// long is content beyond a leaf, and whole is beyond what is read at once.
var (
	long  = strings.Repeat("0123456789abcdef", 1300)
	whole = strings.Repeat("0123456789abcdef", 70_000)
)

// randomBeside draws a script: a base, and what is done on top of it.
func randomBeside(pick func(n int) int, steps int) beside {
	d := besideDrawer{pick: pick, boards: 1}
	s := make(beside, 0, steps)
	for i := range steps {
		op := d.op()
		op.low = i < steps/5
		if op.low {
			op.on = 0
		}
		s = append(s, op)
	}
	return s
}

type besideDrawer struct {
	pick   func(n int) int
	boards int
}

func (d *besideDrawer) place() vfs.Place {
	p := vfs.Root
	for range []int{1, 1, 1, 2, 2, 2, 3}[d.pick(7)] {
		p = p.Join([]string{"a", "b", "c"}[d.pick(3)])
	}
	return p
}

func (d *besideDrawer) text() string {
	switch n := d.pick(100); {
	case n == 99:
		return whole
	case n > 84:
		return long
	}
	return []string{"x", "", "hello", "y\n"}[d.pick(4)]
}

var besideOps = []string{
	"put", "put", "put", "append", "mkdir", "mkdir", "mkdir", "symlink", "link", "link", "move", "move", "move",
	"exchange", "remove", "remove", "remove-all", "chmod", "chmod",
	"open", "open", "open", "write", "write", "write", "truncate", "read", "close",
}

func (d *besideDrawer) op() modelOp {
	op := modelOp{on: d.pick(d.boards), do: besideOps[d.pick(len(besideOps))], slot: d.pick(3), flag: d.pick(3) == 0}
	switch d.pick(60) {
	case 57:
		d.boards = min(d.boards+1, 3)
		return modelOp{on: op.on, do: "fork"}
	case 58:
		return modelOp{on: op.on, do: "snapshot"}
	case 59:
		return modelOp{on: op.on, do: "reopen"}
	}
	switch op.do {
	case "put", "append":
		op.at, op.text = d.place(), d.text()
	case "symlink":
		op.at, op.text = d.place(), []string{"a", "../b", "nowhere"}[d.pick(3)]
	case "link", "move", "exchange":
		op.at, op.from = d.place(), d.place()
		if op.at == op.from {
			op.from = "d" // what a move to where it is means, no law says
		}
	case "chmod":
		op.at, op.n = d.place(), []int64{0o700, 0o755, 0o640, 0o600}[d.pick(4)]
		if os.Geteuid() != 0 {
			op.n |= 0o700 // or the look at what is in a directory would end there
		}
	case "open":
		op.at, op.n = d.place(), int64(d.pick(len(handleOptions)))
	case "write":
		op.text, op.n = d.text(), []int64{0, 0, 2, 5, 100, 16 << 10, 20_000, 1 << 20}[d.pick(8)]
	case "truncate":
		op.n = []int64{0, 1, 3, 5_000, 16 << 10, 30_000, 1<<20 + 5}[d.pick(7)]
	case "read", "close":
	default:
		op.at = d.place()
	}
	return op
}
