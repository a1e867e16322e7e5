package vfs

import "strings"

// There is what a provider finds at a Place when it is about to make a change.
type There struct {
	Exists bool
	Info   Info // with the version of a file's content where the change is guarded
	Empty  bool // a directory with nothing in it
}

// CheckArguments refuses what no state of a tree could make right: an unknown
// operation, a Place that is none, taking the root, a link without a body, a Put
// without a Fill.
func (c *Change) CheckArguments() error {
	switch {
	case c.Op < OpPut || c.Op > OpSetAttrs:
		return Unsupported
	case !c.Place.Valid() || c.Op.HasFrom() && !c.From.Valid():
		return InvalidArgument
	}
	switch c.Op {
	case OpPut:
		return invalidIf(c.Fill == nil)
	case OpRemove, OpRemoveAll:
		return invalidIf(c.Place == Root)
	case OpMove, OpExchange:
		return invalidIf(c.Place == Root || c.From == Root)
	case OpSymlink:
		return invalidIf(c.Link == "" || len(c.Link) >= MaxPathBytes || strings.IndexByte(c.Link, 0) >= 0)
	}
	return nil
}

func invalidIf(bad bool) error {
	if bad {
		return InvalidArgument
	}
	return nil
}

// Check holds a change, whose arguments are good, against what is there: the rules of [Provider] on kinds
// (L20, L22 to L26) and the guard (L12), in their order. at is what is at Place;
// from is what is at From, for the operations that have one. Its error is a
// [Code]. A provider that finds it nil has still to look at parents,
// permissions and space.
func (c *Change) Check(at, from There) error {
	switch c.Op {
	case OpPut:
		if at.Exists && at.Info.Kind != KindFile {
			return NotRegularFile
		}
		return c.Guard.Check(at.Exists, at.Info.Version)
	case OpRemove, OpRemoveAll:
		return c.checkRemove(at)
	case OpMakeDir:
		if err := c.Guard.Check(at.Exists, at.Info.Version); err != nil {
			return err
		}
		if at.Exists && (!c.Parents || at.Info.Kind != KindDir) {
			return Exists
		}
		return nil
	case OpSymlink, OpLink:
		return c.checkName(at, from)
	case OpMove:
		return c.checkMove(at, from)
	case OpExchange:
		return c.checkExchange(at, from)
	case OpSetAttrs:
		return c.checkThere(at)
	}
	return Unsupported
}

// checkThere is for changes of what exists.
func (c *Change) checkThere(there There) error {
	if err := c.Guard.Check(there.Exists, there.Info.Version); err != nil {
		return err
	}
	if !there.Exists {
		return NotFound
	}
	return nil
}

func (c *Change) checkRemove(at There) error {
	if err := c.checkThere(at); err != nil {
		return err
	}
	if c.Op == OpRemove && at.Info.Kind == KindDir && !at.Empty {
		return NotEmpty
	}
	return nil
}

func (c *Change) checkName(at, from There) error {
	if err := c.Guard.Check(at.Exists, at.Info.Version); err != nil {
		return err
	}
	switch {
	case at.Exists:
		return Exists
	case c.Op == OpLink && !from.Exists:
		return NotFound
	case c.Op == OpLink && from.Info.Kind == KindDir:
		return NotRegularFile
	}
	return nil
}

func (c *Change) checkMove(at, from There) error {
	if err := c.checkThere(from); err != nil {
		return err
	}
	switch {
	case from.Info.Kind == KindDir && c.From != c.Place && c.From.Contains(c.Place):
		return InvalidArgument
	case !at.Exists:
	case c.NoReplace:
		return Exists
	case c.From == c.Place:
	case from.Info.Kind != KindDir && (at.Info.Kind == KindDir || at.Info.Kind == KindOther):
		return NotRegularFile
	case from.Info.Kind == KindDir && at.Info.Kind != KindDir:
		return NotDirectory
	case from.Info.Kind == KindDir && !at.Empty:
		return NotEmpty
	}
	return nil
}

func (c *Change) checkExchange(at, from There) error {
	if err := c.Guard.Check(at.Exists, at.Info.Version); err != nil {
		return err
	}
	switch {
	case !at.Exists || !from.Exists:
		return NotFound
	case c.Place != c.From && (c.From.Contains(c.Place) || c.Place.Contains(c.From)):
		return InvalidArgument
	}
	return nil
}
