package gitpatch

import (
	"bytes"
	"fmt"
	"io"
)

// Limits bound what a patch may cost. Zero means the default.
type Limits struct {
	// Bytes is the size of the patch, by default 64 MiB.
	Bytes int64
	// Lines is the number of its lines, by default 4,000,000.
	Lines int
	// Files is the number of its files, by default 100,000.
	Files int
	// Content is the size of a file that [Patch.Apply] makes, by default 256 MiB.
	Content int64
}

func (l Limits) withDefaults() Limits {
	if l.Bytes <= 0 {
		l.Bytes = 64 << 20
	}
	if l.Lines <= 0 {
		l.Lines = 4_000_000
	}
	if l.Files <= 0 {
		l.Files = 100_000
	}
	if l.Content <= 0 {
		l.Content = 256 << 20
	}
	return l
}

// read reads a patch within the limits.
func (l Limits) read(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, l.Bytes+1))
	if err != nil {
		return nil, fmt.Errorf("read the patch: %w", err)
	}
	if int64(len(text)) > l.Bytes {
		return nil, fmt.Errorf("the patch has more than %d bytes; divide it, or raise the limit", l.Bytes)
	}
	if n := bytes.Count(text, []byte{'\n'}); n > l.Lines {
		return nil, fmt.Errorf("the patch has %d lines, more than %d; divide it, or raise the limit", n, l.Lines)
	}
	return text, nil
}
