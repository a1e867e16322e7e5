package overlay_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seamfs/seamfs/backends/jail"
	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/vfs"
)

const applyFiles = 2000

func applyFile(i int) vfs.Place { return vfs.Place(fmt.Sprintf("d%d/f%d", i%40, i)) }

func benchText(round, i int) string {
	half := strings.Repeat("a line of the file\n", 53)
	return half + fmt.Sprintf("line of round %d in %d\n", round%2, i) + half
}

func benchTree(b *testing.B, dir string, round int) {
	for i := range applyFiles {
		path := filepath.Join(dir, string(applyFile(i)))
		must(b, os.MkdirAll(filepath.Dir(path), 0o755))
		must(b, os.WriteFile(path, []byte(benchText(round, i)), 0o644))
	}
}

// benchPatch writes the patch from one round to the next.
func benchPatch(b *testing.B) string {
	top := b.TempDir()
	benchTree(b, filepath.Join(top, "a"), 0)
	benchTree(b, filepath.Join(top, "b"), 1)
	cmd := exec.Command("git", "diff", "--no-index", "--no-prefix", "a", "b")
	cmd.Dir = top
	out, _ := cmd.Output() // it exits with 1 where there are differences
	patch := filepath.Join(top, "patch")
	must(b, os.WriteFile(patch, out, 0o644))
	return patch
}

// BenchmarkApply plans and applies a change of a line in each of 2,000 files of 2 KiB,
// in 40 directories, beside git apply of the same patch, which syncs nothing, and is
// neither all or nothing nor to be undone. The two take turns; what is told is the ratio
// of the medians. The bar is 2, without sync.
func BenchmarkApply(b *testing.B) {
	for _, way := range []struct {
		name         string
		sync, noUndo bool
	}{{"no sync", false, false}, {"no sync, no undo", false, true}, {"synced", true, false}} {
		b.Run(way.name, func(b *testing.B) {
			theirs, ours, patch := b.TempDir(), b.TempDir(), benchPatch(b)
			benchTree(b, theirs, 0)
			benchTree(b, ours, 0)
			lower, err := jail.New(ours, &jail.Options{NoSync: !way.sync})
			must(b, err)
			defer func() { _ = lower.Close() }()
			var git, seamfs []time.Duration
			for round := range 7 {
				git = append(git, benchGit(b, theirs, patch, round))
				seamfs = append(seamfs, benchApply(b, lower, round+1, way.noUndo))
			}
			slices.Sort(git)
			slices.Sort(seamfs)
			b.ReportMetric(0, "ns/op") // of a whole run, which means nothing
			b.ReportMetric(float64(git[3].Microseconds())/1e3, "ms/git")
			b.ReportMetric(float64(seamfs[3].Microseconds())/1e3, "ms/ours")
			b.ReportMetric(float64(seamfs[3])/float64(git[3]), "x-git")
		})
	}
}

func benchGit(b *testing.B, dir, patch string, round int) time.Duration {
	args := []string{"apply", "-p1"}
	if round%2 == 1 {
		args = append(args, "-R")
	}
	cmd := exec.Command("git", append(args, patch)...)
	cmd.Dir = dir
	began := time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(began)
	if err != nil {
		b.Fatalf("%s", out)
	}
	return took
}

func benchApply(b *testing.B, lower vfs.Reader, round int, noUndo bool) time.Duration {
	o, err := overlay.New(ctx, lower, nil)
	must(b, err)
	var list []vfs.Change
	for i := range applyFiles {
		list = append(list, put(applyFile(i), benchText(round, i)))
	}
	_, err = o.Apply(ctx, list)
	must(b, err)
	began := time.Now()
	p, err := o.Plan(ctx, overlay.Selection{}, overlay.PlanOptions{})
	must(b, err)
	_, err = o.ApplyPlan(ctx, p, overlay.ApplyOptions{NoUndo: noUndo})
	must(b, err)
	took := time.Since(began)
	if err := o.Undo(ctx); !noUndo && err == nil { // nothing is kept for ever
		_, err = o.ApplyPlan(ctx, mustPlan(b, o), overlay.ApplyOptions{NoUndo: true})
		must(b, err)
	}
	return took
}

func mustPlan(b *testing.B, o *overlay.Overlay) *overlay.Plan {
	p, err := o.Plan(ctx, overlay.Selection{}, overlay.PlanOptions{})
	must(b, err)
	return p
}
