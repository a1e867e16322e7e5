package race

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/seamfs/seamfs/backends/jail"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var ctx = context.Background()

// makers are the victims: the engines that must hold, and the jails that must not.
var makers = map[string]Maker{
	"openat2": jailed(jail.Openat2),
	"os.Root": jailed(jail.OSRoot),
	"naive1":  func(root string) (Victim, error) { return naive{root: root}, nil },
	"naive2":  func(root string) (Victim, error) { return naive{root: root, resolved: true}, nil },
}

var (
	engines = []string{"openat2", "os.Root"}
	naives  = []string{"naive1", "naive2"}
)

func jailed(engine string) Maker {
	return func(root string) (Victim, error) {
		fsys, err := jail.Open(root, &jail.Options{Engine: engine, NoSync: true})
		if err != nil {
			return nil, err
		}
		return Filesystem(fsys), nil
	}
}

func TestMain(m *testing.M) {
	Child(makers)
	os.Exit(m.Run())
}

const soakEnv = "SEAMFS_SOAK"

func soak() bool { return os.Getenv(soakEnv) == "1" }

// place is an empty directory: for a soak where TMPDIR is, and else in memory where
// there is such a place, since to plant the trees costs ext4 twenty times as much.
func place(t *testing.T) string {
	t.Helper()
	if !soak() {
		if dir, err := os.MkdirTemp("/dev/shm", "seamfs-race"); err == nil {
			t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
			return dir
		}
	}
	return t.TempDir()
}

// figures adds up what one victim came to.
type figures struct {
	combinations, absent, attempts, escaped, escapes, left int
	swaps                                                  uint64
	first                                                  []int
}

func (f figures) String() string {
	slices.Sort(f.first)
	median, last := 0, 0
	if n := len(f.first); n > 0 {
		median, last = f.first[n/2], f.first[n-1]
	}
	return fmt.Sprintf("%d combinations and %d not offered, %d attempts or runs, %d swaps: %d combinations escaped, %d escapes, the first at attempt %d in the median and %d at most", f.combinations, f.absent, f.attempts, f.swaps, f.escaped, f.escapes, median, last)
}

func (f *figures) add(attempts int, swaps uint64, escapes, firstAt, left int) {
	f.combinations++
	f.attempts += attempts
	f.swaps += swaps
	f.escapes += escapes
	f.left += left
	if escapes > 0 {
		f.escaped++
		f.first = append(f.first, firstAt)
	}
}

// C75 to C87 by the swapper: the engines hold, and a jail that checks names does not
// under the same attack.
func TestSwaps(t *testing.T) {
	limit := Limit{Attempts: 50_000, Time: 25 * time.Millisecond}
	teeth := Limit{Attempts: 50_000, Time: 50 * time.Millisecond, First: true}
	if soak() {
		limit.Time, teeth.Time = 3*time.Second, 3*time.Second
	}
	require.GreaterOrEqual(t, len(Ops(40)), 21)
	for _, name := range engines {
		sum := attack(t, name, Ops(40), limit, func(op Op, got Swapped) { holds(t, name, op, got.Escapes, got.First, got.Strange) })
		t.Logf("%s: %s", name, sum)
		assert.Zero(t, sum.left)
	}
	for _, name := range naives {
		sum := attack(t, name, Ops(40), teeth, func(op Op, got Swapped) {
			t.Logf("%s, %s: %d escapes in %d attempts, first at %d", name, op.Name(), got.Escapes, got.Attempts, got.FirstAt)
		})
		t.Logf("%s: %s", name, sum)
		assert.GreaterOrEqual(t, sum.escaped, 15, "%s must escape, or the attack says nothing", name)
	}
}

func holds(t *testing.T, name string, op Op, escapes int, first, strange string) {
	t.Helper()
	assert.Zero(t, escapes, "%s, %s: %s", name, op.Name(), first)
	assert.Empty(t, strange, "%s, %s", name, op.Name())
}

// C51, C88: what is exchanged stays inside but is of another kind, or gone: the
// answer is an ordinary one, and it comes.
func TestSwapsOfKinds(t *testing.T) {
	ops, limit := KindOps(), Limit{Attempts: 50_000, Time: time.Second}
	if !soak() {
		limit.Time = 5 * time.Millisecond
		ops = slices.DeleteFunc(ops, func(o Op) bool { return len(o.Name())%3 != 0 }) // some of each kind
	}
	for _, name := range engines {
		sum := attack(t, name, ops, limit, func(op Op, got Swapped) {
			holds(t, name, op, got.Escapes, got.First, got.Strange)
			usual(t, name, op, got.Codes)
		})
		t.Logf("%s: %s", name, sum)
	}
}

// usual are the answers that C88 allows, and those that a name in the way has.
func usual(t *testing.T, name string, op Op, codes map[vfs.Code]int) {
	t.Helper()
	for code := range codes {
		switch code {
		case "", vfs.NotFound, vfs.NotDirectory, vfs.NotRegularFile, vfs.Conflict, vfs.Busy:
		case vfs.StaleVersion: // of an edit of two files, that one is another by now
			assert.Equal(t, EditTwo, op.Call.Verb, "%s, %s: %v", name, op.Name(), codes)
		case vfs.EditNotFound: // the file was made anew under the one name while the harness looked at the other
			assert.Equal(t, Edit, op.Call.Verb, "%s, %s: %v", name, op.Name(), codes)
		default:
			assert.Fail(t, "no usual answer", "%s, %s: %v", name, op.Name(), codes)
		}
	}
}

func attack(t *testing.T, name string, ops []Op, limit Limit, check func(Op, Swapped)) (sum figures) {
	t.Helper()
	s, err := StartSwapper(t.TempDir())
	require.NoError(t, err)
	defer func() { assert.NoError(t, s.Close()) }()
	for _, op := range ops {
		got, err := s.Attack(ctx, place(t), makers[name], op, limit)
		if absent(t, name, op, err) {
			sum.absent++
			continue
		}
		require.NoError(t, err, "%s, %s", name, op.Name())
		check(op, got)
		sum.add(got.Attempts, got.Swaps, got.Escapes, got.FirstAt, got.Left)
	}
	return sum
}

// absent reports whether the victim does not offer the operation, which is known of
// the engine over os.Root.
func absent(t *testing.T, name string, op Op, err error) bool {
	t.Helper()
	if vfs.CodeOf(err) != vfs.Unsupported {
		return false
	}
	return assert.Equal(t, "os.Root", name, "%v", err) && assert.Contains(t, []Verb{EditTwo, Link}, op.Call.Verb)
}

// C75 to C87 by the stepper: an operation with a swap at each place, and with one and
// its way back at each pair of places.
func TestSteps(t *testing.T) {
	most, teeth := 20, 20
	if soak() {
		most, teeth = 0, 0
	}
	for _, name := range engines {
		sum := step(t, name, Ops(3), most, func(op Op, got Stepped) {
			holds(t, name, op, got.Escapes, got.First, got.Strange)
			assert.Zero(t, got.Left, "%s, %s", name, op.Name())
		})
		t.Logf("%s: %s", name, sum)
	}
	for _, name := range naives {
		sum := step(t, name, Ops(3), teeth, func(Op, Stepped) {})
		t.Logf("%s: %s", name, sum)
		assert.Greater(t, sum.escapes, 100, "%s must escape, or the stepper says nothing", name)
		assert.GreaterOrEqual(t, sum.escaped, 15, "%s", name)
	}
}

// C51, C88 by the stepper.
func TestStepsOfKinds(t *testing.T) {
	ops, most := KindOps(), 0
	if !soak() {
		most = 8
		ops = slices.DeleteFunc(ops, func(o Op) bool { return o.Swap.Name != LeafFIFO.Name && o.Swap.Name != ForFIFO.Name })
	}
	for _, name := range engines {
		sum := step(t, name, ops, most, func(op Op, got Stepped) {
			holds(t, name, op, got.Escapes, got.First, got.Strange)
			usual(t, name, op, got.Codes)
		})
		t.Logf("%s: %s", name, sum)
	}
}

func step(t *testing.T, name string, ops []Op, most int, check func(Op, Stepped)) (sum figures) {
	t.Helper()
	s, err := StartStepper(name)
	require.NoError(t, err)
	defer func() { assert.NoError(t, s.Close()) }()
	for _, op := range ops {
		got, err := s.Run(place(t), op, most)
		if absent(t, name, op, err) {
			sum.absent++
			continue
		}
		require.NoError(t, err, "%s, %s", name, op.Name())
		t.Logf("%s, %s: %d calls, %d runs, %d escapes %s, %v", name, op.Name(), got.Calls, got.Runs, got.Escapes, got.First, got.Codes)
		check(op, got)
		sum.add(got.Runs, 0, got.Escapes, 0, got.Left)
	}
	return sum
}
