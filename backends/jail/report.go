package jail

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/seamfs/seamfs/internal/hostfs"
	"github.com/seamfs/seamfs/vfs"
)

// Components is the engine of [Report] on a Linux that has no openat2, or forbids
// it: each component is opened by itself, without following it, and its mount
// compared. It holds the same, and costs a few system calls for each level.
const Components = "openat, component by component"

// Report says what holds a jail on this machine, and how far.
type Report struct {
	// Engine is [Openat2], [Components] or [OSRoot].
	Engine string
	// Mounts are those that may be entered. MountsTold says that the engine tells
	// mounts apart at all: without it, what is mounted beneath the root is inside.
	Mounts     []string
	MountsTold bool
	// StrictHardLinks says that files with several names are not read.
	// ProtectedHardlinks is the host's fs.protected_hardlinks, "" when it has none:
	// "1" keeps a user from linking to files that he may not write.
	StrictHardLinks    bool
	ProtectedHardlinks string
	// Links says where absolute links lead.
	Links vfs.Links
	// ReadOnly says that nothing is changed.
	ReadOnly bool
	// Go is the version that this was built with: os.Root had escapes before
	// go1.26.5.
	Go string
	// Gaps are what the engine lacks beside [Openat2], in plain words.
	Gaps []string
	// Host is the report of the engine itself.
	Host hostfs.Report
}

// Report says which engine holds the jail, and which guarantees there are.
func (p *Provider) Report() Report {
	host := p.Engine.Report()
	r := Report{
		Engine: Openat2, MountsTold: true, StrictHardLinks: p.opts.StrictHardLinks, ReadOnly: p.opts.ReadOnly,
		ProtectedHardlinks: host.ProtectedHardlinks, Links: p.links.Kind, Go: runtime.Version(), Host: host,
		Mounts: append([]string(nil), p.opts.Mounts...),
	}
	switch {
	case host.Engine == hostfs.Portable:
		r.Engine, r.MountsTold, r.Gaps = OSRoot, host.System == "linux", gaps(host.System)
	case host.Without.Has(hostfs.Openat2):
		r.Engine = Components
	}
	return r
}

// gaps are those of the engine over os.Root.
func gaps(system string) []string {
	list := []string{
		"batches, Exchange, hard links, owners and extended attributes are FS_UNSUPPORTED",
		"a directory that may be searched but not read cannot be passed",
		"a change that another process makes between the last look at a file and its replacement is lost",
		"a device or FIFO that takes the place of a file within microseconds is opened, without waiting, and refused",
	}
	if system != "linux" {
		list = append(list, "mounts beneath the root are inside it",
			"attributes are set by name: what takes the place of a file within microseconds gets them, if it lies within the root")
	}
	if system == "windows" {
		list = append(list, "hard links are not told from other files")
	}
	return list
}

var linksInWords = map[vfs.Links]string{
	vfs.LinksBeneath: "followed inside; absolute ones and those that climb out are refused",
	vfs.LinksRebased: "followed inside; absolute ones where they begin with the path of the root; others are refused",
	vfs.LinksInRoot:  "read as in a chroot: absolute ones start at the root, and .. stops there",
}

// String is the report in plain words, a line for each matter.
func (r Report) String() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("engine: %s (%s)", r.Engine, r.Go)
	switch {
	case !r.MountsTold:
		line("mounts: not told apart here; what is mounted beneath the root is inside")
	case len(r.Mounts) > 0:
		line("mounts: refused, but for %s", strings.Join(r.Mounts, ", "))
	default:
		line("mounts: refused")
	}
	line("links: %s", linksInWords[r.Links])
	hard := "files with several names may be read, and are replaced, never written in place"
	if r.StrictHardLinks {
		hard = "files with several names are refused"
	}
	if r.ProtectedHardlinks != "" {
		hard += "; fs.protected_hardlinks is " + r.ProtectedHardlinks
	}
	line("hard links: %s", hard)
	if r.ReadOnly {
		line("read-only: every change is refused")
	}
	for _, gap := range r.Gaps {
		line("gap: %s", gap)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
