package race

import "strings"

// Swap is a change of the tree that is made, taken back, made again: of two names
// beneath the directory that holds both the root, "R", and "outside".
type Swap struct {
	Name string
	A, B string
	Away bool // A is renamed to B and back; else the two are exchanged
}

// The swaps. Those that lead outside come first; through the others the victim must
// only stay sane.
var (
	Parent = Swap{Name: "parent", A: "R/d", B: "R/evil"}                 // a directory and a link to outside
	Leaf   = Swap{Name: "leaf", A: "R/leaf", B: "R/lure"}                // a file and a link to one outside
	Tree   = Swap{Name: "tree", A: "R/tree/sub", B: "R/tree/lure"}       // the same as parent, within what is worked on
	UpDir  = Swap{Name: "updir", A: "R/a/c", B: "outside/c", Away: true} // a directory leaves, with who is in it

	ForFile  = Swap{Name: "for a file", A: "R/d", B: "R/plain"}
	ForFIFO  = Swap{Name: "for a FIFO", A: "R/d", B: "R/fifo"}
	ForOther = Swap{Name: "for another directory", A: "R/d", B: "R/other"}
	Gone     = Swap{Name: "gone", A: "R/d", B: "R/gone", Away: true}
	LeafFIFO = Swap{Name: "leaf for a FIFO", A: "R/leaf", B: "R/fifo"}
)

// outward reports whether the swap leads outside.
func (s Swap) outward() bool {
	return strings.HasPrefix(s.B, "outside") || strings.HasSuffix(s.B, "evil") || strings.HasSuffix(s.B, "lure")
}

// Op is one combination of an operation and a swap.
type Op struct {
	Swap Swap
	Call Call
	name string

	depth int // how deep the tree is that UpDir takes away
}

// Name returns what the operation is called in tables.
func (o Op) Name() string {
	if o.name != "" {
		return o.name + "/" + o.Swap.Name
	}
	return string(o.Call.Verb) + "/" + o.Swap.Name
}

// through are the calls that pass the directory d or its stand-in.
var through = []Op{
	{Call: Call{Verb: Read, Name: "d/f"}},
	{Call: Call{Verb: ReadAt, Name: "d/f"}},
	{Call: Call{Verb: Hash, Name: "d/f"}},
	{Call: Call{Verb: Stat, Name: "d/f"}},
	{Call: Call{Verb: Lstat, Name: "d/f"}},
	{Call: Call{Verb: Readlink, Name: "d/s"}},
	{Call: Call{Verb: List, Name: "d/sub"}},
	{Call: Call{Verb: Walk, Name: "d/sub"}},
	{Call: Call{Verb: Put, Name: "d/f", Text: "put"}},
	{Call: Call{Verb: PutNew, Name: "d/n", Text: "put"}},
	{Call: Call{Verb: Edit, Name: "d/f", To: "flip", Text: "flop"}},
	{Call: Call{Verb: EditTwo, Name: "d/f", To: "flip", Text: "flop"}},
	{Call: Call{Verb: Truncate, Name: "d/f", Text: "written"}},
	{Call: Call{Verb: Append, Name: "d/f", Text: "appended"}},
	{Call: Call{Verb: WriteAt, Name: "d/f", Text: "at"}},
	{Call: Call{Verb: CreateNew, Name: "d/n", Text: "created"}},
	{Call: Call{Verb: MakeDir, Name: "d/n"}},
	{Call: Call{Verb: MakeDirs, Name: "d/sub/n/n"}},
	{Call: Call{Verb: Remove, Name: "d/f"}},
	{name: "rmdir", Call: Call{Verb: Remove, Name: "d/empty"}},
	{Call: Call{Verb: RemoveAll, Name: "d/sub"}},
	{name: "move-in", Call: Call{Verb: Move, Name: "x", To: "d/n"}},
	{name: "move-out", Call: Call{Verb: Move, Name: "d/f", To: "y"}},
	{name: "move-within", Call: Call{Verb: MoveOver, Name: "d/f", To: "d/f2"}},
	{name: "move-dir-out", Call: Call{Verb: Move, Name: "d/sub", To: "y"}},
	{name: "link-in", Call: Call{Verb: Link, Name: "x", To: "d/n"}},
	{name: "link-out", Call: Call{Verb: Link, Name: "d/f", To: "y"}},
	{Call: Call{Verb: Symlink, Name: "d/n", Text: "f"}},
	{Call: Call{Verb: Chmod, Name: "d/f"}},
	{Call: Call{Verb: Chtimes, Name: "d/f"}},
}

var others = []Op{
	{Swap: Leaf, Call: Call{Verb: Read, Name: "leaf"}},
	{Swap: Leaf, Call: Call{Verb: ReadAt, Name: "leaf"}},
	{Swap: Leaf, Call: Call{Verb: Hash, Name: "leaf"}},
	{Swap: Leaf, Call: Call{Verb: Stat, Name: "leaf"}},
	{Swap: Leaf, Call: Call{Verb: Put, Name: "leaf", Text: "put"}},
	{Swap: Leaf, Call: Call{Verb: Edit, Name: "leaf", To: "flip", Text: "flop"}},
	{Swap: Leaf, Call: Call{Verb: Truncate, Name: "leaf", Text: "written"}},
	{Swap: Leaf, Call: Call{Verb: Append, Name: "leaf", Text: "appended"}},
	{Swap: Leaf, Call: Call{Verb: WriteAt, Name: "leaf", Text: "at"}},
	{Swap: Leaf, Call: Call{Verb: Chmod, Name: "leaf"}},
	{Swap: Leaf, Call: Call{Verb: Chtimes, Name: "leaf"}},
	{Swap: Tree, Call: Call{Verb: Walk, Name: "tree"}},
	{Swap: Tree, Call: Call{Verb: RemoveAll, Name: "tree"}},
	{Swap: UpDir, Call: Call{Verb: Read, Name: "a/DOWNf"}},
	{Swap: UpDir, Call: Call{Verb: Stat, Name: "a/DOWNf"}},
	{Swap: UpDir, Call: Call{Verb: Truncate, Name: "a/DOWNf", Text: "written"}},
	{name: "read-link", Swap: UpDir, Call: Call{Verb: Read, Name: "a/up"}},
	{name: "put-link", Swap: UpDir, Call: Call{Verb: Put, Name: "a/up", Text: "put"}},
}

// down is a name that goes down so many levels, and up again to where c is.
func down(depth int) string {
	return "c/" + strings.Repeat("x/", depth) + strings.Repeat("../", depth+1)
}

// Ops returns the combinations that try to get out. depth is how far those of UpDir
// go down before they climb: for the [Swapper] the deeper the better, since that
// widens the window within one lookup of the kernel; for the [Stepper] each level is
// a place more.
func Ops(depth int) []Op {
	ops := make([]Op, 0, len(through)+len(others))
	for _, o := range through {
		o.Swap = Parent
		ops = append(ops, o)
	}
	for _, o := range others {
		o.Call.Name = strings.Replace(o.Call.Name, "DOWN", down(depth), 1)
		if o.Swap.Name == UpDir.Name {
			o.depth = depth
		}
		ops = append(ops, o)
	}
	return ops
}

// KindOps returns those where what is exchanged stays inside but changes its kind,
// or is gone: a victim may fail, by an ordinary code and in time.
func KindOps() []Op {
	var ops []Op
	for _, s := range []Swap{ForFile, ForFIFO, ForOther, Gone} {
		for _, o := range through {
			// One that makes parents makes another d, and nothing comes back to its name.
			if o.Swap = s; s.Name != Gone.Name || o.Call.Verb != MakeDirs {
				ops = append(ops, o)
			}
		}
	}
	for _, o := range others {
		if o.Swap.Name == Leaf.Name {
			o.Swap = LeafFIFO
			ops = append(ops, o)
		}
	}
	return ops
}
