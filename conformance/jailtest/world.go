package jailtest

import (
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Names and marks of the world. Those of the outside occur nowhere else, so that
// whatever carries one has looked there.
const (
	rootName  = "jail"
	outName   = "beyond-9f3e"
	inside    = "inside S\n"
	moverBody = "mover\n"

	contentMark = "c0ntent-77aa"
	entryMark   = "entry-55bb"
	outSize     = 20_483
	outMode     = 0o640
)

var outTime = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)

// plantTree plants what an attacker would like to reach.
func plantTree(p *P, dir string) {
	body := strings.Repeat(contentMark+"\n", outSize/len(contentMark))[:outSize]
	p.ok("plant", os.MkdirAll(filepath.Join(dir, "victimdir", entryMark), 0o755))
	for _, name := range []string{"secret", entryMark + ".txt", "victimdir/f", "victimdir/" + entryMark + "/deep"} {
		path := filepath.Join(dir, name)
		p.ok("plant", os.WriteFile(path, []byte(body), outMode))
	}
	for _, name := range []string{"secret", entryMark + ".txt", "victimdir/f", "victimdir/" + entryMark + "/deep", "victimdir/" + entryMark, "victimdir", "."} {
		p.ok("plant", os.Chtimes(filepath.Join(dir, name), outTime, outTime))
	}
}

func (p *P) path(name string) string { return filepath.Join(p.Root, filepath.FromSlash(name)) }

// File plants a file inside, and its parents.
func (p *P) File(name, body string) {
	p.ok("plant", os.MkdirAll(filepath.Dir(p.path(name)), 0o755))
	p.ok("plant", os.WriteFile(p.path(name), []byte(body), 0o644))
}

// Dir plants a directory inside, and its parents.
func (p *P) Dir(name string) { p.ok("plant", os.MkdirAll(p.path(name), 0o755)) }

// Symlink plants a link inside, and its parents. In the body {R} and {O} are the
// host paths of the root and the outside.
func (p *P) Symlink(name, body string) {
	p.ok("plant", os.MkdirAll(filepath.Dir(p.path(name)), 0o755))
	body = p.host(body)
	p.noteLink(name, body)
	p.ok("plant", os.Symlink(body, p.path(name)))
}

// HardLink plants another name inside for a file outside.
func (p *P) HardLink(name, of string) {
	p.touched = true
	p.ok("plant", os.Link(filepath.Join(p.Out, of), p.path(name)))
}

// cat reads a file of the world behind the back of the jail.
func (p *P) cat(path string) string {
	b, err := os.ReadFile(path)
	p.ok("look", err)
	return string(b)
}

// inner is the inside as it is now. Times of directories are left out: staging that
// comes and goes may move them.
func (p *P) inner() []string { return snapshot(p.Root, false, p.mounts...) }

// staged are the names in the root that the jail gives to its staging.
func (p *P) staged() (list []string) {
	_ = filepath.WalkDir(p.Root, func(path string, _ fs.DirEntry, err error) error {
		if path != p.Root && slices.Contains(p.mounts, path) {
			return filepath.SkipDir
		}
		if err == nil && p.jail.staging(filepath.Base(path)) {
			list = append(list, path)
		}
		return nil
	})
	return list
}

// snapshot tells all there is beneath dir: names, modes, sizes, times and bytes. A
// link is told as it is; nothing is followed, nothing special opened, and no mount
// entered.
func snapshot(dir string, times bool, mounts ...string) (list []string) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if path != dir && slices.Contains(mounts, path) {
			rel, _ := filepath.Rel(dir, path)
			list = append(list, filepath.ToSlash(rel)+" mount")
			return filepath.SkipDir
		}
		info, serr := os.Lstat(path)
		if serr != nil {
			list = append(list, path+": "+serr.Error())
			return nil
		}
		rel, _ := filepath.Rel(dir, path)
		line := fmt.Sprintf("%s %v", filepath.ToSlash(rel), info.Mode())
		if times || !info.IsDir() {
			line += info.ModTime().UTC().Format(" 2006-01-02T15:04:05.000000000")
		}
		switch {
		case info.Mode().IsRegular():
			line += fmt.Sprintf(" %d %s", info.Size(), digest(path, info.Size()))
		case info.Mode()&fs.ModeSymlink != 0:
			body, _ := os.Readlink(path)
			line += " -> " + body
		}
		list = append(list, line)
		return nil
	})
	slices.Sort(list)
	return list
}

// digest tells one content from another in few characters.
func digest(path string, size int64) string {
	if size > 1<<20 {
		return "large"
	}
	body, err := os.ReadFile(path)
	if err != nil {
		return "unreadable"
	}
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE(body))
}

// forceRemove removes a tree, also where modes are in the way of it.
func forceRemove(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}
