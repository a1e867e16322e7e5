// Package memlog keeps a commit log in memory, for tests and for sessions that
// need not outlive their process, and makes any driver as unreliable as a network.
//
// # Limits
//
// What it keeps is lost with the process, and no other process sees it.
package memlog

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/seamfs/seamfs/internal/commitlog"
	"github.com/seamfs/seamfs/vfs"
	"github.com/tidwall/btree"
)

// Driver is a [commitlog.Driver] in memory. Several stores may be over one.
type Driver struct {
	mu   sync.RWMutex
	keys btree.Map[string, []byte]
}

var _ commitlog.Driver = (*Driver)(nil)

// New returns a driver that holds nothing.
func New() *Driver { return &Driver{} }

// Create stores data under a key that is not there.
func (d *Driver) Create(ctx context.Context, key string, data []byte) error {
	return d.set(ctx, key, data, true)
}

// Put stores data under a key.
func (d *Driver) Put(ctx context.Context, key string, data []byte) error {
	return d.set(ctx, key, data, false)
}

func (d *Driver) set(ctx context.Context, key string, data []byte, absent bool) error {
	if err := ctx.Err(); err != nil {
		return commitlog.Refused(err)
	}
	if !commitlog.ValidKey(key) {
		return commitlog.Refused(vfs.InvalidArgument)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, there := d.keys.Get(key); there && absent {
		return vfs.Exists
	}
	d.keys.Set(key, slices.Clone(data))
	return nil
}

// Get returns a part of what is under a key, as a copy.
func (d *Driver) Get(ctx context.Context, key string, off, n int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d.mu.RLock()
	defer d.mu.RUnlock()
	data, ok := d.keys.Get(key)
	if !ok {
		return nil, vfs.NotFound
	}
	data = data[min(max(off, 0), int64(len(data))):]
	if n >= 0 {
		data = data[:min(n, int64(len(data)))]
	}
	return slices.Clone(data), nil
}

// List returns the next keys of a prefix.
func (d *Driver) List(ctx context.Context, prefix, after string, limit int) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d.mu.RLock()
	defer d.mu.RUnlock()
	var keys []string
	d.keys.Ascend(max(prefix, after), func(key string, _ []byte) bool {
		if key <= after {
			return true
		}
		if !strings.HasPrefix(key, prefix) {
			return false
		}
		keys = append(keys, key)
		return len(keys) < limit
	})
	return keys, nil
}

// Delete removes a key.
func (d *Driver) Delete(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.keys.Delete(key)
	return nil
}
