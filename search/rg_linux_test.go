package search_test

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seamfs/seamfs/search"
)

// The comparison with ripgrep and fd, and what each costs. It is a soak: it wants
// both programs (apt-get install ripgrep fd-find) and some minutes.
//
//	SEAMFS_SOAK=1 go test -run 'Ripgrep|WithFd|Cost' -v -timeout 60m ./search

// corpora are real trees: that of Go, and all modules of this project.
func corpora(t testing.TB) []string {
	out, err := exec.Command("go", "env", "GOROOT", "GOMODCACHE").Output()
	require.NoError(t, err)
	dirs := strings.Fields(string(out))
	return []string{filepath.Join(dirs[0], "src"), dirs[1]}
}

// rgPatterns are 300 patterns, as we take them and as ripgrep does: its \w, \d, \s
// and \b are those of Unicode, so the classes are spelled out.
func rgPatterns() []string {
	list := []string{"func ", "permission denied", `BUG\(`, "é", "日本", "^package ", "return nil$", "^$", `\($`, "foo|Errno|xyzzy", "[A-Z]{3}_[a-z]+[0-9]", `0x[0-9a-f]{8}`,
		"(?i)permission", "(?i)straße", "(?i)k[a-z]+n", `\pL+é`, `[^\x00-\x7f]{3}`, "a.c", "x*", `"[^"]*\.go"`, `^\t\tif err`, `(?i)^copyright`, ` +$`, `\.\.\.`, `[[:upper:]]{12}`, "(a|b)(c|d)(e|f)", "ab?c+d*e"}
	words := strings.Fields("error buffer string reader Writer context Mutex import package struct interface channel select default switch main test bench http json regexp parse token node tree hash slice append copy make close open file path dir name size mode time sync atomic unsafe runtime")
	r := rand.New(rand.NewPCG(1, 2))
	pick := func() string { return words[r.IntN(len(words))] }
	for len(list) < 300 {
		a, b := pick(), pick()
		list = append(list, []string{a, a + " " + b, a + "|" + b, "(?i)" + a, "^" + a, a + "$", a + "[a-z]+" + b, a + ".*" + b, "[A-Z]" + a[1:] + "[(]",
			a + `\.` + b, `(` + a + `|` + b + `)s? `, a[:3] + "[aeiou]{2}", "(?i)" + a + ".{1,3}" + b, `[^a-z]` + a + `[^a-z]`, "^[ \t]*" + a, `[0-9]+` + a}[r.IntN(16)])
	}
	return list
}

func TestSameAsRipgrep(t *testing.T) {
	n := 0
	for _, dir := range corpora(t) {
		for i, pattern := range rgPatterns() {
			if !soak() {
				break
			}
			for _, ignore := range []bool{false, true} {
				if ignore && i%10 != 0 {
					continue
				}
				n++
				sameAsRipgrep(t, dir, pattern, ignore)
			}
		}
	}
	t.Logf("%d searches compared", n)
}

func sameAsRipgrep(t *testing.T, dir, pattern string, ignore bool) {
	args := []string{"--no-config", "-c", "--crlf", "-e", pattern, "."}
	opts := search.GrepOptions{KeepLines: 1 << 30}
	if ignore {
		args = append(args, "--no-require-git", "--hidden", "-g", "!.git")
	} else {
		args = append(args, "--no-ignore", "--hidden")
		opts.NoIgnore, opts.VCS = true, true
	}
	cmd := exec.Command("rg", args...)
	cmd.Dir = dir
	want := counts(string(costOf(t, cmd, 1, 2).out))
	got := counts(string(costOf(t, child(t, errand{Dir: dir, Query: search.Query{Pattern: pattern}, Opts: search.GrepOptions{Options: opts.Options, KeepLines: -1}, Quiet: true})).out))
	for path, count := range got {
		if want[path] != count && !loneCR(filepath.Join(dir, path)) {
			t.Errorf("%q in %s/%s: %s lines, ripgrep has %q", pattern, dir, path, count, want[path])
		}
	}
	for path := range want {
		if _, ok := got[path]; !ok && !holdsNUL(filepath.Join(dir, path)) && !loneCR(filepath.Join(dir, path)) {
			t.Errorf("%q in %s/%s: not found, ripgrep has %s lines", pattern, dir, path, want[path])
		}
	}
}

// holdsNUL: a file with a NUL far behind its begin is searched by ripgrep up to
// there, and not at all here.
func holdsNUL(path string) bool {
	return exec.Command("grep", "-qaP", `\x00`, path).Run() == nil
}

// loneCR: to ripgrep with --crlf a CR that no LF follows ends a line as well; here
// it is data.
func loneCR(path string) bool {
	return exec.Command("grep", "-qzaP", `\r(?!\n)`, path).Run() == nil
}

// counts reads lines of PATH:N.
func counts(out string) map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(out) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "./")
		if i := strings.LastIndexByte(line, ':'); i > 0 && line[0] != '{' {
			m[line[:i]] = line[i+1:]
		}
	}
	return m
}

// globsForFd are 100 globs, and the same as fd takes them.
func globsForFd() []string {
	var list []string
	for _, ext := range []string{"go", "s", "md", "txt", "json", "y", "mod", "golden", "sh", "html"} {
		for _, form := range []string{"*.%s", "**/testdata/**/*.%s", "**/*_test.%s", "**/internal/*/*.%s", "**/[a-m]*.%s", "**/{cmd,net}/**/*.%s", "**/?o*.%s", "**/[!a-z]*.%s", "**/.*.%s", "**/*[0-9].%s"} {
			list = append(list, fmt.Sprintf(form, ext))
		}
	}
	return list
}

func TestSameAsFdAndFind(t *testing.T) {
	n := 0
	for _, dir := range corpora(t)[:1] {
		for _, pattern := range globsForFd() {
			if !soak() {
				break
			}
			n++
			args := []string{"--no-ignore", "--hidden", "--case-sensitive", "-t", "f", "--glob"}
			if strings.Contains(pattern, "/") {
				args = append(args, "--full-path", dir+"/"+pattern)
			} else {
				args = append(args, pattern)
			}
			cmd := exec.Command("fdfind", args...)
			cmd.Dir = dir
			want := strings.Fields(strings.ReplaceAll("\n"+string(costOf(t, cmd, 1).out), "\n./", "\n"))
			slices.Sort(want)
			e := errand{Dir: dir, Glob: pattern}
			e.Opts.NoIgnore, e.Opts.VCS = true, true
			got := strings.Fields(string(costOf(t, child(t, e)).out))
			if !slices.Equal(want, got) {
				assert.Fail(t, "not the same", "%s: fd has %d, we have %d: %v", pattern, len(want), len(got), differing(want, got))
			}
		}
	}
	t.Logf("%d globs compared", n)
}

// differing is a few of what only one of two lists has.
func differing(a, b []string) (list []string) {
	for _, pair := range [][2][]string{{a, b}, {b, a}} {
		for _, s := range pair[0] {
			if !slices.Contains(pair[1], s) && len(list) < 10 {
				list = append(list, s)
			}
		}
	}
	return list
}

// TestCost prints what each search costs beside ripgrep or fd, as ratios of the
// processor time of whole processes, taken in turns.
func TestCost(t *testing.T) {
	rounds := 0
	if soak() {
		rounds = 9
	}
	dir := corpora(t)[0]
	for _, c := range []struct {
		what string
		bar  float64
		rg   string
		ours search.Query
	}{
		{"literal, rare", 1.3, "permission denied", search.Query{Pattern: "permission denied"}},
		{"literal, common", 1.3, "func ", search.Query{Pattern: "func "}},
		{"literal", 1.3, "regexp", search.Query{Pattern: "regexp"}},
		{"regex with a literal", 1.5, `func [0-9A-Za-z_]+Err[0-9A-Za-z_]*\(`, search.Query{Pattern: `func \w+Err\w*\(`}},
		{"regex without one", 3, `[A-Z]{3}[a-z]+[0-9]{2}`, search.Query{Pattern: `[A-Z]{3}[a-z]+\d{2}`}},
		{"(?i)", 3, "(?i)permission", search.Query{Pattern: "permission", IgnoreCase: true}},
	} {
		if rounds == 0 {
			break
		}
		e := errand{Dir: dir, Query: c.ours, Quiet: true}
		e.Opts.NoIgnore, e.Opts.VCS, e.Opts.KeepLines = true, true, -1
		x := race(t, rounds, func() *exec.Cmd {
			cmd := exec.Command("rg", "--no-config", "-c", "--no-ignore", "--hidden", "-e", c.rg, ".")
			cmd.Dir = dir
			return cmd
		}, func() *exec.Cmd { return child(t, e) })
		t.Logf("%s: %s, bar %.1fx", c.what, x, c.bar)
	}
	if rounds == 0 {
		return
	}
	many := t.TempDir()
	manyFiles(t, many, 100_000, 100, "x\n")
	e := errand{Dir: many, Glob: "*7.txt"}
	x := race(t, rounds, func() *exec.Cmd {
		cmd := exec.Command("fdfind", "--no-ignore", "--hidden", "-t", "f", "--glob", "*7.txt")
		cmd.Dir = many
		return cmd
	}, func() *exec.Cmd { return child(t, e) })
	t.Logf("glob of 100,000 files: %s, bar 1.5x", x)
}

// race lets two commands take turns and tells how their processor times compare.
func race(t *testing.T, rounds int, floor, ours func() *exec.Cmd) string {
	var a, b []time.Duration
	for range rounds {
		a = append(a, costOf(t, floor(), 1).cpu)
		b = append(b, costOf(t, ours()).cpu)
	}
	slices.Sort(a)
	slices.Sort(b)
	low, high := a[rounds/2], b[rounds/2]
	return fmt.Sprintf("%s over %s, %.2fx (least: %s over %s)", high, low, float64(high)/float64(low), b[0], a[0])
}
