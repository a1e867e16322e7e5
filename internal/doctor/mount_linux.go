package doctor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// volumeOf finds the mount of a directory. The type comes from the table of mounts,
// which tells the kinds of FUSE and NFS apart; statfs does not.
func volumeOf(dir string) Volume {
	v := Volume{Path: dir}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		real = dir
	}
	table, _ := os.ReadFile("/proc/self/mountinfo")
	best := ""
	for line := range strings.Lines(string(table)) {
		m, ok := parseMount(line)
		// The last one wins, since it lies on top.
		if ok && len(m.at) >= len(best) && beneath(m.at, real) {
			best = m.at
			v.Type, v.Source = m.kind, m.source
		}
	}
	var st unix.Statfs_t
	v.ReadOnly = unix.Statfs(real, &st) == nil && st.Flags&unix.ST_RDONLY != 0
	return v
}

type mount struct{ at, kind, source string }

// parseMount reads a line of proc_pid_mountinfo(5): six fields, optional ones, a
// dash, then type, source and options.
func parseMount(line string) (mount, bool) {
	fields := strings.Fields(line)
	dash := slices.Index(fields, "-")
	if dash < 6 || len(fields) < dash+3 {
		return mount{}, false
	}
	return mount{unescape.Replace(fields[4]), fields[dash+1], unescape.Replace(fields[dash+2])}, true
}

// unescape undoes what the kernel writes for characters that separate fields.
var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

func beneath(at, path string) bool {
	return at == "/" || path == at || strings.HasPrefix(path, at+"/")
}

func sameVolume(a, b string) bool {
	var x, y unix.Stat_t
	return unix.Stat(a, &x) == nil && unix.Stat(b, &y) == nil && x.Dev == y.Dev
}
