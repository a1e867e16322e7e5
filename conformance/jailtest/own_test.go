package jailtest

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The suite may be run by root on a jail that is none. So what it changes is its own,
// in whatever way a name may be misread.
func TestOnlyItsOwnIsChanged(t *testing.T) {
	temp := t.TempDir()
	world := filepath.Join(temp, "w", "orld")
	p := &P{dir: world, Root: filepath.Join(world, rootName), Out: filepath.Join(world, outName)}
	p.noteLink("etc", "/etc")
	p.noteLink("d/up", "../../../../../../etc")
	p.noteLink("stdin", "/dev/stdin")
	p.noteLink("cwd", "/proc/self/cwd/../x")
	p.noteLink("out", "../"+outName+"/secret")
	p.noteLink("outabs", p.Out)
	for _, name := range []string{"top", "a/b", "..", "../", "../..", "../" + outName + "/secret", p.Root, p.Out + "/secret", p.Root + "-evil", "out", "out/", "outabs/secret", "d", "etcetera", "....//x", ""} {
		assert.True(t, p.own(name), "%q", name)
		assert.True(t, p.harmless(opRemoveAll, name), "%q", name)
	}
	for _, name := range []string{
		"/", "/etc/passwd", "//x", "/..", "/../x", "/./../x", "../../..", "../../../../x", "a/../../../../../etc/passwd", temp, filepath.Dir(temp), "/proc/self/environ",
		"etc", "etc/", "etc/passwd", "./etc/passwd", "a/../etc/passwd", "etc/..", "d/up/passwd", "stdin", "stdin/.", "cwd", "cwd/x", p.Root + "/etc/passwd",
		"~/x", "~root/x", "$HOME/x", "a/${PWD}", "file:///etc/passwd", `\x`, `..\..\..\..\x`, "/etc/passwd\x00", temp + "-other/x",
	} {
		assert.False(t, p.own(name), "%q", name)
		assert.False(t, p.harmless(opWrite, name), "%q", name)
		assert.False(t, p.harmless(opChmod, name), "%q", name)
		assert.True(t, p.harmless(opRead, name), "%q", name)
	}
	for _, op := range Ops() { // whatever is not known to look only is a change
		if !p.harmless(op, "/etc/passwd") {
			continue
		}
		assert.Contains(t, []string{opRead, opReadBytes, opLines, opOpen, opStat, opLstat, opReadlink, opList, opWalk, opHandle}, op)
	}
}

// Each attack of the corpus by which a change is tried is one on what is its own; and
// every row that names the host is among those that are held back.
func TestNamesOfTheHostAreOnlyLookedAt(t *testing.T) {
	world := filepath.Join(t.TempDir(), "w", "orld")
	p := &P{dir: world, Root: filepath.Join(world, rootName), Out: filepath.Join(world, outName)}
	held := map[string]bool{}
	for _, row := range Rows() {
		for _, a := range row.attacks {
			if !p.own(p.host(a.name)) {
				held[a.name] = true
			}
		}
	}
	for _, name := range []string{"/etc/passwd", "/proc/self/environ", "/..", "//../x", "~root/x", "$HOME/x", "file:///etc/passwd"} {
		assert.True(t, held[name], "%q", name)
	}
}
