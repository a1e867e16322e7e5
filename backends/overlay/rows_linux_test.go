package overlay_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/conformance"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// row is one of the case table.
type row struct {
	number, name string
	ops          []string
	want         string // what is seen, and what fails
	doors        []string
	why          string
}

// rows reads testdata/rows.txt.
func rows(t *testing.T) []row {
	body, err := os.ReadFile("testdata/rows.txt")
	require.NoError(t, err)
	var list []row
	for line := range strings.Lines(string(body)) {
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		cells := strings.Split(line, " |")
		require.Len(t, cells, 6, line)
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		ops := strings.Split(cells[2], ";")
		for i := range ops {
			ops[i] = strings.TrimSpace(ops[i])
		}
		list = append(list, row{cells[0], cells[1], ops, cells[3], strings.Fields(cells[4]), cells[5]})
	}
	return list
}

// base says that the row is about a lower layer that changes underneath.
func (r row) base() bool { return r.number[0] == 'B' }

// test is the name of the test of a row, without that of the lower layer and the door.
func (r row) test() string { return fmt.Sprintf("%03s", r.number) }

// world is something that the operations of a row are made on.
type world interface {
	do(op string, args []string) (string, error)
	code(err error) string
	close()
}

// play makes the operations of a row on w, those that begin with L on lower, and
// returns what each came to.
func (r row) play(w, lower world) []string {
	defer w.close()
	seen := make([]string, len(r.ops))
	for i, op := range r.ops {
		words, on := strings.Fields(op), w
		if strings.HasPrefix(words[0], "L") {
			words[0], on = words[0][1:], lower
		}
		got, err := on.do(words[0], words[1:])
		if err != nil {
			got = on.code(err)
		}
		seen[i] = got
	}
	return seen
}

// shown joins what was seen as the table does.
func (r row) shown(seen []string) string {
	var list []string
	for i, got := range seen {
		if got != "" {
			list = append(list, r.ops[i]+"=>"+got)
		}
	}
	return strings.Join(list, "; ")
}

// lower is a lower layer with the fixture, and how it is changed underneath.
type lower struct {
	reader vfs.Reader
	beside world       // changes it underneath
	exact  func() dump // all that is in it
}

// lowers are the kinds of lower layers that every row is over.
var lowers = []struct {
	name string
	make func(tb conformance.TB) lower
}{
	{"jail", func(tb conformance.TB) lower {
		dir := fixture(tb)
		return lower{hostDir(tb, dir), newDisk(dir), func() dump { return dumpDir(tb, dir, exactly) }}
	}},
	{"mem", func(tb conformance.TB) lower {
		p := memOf(tb, fixture(tb))
		return lower{p, newSeam(tb, p, true), func() dump { return dumpReader(tb, p, exactly) }}
	}},
}

// overAs is an overlay that acts for whoever runs the test, as the kernel does.
func overAs(tb conformance.TB, lower vfs.Reader) *overlay.Overlay {
	o, err := overlay.New(ctx, lower, &overlay.Options{User: &overlay.User{UID: os.Geteuid(), GID: os.Getegid()}})
	must(tb, err)
	return o
}

// rootOnly are the rows in which the table has what only root may do.
var rootOnly = []string{"13"}

// TestRows makes the operations of each row on an overlay and on a real directory with
// the same fixture: both must show the same, step by step and in the end, and what the
// table says; and the lower layer must not have changed.
func TestRows(t *testing.T) {
	for _, low := range lowers {
		for _, r := range rows(t) {
			for _, door := range r.doors {
				if r.base() || door == "mount" {
					continue
				}
				t.Run(low.name+"/"+r.test()+"/"+door, func(t *testing.T) { r.hold(t, low.make(t), door) })
			}
		}
	}
}

func (r row) hold(t *testing.T, low lower, door string) {
	before := low.exact()
	o := overAs(t, low.reader)
	began := time.Now()
	seen := r.play(newSeam(t, o, door == "handle"), nil)

	dir := fixture(t)
	oracle := r.play(newDisk(dir), nil)
	assert.Equal(t, r.shown(oracle), r.shown(seen), "row %s, %s: what the disk shows, and what the overlay does", r.number, r.name)
	if os.Geteuid() == 0 || !slices.Contains(rootOnly, r.number) {
		assert.Equal(t, r.want, r.shown(seen), "row %s, %s: what the table says, and what the overlay shows", r.number, r.name)
	}

	when := func(at time.Time) string { return age(at, began) }
	if door == "api" {
		when = nil // a Put changes the time of the directory, as a rename does
	}
	assert.Equal(t, dumpDir(t, dir, when).String(), dumpReader(t, o, when).String(), "row %s: the trees in the end", r.number)
	assert.Equal(t, before.String(), low.exact().String(), "row %s: the lower layer", r.number)

	changes, err := o.Changes(ctx)
	require.NoError(t, err)
	same := dumpDir(t, fixture(t), nil).String() == dumpReader(t, o, nil).String()
	assert.Equal(t, same, len(changes) == 0, "row %s: the tree is that of the fixture: %v; the changes: %v", r.number, same, changes)
	for _, number := range []string{"1", "2", "14", "15"} {
		assert.False(t, number == r.number && !same, "row %s leaves no change", number)
	}
}

// TestRowsOfAChangingBase holds the rows in which the lower layer changes underneath.
func TestRowsOfAChangingBase(t *testing.T) {
	for _, low := range lowers {
		for _, r := range rows(t) {
			for _, door := range r.doors {
				if !r.base() {
					continue
				}
				t.Run(low.name+"/"+r.test()+"/"+door, func(t *testing.T) {
					under := low.make(t)
					seen := r.play(newSeam(t, overAs(t, under.reader), door == "handle"), under.beside)
					assert.Equal(t, r.want, r.shown(seen), "row %s, %s", r.number, r.name)
				})
			}
		}
	}
}

// The oracle is not blind: it shows what the table says, and a tree that was changed
// is another one.
func TestTheOracleKnowsTheTable(t *testing.T) {
	for _, r := range rows(t) {
		if r.base() || slices.Equal(r.doors, []string{"mount"}) || os.Geteuid() != 0 && slices.Contains(rootOnly, r.number) {
			continue
		}
		assert.Equal(t, r.want, r.shown(r.play(newDisk(fixture(t)), nil)), "row %s", r.number)
	}
	dir := fixture(t)
	before, inMemory := dumpDir(t, dir, exactly), dumpReader(t, memOf(t, dir), exactly)
	assert.Equal(t, before.String(), inMemory.String())
	require.NoError(t, os.Chtimes(dir+"/d/sub/c", time.Time{}, fixtureTime.Add(1)))
	assert.NotEqual(t, before.String(), dumpDir(t, dir, exactly).String())
}
