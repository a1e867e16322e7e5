package hostfs

import (
	"fmt"
	"os"
	"strings"
)

// Report says which engine this is and which way it goes on the file systems
// that it has met. A feature is found missing by trying, so a volume tells what
// was needed there so far.
type Report struct {
	// Engine is "linux" or [Portable], System the operating system.
	Engine, System string
	// Without is what is not used on any file system: asked for by
	// [Options.Without], or missing in the kernel.
	Without Feature
	// Volumes are the file systems on which something was changed, by device.
	Volumes []Volume
	// Leases counts what was said to requests for a lease.
	Leases LeaseCounts
	// Unlocked counts the changes that had no lock against other processes, since
	// the directory may not be read or its file system has no flock.
	Unlocked int64
	// Confine is what holds everything beneath the root; nil for nothing.
	Confine *Confine
	// ProtectedHardlinks is the host's fs.protected_hardlinks: "1" where a user
	// can only link files that he may write; "" where the host does not say.
	ProtectedHardlinks string
}

// Volume is one file system that changes were made on.
type Volume struct {
	Dev     uint64
	Type    string  // "ext4"; a number for one without a name here
	Without Feature // what is not used there, Report.Without included
}

// LeaseCounts are how often a lease was granted; refused since somebody had the
// file open for writing; and denied, by the file system or to one who is not the
// owner.
type LeaseCounts struct{ Granted, HeldOpen, Denied int64 }

// String is the counts in words.
func (n LeaseCounts) String() string {
	return fmt.Sprintf("leases: %d granted, %d held open, %d denied", n.Granted, n.HeldOpen, n.Denied)
}

var featureNames = []string{"openat2", "O_TMPFILE", "linkat of a descriptor", "RENAME_NOREPLACE", "RENAME_EXCHANGE", "linkat", "leases", "flock"}

// String names the features of f.
func (f Feature) String() string {
	var names []string
	for i, name := range featureNames {
		if f.Has(1 << i) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// String is the report in one line per volume.
func (r Report) String() string {
	var b strings.Builder
	b.WriteString(r.Engine)
	if r.System != r.Engine {
		fmt.Fprintf(&b, " on %s", r.System)
	}
	if r.Without != 0 {
		fmt.Fprintf(&b, ", without %s", r.Without)
	}
	if n := r.Leases; n != (LeaseCounts{}) {
		fmt.Fprintf(&b, "; %s", n)
	}
	for _, v := range r.Volumes {
		fmt.Fprintf(&b, "\n%s (device %d:%d): %s", v.Type, v.Dev>>8&0xfff, v.Dev&0xff, v.ways())
	}
	return b.String()
}

// ways names the way of each step, as the package documentation does.
func (v Volume) ways() string {
	pick := func(without Feature, way, instead string) string {
		if v.Without&without != 0 {
			return instead
		}
		return way
	}
	create := pick(Tmpfile|LinkTemp, "link", pick(NoReplace, "RENAME_NOREPLACE", pick(Linkat, "link", "look and rename")))
	replace := pick(Exchange, "exchange and verify", "verify and rename over")
	return strings.Join([]string{
		"open by " + pick(Openat2, "openat2", "components"),
		"stage in " + pick(Tmpfile|LinkTemp, "O_TMPFILE", "a private directory"),
		"create by " + create,
		"replace by " + pick(Lease, "lease, ", "") + replace,
		"lock by " + pick(Flock, "flock", "nothing across processes"),
	}, "; ")
}

// protectedHardlinks reads the setting of the host.
func protectedHardlinks() string {
	text, err := os.ReadFile("/proc/sys/fs/protected_hardlinks")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
