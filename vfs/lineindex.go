package vfs

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/seamfs/seamfs/internal/text"
)

const (
	indexedFrom = 4 << 20 // bytes of a text from which its index is kept
	indexesKept = 64      // of at most 64 KiB each
)

// Steady is what a [File] may also be: one that can tell, in one step, that its
// content is still what it was when the file was opened. Only with it does a
// known version speak of bytes that are read later, and a window deep in a large
// file need not be reached through all that is before it.
type Steady interface {
	Unchanged() (bool, error)
}

// lineIndexes remembers, by version, where the lines of large texts begin. The
// oldest goes first.
type lineIndexes struct {
	mu    sync.Mutex
	byV   map[Version]*text.Index
	order []Version
}

func (l *lineIndexes) get(v Version) *text.Index {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byV[v]
}

func (l *lineIndexes) put(v Version, x *text.Index) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byV == nil {
		l.byV = make(map[Version]*text.Index)
	}
	if l.byV[v] == nil {
		l.order = append(l.order, v)
	}
	l.byV[v] = x
	if len(l.order) > indexesKept {
		delete(l.byV, l.order[0])
		l.order = l.order[1:]
	}
}

// indexed reads a window through the index of the version that the file has, if
// both are known. ok is false when they are not, or when the file changed while
// it was read.
func (f *FS) indexed(ctx context.Context, file File, w Window) (page Page, ok bool, err error) {
	version := file.Info().Version
	steady, can := file.(Steady)
	if version == "" || !can {
		return Page{}, false, nil
	}
	index := f.lines.get(version)
	if index == nil {
		return Page{}, false, nil
	}
	at := index.Before(max(w.First, 1))
	c := text.ResumeCollector(w, at)
	buf := streamBuffers.Get().(*[streamBlock]byte)
	defer streamBuffers.Put(buf)
	for offset := at.Offset; !c.Done(); {
		if err := ctx.Err(); err != nil {
			return Page{}, false, err
		}
		n, err := file.ReadAt(buf[:], offset)
		offset += int64(n)
		if c.Write(buf[:n]) != nil {
			return Page{}, false, nil // not the text that the index is of
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Page{}, false, err
		}
	}
	if same, err := steady.Unchanged(); err != nil || !same {
		return Page{}, false, err
	}
	return pageOf(c.Resumed(index.Summary), version), true, nil
}
