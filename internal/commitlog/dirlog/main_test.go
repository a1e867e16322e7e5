package dirlog_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seamfs/seamfs/internal/commitlog"
	"github.com/seamfs/seamfs/internal/commitlog/dirlog"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// What a process that a test starts does, and where.
const (
	roleVar = "DIRLOG_TEST_ROLE"
	dirVar  = "DIRLOG_TEST_DIR"
	nameVar = "DIRLOG_TEST_NAME"
	opsVar  = "DIRLOG_TEST_OPS"
)

func TestMain(m *testing.M) {
	role := os.Getenv(roleVar)
	if role == "" {
		goleak.VerifyTestMain(m)
		return
	}
	ops, _ := strconv.Atoi(os.Getenv(opsVar))
	if err := roles[role](context.Background(), os.Getenv(dirVar), os.Getenv(nameVar), ops); err != nil {
		fmt.Println("failed", err)
		os.Exit(1)
	}
	os.Exit(0)
}

var roles = map[string]func(ctx context.Context, dir, name string, ops int) error{
	"race":  race,
	"count": count,
	"blobs": blobs,
}

// race tries to win each number, when a line comes, and says which it won.
func race(ctx context.Context, dir, name string, ops int) error {
	l, err := open(ctx, dir)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	for n := range uint64(ops) {
		out, err := l.Commit(ctx, n, commitlog.Record{Body: []byte(name)})
		if err != nil {
			return err
		}
		if out.State == commitlog.Applied {
			fmt.Println("won", out.Seq)
		}
	}
	return nil
}

// count adds ops to a counter that others count too, and says each that is in: a
// body is "client own all".
func count(ctx context.Context, dir, name string, ops int) error {
	l, err := open(ctx, dir)
	if err != nil {
		return err
	}
	var seq uint64
	own, all := 0, 0
	for own < ops {
		out, err := l.Commit(ctx, seq, commitlog.Record{Body: fmt.Appendf(nil, "%s %d %d", name, own+1, all+1)})
		if err != nil {
			return err
		}
		if out.State == commitlog.Applied {
			seq, own, all = out.Seq, own+1, all+1
			fmt.Println("in", own, seq)
			continue
		}
		for rec, err := range l.Read(ctx, seq) {
			if err != nil {
				return err
			}
			seq, all = rec.Seq, all+1
			if f := strings.Fields(string(rec.Body)); f[0] == name {
				own, _ = strconv.Atoi(f[1])
			}
		}
	}
	return nil
}

// blobs puts blobs and says their names.
func blobs(ctx context.Context, dir, name string, ops int) error {
	l, err := open(ctx, dir)
	if err != nil {
		return err
	}
	for i := range ops {
		h, err := l.PutBlob(ctx, []byte(strings.Repeat(fmt.Sprint(name, i), 5000)))
		if err != nil {
			return err
		}
		fmt.Println("blob", h)
	}
	return nil
}

func open(ctx context.Context, dir string) (*commitlog.Log, error) {
	d, err := dirlog.Open(dir, &dirlog.Options{NoSync: os.Getenv("DIRLOG_TEST_NOSYNC") != ""})
	if err != nil {
		return nil, err
	}
	return commitlog.New(d, &commitlog.Options{Ahead: 1}).Open(ctx, "w")
}

// proc is a process that plays a role.
type proc struct {
	*exec.Cmd
	in    io.WriteCloser
	lines chan string // what it says; closed when it has ended
}

func start(t testing.TB, role, dir, name string, ops int, env ...string) *proc {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVar+"="+role, dirVar+"="+dir, nameVar+"="+name, opsVar+"="+strconv.Itoa(ops))
	cmd.Env = append(cmd.Env, env...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	p := &proc{Cmd: cmd, in: in, lines: make(chan string, 1<<16)}
	go func() {
		for s := bufio.NewScanner(out); s.Scan(); {
			p.lines <- s.Text()
		}
		close(p.lines)
	}()
	return p
}

// all returns what the process says to its end, and fails if that was not good.
func (p *proc) all(t testing.TB) (lines []string) {
	t.Helper()
	for line := range p.lines {
		lines = append(lines, line)
	}
	require.NoError(t, p.Wait(), "%v", lines)
	return lines
}

// killAfter kills the process some time after it first says that something is in,
// and returns all that it said.
func (p *proc) killAfter(t testing.TB, d time.Duration) (lines []string) {
	t.Helper()
	lines = append(lines, <-p.lines)
	time.Sleep(d)
	require.NoError(t, p.Process.Kill())
	for line := range p.lines {
		lines = append(lines, line)
	}
	var exit *exec.ExitError
	if err := p.Wait(); err != nil {
		require.True(t, errors.As(err, &exit), "%v", err)
		require.NotContains(t, strings.Join(lines, "\n"), "failed")
	}
	return lines
}
