package repotest

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/seamfs/seamfs/"

// goPackage is what is wanted of `go list -json`.
type goPackage struct {
	ImportPath string
	Dir        string
	Standard   bool
	Imports    []string
	GoFiles    []string
}

// direction is a rule of who may import what. Arrows point down only:
// cmd -> mcpserver -> toolfs -> {search, vfs}; backends -> vfs and internal.
type direction struct {
	pkg    string   // a package of the module, or a tree of them with "/..."
	may    []string // packages of the module that it may import; "x/..." a tree
	third  []string // modules of others that it may import, nil for none
	ban    []string // packages of the standard library that it may not import
	reason string
}

var directions = []direction{
	{"internal/text", nil, nil, []string{"os", "net", "io/fs"}, "text rules are pure functions over bytes"},
	{"vfs", []string{"internal/text"}, nil, []string{"os", "net"}, "the seam depends on nothing, so that anything can depend on it"},
	{"internal/diff", []string{"internal/text"}, nil, []string{"os", "net", "io/fs"}, "comparing and merging are pure functions over bytes"},
	{"internal/gitpatch", []string{"internal/diff"}, []string{"github.com/bluekeyes/go-gitdiff"}, []string{"os", "net", "io/fs"}, "a patch is bytes; whoever applies it knows the files"},
	{"internal/content", []string{"vfs"}, []string{"github.com/zeebo/xxh3"}, []string{"os"}, "one place mints versions"},
	{"internal/hostfs", []string{"vfs", "internal/content"}, []string{"golang.org/x/sys", "golang.org/x/sync"}, nil, "the one engine that touches a disk"},
	{"internal/commitlog", []string{"vfs"}, nil, []string{"os", "syscall", "net"}, "the log knows drivers, and no disk or network"},
	{"internal/commitlog/dirlog", []string{"vfs", "internal/commitlog"}, nil, []string{"net"}, "a driver knows the log and the directory that it is in"},
	{"internal/commitlog/memlog", []string{"vfs", "internal/commitlog"}, []string{"github.com/tidwall/btree"}, []string{"os", "syscall", "net"}, "memory needs no host"},
	{"backends/local", []string{"vfs", "internal/hostfs"}, nil, []string{"os", "syscall"}, "local makes no file system call of its own"},
	{"backends/jail", []string{"vfs", "internal/hostfs"}, nil, []string{"os", "syscall"}, "jail makes no file system call of its own"},
	{"internal/tree", []string{"vfs", "internal/content"}, []string{"github.com/tidwall/btree"}, []string{"os", "syscall"}, "a tree in memory needs no host"},
	{"backends/mem", []string{"vfs", "internal/tree"}, nil, []string{"os", "syscall"}, "memory needs no host"},
	{"backends/overlay", []string{"vfs", "internal/tree", "internal/text", "internal/diff", "internal/gitpatch", "internal/commitlog", "internal/commitlog/dirlog"}, []string{"golang.org/x/sync"}, []string{"os"}, "overlay takes a lower layer, whatever it is, and touches no host"},
	{"policy", []string{"vfs"}, []string{"github.com/bmatcuk/doublestar/v4"}, []string{"os"}, "policy and tools meet at vfs.Events only"},
	{"search", []string{"vfs", "internal/text"}, []string{"github.com/bmatcuk/doublestar/v4", "golang.org/x/sync", "golang.org/x/sys/cpu"}, []string{"os", "syscall", "net"}, "search goes through the seam"},
	{"toolfs", []string{"vfs", "search", "internal/text"}, nil, []string{"os", "syscall", "net"}, "tools work over any backend, so they import none"},
	{"mcpserver", []string{"toolfs"}, []string{"github.com/modelcontextprotocol/go-sdk"}, []string{"os"}, "serving knows tools, not filesystems"},
	{"interop", []string{"vfs", "internal/content"}, []string{"github.com/spf13/afero", "github.com/hack-pad/hackpadfs"}, []string{"net"}, "bridges know the contract and the other side, and no backend"},
	{"conformance", []string{"vfs", "toolfs", "policy", "internal/content", "internal/text"}, nil, nil, "the suite knows the contract and no backend"},
	{"internal/landlock", nil, []string{"github.com/landlock-lsm/go-landlock", "golang.org/x/sys"}, nil, "restricts the process, and knows no filesystem"},
	{"internal/doctor", []string{"vfs", "backends/jail", "internal/hostfs", "internal/landlock"}, []string{"golang.org/x/sys"}, nil, "asks the machine through what is used on it"},
	{"conformance/jailtest/race", []string{"vfs"}, []string{"golang.org/x/sys"}, nil, "the attacks know the contract, and their tests the backends"},
	{"conformance/jailtest", []string{"vfs", "policy", "conformance"}, []string{"golang.org/x/sys"}, nil, "the attacks know the contract and the host, and no backend"},
	{"cmd/seamfs", []string{"..."}, []string{"github.com/spf13/cobra", "github.com/bmatcuk/doublestar/v4", "github.com/modelcontextprotocol/go-sdk", "github.com/rogpeppe/go-internal"}, nil, "the binary puts everything together"},
	{"internal/repotest", nil, nil, nil, "tests only"},
	{"internal/ratio", nil, nil, nil, "measures whatever it is given"},
	{"internal/e2e", nil, nil, nil, "tests only"},
	{"", nil, nil, nil, "the root holds no code"},
}

func TestDependencyDirection(t *testing.T) {
	packages := list(t)
	ruled := map[string]bool{}
	for _, p := range packages {
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, strings.TrimSuffix(module, "/")), "/")
		rule, ok := ruleOf(name)
		if !assert.True(t, ok, "package %s has no rule: say in directions what it may import, and why", p.ImportPath) {
			continue
		}
		ruled[rule.pkg] = true
		for _, imported := range p.Imports {
			assert.True(t, rule.allows(imported), "%s imports %s, which it may not: %s", p.ImportPath, imported, rule.reason)
		}
	}
	for _, d := range directions {
		assert.True(t, ruled[d.pkg], "the rule for %q is about no package", d.pkg)
	}
}

func ruleOf(name string) (direction, bool) {
	for _, d := range directions {
		if d.pkg == name {
			return d, true
		}
	}
	return direction{}, false
}

func (d direction) allows(imported string) bool {
	if rest, ours := strings.CutPrefix(imported, module); ours {
		return matches(d.may, rest)
	}
	if strings.Contains(strings.SplitN(imported, "/", 2)[0], ".") {
		return matchesModule(d.third, imported)
	}
	return !matches(d.ban, imported)
}

func matches(list []string, name string) bool {
	for _, allowed := range list {
		tree, whole := strings.CutSuffix(allowed, "...")
		if allowed == name || (whole && strings.HasPrefix(name, tree)) {
			return true
		}
	}
	return false
}

func matchesModule(list []string, imported string) bool {
	for _, m := range list {
		if imported == m || strings.HasPrefix(imported, m+"/") {
			return true
		}
	}
	return false
}

// list asks for the packages of the module as each platform sees them, so that a
// file for another platform cannot import what its neighbours may not.
func list(t *testing.T) []goPackage {
	t.Helper()
	var all []goPackage
	for _, goos := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Standard,Imports,GoFiles", "./...")
		cmd.Dir = "../.."
		cmd.Env = append(cmd.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
		out, err := cmd.Output()
		require.NoError(t, err, "go list for %s", goos)
		for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
			var p goPackage
			require.NoError(t, dec.Decode(&p))
			all = append(all, p)
		}
	}
	require.NotEmpty(t, all)
	return all
}
