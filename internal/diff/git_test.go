package diff

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/seamfs/seamfs/internal/ratio"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shapes are the six pairs of texts of 100,000 lines that DESIGN §12 measures.
func shapes() []shape {
	random := rand.New(rand.NewPCG(6, 24))
	base := make([]string, 100_000)
	for i := range base {
		base[i] = fmt.Sprintf("line %06d %012x\n", i, random.Uint64()>>16)
	}
	fresh := func() string { return fmt.Sprintf("new line   %012x\n", random.Uint64()>>16) }
	repetitive := make([]string, len(base))
	for i := range repetitive {
		repetitive[i] = fmt.Sprintf("row of a table, kind %02d\n", random.IntN(50))
	}
	rewritten := make([]string, len(base))
	for i := range rewritten {
		rewritten[i] = fresh()
	}
	moved := append(append(append([]string{}, base[:20_000]...), base[50_000:90_000]...), base[20_000:50_000]...)
	moved = append(moved, base[90_000:]...)
	return []shape{
		{"10 edits", base, edited(random, base, 10, fresh)},
		{"200 edits", base, edited(random, base, 200, fresh)},
		{"5000 edits", base, edited(random, base, 5000, fresh)},
		{"30000 lines moved", base, moved},
		{"rewritten", base, rewritten},
		{"repetitive, 10 edits", repetitive, edited(random, repetitive, 10, fresh)},
	}
}

type shape struct {
	name string
	a, b []string
}

// edited inserts, removes and replaces lines, as many of each, at n places.
func edited(random *rand.Rand, list []string, n int, fresh func() string) []string {
	kinds := map[int]int{}
	for len(kinds) < n {
		kinds[random.IntN(len(list))] = len(kinds) % 3
	}
	var out []string
	for i, line := range list {
		kind, ok := kinds[i]
		switch {
		case !ok:
			out = append(out, line)
		case kind == 0:
			out = append(out, line, fresh())
		case kind == 1:
			out = append(out, fresh())
		}
	}
	return out
}

// write puts a shape into two files.
func (s shape) write(t testing.TB) (a, b string) {
	t.Helper()
	dir := t.TempDir()
	for i, list := range [][]string{s.a, s.b} {
		var content bytes.Buffer
		for _, line := range list {
			content.WriteString(line)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), content.Bytes(), 0o600))
	}
	return filepath.Join(dir, "0"), filepath.Join(dir, "1")
}

// gitDiff is `git diff --histogram` as a process.
func gitDiff(a, b string, more ...string) ([]byte, error) {
	args := append([]string{"diff", "--no-index", "--histogram", "--no-color"}, more...)
	cmd := exec.Command("git", append(args, a, b)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 { // they differ
		return out, nil
	}
	return out, err
}

// ours does the same work: reads both files, compares them, and writes the hunks.
func ours(a, b string) (*Diff, []byte, error) {
	before, err := os.ReadFile(a)
	if err != nil {
		return nil, nil, err
	}
	after, err := os.ReadFile(b)
	if err != nil {
		return nil, nil, err
	}
	d := Compute(before, after)
	return d, d.Unified(nil, d.Hunks(DefaultContext)), nil
}

// TestNoMoreLinesThanGit holds the result against that of git on the six shapes: at most 1.05 times the lines.
func TestNoMoreLinesThanGit(t *testing.T) {
	for _, s := range shapes() {
		t.Run(s.name, func(t *testing.T) {
			a, b := s.write(t)
			out, err := gitDiff(a, b, "--numstat")
			require.NoError(t, err)
			var added, removed int
			_, err = fmt.Sscan(string(out), &added, &removed)
			require.NoError(t, err, "%s", out)
			d, _, err := ours(a, b)
			require.NoError(t, err)
			require.Equal(t, string(d.b.text), string(apply(d.a.text, d.b.text, d.Edits())))
			mine, gone := d.Stat()
			t.Logf("git +%d -%d, ours +%d -%d", added, removed, mine, gone)
			assert.Positive(t, added+removed)
			assert.LessOrEqual(t, float64(mine+gone), 1.05*float64(added+removed))
		})
	}
}

// TestGitWritesTheSameBody: where there is one least difference, the text is that of git to the byte, but for the
// heading that git puts behind "@@".
func TestGitWritesTheSameBody(t *testing.T) {
	heading := regexp.MustCompile(`(?m)^(@@ .* @@).*$`)
	for _, s := range shapes()[:3] {
		t.Run(s.name, func(t *testing.T) {
			a, b := s.write(t)
			out, err := gitDiff(a, b)
			require.NoError(t, err)
			_, body, err := ours(a, b)
			require.NoError(t, err)
			want := heading.ReplaceAll(out[bytes.Index(out, []byte("@@")):], []byte("$1"))
			assert.True(t, bytes.Equal(want, body))
		})
	}
}

// BenchmarkRatio is the row of DESIGN §12: at most 1.5 times the time.
//
//	go test -run '^$' -bench Ratio -benchtime 1x ./internal/diff
func BenchmarkRatio(b *testing.B) {
	for _, s := range shapes() {
		b.Run(s.name, func(b *testing.B) {
			old, new := s.write(b)
			ratio.Of(b, 1, func() error {
				_, err := gitDiff(old, new)
				return err
			}, func() error {
				_, _, err := ours(old, new)
				return err
			})
		})
	}
}
