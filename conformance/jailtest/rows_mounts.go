package jailtest

import "github.com/seamfs/seamfs/vfs"

// mountRows is group D: mounts within the root, in a mount namespace of the process.
func mountRows() []Row {
	mounted := climbs.but(codes(vfs.OutsideRoot, vfs.Busy), opRemove, opRemoveAll, opMoveFrom, opMoveTo)
	return []Row{
		{ID: "C55", Title: "a bind mount of what lies outside", Needs: NeedMounts, plant: func(p *P) { p.bind(p.Out, "bind", true) },
			attacks: append(each(mounted, "bind"), each(climbs, "bind/secret", "bind/", "bind/nope", "bind/victimdir/f")...)},
		{ID: "C56", Title: "a tree with such a mount in it", Needs: NeedMounts, plant: func(p *P) { p.File("t/f", inside); p.bind(p.Out, "t/m", true) }, run: mountedTree},
		{ID: "C57", Title: "a file mounted over a file", Needs: NeedMounts, plant: func(p *P) { p.File("f", inside); p.bind(p.Out+"/secret", "f", false) }, attacks: each(mounted, "f")},
		{ID: "C58", Title: "a mount that is allowed by name, and one beneath it", Needs: NeedMounts, plant: plantTmpfs, attacks: each(climbs, "tm/f"), run: allowedMount},
		{ID: "C59", Title: "a mount over the root after it was opened", Needs: NeedMounts, run: mountedOver},
		{ID: "C60", Title: "a bind mount of the same filesystem", Needs: NeedMounts, plant: func(p *P) { p.File("real/f", inside); p.bind(p.path("real"), "again", true) },
			attacks: append(each(mounted, "again"), each(climbs, "again/f")...), run: func(p *P) { p.reads("real/f", inside) }},
		{ID: "C61", Title: "a root that is itself a mount, or on an overlay", Needs: NeedMounts, run: mountedRoot},
		{ID: "C62", Title: "a FUSE filesystem that never answers", Needs: NeedMounts, run: deafMount},
		{ID: "C63", Title: "walks over mounts at several depths", Needs: NeedMounts, plant: plantManyMounts, run: walkMounts},
	}
}
