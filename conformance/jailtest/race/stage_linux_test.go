package race

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const stagePrefix = ".seamfs-"

// staged returns the names of staging in the directory d of a tree.
func staged(t *testing.T, base string) []string {
	t.Helper()
	list, err := filepath.Glob(base + "/R/d/" + stagePrefix + "*")
	require.NoError(t, err)
	return list
}

// stepOne lets a victim make a call in a fresh tree, with at before each of its
// system calls with a path.
func stepOne(t *testing.T, o order, call Call, prepare func(base string), at func(base string) hook) (string, Result, int, error) {
	t.Helper()
	base := place(t)
	a, err := newArena(base, 1)
	require.NoError(t, err)
	defer a.close()
	prepare(base)
	defer pin()()
	s, err := startStepper(o)
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.open(base))
	r, n, err := s.ask(message{Call: call}, at(base))
	require.Equal(t, a.snapshot, a.look(), "outside")
	return base, r, n, err
}

var writes = []Call{
	{Verb: Put, Name: "d/f", Text: "put"}, {Verb: PutNew, Name: "d/n", Text: "put"},
	{Verb: Edit, Name: "d/f", To: "flip", Text: "flop"}, {Verb: MakeDir, Name: "d/n"},
}

// C89, C91, C92: at no step of a write is there anything of staging that a user may
// enter or read who may not read the result, whatever the umask and the parent
// directory say; where others may write, it is a private directory; and its name
// cannot be guessed.
func TestStagingAtEveryStep(t *testing.T) {
	for _, engine := range engines {
		seen := 0
		for _, under := range []struct {
			umask int
			mode  os.FileMode
		}{{0, 0o755}, {0o77, 0o755}, {0, 0o777 | os.ModeSetgid}} {
			for _, call := range writes {
				what := fmt.Sprintf("%s, %s, umask %o, in %v", engine, call.Verb, under.umask, under.mode)
				shown := map[os.FileMode]bool{} // of files
				base, r, _, err := stepOne(t, order{Victim: engine, Umask: &under.umask}, call, func(base string) {
					require.NoError(t, os.Chmod(base+"/R/d", under.mode))
					require.NoError(t, os.Chmod(base+"/R/d/f", 0o600))
				}, func(base string) hook {
					return func(int, notice) error {
						for _, path := range staged(t, base) {
							seen++
							info, err := os.Lstat(path)
							require.NoError(t, err)
							assert.GreaterOrEqual(t, len(filepath.Base(path)), len(stagePrefix)+26, "%s: a name that could be guessed", what)
							if info.IsDir() {
								assert.Zero(t, info.Mode().Perm()&0o077, what)
								continue
							}
							shown[info.Mode()] = true
							assert.Zero(t, under.mode&0o022, "%s: staging is no directory", what)
						}
						return nil
					}
				})
				require.NoError(t, err)
				require.Empty(t, r.Code, "%s: %s", what, r.Text)
				require.Empty(t, staged(t, base), what)
				info, err := os.Lstat(filepath.Join(base, "R", call.Name))
				require.NoError(t, err)
				for mode := range shown {
					assert.Zero(t, mode.Perm()&^info.Mode().Perm(), "%s: staging shows a %v for a %v", what, mode, info.Mode())
				}
			}
		}
		require.NotZero(t, seen, "%s: staging was never seen", engine)
	}
}

// C90: what stands at the very name that staging is about to take is neither followed
// nor touched.
func TestPlantedStaging(t *testing.T) {
	for _, engine := range engines {
		for _, what := range []string{"a link out", "a directory", "a file"} {
			planted := ""
			call := Call{Verb: Put, Name: "d/f", Text: "put"}
			base, r, _, err := stepOne(t, order{Victim: engine}, call, func(base string) {
				require.NoError(t, os.Chmod(base+"/R/d", 0o777)) // others may write: staging is a directory
			}, func(base string) hook {
				return func(_ int, at notice) error {
					name := at.path(t)
					if at.Nr != unix.SYS_MKDIRAT || planted != "" || !strings.HasPrefix(name, stagePrefix) {
						return nil
					}
					planted = filepath.Join(base, "R/d", name)
					switch what {
					case "a link out":
						return os.Symlink("../../outside", planted)
					case "a directory":
						return errors.Join(os.Mkdir(planted, 0o777), os.Chmod(planted, 0o777))
					default:
						return os.WriteFile(planted, []byte("planted"), 0o666)
					}
				}
			})
			require.NoError(t, err)
			require.NotEmpty(t, planted, "%s made no staging directory", engine)
			assert.Empty(t, r.Code, "%s, %s: %s", engine, what, r.Text)
			assert.Equal(t, []string{planted}, staged(t, base), "%s, %s", engine, what)
			if what == "a directory" {
				list, err := os.ReadDir(planted)
				require.NoError(t, err)
				assert.Empty(t, list, "%s", engine)
			}
		}
	}
}

// path reads the path of the call out of the memory of the victim.
func (n notice) path(t *testing.T) string {
	t.Helper()
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", n.PID))
	require.NoError(t, err)
	defer mem.Close()
	buf := make([]byte, 256)
	size, _ := mem.ReadAt(buf, int64(n.Args[1]))
	name, _, _ := strings.Cut(string(buf[:size]), "\x00")
	return name
}

// C96: killed before each system call with a path, a write leaves the old content or
// the new one, and beside it at most what is named as staging.
func TestKilledAtEveryCall(t *testing.T) {
	stride := 5
	if soak() {
		stride = 1
	}
	for _, engine := range engines {
		ends := map[string]int{}
		for k := 1; ; k += stride {
			base, _, n, err := stepOne(t, order{Victim: engine}, Call{Verb: Put, Name: "d/f", Text: "put"}, func(string) {}, func(string) hook {
				return func(n int, at notice) error {
					if n == k {
						return unix.Kill(int(at.PID), unix.SIGKILL)
					}
					return nil
				}
			})
			if n < k {
				require.NoError(t, err)
				break
			}
			require.Error(t, err)
			body, err := os.ReadFile(base + "/R/d/f")
			require.NoError(t, err)
			require.Contains(t, []string{insideText, "put"}, string(body), "%s, killed before call %d", engine, k)
			ends[string(body)]++
			list, err := os.ReadDir(base + "/R/d")
			require.NoError(t, err)
			for _, e := range list {
				if _, known := dir(insideText)[e.Name()]; !known {
					require.True(t, strings.HasPrefix(e.Name(), stagePrefix), "%s, killed before call %d: %q is left", engine, k, e.Name())
				}
			}
		}
		t.Logf("%s: %v", engine, ends)
		require.NotZero(t, ends[insideText])
	}
}

// C98: the directory is moved away before each call of a write in turn: then a success
// means that the bytes are in it, and a failure that what was there is.
func TestParentMovedAtEveryCall(t *testing.T) {
	for _, engine := range engines {
		moved, stride := map[vfs.Code]int{}, 3
		if soak() {
			stride = 1
		}
		s, err := StartStepper(engine)
		require.NoError(t, err)
		for k := 1; ; k += stride {
			base := place(t)
			a, err := newArena(base, 1)
			require.NoError(t, err)
			require.NoError(t, s.open(base))
			r, n, err := s.ask(message{Call: Call{Verb: Put, Name: "d/f", Text: "put"}}, func(n int, _ notice) error {
				if n == k {
					return os.Rename(base+"/R/d", base+"/R/gone")
				}
				return nil
			})
			require.NoError(t, err)
			require.Equal(t, a.snapshot, a.look(), "outside")
			a.close()
			if n < k {
				break
			}
			moved[r.Code]++
			body, err := os.ReadFile(base + "/R/gone/f")
			require.NoError(t, err)
			want := map[bool]string{true: "put", false: insideText}[r.Code == ""]
			assert.Equal(t, want, string(body), "%s, moved before call %d of %d: %s %s", engine, k, n, r.Code, r.Text)
			left, err := filepath.Glob(base + "/R/gone/" + stagePrefix + "*")
			require.NoError(t, err)
			assert.Empty(t, left, "%s, moved before call %d", engine, k)
			if _, err := os.Lstat(base + "/R/d"); err == nil {
				assert.Fail(t, "the directory was made again", "%s, moved before call %d", engine, k)
			}
		}
		require.NoError(t, s.Close())
		t.Logf("%s: %v", engine, moved)
	}
}
