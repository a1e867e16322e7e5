package race

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// What is outside is told by its bytes, its size, its modes, its times and a name.
const (
	secret     = "OUTSIDE flip flop ##" // 20 bytes; whatever edits, can edit it
	marker     = "OUTSIDE"
	insideText = "inside flip"
	onlyName   = "only-outside"
	secretMode = 0o604
	secretDir  = 0o705
)

var secretTime = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)

// node is what is to be at a name. kids makes it a directory, link a link.
type node struct {
	text, link string
	fifo       bool
	kids       tree
}

type tree map[string]node

func chain(n int) node {
	if n == 0 {
		return node{kids: tree{}}
	}
	return node{kids: tree{"x": chain(n - 1)}}
}

func small(text string) tree {
	return tree{"k1": {text: text}, "deeper": {kids: tree{"k3": {text: text}}}}
}

// dir is what is in d, and a likeness of it is outside.
func dir(text string) tree {
	return tree{
		"f": {text: text}, "f2": {text: text}, "s": {link: "to-" + strings.Fields(text)[0]}, "empty": {kids: tree{}},
		"sub": {kids: small(text)},
	}
}

func inside(depth int) tree {
	return tree{
		"d": {kids: dir(insideText)}, "evil": {link: "../outside"},
		"leaf": {text: insideText}, "lure": {link: "../outside/f"},
		"a":    {kids: tree{"c": chain(depth), "f": {text: insideText}, "up": {link: down(depth) + "f"}}},
		"tree": {kids: tree{"sub": {kids: small(insideText)}, "lure": {link: "../../outside"}, "z": {text: insideText}}},
		"x":    {text: insideText}, "twin": {text: secret},
		"plain": {text: insideText}, "fifo": {fifo: true}, "other": {kids: dir(insideText)},
	}
}

func outside() tree {
	t := dir(secret)
	t[onlyName] = node{text: secret}
	for name, n := range t["sub"].kids { // what the tree swap shows in the place of sub
		t[name] = n
	}
	t["sub"].kids[onlyName] = node{text: secret}
	return t
}

// arena is a root and what is outside it, side by side, held by descriptors so that
// nothing of the harness goes through a name that is swapped.
type arena struct {
	base          string
	fd, root, out int
	d, other      int // the two directories that are moved about while they are mended
	scratch       int
	in            tree
	snapshot      string
	junk          int
	left          map[string]int // stage names that an operation has left
}

func newArena(base string, depth int) (*arena, error) {
	a := &arena{base: base, in: inside(depth), left: map[string]int{}}
	for _, each := range []struct {
		fd   *int
		name string
	}{{&a.fd, ""}, {&a.root, "R"}, {&a.out, "outside"}, {&a.scratch, "scratch"}} {
		path := filepath.Join(base, each.name)
		if err := os.MkdirAll(path, 0o755); err != nil {
			return nil, err
		}
		fd, err := unix.Open(path, unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			return nil, err
		}
		*each.fd = fd
	}
	if err := mend(a.root, a.in, false, nil); err != nil {
		return nil, err
	}
	if err := mend(a.out, outside(), true, nil); err != nil {
		return nil, err
	}
	a.snapshot = a.look()
	var err, oerr error
	a.d, err = unix.Openat(a.root, "d", unix.O_DIRECTORY|beneath, 0)
	a.other, oerr = unix.Openat(a.root, "other", unix.O_DIRECTORY|beneath, 0)
	return a, errors.Join(err, oerr)
}

func (a *arena) close() {
	for _, fd := range []int{a.fd, a.root, a.out, a.d, a.other, a.scratch} {
		_ = unix.Close(fd)
	}
}

// look tells all of what is outside, but not what the swapper of UpDir brings there.
func (a *arena) look() string {
	var b strings.Builder
	out := filepath.Join(a.base, "outside")
	_ = filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			fmt.Fprintln(&b, path, err)
			return nil
		}
		rel := strings.TrimPrefix(path, out)
		if rel == "/c" {
			return filepath.SkipDir
		}
		var st unix.Stat_t
		err = unix.Lstat(path, &st)
		content := ""
		switch st.Mode & unix.S_IFMT {
		case unix.S_IFREG:
			got, _ := os.ReadFile(path)
			content = fmt.Sprintf("%d names, %d bytes %q", st.Nlink, st.Size, got)
		case unix.S_IFLNK:
			content, _ = os.Readlink(path)
		}
		when := st.Mtim.Nano()
		if rel == "" {
			when = 0 // names come and go here by the swapper's hand
		}
		fmt.Fprintf(&b, "%s %o %d %s %v\n", rel, st.Mode, when, content, err)
		return nil
	})
	return b.String()
}

// changed tells what is other outside than it was, "" for nothing, and puts it right.
func (a *arena) changed(s Swap) (string, error) {
	now := a.look()
	if now == a.snapshot {
		return "", nil
	}
	was, is := strings.Split(a.snapshot, "\n"), strings.Split(now, "\n")
	diff := fmt.Sprintf("outside has changed: gone %q, new %q", without(was, is), without(is, was))
	if err := a.restore(s); err != nil {
		return diff, err
	}
	if err := mend(a.out, outside(), true, map[string]bool{"c": true}); err != nil {
		return diff, err
	}
	if again := a.look(); again != a.snapshot {
		return diff, fmt.Errorf("outside cannot be put right: %q, want %q", again, a.snapshot)
	}
	return diff, nil
}

func without(list, minus []string) (rest []string) {
	for _, s := range list {
		if !contains(minus, s) {
			rest = append(rest, s)
		}
	}
	return rest
}

func contains(list []string, s string) bool {
	for _, have := range list {
		if have == s {
			return true
		}
	}
	return false
}

// leaked tells what of outside is in an answer, "" for nothing.
func (a *arena) leaked(r Result, secretVersion string) string {
	for _, s := range []string{r.Bytes, r.Text} {
		if strings.Contains(s, marker) || strings.Contains(s, onlyName) || strings.Contains(s, a.base+"/outside") {
			return fmt.Sprintf("it told %q", s)
		}
	}
	if r.Version != "" && r.Version == secretVersion {
		return "it told the version of a file outside"
	}
	for _, e := range r.Seen {
		perm := e.Mode.Perm()
		if e.Name == onlyName || (!e.Mode.IsDir() && e.Size == int64(len(secret))) || perm == secretMode || perm == secretDir || e.Time.Equal(secretTime) {
			return fmt.Sprintf("it told of %+v", e)
		}
	}
	return ""
}

// deepNames are the directories in the root, each of which is mended by itself.
var deepNames = map[string]bool{"d": true, "other": true, "a": true, "tree": true}

// restore makes the inside what it was, while the swap may go on: all but the two
// names that are exchanged, of which a directory is held by its descriptor. What is
// deep in it is left alone where no operation on the swapped names gets.
func (a *arena) restore(s Swap) error {
	a.note(a.root)
	a.note(a.d)
	skip := map[string]bool{path.Base(s.A): true, path.Base(s.B): true}
	for name := range deepNames {
		skip[name] = true
	}
	if err := mend(a.root, a.in, false, skip); err != nil {
		return err
	}
	switch s.Name {
	case Tree.Name:
		return a.replant()
	case UpDir.Name:
		return a.mendBeside("a", "c")
	case Leaf.Name, LeafFIFO.Name:
		return a.refill("leaf", path.Base(s.B))
	case ForOther.Name:
		if err := mend(a.other, a.in["other"].kids, false, nil); err != nil {
			return err
		}
	}
	return mend(a.d, a.in["d"].kids, false, nil)
}

// refill puts the content of the file back that is at one of two names.
func (a *arena) refill(names ...string) error {
	for _, name := range names {
		fd, err := unix.Openat(a.root, name, unix.O_RDWR|beneath, 0)
		if err != nil {
			continue // the link, or the one that was exchanged meanwhile
		}
		var st unix.Stat_t
		err = unix.Fstat(fd, &st)
		if want := a.in["leaf"].text; err == nil && st.Mode&unix.S_IFMT == unix.S_IFREG {
			_, err = unix.Pwrite(fd, []byte(want), 0)
			err = errors.Join(err, unix.Ftruncate(fd, int64(len(want))), unix.Fchmod(fd, 0o644))
		}
		if err = errors.Join(err, unix.Close(fd)); err != nil {
			return err
		}
	}
	return nil
}

// whole reports whether the two names that are exchanged are still a file and what
// is no file. A look at each while they are exchanged may err to the one side only.
func (a *arena) whole(s Swap) bool {
	files, others := 0, 0
	for _, name := range []string{path.Base(s.A), path.Base(s.B)} {
		var st unix.Stat_t
		switch err := unix.Fstatat(a.root, name, &st, unix.AT_SYMLINK_NOFOLLOW); {
		case err != nil:
		case st.Mode&unix.S_IFMT == unix.S_IFREG:
			files++
		default:
			others++
		}
	}
	return files == 1 && others == 1
}

// replant takes what is left of the tree away, by one rename, and puts a new one
// there by another: the swapper never acts on half of one.
func (a *arena) replant() error {
	a.junk++
	old := fmt.Sprintf("old%d", a.junk)
	_ = unix.Renameat(a.root, "tree", a.scratch, old)
	if err := clear(a.scratch, old); err != nil {
		return err
	}
	if err := plant(a.scratch, "new", a.in["tree"], false); err != nil {
		return err
	}
	return unix.Renameat(a.scratch, "new", a.root, "tree")
}

func (a *arena) mendBeside(name, swapped string) error {
	fd, err := unix.Openat(a.root, name, unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return mend(fd, a.in[name].kids, false, map[string]bool{swapped: true})
}

// note counts what staging has left in a directory. What an operation that lost a
// race has kept beside its name is no such thing.
func (a *arena) note(fd int) {
	names, _ := namesIn(fd)
	for _, name := range names {
		if strings.HasPrefix(name, ".seamfs-") {
			a.left[name]++
		}
	}
}

// mend makes what is in a directory what it should be, without a step through any
// name that could be a link.
func mend(fd int, want tree, out bool, skip map[string]bool) error {
	names, err := namesIn(fd)
	if err != nil {
		return err
	}
	for _, name := range names {
		if n, ok := want[name]; !skip[name] && (!ok || !right(fd, name, n, out)) {
			if err := clear(fd, name); err != nil {
				return err
			}
		}
	}
	for _, name := range sorted(want) {
		if skip[name] {
			continue
		}
		if err := plant(fd, name, want[name], out); err != nil {
			return fmt.Errorf("plant %s: %w", name, err)
		}
	}
	if out {
		return times(fd, "", secretTime)
	}
	return nil
}

func sorted(t tree) []string {
	names := make([]string, 0, len(t))
	for name := range t {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
