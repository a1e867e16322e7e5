package tree

import (
	"io/fs"
	"testing"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// as returns a fork of p for another user.
func as(p *Provider, u User) *Provider {
	cfg := *p.cfg
	cfg.user = u
	return newProvider(&cfg, p.current.Load())
}

func TestPermissions(t *testing.T) {
	mine, root := User{UID: 1000, GID: 1000}, User{}
	group, other := User{UID: 5, GID: 6, Groups: []int{1000}}, User{UID: 5, GID: 6}
	uid, gid := 5, 6
	for _, c := range []struct {
		name string
		set  []vfs.Change // as the owner
		c    vfs.Change
		may  map[string]bool // who may; who is not named may not
	}{
		{"L20 read-only", []vfs.Change{chmod("d/f", 0o444)}, put("d/f", "x"), map[string]bool{"root": true}},
		{"unreadable", []vfs.Change{chmod("d/f", 0o200)}, put("d/f", "x"), map[string]bool{"root": true}},
		{"group may write", []vfs.Change{chmod("d/f", 0o660), chmod("d", 0o770)}, put("d/f", "x"), map[string]bool{"root": true, "mine": true, "group": true}},
		{"all may write", []vfs.Change{chmod("d/f", 0o606), chmod("d", 0o707)}, put("d/f", "x"), map[string]bool{"root": true, "mine": true, "other": true}},
		{"create in a read-only directory", []vfs.Change{chmod("d", 0o555)}, put("d/new", "x"), map[string]bool{"root": true}},
		{"replace in a read-only directory", []vfs.Change{chmod("d", 0o555)}, put("d/f", "x"), map[string]bool{"root": true}},
		{"new parents", []vfs.Change{chmod("d", 0o555)}, vfs.Change{Op: vfs.OpMakeDir, Place: "d/a/b", Parents: true}, map[string]bool{"root": true}},
		{"no search", []vfs.Change{chmod("d", 0o666)}, put("d/f", "x"), map[string]bool{"root": true}},
		{"remove a read-only file", []vfs.Change{chmod("d/f", 0)}, vfs.Change{Op: vfs.OpRemove, Place: "d/f"}, map[string]bool{"root": true, "mine": true}},
		{"sticky", []vfs.Change{chmod("d", fs.ModeSticky|0o777)}, vfs.Change{Op: vfs.OpRemove, Place: "d/f"}, map[string]bool{"root": true, "mine": true}},
		{"remove all of what is closed", []vfs.Change{chmod("d", 0o300)}, vfs.Change{Op: vfs.OpRemoveAll, Place: "d"}, map[string]bool{"root": true}},
		{"move out of", []vfs.Change{chmod("d", 0o555)}, vfs.Change{Op: vfs.OpMove, Place: "f", From: "d/f"}, map[string]bool{"root": true}},
		{"move into", []vfs.Change{chmod("d", 0o555)}, vfs.Change{Op: vfs.OpMove, Place: "d/g", From: "g"}, map[string]bool{"root": true}},
		{"exchange", []vfs.Change{chmod("d", 0o555)}, vfs.Change{Op: vfs.OpExchange, Place: "d/f", From: "g"}, map[string]bool{"root": true}},
		{"chmod", nil, chmod("d/f", 0o600), map[string]bool{"root": true, "mine": true}},
		{"chown", nil, vfs.Change{Op: vfs.OpSetAttrs, Place: "g", Attrs: &vfs.Attrs{UID: &uid}}, map[string]bool{"root": true}},
		{"chgrp", nil, vfs.Change{Op: vfs.OpSetAttrs, Place: "g", Attrs: &vfs.Attrs{GID: &gid}}, map[string]bool{"root": true}},
		{"xattrs", []vfs.Change{chmod("g", 0o666)}, vfs.Change{Op: vfs.OpSetAttrs, Place: "g", Attrs: &vfs.Attrs{Xattrs: map[string][]byte{"a": nil}}},
			map[string]bool{"root": true, "mine": true, "group": true, "other": true}},
	} {
		for name, user := range map[string]User{"mine": mine, "root": root, "group": group, "other": other} {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				owner := FromMap(map[string]string{"d/f": "f", "g": "g"})
				must(t, owner, c.set...)
				p := as(owner, user)
				_, err := do(p, c.c)
				if c.may[name] {
					assert.NoError(t, err)
					checkAccounts(t, p)
					return
				}
				assert.Equal(t, vfs.PermissionDenied, vfs.CodeOf(err))
				assert.Same(t, owner.current.Load(), p.current.Load())
			})
		}
	}
}

func TestReadPermissions(t *testing.T) {
	p := FromMap(map[string]string{"d/f": "f", "x/f": "f", "w": ""})
	must(t, p, chmod("w", 0o200), chmod("d", 0o444), chmod("x", 0o111))
	denied := func(err error) { t.Helper(); assert.Equal(t, vfs.PermissionDenied, vfs.CodeOf(err)) }
	denied(second(p.Open(ctx, "w")))
	denied(second(p.Lstat(ctx, "w", vfs.WantVersion)))
	assert.NoError(t, second(p.Lstat(ctx, "w", vfs.WantAttrs)))
	denied(second(p.Lstat(ctx, "d/f", 0)))
	assert.NoError(t, second(p.List(ctx, "d")))
	denied(second(p.List(ctx, "x")))
	assert.Equal(t, "f", read(t, p, "x/f"))
	root := as(p, User{})
	assert.NoError(t, second(root.List(ctx, "x")))
	assert.NoError(t, second(root.Open(ctx, "w")))
}

// In a sticky directory the directory's owner may remove what others own.
func TestStickyDirectoryOfMine(t *testing.T) {
	p := FromMap(map[string]string{"d/f": "f"})
	must(t, p, chmod("d", fs.ModeSticky|0o777))
	uid := 7
	root := as(p, User{})
	must(t, root, vfs.Change{Op: vfs.OpSetAttrs, Place: "d/f", Attrs: &vfs.Attrs{UID: &uid}})
	_, err := do(as(root, User{UID: 8}), vfs.Change{Op: vfs.OpRemove, Place: "d/f"})
	assert.Equal(t, vfs.PermissionDenied, vfs.CodeOf(err))
	must(t, as(root, User{UID: 1000}), vfs.Change{Op: vfs.OpRemove, Place: "d/f"})
}

// The guard comes before the permission: who has not seen a file is told so.
func TestOrderOfChecks(t *testing.T) {
	p := FromMap(map[string]string{"f": "f"})
	must(t, p, chmod("f", 0o444))
	for guard, want := range map[vfs.Guard]vfs.Code{
		{}: vfs.PermissionDenied, vfs.CreateIfAbsent(): vfs.NotObserved,
		vfs.AtVersion("x"): vfs.StaleVersion, vfs.AtVersion(sum("f")): vfs.PermissionDenied,
	} {
		_, err := do(p, vfs.Change{Op: vfs.OpPut, Place: "f", Guard: guard, Fill: fill("x")})
		require.Equal(t, want, vfs.CodeOf(err))
	}
}
