package jailtest

import (
	"path/filepath"
	"slices"
	"strings"
)

// looks are the operations that change nothing, whatever they reach.
var looks = []string{opRead, opReadBytes, opLines, opOpen, opStat, opLstat, opReadlink, opList, opWalk, opHandle}

// harmless reports whether an operation may be tried on a name. The suite is for
// jails that may turn out to be none, run by root: a change is tried only where what
// it would hit without a jail is the suite's own. Names and links of the real host
// are looked at, and nothing else.
func (p *P) harmless(op, name string) bool {
	return slices.Contains(looks, op) || p.own(name)
}

// own reports whether a name, however it may be misread, leads to the world of the row.
func (p *P) own(name string) bool {
	if strings.HasPrefix(name, "~") || strings.Contains(name, "$") || strings.Contains(name, "://") {
		return false // where that leads is up to a shell
	}
	for _, form := range []string{name, strings.ReplaceAll(name, `\`, "/")} {
		form, _, _ = strings.Cut(form, "\x00")
		if filepath.VolumeName(form) != "" || platform&NeedWindows != 0 && strings.Contains(form, ":") {
			return false
		}
		at := form
		if !strings.HasPrefix(form, "/") && !filepath.IsAbs(form) {
			at = p.Root + "/" + form
		}
		if !p.withinWorld(at) || p.passesStrange(at) {
			return false
		}
	}
	return true
}

// withinWorld reports whether a path of the host lies beneath the world, as text and
// at each step of the way.
func (p *P) withinWorld(path string) bool {
	rel, err := filepath.Rel(filepath.Dir(filepath.Dir(p.dir)), filepath.Clean(path))
	return err == nil && p.dir != "" && rel != "." && rel != ".." && !strings.HasPrefix(filepath.ToSlash(rel), "../")
}

// passesStrange reports whether a path passes a link or a mount that leads to the
// real host. Without cleaning, since a link is followed before ".." is.
func (p *P) passesStrange(path string) bool {
	for _, strange := range p.strange {
		if clean := filepath.Clean(path); clean == strange || strings.HasPrefix(clean, strange+string(filepath.Separator)) ||
			strings.HasPrefix(filepath.FromSlash(path), strange+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// noteLink remembers a link that leads to the real host.
func (p *P) noteLink(name, body string) {
	to := body
	if !filepath.IsAbs(body) {
		to = filepath.Join(filepath.Dir(p.path(name)), body)
	}
	if !p.withinWorld(to) && !strings.HasSuffix(filepath.Clean(body), filepath.Join(p.Out, "secret")) {
		p.strange = append(p.strange, p.path(name))
	}
}

// guard ends a row that would change what is not the suite's own: a fault of the row.
func (p *P) guard(op, name string) {
	if !p.harmless(op, name) {
		p.Fatalf("the row is at fault: %s %q would change what is not its own", op, short(name))
	}
}

// guardProvider ends a row that goes by Places where the root of the provider is not
// the root of the jail, so that they would be places of the real host.
func (p *P) guardProvider() {
	info, err := p.provider.Lstat(p.ctx, "mover", 0)
	if err != nil || info.Size != int64(len(moverBody)) {
		p.Fatalf("the root of the provider is not that of the jail: %+v, %v", info, err)
	}
}
