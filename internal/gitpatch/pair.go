package gitpatch

import (
	"errors"
	"fmt"
	"strings"
)

// pairs are the sides of files by path, and the directories that they are in. A copy has no old side here, since the
// file stays.
type pairs struct {
	old, new         map[string]*Side
	oldDirs, newDirs map[string]bool
}

// put adds side to the sides of its name; two of one path are an error.
func put(side *Side, sides map[string]*Side, dirs map[string]bool, name string) error {
	if sides[side.Path] != nil {
		return fmt.Errorf("%s is the %s side of two files", quote(side.Path), name)
	}
	sides[side.Path] = side
	for dir := side.Path; ; dirs[dir] = true {
		at := strings.LastIndexByte(dir, '/')
		if at < 0 {
			return nil
		}
		dir = dir[:at]
	}
}

// pairUp checks files, and divides the renames that git would not take, or not take back: those with a path that
// another file has as well, and those of a symlink where the link's place becomes a directory, or was one, since git
// does not see that a link that is only renamed makes way. Each half goes with what else becomes of its path, at the place of the first of them.
func pairUp(files []File) ([]File, error) {
	p := pairs{map[string]*Side{}, map[string]*Side{}, map[string]bool{}, map[string]bool{}}
	for _, f := range files {
		if f.Old == nil && f.New == nil {
			return nil, errors.New("a file of a patch has an old side, a new one, or both")
		}
		if err := errors.Join(f.Old.check(), f.New.check()); err != nil {
			return nil, err
		}
		if f.Old != nil && !f.Copy {
			if err := put(f.Old, p.old, p.oldDirs, "old"); err != nil {
				return nil, err
			}
		}
		if f.New != nil {
			if err := put(f.New, p.new, p.newDirs, "new"); err != nil {
				return nil, err
			}
		}
	}
	var list []File
	done := map[string]bool{}
	halve := func(side *Side) {
		if side != nil && !done[side.Path] {
			done[side.Path] = true
			list = append(list, File{Old: p.old[side.Path], New: p.new[side.Path]})
		}
	}
	for _, f := range files {
		if p.whole(f) {
			list = append(list, f)
			continue
		}
		if !f.Copy {
			halve(f.Old)
		}
		halve(f.New)
	}
	return list, nil
}

// whole tells whether f is a rename or copy that can be written as one.
func (p pairs) whole(f File) bool {
	if f.Old == nil || f.New == nil || f.Old.Path == f.New.Path {
		return false
	}
	if f.Copy {
		return p.old[f.New.Path] == nil
	}
	if f.Old.Mode == Symlink && (p.newDirs[f.Old.Path] || p.oldDirs[f.New.Path]) {
		return false
	}
	return p.new[f.Old.Path] == nil && p.old[f.New.Path] == nil
}
