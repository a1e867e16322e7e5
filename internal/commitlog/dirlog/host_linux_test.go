package dirlog_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seamfs/seamfs/internal/commitlog"
	"github.com/seamfs/seamfs/internal/commitlog/dirlog"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
)

func init() { roles["full"], roles["denied"] = full, denied }

// A disk that is full, a small tmpfs in a mount namespace of its own: a clear
// error, nothing left behind, and all that was acknowledged.
func TestFullDisk(t *testing.T) {
	cmd := exec.Command("unshare", "-rm", "bash", "-euc", `mount -t tmpfs -o size=400k tmpfs "$1"; exec "$0"`, os.Args[0], t.TempDir())
	dir := cmd.Args[len(cmd.Args)-1]
	cmd.Env = append(os.Environ(), roleVar+"=full", dirVar+"="+dir)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "went on", "%s", out)
}

func full(ctx context.Context, dir, _ string, _ int) error {
	d, err := dirlog.Open(dir, nil)
	if err != nil {
		return err
	}
	l, err := commitlog.New(d, nil).Create(ctx, "w", nil)
	if err != nil {
		return err
	}
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 64<<10), 0o600); err != nil {
		return err
	}
	seq, body := uint64(0), strings.Repeat("x", 10<<10)
	for {
		out, err := l.Commit(ctx, seq, commitlog.Record{Body: []byte(body)})
		if err == nil {
			seq++
			continue
		}
		if !errors.Is(err, syscall.ENOSPC) || vfs.CodeOf(err) != vfs.NoSpace || out.State != commitlog.NotApplied {
			return fmt.Errorf("%v: %w", out.State, err)
		}
		break
	}
	if _, err := l.PutBlob(ctx, []byte(strings.Repeat("y", 50<<10))); vfs.CodeOf(err) != vfs.NoSpace {
		return fmt.Errorf("blob: %w", err)
	}
	left, err := os.ReadDir(filepath.Join(dir, "tmp"))
	if err != nil || len(left) > 0 {
		return fmt.Errorf("left %v: %w", left, err)
	}
	n := uint64(0)
	for rec, err := range l.Read(ctx, 0) {
		if n++; err != nil || string(rec.Body) != body {
			return fmt.Errorf("record %d: %w", n, err)
		}
	}
	if n != seq || n < 10 {
		return fmt.Errorf("%d records of %d", n, seq)
	}
	fmt.Println("full after", n)
	if err := os.Remove(ballast); err != nil {
		return err
	}
	if out, err := l.Commit(ctx, seq, commitlog.Record{Body: []byte("small")}); err != nil {
		return fmt.Errorf("there is room again: %v: %w", out.State, err)
	}
	fmt.Println("went on")
	return nil
}

// Where it may not write, an ordinary user reads the log, and is told of the rest.
func TestPermissionDenied(t *testing.T) {
	dir, err := os.MkdirTemp("", "dirlog-denied")
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = exec.Command("chmod", "-R", "u+w", dir).Run()
		_ = os.RemoveAll(dir)
	})
	bin, err := os.ReadFile(os.Args[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "test"), bin, 0o755))
	logs := filepath.Join(dir, "log")
	l := newLog(t, logs)
	_, err = l.Commit(t.Context(), 0, commitlog.Record{Body: []byte("readable")})
	require.NoError(t, err)
	before := files(t, logs)
	require.NoError(t, exec.Command("chmod", "-R", "a=rX", dir).Run())
	cmd := exec.Command(filepath.Join(dir, "test"))
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), roleVar+"=denied", dirVar+"="+logs)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "denied", "%s", out)
	require.Equal(t, before, files(t, logs))
}

func denied(ctx context.Context, dir, _ string, _ int) error {
	l, err := open(ctx, dir)
	if err != nil {
		return err
	}
	for rec, err := range l.Read(ctx, 0) {
		if err != nil || string(rec.Body) != "readable" {
			return fmt.Errorf("read: %w", err)
		}
	}
	out, err := l.Commit(ctx, 1, commitlog.Record{})
	if vfs.CodeOf(err) != vfs.PermissionDenied || out.State != commitlog.NotApplied {
		return fmt.Errorf("commit: %v: %w", out.State, err)
	}
	if _, err := l.PutBlob(ctx, nil); vfs.CodeOf(err) != vfs.PermissionDenied {
		return fmt.Errorf("blob: %w", err)
	}
	if _, err := dirlog.Open(filepath.Join(dir, "below"), nil); vfs.CodeOf(err) != vfs.PermissionDenied {
		return fmt.Errorf("open: %w", err)
	}
	fmt.Println("denied")
	return nil
}

// What is made is for its owner only.
func TestModes(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	dir := filepath.Join(t.TempDir(), "log")
	l := newLog(t, dir)
	_, err := l.PutBlob(t.Context(), []byte("x"))
	require.NoError(t, err)
	require.NoError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := e.Info()
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, path)
		return nil
	}))
}
