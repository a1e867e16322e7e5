package hostfs

import (
	"context"
	"encoding/binary"
	"strings"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// List returns the entries of a directory but those of staging. The kind is the
// one that the directory itself records; only where a file system records none
// is the entry looked at.
func (e *engine) List(ctx context.Context, p vfs.Place) ([]vfs.Entry, error) {
	if err := e.begin(ctx, p); err != nil {
		return nil, err
	}
	defer e.gate.leave()
	fd, err := openToList(func(flags int) (int, error) { return e.resolve(p, flags) })
	if err != nil {
		return nil, err
	}
	defer closeFD(fd)
	return e.entriesOf(ctx, fd)
}

// readDir returns all entries of an open directory, in its own order.
func (e *engine) readDir(ctx context.Context, fd int) ([]vfs.Entry, error) {
	buf := getBuffer()
	defer putBuffer(buf)
	entries := []vfs.Entry{}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := unix.Getdents(fd, *buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, sysErr("getdents64", err)
		}
		if n == 0 {
			return entries, nil
		}
		entries = e.parseDirents(fd, (*buf)[:n], entries)
	}
}

// parseDirents adds the records of linux_dirent64 in buf: inode and offset of 8
// bytes each, length of 2, type of 1, name ended by NUL. The names of one buffer
// share one string.
func (e *engine) parseDirents(fd int, buf []byte, to []vfs.Entry) []vfs.Entry {
	const lenAt, typeAt, nameAt = 16, 18, 19
	all := string(buf)
	for at := 0; at+nameAt <= len(buf); {
		size := int(binary.NativeEndian.Uint16(buf[at+lenAt:]))
		if size < nameAt || at+size > len(buf) {
			return to
		}
		name := all[at+nameAt : at+size]
		if end := strings.IndexByte(name, 0); end >= 0 {
			name = name[:end]
		}
		kind := kindOfType(buf[at+typeAt])
		at += size
		if name == "." || name == ".." {
			continue
		}
		if kind == vfs.KindUnknown {
			var st unix.Stat_t
			switch err := e.statIn(fd, name, &st); err {
			case nil:
				kind = kindOf(st.Mode)
			case errMount:
				kind = vfs.KindOther // not to be looked at
			default:
				continue // removed meanwhile
			}
		}
		to = append(to, vfs.Entry{Name: name, Kind: kind})
	}
	return to
}
