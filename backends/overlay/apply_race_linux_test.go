package overlay_test

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
)

const editorEnv = "SEAMFS_TEST_EDITOR"

func soaking() bool { return os.Getenv("SEAMFS_SOAK") != "" }

// TestEditor is not a test but somebody else, who edits the files that it is told to
// with the calls that editors and shells make.
func TestEditor(t *testing.T) {
	if os.Getenv(editorEnv) == "" {
		return
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var how, path, text string
		var wait int
		_, err := fmt.Sscan(in.Text(), &how, &path, &text, &wait)
		require.NoError(t, err)
		for end := time.Now().Add(time.Duration(wait) * time.Microsecond); time.Now().Before(end); {
		}
		switch how {
		case "rename":
			require.NoError(t, os.WriteFile(path+".tmp", []byte(text), 0o644))
			require.NoError(t, os.Rename(path+".tmp", path))
		case "append":
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			require.NoError(t, err)
			_, err = f.WriteString(text)
			require.NoError(t, err)
			require.NoError(t, f.Close())
		}
		fmt.Println("edited")
	}
}

// editor starts somebody else.
func editor(t *testing.T) (in io.Writer, out *bufio.Reader) {
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe, "-test.run=^TestEditor$", "-test.timeout=30m")
	cmd.Env = append(os.Environ(), editorEnv+"=1")
	cmd.Stderr = os.Stderr
	w, err := cmd.StdinPipe()
	require.NoError(t, err)
	r, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = w.Close()
		_ = cmd.Wait()
	})
	return w, bufio.NewReader(r)
}

// found looks for a text in all that is beneath a directory, and tells in what file.
func found(t *testing.T, dir, text string) (in string) {
	require.NoError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), text) {
			in = path
		}
		return err
	}))
	return in
}

// Somebody edits a file while it is applied to. Whoever comes first, what they wrote is
// never overwritten in silence: it is what is there, or was before what is there and is
// kept aside or for Undo, or the apply was refused.
func TestRacesWithAnEditor(t *testing.T) {
	rounds := 60
	if soaking() {
		rounds = 10_000
	}
	in, out := editor(t)
	outcomes := map[string]int{}
	for round := range rounds {
		dir := t.TempDir()
		for _, name := range []string{"f", "g"} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("base\n"), 0o644))
		}
		lower := jailed(t, dir)
		o, err := overlay.New(ctx, lower, nil)
		require.NoError(t, err)
		mustApply(t, o, put("f", "overlay\n"))
		switch round % 3 {
		case 0:
			mustApply(t, o, put("g", "overlay\n"))
		case 1:
			mustApply(t, o, remove("g"))
		case 2:
			mustApply(t, o, put("n", "overlay\n"))
		}
		edit := fmt.Sprintf("foreign-%d.", round)
		how := []string{"rename", "append"}[rand.IntN(2)]
		fmt.Fprintln(in, how, filepath.Join(dir, "f"), edit, rand.IntN(1500))
		time.Sleep(time.Duration(rand.IntN(1000)) * time.Microsecond)
		p, err := o.Plan(ctx, overlay.Selection{}, overlay.PlanOptions{})
		require.NoError(t, err)
		_, err = o.ApplyPlan(ctx, p, overlay.ApplyOptions{NoUndo: round%2 == 0})
		_, rerr := out.ReadString('\n')
		require.NoError(t, rerr)
		outcomes[how+", "+raced(t, dir, lower, o, edit, round, err)]++
		require.NoError(t, lower.Close())
		require.NoError(t, os.RemoveAll(dir))
	}
	t.Logf("%d races: %v", rounds, outcomes)
}

// raced says how a race ended, and fails where an edit was lost or half was applied.
func raced(t *testing.T, dir string, lower vfs.Reader, o *overlay.Overlay, edit string, round int, err error) string {
	final := read(t, lower, "f")
	if err != nil {
		code := vfs.CodeOf(err)
		require.Contains(t, []vfs.Code{vfs.StaleVersion, vfs.Conflict}, code, "%v", err)
		require.Contains(t, final, edit, "refused, and the edit is not there")
		require.NotContains(t, final, "overlay", "refused, and applied")
		require.NotContains(t, shown(t, lower), "n")
		if round%3 != 2 {
			require.Equal(t, "base\n", read(t, lower, "g"), "refused, and applied in part")
		}
		require.Equal(t, "overlay\n", read(t, o, "f"))
		return "refused: " + string(code)
	}
	if strings.Contains(final, edit) {
		return "the edit came last"
	}
	require.Equal(t, "overlay\n", final)
	where := found(t, dir, edit)
	require.NotEmpty(t, where, "round %d: %q was overwritten in silence", round, edit)
	return "kept aside"
}
