package tree

import (
	"io/fs"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// makeDir makes a directory. With Parents one that is there will do.
func (t *txn) makeDir(c *vfs.Change) (vfs.Effect, error) {
	at, _, err := t.check(c)
	if err != nil {
		return 0, err
	}
	if at.object != nil {
		return vfs.EffectUnchanged, nil
	}
	n := t.newDir()
	if _, err := t.apply(n, c.Attrs); err != nil {
		return 0, err
	}
	return t.addNew(c, n)
}

// symlink makes a link, with its body as it was given.
func (t *txn) symlink(c *vfs.Change) (vfs.Effect, error) {
	if _, _, err := t.check(c); err != nil {
		return 0, err
	}
	return t.addNew(c, t.newNode(fs.ModeSymlink|fs.ModePerm, &body{flat: strings.Clone(c.Link)}))
}

// link gives the file, link or special file at From another name.
func (t *txn) link(c *vfs.Change) (vfs.Effect, error) {
	_, from, err := t.check(c)
	if err != nil {
		return 0, err
	}
	entry, err := t.sharedEntry(c.From, from.entry)
	if err != nil {
		return 0, err
	}
	s, _ := t.table().Get(entry.ino)
	s.names++
	t.table().Set(entry.ino, s)
	return t.addNew(c, entry)
}

// addNew puts n at Place, where nothing is.
func (t *txn) addNew(c *vfs.Change, n *node) (vfs.Effect, error) {
	dir, err := t.dirAt(c.Place.Parent(), c.Parents)
	if err != nil {
		return 0, err
	}
	if err := t.cfg.step(StepStage, c.Place); err != nil {
		return 0, err
	}
	return vfs.EffectCreate, t.add(dir, c.Place.Name(), n)
}
