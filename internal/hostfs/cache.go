package hostfs

import (
	"sync"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

// factKey is what a stat tells of a content. On a file system with honest
// change times two contents never share one, once the racy window is over.
type factKey struct {
	dev, ino     uint64
	size         int64
	mtime, ctime int64 // ns since the epoch
}

// Racily clean, as git calls it: a change within one tick of the clock of the
// file system, after the digest, would keep the same facts. So a digest is only
// kept when the file had been still for longer than any tick (4 ms at HZ=250,
// 10 ms at HZ=100). And one write call stamps the time before it copies its
// bytes, so a big file must have been still for as long as a slow copy of all of
// it takes.
const (
	racyTick    = 20 * time.Millisecond
	racyPerByte = 10 // ns; 100 MB/s
)

// settled reports whether a digest begun at the time began (ns) can be kept
// under k.
func (k factKey) settled(began int64) bool {
	still := began - max(k.mtime, k.ctime)
	return still > int64(racyTick)+k.size*racyPerByte
}

// digestCache remembers versions by stat facts, for Stat and for nothing else: a
// guard is always checked on a digest of the bytes in hand. It keeps two
// generations of at most half its bound each, so that what is used stays.
type digestCache struct {
	mu       sync.Mutex
	half     int
	young    map[factKey]vfs.Version
	old      map[factKey]vfs.Version
	trusts   sync.Map // dev -> bool: has change times to rely on
	disabled bool
}

const defaultCacheEntries = 16384

func newDigestCache(entries int) *digestCache {
	if entries == 0 {
		entries = defaultCacheEntries
	}
	c := &digestCache{half: max(entries/2, 1), disabled: entries < 0}
	c.young = make(map[factKey]vfs.Version)
	return c
}

// get returns the version that k had, "" when none is known.
func (c *digestCache) get(k factKey) vfs.Version {
	if c.disabled {
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.young[k]; ok {
		return v
	}
	v, ok := c.old[k]
	if ok {
		c.add(k, v)
	}
	return v
}

// put remembers v, the digest begun at the time began of the content that had
// the facts k before; it does nothing when that would not be safe. The function
// trusted tells once per device whether its change times can be relied on.
func (c *digestCache) put(k factKey, v vfs.Version, began int64, trusted func() bool) {
	if c.disabled || !k.settled(began) {
		return
	}
	ok, known := c.trusts.Load(k.dev)
	if !known {
		ok = trusted()
		c.trusts.Store(k.dev, ok)
	}
	if !ok.(bool) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.young[k]; !ok {
		c.add(k, v)
	}
}

func (c *digestCache) add(k factKey, v vfs.Version) {
	if len(c.young) >= c.half {
		c.old, c.young = c.young, make(map[factKey]vfs.Version, c.half)
	}
	c.young[k] = v
}
