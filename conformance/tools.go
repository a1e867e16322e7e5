package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seamfs/seamfs/policy"
	"github.com/seamfs/seamfs/toolfs"
	"github.com/seamfs/seamfs/vfs"
)

// editTableCases are the rows of the case table of the model-facing tools, each under
// its id: what a model asks for, over an FS over the provider, and what then
// lies in the provider.
func editTableCases() []Case {
	return slices.Concat(
		casesOf(readRows), readToolCases, listToolCases,
		casesOf(writeRows), writeToolCases,
		casesOf(editRows), casesOf(hintRows), editToolCases, multiEditCases,
		casesOf(versionRows), versionToolCases, ownerCases, toolRaceCases,
		pathToolCases, pathLinkCases,
		replaceCases, replaceLinkCases, cancelCases,
	)
}

// toolCase is a case of the table that takes more than a row.
func toolCase(id string, law Law, needs vfs.Caps, run func(t *desk)) Case {
	return Case{Name: "edit.md/" + id, Law: law, Needs: needs | vfs.CapApply, Run: func(c *C) { run(newDesk(c, setup{})) }}
}

// wanting adds what a case takes of the Provider.
func (c Case) wanting(extra Extra) Case {
	c.Wants |= extra
	return c
}

// toolBase is where the root of the provider is shown.
const toolBase = vfs.DefaultBase

// setup is how the tools of a case are made. The zero setup is the shipped
// behaviour with read-before-write, under which the table is written.
type setup struct {
	bare  bool          // without the policy
	cfg   toolfs.Config // multi_edit is always on
	hooks *hooks        // a second hand within the provider
}

// desk is what a case about tools works at: the tools of one session, and
// through C the provider beneath them, which the tools' word is held against.
type desk struct {
	*C
	fs    *vfs.FS
	tools *toolfs.Tools
	who   toolfs.Session
}

func newDesk(c *C, s setup) *desk {
	var p vfs.Provider = c.P
	if s.hooks != nil {
		p = &hooked{Provider: c.P, hooks: s.hooks}
	}
	fs, err := vfs.New(p, vfs.Options{})
	c.OK("vfs.New", err)
	c.Cleanup(func() { _ = fs.Close() })
	if !s.bare {
		policy.NewReadBeforeWrite(nil).Attach(fs.Events())
	}
	t := &desk{C: c, fs: fs}
	t.tools = t.toolsOf(s.cfg)
	return t.session()
}

// toolsOf makes further tools over the same FS, as another process would have.
func (t *desk) toolsOf(cfg toolfs.Config) *toolfs.Tools {
	cfg.MultiEdit = true
	tools, err := toolfs.New(t.fs, cfg)
	t.OK("toolfs.New", err)
	return tools
}

// session is the same desk for another owner, who has seen nothing.
func (t *desk) session() *desk {
	other := *t
	other.who = toolfs.Session{Actor: vfs.NewOwner("session")}
	return &other
}

// with is the same desk with tools of its own, under another configuration.
func (t *desk) with(cfg toolfs.Config) *desk {
	other := *t
	other.tools = t.toolsOf(cfg)
	return &other
}

// bare returns a desk over the same provider with no policy.
func (t *desk) bare() *desk { return newDesk(t.C, setup{bare: true}) }

// do makes calls and holds each answer against what the call says to want.
func (t *desk) do(calls ...call) toolfs.Result {
	var r toolfs.Result
	for _, k := range calls {
		r = t.tools.Call(t.Ctx, t.who, k.tool, k.json())
		k.check(t.C, r)
	}
	return r
}

// ask makes a call whose answer the case looks at by itself.
func (t *desk) ask(k call) toolfs.Result { return t.tools.Call(t.Ctx, t.who, k.tool, k.json()) }

// codeOf is the code of an answer, "" for a success.
func codeOf(r toolfs.Result) vfs.Code {
	if !r.IsError || r.Err == nil {
		return ""
	}
	return r.Err.Code
}

// node is what a tree has at a Place, as the provider tells it.
type node struct {
	Kind    vfs.Kind
	Mode    string // "" where the provider keeps none
	Link    string
	Content string
}

// String keeps what is shown of a node readable, whatever its bytes.
func (n node) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %s%s", n.Kind, n.Mode, n.Link, show(n.Content)))
}

// tree is all there is beneath the root, with content and modes.
func (c *C) tree() map[vfs.Place]node {
	all := map[vfs.Place]node{}
	var walk func(dir vfs.Place)
	walk = func(dir vfs.Place) {
		for _, name := range c.Names(dir) {
			p := dir.Join(name)
			info, err := c.P.Lstat(c.Ctx, p, 0)
			c.OK("lstat "+string(p), err)
			n := node{Kind: info.Kind, Link: info.Link}
			if c.P.Caps().Has(vfs.CapMode) && info.Kind != vfs.KindSymlink {
				n.Mode = info.Mode.String()
			}
			switch info.Kind {
			case vfs.KindFile:
				n.Content = c.Get(p)
			case vfs.KindDir:
				walk(p)
			}
			all[p] = n
		}
		if c.spec.Leftovers != nil {
			if left := c.spec.Leftovers(c.TB, c.P, dir); len(left) > 0 {
				c.Errorf("left behind in %s: %q", dir, left)
			}
		}
	}
	walk(vfs.Root)
	return all
}

// unchanged checks that the tree is as it was: bytes, modes, names, no leftover.
func (c *C) unchanged(op string, was map[vfs.Place]node) {
	now := c.tree()
	for _, p := range slices.Sorted(maps.Keys(was)) {
		if now[p] != was[p] {
			c.Errorf("%s: %s: got %s, want it unchanged, %s", op, p, show(now[p]), show(was[p]))
		}
	}
	for _, p := range slices.Sorted(maps.Keys(now)) {
		if _, known := was[p]; !known {
			c.Errorf("%s: got a new entry %q: %s", op, p, show(now[p]))
		}
	}
}

// foreign is the second hand of the table: a change that another process makes
// behind the back of the tools, under no guard.
func (c *C) foreign(change vfs.Change) {
	_, err := c.Apply(change)
	c.OK("a foreign "+change.Op.String()+" of "+string(change.Place), err)
}

// replaceBy is how another process saves a file: it writes a new one and renames
// it over the old.
func (c *C) replaceBy(p vfs.Place, content string) {
	temp := p.Parent().Join("foreign.tmp")
	c.Put(temp, content)
	c.foreign(vfs.Change{Op: vfs.OpMove, From: temp, Place: p})
}

// info tells what is at p.
func (c *C) info(p vfs.Place, want vfs.Want) vfs.Info {
	info, err := c.P.Lstat(c.Ctx, p, want)
	c.OK("lstat "+string(p), err)
	return info
}

// within runs f and checks that it came back in time: for what must not block.
func (c *C) within(op string, limit time.Duration, f func()) {
	start := time.Now()
	f()
	if took := time.Since(start); took > limit {
		c.Errorf("%s: took %s, want at most %s", op, took.Round(time.Millisecond), limit)
	}
}

// envelope is an answer of list or read as the specification fixes it.
func envelope(kind, path, footer string, lines ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<path>%s</path>\n<type>%s</type>\n<content>\n", path, kind)
	for _, line := range lines {
		b.WriteString(line + "\n")
	}
	if len(lines) > 0 {
		b.WriteString("\n")
	}
	return b.String() + footer + "\n</content>"
}

// fileText and dirText are envelopes of what lies beneath the base.
func fileText(p, footer string, lines ...string) string {
	return envelope("file", toolBase+"/"+p, footer, lines...)
}

func dirText(p, footer string, lines ...string) string {
	return envelope("directory", strings.TrimSuffix(toolBase+"/"+p, "/"), footer, lines...)
}
