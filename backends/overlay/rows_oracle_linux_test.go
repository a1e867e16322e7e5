package overlay_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/seamfs/seamfs/conformance"
	"golang.org/x/sys/unix"
)

// fixtureTime is the modification time of everything in the fixture.
var fixtureTime = time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)

// fixture makes the tree of the case table in a new directory, whose own time is that
// of all the rest.
func fixture(tb conformance.TB) string {
	dir := tb.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, d := range []string{"d/sub", "e"} {
		must(tb, os.MkdirAll(at(d), 0o755))
	}
	for name, content := range map[string]string{"f": "base", "x": "#!x", "ro": "ro", "d/a": "A", "d/b": "B", "d/sub/c": "C", "h1": "H"} {
		must(tb, os.WriteFile(at(name), []byte(content), 0o644))
	}
	must(tb, os.Link(at("h1"), at("h2")))
	for link, body := range map[string]string{"l": "f", "ld": "d", "dang": "nowhere"} {
		must(tb, os.Symlink(body, at(link)))
	}
	must(tb, unix.Setxattr(at("f"), "user.k", []byte("v"), 0))
	for name, mode := range map[string]fs.FileMode{".": 0o755, "d": 0o755, "d/sub": 0o755, "e": 0o755, "f": 0o644, "x": 0o755, "ro": 0o444, "d/a": 0o644, "d/b": 0o644, "d/sub/c": 0o644, "h1": 0o644} {
		must(tb, os.Chmod(at(name), mode))
	}
	stamp(tb, dir)
	return dir
}

// stamp gives everything in a directory the time of the fixture.
func stamp(tb conformance.TB, dir string) {
	ts := []unix.Timespec{{Sec: fixtureTime.Unix()}, {Sec: fixtureTime.Unix()}}
	must(tb, filepath.WalkDir(dir, func(p string, _ fs.DirEntry, err error) error {
		return errors.Join(err, unix.UtimesNanoAt(unix.AT_FDCWD, p, ts, unix.AT_SYMLINK_NOFOLLOW))
	}))
}

// disk makes the operations of a row by calls of the kernel, as a program would.
type disk struct {
	dir   string
	began time.Time
	open  map[string]*os.File
	first uint64 // the inode that "in" saw first
}

func newDisk(dir string) *disk {
	return &disk{dir: dir, began: time.Now(), open: map[string]*os.File{}}
}

func (d *disk) close() {
	for _, f := range d.open {
		_ = f.Close()
	}
}

func (d *disk) at(name string) string { return filepath.Join(d.dir, name) }

func (d *disk) do(op string, a []string) (string, error) {
	switch op {
	case "r", "rl", "ls", "st", "mt", "in", "gx":
		return d.look(op, d.at(a[0]))
	case "w", "a", "wx", "or":
		return "", d.write(op, d.at(a[0]), append(a, "")[1])
	case "t":
		return "", os.Truncate(d.at(a[0]), number(a[1]))
	case "cm":
		return "", os.Chmod(d.at(a[0]), octal(a[1]))
	case "ut":
		return "", os.Chtimes(d.at(a[0]), time.Time{}, time.Unix(number(a[1]), 0))
	case "rm":
		return "", unix.Unlink(d.at(a[0]))
	case "rd":
		return "", unix.Rmdir(d.at(a[0]))
	case "rr":
		return "", os.RemoveAll(d.at(a[0]))
	case "md":
		return "", os.Mkdir(d.at(a[0]), 0o777)
	case "mv":
		return "", unix.Rename(d.at(a[0]), d.at(a[1]))
	case "mn":
		return "", unix.Renameat2(unix.AT_FDCWD, d.at(a[0]), unix.AT_FDCWD, d.at(a[1]), unix.RENAME_NOREPLACE)
	case "mx":
		return "", unix.Renameat2(unix.AT_FDCWD, d.at(a[0]), unix.AT_FDCWD, d.at(a[1]), unix.RENAME_EXCHANGE)
	case "ln":
		return "", os.Link(d.at(a[0]), d.at(a[1]))
	case "sl":
		return "", os.Symlink(a[0], d.at(a[1]))
	case "fo", "fw", "fr", "fa":
		return d.descriptor(op, a)
	case "many":
		return "", many(a, func(name string) error { return os.WriteFile(d.at(name), nil, 0o666) })
	case "rditer":
		return d.readdir(d.at(a[0]))
	}
	return "", fmt.Errorf("no operation %q", op)
}

func (d *disk) look(op, p string) (string, error) {
	switch op {
	case "r":
		b, err := os.ReadFile(p)
		return string(b), err
	case "rl":
		body, err := os.Readlink(p)
		return "->" + body, err
	case "ls":
		entries, err := os.ReadDir(p)
		return list(entries, fs.DirEntry.Name), err
	case "st":
		info, err := os.Lstat(p)
		if err != nil {
			return "", err
		}
		return status(info.Mode(), int(info.Sys().(*syscall.Stat_t).Nlink)), nil
	case "gx":
		b := make([]byte, 64)
		n, err := unix.Getxattr(p, "user.k", b)
		return string(b[:max(n, 0)]), err
	}
	info, err := os.Stat(p)
	if err != nil {
		return "", err
	}
	if op == "mt" {
		return age(info.ModTime(), d.began), nil
	}
	ino := info.Sys().(*syscall.Stat_t).Ino
	if d.first == 0 {
		d.first = ino
		return "ino0", nil
	}
	return sameness(ino == d.first), nil
}

func (d *disk) write(op, p, text string) error {
	flags := map[string]int{"w": os.O_WRONLY | os.O_CREATE | os.O_TRUNC, "a": os.O_WRONLY | os.O_APPEND, "wx": os.O_WRONLY | os.O_CREATE | os.O_EXCL, "or": os.O_RDWR}[op]
	f, err := os.OpenFile(p, flags, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

func (d *disk) descriptor(op string, a []string) (_ string, err error) {
	switch op {
	case "fo":
		d.open[a[0]], err = os.Open(d.at(a[1]))
	case "fw":
		d.open[a[0]], err = os.OpenFile(d.at(a[1]), os.O_RDWR|os.O_APPEND, 0)
	case "fr":
		b, err := io.ReadAll(d.open[a[0]])
		return string(b), err
	case "fa":
		_, err = d.open[a[0]].WriteString(a[1])
	}
	return "", err
}

func (d *disk) readdir(p string) (string, error) {
	dir, err := os.Open(p)
	if err != nil {
		return "", err
	}
	defer dir.Close()
	seen, failed := 0, 0
	for {
		names, err := dir.Readdirnames(7)
		for _, name := range names {
			seen++
			if os.Remove(filepath.Join(p, name)) != nil {
				failed++
			}
		}
		if errors.Is(err, io.EOF) {
			return iterated(seen, failed, unix.Rmdir(p)), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// code gives an error of the kernel its name in the table.
func (d *disk) code(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return unix.ErrnoName(errno)
	}
	return err.Error()
}

// What both worlds say in one way.

func list[T any](entries []T, name func(T) string) string {
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = name(e)
	}
	slices.Sort(names)
	return "[" + strings.Join(names, ",") + "]"
}

func status(mode fs.FileMode, links int) string {
	if links > 1 && !mode.IsDir() {
		return fmt.Sprintf("%v nlink=%d", mode, links)
	}
	return mode.String()
}

func age(t, began time.Time) string {
	switch {
	case t.Equal(fixtureTime):
		return "mtime=base"
	case t.After(began.Add(-time.Second)):
		return "mtime=now"
	}
	return "mtime=" + strconv.FormatInt(t.Unix(), 10)
}

func sameness(same bool) string {
	if same {
		return "ino-same"
	}
	return "ino-changed"
}

func iterated(seen, failed int, rmdir error) string {
	end := "ok"
	if rmdir != nil {
		end = "failed"
	}
	return fmt.Sprintf("seen=%d unlinkErr=%d rmdir=%s", seen, failed, end)
}

func many(a []string, create func(string) error) error {
	for i := range number(a[1]) {
		if err := create(fmt.Sprintf("%s/n%03d", a[0], i)); err != nil {
			return err
		}
	}
	return nil
}

func number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

func octal(s string) fs.FileMode {
	n, err := strconv.ParseUint(s, 8, 9)
	if err != nil {
		panic(err)
	}
	return fs.FileMode(n)
}
