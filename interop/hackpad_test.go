package interop_test

import (
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hack-pad/hackpadfs"
	"github.com/hack-pad/hackpadfs/fstest"
	"github.com/seamfs/seamfs/interop"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hackpadSkips are the facets of hackpadfs's suite that are skipped, per backend:
// none. The suite skips in silence what answers ErrNotImplemented, so the list
// is held against what it reports.
var hackpadSkips = map[string][]string{"mem": nil, "local": nil, "no-handles": nil}

func TestHackpadSuite(t *testing.T) {
	for _, b := range backends {
		var record struct {
			sync.Mutex
			ran     int
			skipped []string
		}
		// The suite runs in parallel subtests, which are over when this one is. What
		// it returns of its skips is from before they began.
		t.Run(b.name, func(t *testing.T) {
			options := fstest.FSOptions{
				Name: b.name,
				TestFS: func(tb testing.TB) fstest.SetupFS {
					tb.Cleanup(func() {
						record.Lock()
						defer record.Unlock()
						record.ran++
						if s := interface{ Skipped() bool }(tb); s.Skipped() {
							record.skipped = append(record.skipped, tb.Name())
						}
					})
					return interop.Hackpad(b.open(tb)).(fstest.SetupFS)
				},
				// Its documentation says that 0 checks all bits; it checks none.
				Constraints: fstest.Constraints{FileModeMask: 0o777},
			}
			fstest.FS(t, options)
			fstest.File(t, options)
		})
		assert.Equal(t, hackpadSkips[b.name], record.skipped, "%s: exactly what is declared is skipped", b.name)
		assert.Equal(t, 120, record.ran, "%s: filesystems that the suite has asked for", b.name)
	}
}

// What the suite does not ask for: see notes in the repository's docs.
func TestHackpadBeyondItsSuite(t *testing.T) {
	eachBackend(t, func(t *testing.T, f *vfs.FS) {
		h := interop.Hackpad(f)
		put(t, f, map[string]string{"d/f": "x", "full/x": "y", "empty/": ""})
		require.NoError(t, hackpadfs.Rename(h, "d/f", "g"))
		_, err := hackpadfs.Stat(h, "d/f")
		assert.ErrorIs(t, err, fs.ErrNotExist, "a rename leaves nothing behind")
		assert.ErrorIs(t, hackpadfs.Rename(h, "d", "d/in/itself"), hackpadfs.ErrInvalid)
		assert.ErrorIs(t, hackpadfs.Rename(h, "g", "full"), hackpadfs.ErrExist)
		assert.ErrorIs(t, hackpadfs.Rename(h, "g", "none/g"), hackpadfs.ErrNotExist)
		_, err = hackpadfs.OpenFile(h, "g", hackpadfs.FlagWriteOnly|hackpadfs.FlagCreate|hackpadfs.FlagExclusive, 0o600)
		assert.ErrorIs(t, err, hackpadfs.ErrExist)

		require.NoError(t, hackpadfs.Symlink(h, "../g", "d/l"))
		body, err := fs.ReadLink(h, "d/l")
		require.NoError(t, err)
		assert.Equal(t, "../g", body)
		info, err := hackpadfs.Lstat(h, "d/l")
		require.NoError(t, err)
		assert.Equal(t, fs.ModeSymlink, info.Mode().Type())
		b, err := hackpadfs.ReadFile(h, "d/l")
		require.NoError(t, err)
		assert.Equal(t, "x", string(b))
		err = hackpadfs.Symlink(h, "g", "d/l")
		assert.ErrorIs(t, err, hackpadfs.ErrExist)

		sub, err := hackpadfs.Sub(h, "d")
		require.NoError(t, err)
		require.NoError(t, hackpadfs.WriteFullFile(sub, "new", []byte("n"), 0o640))
		require.NoError(t, hackpadfs.Rename(sub, "new", "newer"))
		require.NoError(t, hackpadfs.MkdirAll(sub, "p/q", 0o750))
		for name, want := range map[string]fs.FileMode{"d/newer": 0o640, "d/p": 0o750 | fs.ModeDir, "d/p/q": 0o750 | fs.ModeDir} {
			info, err := hackpadfs.Stat(h, name)
			require.NoError(t, err)
			assert.Equal(t, want, info.Mode(), name)
		}
		assert.ErrorIs(t, hackpadfs.Remove(h, "."), hackpadfs.ErrInvalid)
		assert.ErrorIs(t, hackpadfs.RemoveAll(h, "."), hackpadfs.ErrInvalid)
		assert.ErrorIs(t, hackpadfs.RemoveAll(sub, "."), hackpadfs.ErrInvalid)
		assert.ErrorIs(t, hackpadfs.Rename(sub, ".", "x"), hackpadfs.ErrInvalid)
		require.NoError(t, hackpadfs.Chown(h, "g", -1, -1))
		names := []string{}
		require.NoError(t, fs.WalkDir(h, ".", func(p string, _ fs.DirEntry, err error) error {
			names = append(names, p)
			return err
		}))
		slices.Sort(names)
		assert.Equal(t, ". d d/l d/newer d/p d/p/q empty full full/x g", strings.Join(names, " "))
	})
}
