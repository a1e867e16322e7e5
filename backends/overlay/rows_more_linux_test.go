package overlay_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const rowsDoc = "../../docs/overlay-rows.md"

// Row 69 is for handles: text tools do not write through a dangling link.
func TestRow69ByPutIsRefused(t *testing.T) {
	for _, low := range lowers {
		l := low.make(t)
		s := newSeam(t, overAs(t, l.reader), false)
		_, err := s.do("w", []string{"dang", "made"})
		assert.Equal(t, vfs.NotRegularFile, vfs.CodeOf(err), low.name)
		_, err = s.do("st", []string{"nowhere"})
		assert.Equal(t, vfs.NotFound, vfs.CodeOf(err), low.name)
	}
}

// Row B1 in full: what changed below has another version, and an edit of what was
// there before is refused. A pinned overlay sees none of it.
func TestRowB1VersionsAndPins(t *testing.T) {
	for _, low := range lowers {
		l := low.make(t)
		s := newSeam(t, overAs(t, l.reader), false)
		pinned, err := overlay.New(ctx, l.reader, &overlay.Options{Pin: true})
		if canPin := l.reader.Caps().Has(vfs.CapSnapshot); canPin {
			require.NoError(t, err, low.name)
		} else {
			require.Equal(t, vfs.Unsupported, vfs.CodeOf(err), low.name)
		}
		f, err := s.target("f", true)
		require.NoError(t, err)
		old, err := s.fs.ReadText(ctx, f)
		require.NoError(t, err)
		_, err = l.beside.do("w", []string{"f", "BASE2"})
		require.NoError(t, err)

		info, err := s.fs.Stat(ctx, f, vfs.WantVersion)
		require.NoError(t, err)
		assert.NotEqual(t, old.Version, info.Version, low.name)
		_, err = s.fs.WriteText(ctx, f, "mine", vfs.WriteOptions{Guard: vfs.ReplaceIfVersion(old.Version)})
		assert.Equal(t, vfs.StaleVersion, vfs.CodeOf(err), low.name)
		_, err = s.fs.WriteText(ctx, f, "mine", vfs.WriteOptions{Guard: vfs.ReplaceIfVersion(info.Version)})
		assert.NoError(t, err, low.name)
		if pinned != nil {
			got, err := contentOf(pinned, "f")
			require.NoError(t, err)
			assert.Equal(t, "base", got, low.name)
		}
	}
}

// docs/overlay-rows.md is what the tests do. With SEAMFS_UPDATE=1 this writes it there.
func TestTheTableOfRowsIsTrue(t *testing.T) {
	body, err := os.ReadFile(rowsDoc)
	require.NoError(t, err)
	const begin, end = "<!-- rows -->\n", "<!-- /rows -->"
	head, rest, found := strings.Cut(string(body), begin)
	require.True(t, found, begin)
	was, tail, found := strings.Cut(rest, end)
	require.True(t, found, end)
	table := rowTable(rows(t))
	if os.Getenv("SEAMFS_UPDATE") != "" {
		require.NoError(t, os.WriteFile(rowsDoc, []byte(head+begin+table+end+tail), 0o644))
		return
	}
	assert.Equal(t, table, was, "run SEAMFS_UPDATE=1 go test -run TableOfRows ./backends/overlay")
}

func rowTable(list []row) string {
	var b strings.Builder
	proven, byMount, changing := 0, 0, 0
	var lines strings.Builder
	for _, r := range list {
		parent, test := "TestRows", "–"
		switch {
		case r.base():
			parent = "TestRowsOfAChangingBase"
			changing++
		case r.doors[0] == "mount":
			byMount++
		default:
			proven++
		}
		if r.doors[0] != "mount" {
			test = fmt.Sprintf("`%s/*/%s`", parent, r.test())
		}
		fmt.Fprintf(&lines, "| %s | %s | %s | %s | %s |\n", r.number, r.name, strings.Join(r.doors, ", "), test, r.why)
	}
	fmt.Fprintf(&b, "%d of %d rows hold over a jail and over memory, and %d of %d of a base that changes; %d waits for the mount.\n\n",
		proven, proven+byMount, changing, changing, byMount)
	b.WriteString("| row | case | door | test | why no other door |\n|---|---|---|---|---|\n")
	return b.String() + lines.String()
}
