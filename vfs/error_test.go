package vfs_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCodeOf(t *testing.T) {
	for _, c := range []struct {
		err  error
		want vfs.Code
	}{
		{nil, ""},
		{vfs.StaleVersion, vfs.StaleVersion},
		{fmt.Errorf("wrapped: %w", vfs.Busy), vfs.Busy},
		{&vfs.Error{Code: vfs.TooLarge}, vfs.TooLarge},
		{context.Canceled, vfs.Aborted},
		{context.DeadlineExceeded, vfs.Aborted},
		{&fs.PathError{Op: "open", Path: "x", Err: syscall.ENOENT}, vfs.NotFound},
		{os.NewSyscallError("read", syscall.EISDIR), vfs.NotRegularFile},
		{syscall.ENOTDIR, vfs.NotDirectory},
		{syscall.EROFS, vfs.PermissionDenied},
		{syscall.EDQUOT, vfs.NoSpace},
		{syscall.EMFILE, vfs.Busy},
		{syscall.ELOOP, vfs.LinkLoop},
		{syscall.ENAMETOOLONG, vfs.InvalidArgument},
		{syscall.EIO, vfs.IOError},
		{syscall.EXDEV, vfs.IOError}, // means nothing without the step that met it
		{fs.ErrNotExist, vfs.NotFound},
		{fs.ErrExist, vfs.Exists},
		{fs.ErrPermission, vfs.PermissionDenied},
		{fs.ErrClosed, vfs.Closed},
		{errors.New("what"), vfs.IOError},
	} {
		assert.Equal(t, c.want, vfs.CodeOf(c.err), "%v", c.err)
	}
}

func TestErrorsShowSentinelsAndNothingOfTheHost(t *testing.T) {
	secret := &fs.PathError{Op: "open", Path: "/secret/outside", Err: syscall.EACCES}
	p := mem.New(&mem.Options{Fault: func(step string, _ vfs.Place) error {
		if step == "open" {
			return secret
		}
		return nil
	}})
	f, err := vfs.New(p, vfs.Options{Base: "/w"})
	require.NoError(t, err)
	target, err := f.Resolve(t.Context(), "f", vfs.ResolveOptions{})
	require.NoError(t, err)
	_, err = f.ReadText(t.Context(), target)
	require.Error(t, err)
	assert.ErrorIs(t, err, fs.ErrPermission)
	assert.ErrorIs(t, err, vfs.PermissionDenied)
	assert.NotContains(t, err.Error(), "secret")
	var host *fs.PathError
	assert.False(t, errors.As(err, &host), "the host's error must not be reached by errors.As")
	assert.Equal(t, secret, vfs.Cause(err))
	assert.Equal(t, `cannot read "/w/f": permission denied`, err.Error())
}

func TestDeadlineIsToldApart(t *testing.T) {
	f, err := vfs.New(mem.New(nil), vfs.Options{})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), -1)
	defer cancel()
	_, err = f.Resolve(ctx, "f", vfs.ResolveOptions{})
	assert.ErrorIs(t, err, vfs.Aborted)
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.NotErrorIs(t, err, context.Canceled)
}

func TestMessagesAreBoundedAndOnOneLine(t *testing.T) {
	f, err := vfs.New(mem.New(nil), vfs.Options{})
	require.NoError(t, err)
	for _, name := range []string{"a\nb", "a\x1b[2J", "r\u202es", "x\xff", strings.Repeat("ä/", 1500) + "x", "a</path>"} {
		target, err := f.Resolve(t.Context(), name, vfs.ResolveOptions{})
		if err == nil {
			_, err = f.ReadText(t.Context(), target)
		}
		require.Error(t, err)
		message := err.Error()
		assert.Less(t, len(message), 2048)
		for _, bad := range []string{"\n", "\x1b", "\u202e", "\xff", "</path>"} {
			assert.NotContains(t, message, bad, "%q", name)
		}
	}
}
