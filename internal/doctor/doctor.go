// Package doctor finds out what a machine gives: which engine holds a root, what its
// file system can do, and what the kernel has beside it. Every probe does the thing
// itself and looks at what came of it, through the same code that uses it later.
//
// Probes write in a scratch directory of their own, which they remove: in the
// temporary directory, and in the root only when asked. What would change the process
// is done in a child.
//
// # Limits
//
// A scratch directory on another file system than the root says nothing about the
// root's; the report says where it was. Linux is asked about everything, other
// systems about what they have.
package doctor

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/seamfs/seamfs/backends/jail"
	"github.com/seamfs/seamfs/internal/hostfs"
)

// Options are what [Examine] is to look at.
type Options struct {
	// Root is the directory that is asked about. Default: the working directory.
	Root string
	// ProbeRoot makes the scratch directory in the root and not in the temporary
	// directory.
	ProbeRoot bool
	// Self is the command line, up to the arguments of [Child], that calls it in a
	// process of its own. Without it, what needs a child is unknown.
	Self []string
	// Timeout bounds one child. Default: 10 seconds.
	Timeout time.Duration
}

// Format is the version of [Report] as JSON. Fields and names are only ever added.
const Format = 1

// Report is what was found.
type Report struct {
	Format int    `json:"format"`
	System string `json:"system"` // "linux/amd64"
	Kernel string `json:"kernel"` // release; empty where there is no way to ask
	UID    int    `json:"uid"`    // who asked: of root, permissions say little
	Root   Volume `json:"root"`
	// Scratch is the directory in which the features of a file system were tried.
	Scratch Scratch `json:"scratch"`
	// Engine is what holds a root here, and Why another is not.
	Engine string  `json:"engine"`
	Why    string  `json:"why,omitempty"`
	Checks []Check `json:"checks"`
}

// Volume is a directory and what it is on. What is not known is empty.
type Volume struct {
	Path     string `json:"path"`
	Type     string `json:"type,omitempty"`   // of the file system: "ext4"
	Source   string `json:"source,omitempty"` // what is mounted: "/dev/sda1"
	ReadOnly bool   `json:"readOnly"`         // mounted so
}

// Scratch is a directory that was made for the probes and is gone.
type Scratch struct {
	Volume
	// SameAsRoot says whether it was on the file system of the root.
	SameAsRoot bool `json:"sameAsRoot"`
	// Failed says why there was none, as on a disk that is read-only.
	Failed string `json:"failed,omitempty"`
}

// State is the answer of a check.
type State string

// The states. Unknown is what could not be tried.
const (
	Yes     State = "yes"
	No      State = "no"
	Unknown State = "unknown"
)

// Check is one thing that a machine gives or does not.
type Check struct {
	Name   string `json:"name"` // stable, one of [Names]
	State  State  `json:"state"`
	Detail string `json:"detail,omitempty"` // what was seen
	Buys   string `json:"buys"`             // what it is good for here
	Enable string `json:"enable"`           // how to get it
}

// finding is a check without its words.
type finding struct {
	state  State
	detail string
}

func yes(detail string) finding     { return finding{Yes, detail} }
func no(detail string) finding      { return finding{No, detail} }
func unknown(detail string) finding { return finding{Unknown, detail} }

// outcome is yes, or no for the reason of err.
func outcome(err error, detail string) finding {
	if err != nil {
		return no(err.Error())
	}
	return yes(detail)
}

// Examine asks the machine. It fails only when the root is no directory.
func Examine(ctx context.Context, opts Options) (Report, error) {
	if opts.Timeout == 0 {
		opts.Timeout = 10 * time.Second
	}
	root, err := hostfs.Dir(opts.Root)
	if err != nil {
		return Report{}, err
	}
	r := Report{
		Format: Format, System: runtime.GOOS + "/" + runtime.GOARCH, Kernel: kernel(), UID: os.Geteuid(),
		Root: volumeOf(root),
	}
	found := map[string]finding{}
	r.Engine, r.Why = engine(root, found)
	dir, remove, err := scratch(root, opts.ProbeRoot)
	if err != nil {
		r.Scratch.Failed = err.Error()
	} else {
		defer remove()
		r.Scratch.Volume, r.Scratch.SameAsRoot = volumeOf(dir), sameVolume(dir, root)
		fileSystem(ctx, dir, found)
	}
	machine(ctx, opts, dir, found)
	for _, f := range facts {
		seen, ok := found[f.name]
		switch {
		case ok:
		case f.volume:
			seen = unknown("no scratch directory: " + r.Scratch.Failed)
		default:
			seen = no("this system has nothing of the kind that is used")
		}
		r.Checks = append(r.Checks, Check{f.name, seen.state, oneLine(seen.detail), f.buys, f.enable})
	}
	return r, nil
}

// Missing returns those of names whose check is not a yes.
func (r Report) Missing(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.ContainsFunc(r.Checks, func(c Check) bool { return c.Name == name && c.State == Yes })
	})
}

// engine opens the root as a jail, as the command does, which writes nothing, and
// asks what holds it.
func engine(root string, found map[string]finding) (name, why string) {
	found["openat2"] = outcome(openat2(root), "")
	if found["openat2"].state != Yes {
		why = "no openat2: " + found["openat2"].detail
	} else if p, err := jail.New(root, &jail.Options{Engine: jail.Openat2, ReadOnly: true}); err == nil {
		_ = p.Close()
		return jail.Openat2, ""
	} else {
		why = err.Error()
	}
	p, err := jail.New(root, &jail.Options{ReadOnly: true})
	if err != nil {
		return "none", err.Error()
	}
	defer p.Close()
	return p.Report().Engine, why
}

// scratch makes a directory for the probes.
func scratch(root string, inRoot bool) (dir string, remove func(), err error) {
	parent := os.TempDir()
	if inRoot {
		parent = root
	}
	dir, err = os.MkdirTemp(parent, "seamfs-doctor-")
	if err != nil {
		return "", nil, err
	}
	return dir, func() { tidy(dir) }, nil
}

// tidy removes a scratch directory with what the probes have left in it: an overlay
// leaves a directory that not even its owner may enter.
func tidy(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
