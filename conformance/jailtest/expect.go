package jailtest

import (
	"maps"

	"github.com/seamfs/seamfs/vfs"
)

const ok = vfs.Code("")

// expect says what each operation on a name must come to: its codes by the name of
// the operation, and "*" for all others. No codes at all is any answer, within what
// must hold of each.
type expect map[string][]vfs.Code

func (e expect) of(op string) []vfs.Code {
	if codes, special := e[op]; special {
		return codes
	}
	return e["*"]
}

// but is e with other codes for some operations.
func (e expect) but(codes []vfs.Code, names ...string) expect {
	changed := maps.Clone(e)
	for _, name := range names {
		changed[name] = codes
	}
	return changed
}

func codes(list ...vfs.Code) []vfs.Code { return list }

// makers follow a link at the end of the name and make something where nothing is.
var makers = []string{opCreate, opMkdir, opMkdirAll, opHandleExcl}

// The classes.
var (
	// anything is for names of which only the consequences count.
	anything = expect{"*": nil}

	// climbs is for names that leave as text, or by a directory.
	climbs = expect{"*": codes(vfs.OutsideRoot)}

	// invalid is for names that are none.
	invalid = expect{"*": codes(vfs.InvalidArgument)}

	// leaves is for a link that leads out: the link itself may be looked at, moved,
	// replaced and removed, and nothing else.
	leaves = climbs.but(codes(ok), opLstat, opRemove, opRemoveAll, opMoveTo).
		but(codes(ok, vfs.OutsideRoot), opMoveFrom, opLinkFrom).
		but(codes(vfs.Exists), opSymlink, opLinkTo).
		but(codes(vfs.OutsideRoot, vfs.Exists, vfs.NotObserved), makers...)

	// loops is for a link that leads nowhere.
	loops = expect{"*": codes(vfs.LinkLoop)}.
		but(codes(ok), opLstat, opReadlink, opRemove, opRemoveAll, opMoveFrom, opMoveTo).
		but(codes(ok, vfs.LinkLoop), opLinkFrom).
		but(codes(vfs.Exists), opSymlink, opLinkTo).
		but(codes(vfs.LinkLoop, vfs.Exists, vfs.NotObserved), makers...)

	// literal is for names that look like something else and are just names: nothing
	// is there, and something may be made.
	literal = expect{"*": codes(vfs.NotFound)}.
		but(codes(ok, vfs.NotFound), opWrite, opWriteBytes, opCreate, opBatch, opMkdir, opMkdirAll, opMoveTo, opSymlink, opLinkTo, opHandleCreate, opHandleExcl)

	// literalDir is for such names with a slash at the end.
	literalDir = literal.but(nil, opEdit, opWrite, opWriteBytes, opCreate, opBatch, opMoveTo, opSymlink, opLinkTo, opHandleCreate, opHandleExcl)

	// special is for what is no file, no directory and no link: listed, moved and
	// removed, and never opened.
	special = expect{"*": codes(vfs.NotRegularFile)}.
		but(codes(ok), opStat, opLstat, opMoveFrom, opRemove, opRemoveAll).
		but(codes(vfs.NotDirectory), opList, opWalk).
		but(codes(vfs.Exists), opMkdir, opMkdirAll, opSymlink, opLinkTo, opHandleExcl).
		but(codes(vfs.InvalidArgument), opReadlink).
		but(codes(vfs.NotRegularFile, vfs.NotObserved), opCreate).
		but(codes(ok, vfs.NotRegularFile, vfs.PermissionDenied), opLinkFrom, opChmod, opChtimes)

	// beneathFile is for names that pass a file.
	beneathFile = expect{"*": codes(vfs.NotDirectory)}

	// slashed is for the name of a file with a slash at the end.
	slashed = expect{"*": codes(vfs.NotDirectory, vfs.NotRegularFile)}.
		but(codes(vfs.NotDirectory, vfs.NotRegularFile, vfs.Exists, vfs.NotObserved, vfs.InvalidArgument), opMkdir, opMkdirAll, opCreate, opHandleExcl, opMoveTo, opSymlink, opLinkTo, opLinkFrom, opReadlink)
)
