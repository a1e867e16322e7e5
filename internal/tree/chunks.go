package tree

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
	"github.com/tidwall/btree"
)

// A large content that is written in place is a persistent tree of its own: a
// write copies the leaves that it touches in part, and the nodes above them. A
// block is one chunk of a version, so a new version digests the blocks that
// changed and no others.
const (
	leafSize  = 16 << 10
	blockSize = content.ChunkSize
)

type leaf [leafSize]byte

// block is a part of a content. A leaf that is missing is zeros. It never
// changes once it is in a tree; digest is that of a whole one, when known.
type block struct {
	leaves [blockSize / leafSize]*leaf
	digest atomic.Pointer[content.ChunkDigest]
}

// chunks is a content by blocks; one that is missing is zeros, or what the lower
// layer has there. Beyond size there is nothing but zeros, which is what makes it
// grow right.
type chunks struct {
	size   int64
	blocks *btree.Map[uint64, *block]

	low     *lowBody // pinned; nil for none
	lowSize int64    // up to where a leaf that is missing is what low has
}

// held is how much of the content is held here.
func (c *chunks) held() int64 {
	if c.low == nil {
		return c.size
	}
	return min(c.size, int64(c.blocks.Len())*blockSize)
}

// onlyBelow reports whether the block at off is that of low, whole.
func (c *chunks) onlyBelow(off int64) bool {
	b, _ := c.blocks.Get(uint64(off / blockSize))
	return b == nil && min(off+blockSize, c.size) <= c.lowSize
}

// lowLeaf fills to with what low has at off, and zeros beyond.
func (c *chunks) lowLeaf(to []byte, off int64) error {
	n := int64(0)
	if c.low != nil {
		n = min(int64(len(to)), max(0, c.lowSize-off))
	}
	clear(to[n:])
	if n == 0 {
		return nil
	}
	got, err := c.low.readAt(to[:n], off)
	if int64(got) < n && (err == nil || errors.Is(err, io.EOF)) {
		err = vfs.Fail(vfs.Conflict, "the file below became shorter")
	}
	if int64(got) == n {
		err = nil
	}
	return err
}

// chunksOf returns flat as chunks, which share its memory but for the last leaf.
func chunksOf(flat string) *chunks {
	c := &chunks{size: int64(len(flat)), blocks: new(btree.Map[uint64, *block])}
	all := flatBytes(flat)
	for i := uint64(0); len(all) > 0; i++ {
		b := new(block)
		for j := range b.leaves {
			if len(all) >= leafSize {
				b.leaves[j] = (*leaf)(all)
				all = all[leafSize:]
				continue
			}
			if len(all) > 0 {
				b.leaves[j] = new(leaf)
				copy(b.leaves[j][:], all)
				all = nil
			}
		}
		c.blocks.Set(i, b)
	}
	return c
}

// read fills to with what is at off, all of which lies within the content.
func (c *chunks) read(to []byte, off int64) error {
	for len(to) > 0 {
		at := int(off % leafSize)
		n := min(len(to), leafSize-at)
		if l := c.leaf(off); l != nil {
			copy(to[:n], l[at:])
		} else if err := c.lowLeaf(to[:n], off); err != nil {
			return err
		}
		to, off = to[n:], off+int64(n)
	}
	return nil
}

func (c *chunks) leaf(off int64) *leaf {
	b, _ := c.blocks.Get(uint64(off / blockSize))
	if b == nil {
		return nil
	}
	return b.leaves[off%blockSize/leafSize]
}

// write returns the content with p at off.
func (c *chunks) write(p []byte, off int64) (*chunks, error) {
	out := &chunks{size: max(c.size, off+int64(len(p))), blocks: copyMap(c.blocks), low: c.low, lowSize: c.lowSize}
	for len(p) > 0 {
		i, at := uint64(off/blockSize), int(off%blockSize)
		n := min(len(p), blockSize-at)
		old, _ := c.blocks.Get(i)
		changed, err := c.writeBlock(old, int64(i)*blockSize, p[:n], at)
		if err != nil {
			return nil, err
		}
		out.blocks.Set(i, changed)
		p, off = p[n:], off+int64(n)
	}
	return out, nil
}

// writeBlock returns the block that begins at base with p at at.
func (c *chunks) writeBlock(b *block, base int64, p []byte, at int) (*block, error) {
	out := new(block)
	if b != nil {
		out.leaves = b.leaves
	}
	for len(p) > 0 {
		l := &out.leaves[at/leafSize]
		if len(p) >= leafSize && at%leafSize == 0 {
			*l = (*leaf)(bytes.Clone(p[:leafSize]))
			p, at = p[leafSize:], at+leafSize
			continue
		}
		changed := new(leaf)
		if *l != nil {
			*changed = **l
		} else if err := c.lowLeaf(changed[:], base+int64(at/leafSize*leafSize)); err != nil {
			return nil, err
		}
		n := copy(changed[at%leafSize:], p)
		*l, p, at = changed, p[n:], at+n
	}
	return out, nil
}

// truncate returns the content cut, or extended by zeros.
func (c *chunks) truncate(size int64) (*chunks, error) {
	out := &chunks{size: size, blocks: copyMap(c.blocks), low: c.low, lowSize: min(c.lowSize, size)}
	if size >= c.size {
		return out, nil
	}
	last := uint64(size / blockSize)
	var gone []uint64
	c.blocks.Ascend(last, func(i uint64, b *block) bool {
		if rest := int(size % blockSize); i == last && rest > 0 {
			out.blocks.Set(i, b.cut(rest))
		} else {
			gone = append(gone, i)
		}
		return true
	})
	for _, i := range gone {
		out.blocks.Delete(i)
	}
	return out, nil
}

// cut returns the block with zeros from n on.
func (b *block) cut(n int) *block {
	out := &block{leaves: b.leaves}
	at := n / leafSize
	if l, rest := out.leaves[at], n%leafSize; l != nil && rest > 0 {
		out.leaves[at] = new(leaf)
		copy(out.leaves[at][:rest], l[:])
		at++
	}
	clear(out.leaves[at:])
	return out
}

var zeroLeaf leaf

var zeroDigest = sync.OnceValue(func() content.ChunkDigest {
	d, _ := new(chunks).sumBlock(new(block), 0, blockSize)
	return d
})

// sumBlock digests the first n bytes of the block that begins at base.
func (c *chunks) sumBlock(b *block, base int64, n int) (content.ChunkDigest, error) {
	parts := make([][]byte, 0, len(b.leaves))
	for j := 0; n > 0; j++ {
		l, off := b.leaves[j], base+int64(j)*leafSize
		if l == nil {
			l = &zeroLeaf
			if c.low != nil && off < c.lowSize {
				l = new(leaf)
				if err := c.lowLeaf(l[:], off); err != nil {
					return content.ChunkDigest{}, err
				}
			}
		}
		parts = append(parts, l[:min(n, leafSize)])
		n -= leafSize
	}
	return content.SumChunk(parts...), nil
}

// sum works out the version anew for the blocks of which no digest is known.
func (c *chunks) sum() (_ vfs.Version, err error) {
	digests := make([]content.ChunkDigest, (c.size+blockSize-1)/blockSize)
	for i := range digests {
		if digests[i], err = c.digest(int64(i)); err != nil {
			return "", err
		}
	}
	return content.SumChunks(digests, c.size), nil
}

func (c *chunks) digest(i int64) (content.ChunkDigest, error) {
	base := i * blockSize
	n := int(min(blockSize, c.size-base))
	b, _ := c.blocks.Get(uint64(i))
	if b == nil {
		if n == blockSize && (c.low == nil || base >= c.lowSize) {
			return zeroDigest(), nil
		}
		return c.sumBlock(new(block), base, n)
	}
	if n < blockSize {
		return c.sumBlock(b, base, n)
	}
	if d := b.digest.Load(); d != nil {
		return *d, nil
	}
	sum, err := c.sumBlock(b, base, n)
	if err == nil {
		b.digest.Store(&sum)
	}
	return sum, err
}
