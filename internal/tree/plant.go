package tree

import (
	"context"
	"io/fs"

	"github.com/seamfs/seamfs/vfs"
)

// PlantOther makes a special file: an entry that is neither file nor directory
// nor link, and that no Change can make. The mode says which, such as
// fs.ModeNamedPipe|0o644; without a type it is irregular. It is for tests.
func (p *Provider) PlantOther(at vfs.Place, mode fs.FileMode) error {
	if !at.Valid() {
		return vfs.InvalidArgument
	}
	switch mode.Type() {
	case fs.ModeDir, fs.ModeSymlink:
		return vfs.InvalidArgument
	case 0:
		mode |= fs.ModeIrregular
	}
	if err := p.lock(context.Background()); err != nil {
		return err
	}
	defer p.unlock()
	t := begin(context.Background(), p.cfg, p.current.Load())
	c := &vfs.Change{Op: vfs.OpMakeDir, Place: at} // the rules are those of any new name
	if _, _, err := t.check(c); err != nil {
		return err
	}
	c.Parents = true
	if _, err := t.addNew(c, t.newNode(mode&(fs.ModeType|settable), nil)); err != nil {
		return err
	}
	p.current.Store(t.st)
	return nil
}
