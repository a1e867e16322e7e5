package jailtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// hygieneRows is group L: what holds over the whole corpus.
func hygieneRows() []Row {
	return []Row{
		{ID: "C120", Title: "every answer of the corpus, however printed, shows nothing of the host", run: scanWorks},
		{ID: "C121", Title: "outside exists, is missing, or cannot be read: one answer", Needs: NeedUnix, plant: plantThree, run: threeAnswers},
		{ID: "C122", Title: "nothing outside is even asked for", Elsewhere: "TestTripwire: the static rows with a FUSE filesystem outside that counts"},
		{ID: "C123", Title: "the corpus behind Landlock", Elsewhere: "the tests of the binary's second wall, in cmd/seamfs and internal/landlock"},
		{ID: "C124", Title: "the system calls of a thousand operations", Elsewhere: "TestSystemCalls"},
	}
}

// scanWorks: every answer of every row goes through scan, so what is left to show is
// that scan finds what it looks for.
func scanWorks(p *P) {
	p.Try(opRead, "top", ok)
	for _, text := range []string{
		"x" + contentMark, entryMark, p.Out, p.dir, p.Root + "-evil", filepath.Join(p.dir, "other"), "ModTime:2001-02-03T04:05:06Z",
		fmt.Sprintf("{Kind:1 Size:%d}", outSize), "open x: no such file or directory", "path escapes from parent",
	} {
		if p.leak(text, []string{"name"}, true) == "" {
			p.Errorf("an answer like %q would pass", text)
		}
	}
	for _, text := range []string{p.Root + "/top", "not found", "permission denied", "input/output error"} {
		if mark := p.leak(text, nil, true); mark != "" {
			p.Errorf("%q is taken for a leak of %q", text, mark)
		}
	}
	if mark := p.leak("cannot read ../"+outName+"/x", []string{"../" + outName + "/x"}, true); mark != "" {
		p.Errorf("what the caller said is taken for a leak of %q", mark)
	}
}

func plantThree(p *P) {
	p.Symlink("exists1", "../"+outName+"/secret")
	p.Symlink("missing", "../"+outName+"/nothing")
	p.Symlink("unreads", "../"+outName+"/victimdir/f")
	p.Symlink("throug1", "../"+outName+"/secret/x")
	p.Symlink("looping", "../"+outName+"/loop")
	p.touched = true
	if p.check == nil {
		p.ok("plant", os.Symlink("loop", filepath.Join(p.Out, "loop")))
		p.ok("plant", os.Chmod(filepath.Join(p.Out, "victimdir"), 0))
	}
}

// threeAnswers compares whole answers: to operations that follow the link, and to
// names beneath it. The links have names of one length, which stand in the answers.
func threeAnswers(p *P) {
	names := []string{"exists1", "missing", "unreads", "throug1", "looping"}
	for _, beneath := range []string{"", "/", "/x"} {
		for _, op := range Ops() {
			if beneath == "" && len(leaves.of(op)) != 1 || leaves.of(op)[0] != vfs.OutsideRoot && beneath == "" {
				continue
			}
			p.oneAnswer(op, names, beneath)
		}
	}
}

func (p *P) oneAnswer(op string, names []string, beneath string) {
	first := ""
	for _, name := range names {
		_, err := p.Do(op, name+beneath)
		p.Want(op+" "+name+beneath, err, vfs.OutsideRoot)
		if err == nil {
			continue
		}
		answer := strings.ReplaceAll(strings.Join(renderings(err), "\n")+err.Error(), name, "<name>")
		if first == "" {
			first = answer
		}
		if answer != first {
			p.Errorf("%s: the answer for %s%s is not that for %s:\n\t%s\n\t%s", op, name, beneath, names[0], answer, first)
		}
	}
}
