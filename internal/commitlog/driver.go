package commitlog

import (
	"context"
	"errors"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// Driver is the store below. Keys are slash-separated, of lower-case ASCII letters,
// digits, and "=", "_", "-", "." within a component ([ValidKey]), so that they mean
// the same where case is folded. Methods may be called from several goroutines and
// processes at once.
type Driver interface {
	// Create stores data under key if there is nothing, whole or not at all; it is
	// durable when Create returns nil. It fails with [vfs.Exists] when the key is
	// there. Any other error leaves open whether the key was created, now or later,
	// unless it is marked by [Refused]. One call sends one request: it does not
	// retry, since a second try would find the first one's key.
	Create(ctx context.Context, key string, data []byte) error
	// Get returns n bytes from off, fewer where the value ends before that, all to
	// the end if n is negative; [vfs.NotFound] when there is no such key. It sees
	// every Create that returned before it was called, of whatever process. A
	// driver may try again what failed, here and in List.
	Get(ctx context.Context, key string, off, n int64) ([]byte, error)
	// List returns the first limit keys that begin with prefix and are greater than
	// after, in the order of their bytes; fewer only if there are no more, so a
	// driver that gets less at a time asks several times. It sees what Get sees.
	List(ctx context.Context, prefix, after string, limit int) ([]string, error)
	// Put stores data under key whatever is there. It is used for hints, which may
	// be stale or lost.
	Put(ctx context.Context, key string, data []byte) error
	// Delete removes key; it is no error if there is none.
	Delete(ctx context.Context, key string) error
}

// Refused marks an error of [Driver.Create] that promises that nothing was
// created, and that nothing will be by that call.
func Refused(err error) error { return &refused{err} }

type refused struct{ error }

func (r *refused) Unwrap() error { return r.error }

func isRefused(err error) bool {
	var r *refused
	return errors.As(err, &r)
}

// ValidKey reports whether key is one that this package makes: no driver needs to
// look further to be safe from names such as "..".
func ValidKey(key string) bool {
	for part := range strings.SplitSeq(key, "/") {
		if part == "" || part[0] == '.' || len(part) > vfs.MaxNameBytes {
			return false
		}
		for i := range len(part) {
			if c := part[i]; !plain(c) && c != '=' && c != '.' {
				return false
			}
		}
	}
	return true
}

func isNotFound(err error) bool { return errors.Is(err, vfs.NotFound) }
