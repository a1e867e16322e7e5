package tree

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"time"

	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
	"github.com/tidwall/btree"
)

// eachChange calls f for the keys of which the values differ between two maps, one
// of which was made from the other. nil is an empty map.
func eachChange[K ~string | ~uint64, V comparable](old, now *btree.Map[K, V], f func(k K, v V, gone bool) error) (err error) {
	if old == nil {
		old = new(btree.Map[K, V])
	}
	if now == nil {
		now = new(btree.Map[K, V])
	}
	old.Scan(func(k K, v V) bool {
		if _, ok := now.Get(k); !ok {
			err = f(k, v, true)
		}
		return err == nil
	})
	if err != nil {
		return err
	}
	now.Scan(func(k K, v V) bool {
		if was, ok := old.Get(k); !ok || was != v {
			err = f(k, v, false)
		}
		return err == nil
	})
	return err
}

var errRecord = vfs.Fail(vfs.IOError, "a record of the session is damaged")

// fold returns the state that a record makes of another.
func (p *Provider) fold(ctx context.Context, st *state, data []byte) (*state, error) {
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, errors.Join(errRecord, err)
	}
	if r.Format != recordFormat {
		return nil, vfs.Fail(vfs.Unsupported, "the session was written by a newer seamfs; use that one")
	}
	t := begin(ctx, p.cfg, st)
	f := folder{t: t, p: p}
	for i := range r.Entries {
		if err := f.entry(&r.Entries[i]); err != nil {
			return nil, err
		}
	}
	if err := f.tables(&r); err != nil {
		return nil, err
	}
	t.st.lastIno = max(t.st.lastIno, r.LastIno)
	t.st.entries += r.Names
	t.st.bytes += r.Bytes
	if r.Mark != nil && p.onMark != nil {
		p.onMark(r.Mark, State{st}, State{t.st})
	}
	return t.st, nil
}

type folder struct {
	t *txn
	p *Provider
}

func (f *folder) entry(r *entryRec) error {
	if len(r.Path) == 0 {
		return f.root(r)
	}
	at := vfs.Place(r.Path)
	if !at.Valid() || at == vfs.Root {
		return errRecord
	}
	dir, err := f.t.ownDir(at.Parent())
	if err != nil || dir == nil {
		return errors.Join(errRecord, err)
	}
	if r.Gone {
		dir.dir().remove(at.Name())
		return nil
	}
	if r.Node == nil {
		return errRecord
	}
	n, err := f.node(r.Node)
	if err != nil {
		return err
	}
	if n.kind() == vfs.KindDir && n.mode&(modeShared|modeWhiteout) == 0 {
		d := &dirOf{}
		if old := dir.dir().get(at.Name()); r.Fill && old != nil && old.dir() != nil {
			d.dir = f.t.own(old).dir()
		}
		n.extra = n.with(d.orNew(f.t), n.xattrs())
	}
	dir.dir().set(at.Name(), n)
	return nil
}

// dirOf is the entries of a directory that is folded.
type dirOf struct{ dir *dir }

func (d *dirOf) orNew(t *txn) *dir {
	if d.dir == nil {
		return &dir{owner: t.tok}
	}
	return d.dir
}

func (f *folder) root(r *entryRec) error {
	if r.Gone || r.Node == nil {
		return errRecord
	}
	n, err := f.node(r.Node)
	if err != nil {
		return err
	}
	d := &dir{owner: f.t.tok}
	if r.Fill {
		d = f.t.own(f.t.st.root).dir()
	}
	n.extra = n.with(d, n.xattrs())
	f.t.st.root = n
	return nil
}

func (f *folder) node(r *nodeRec) (*node, error) {
	if r.Mode&modeWhiteout != 0 {
		return whiteout, nil
	}
	n := &node{ino: r.Ino, mode: r.Mode, uid: r.UID, gid: r.GID, sec: r.Sec, nsec: r.Nsec}
	if r.Origin != nil || r.Was != nil || r.Xattrs != nil {
		n.extra = &extra{xattrs: r.Xattrs, was: vfs.Place(r.Was)}
	}
	if o := r.Origin; o != nil {
		n.extra.origin = &origin{vfs.Place(o.Place), vfs.FileID{Hi: o.Hi, Lo: o.Lo}, o.Links}
	}
	if r.Body == nil {
		return n, nil
	}
	var err error
	n.body, err = f.body(r.Body)
	return n, err
}

func (f *folder) body(r *bodyRec) (*body, error) {
	switch {
	case r.Blobs != nil:
		b := &body{low: &lowBody{size: r.Size, file: &blobFile{journal: f.p.journal, rec: r, lower: f.p.cfg.lower}}}
		b.known.Store(&r.Version)
		b.stored.Store(&stored{f.p.journal, r})
		return b, nil
	case r.Below != nil:
		return &body{low: &lowBody{lower: f.p.cfg.lower, place: vfs.Place(r.Below), size: r.Size}}, nil
	}
	return newBody(r.Flat), nil
}

func (f *folder) tables(r *record) error {
	for i := range r.Shared {
		s := &r.Shared[i]
		if s.Node == nil {
			f.t.table().Delete(s.Ino)
			continue
		}
		n, err := f.node(s.Node)
		if err != nil {
			return err
		}
		f.t.table().Set(s.Ino, sharedFile{n, s.Names})
	}
	for _, t := range r.Taken {
		taken := ownMap(&f.t.ownTaken, &f.t.st.taken)
		if t.Ino == 0 {
			taken.Delete(string(t.ID))
		} else {
			taken.Set(string(t.ID), t.Ino)
		}
	}
	for i := range r.Bases {
		if err := f.base(&r.Bases[i]); err != nil {
			return err
		}
	}
	return nil
}

func (f *folder) base(r *baseRec) error {
	bases := ownMap(&f.t.ownBases, &f.t.st.bases)
	if r.Gone {
		bases.Delete(string(r.Place))
		return nil
	}
	b := &Base{Exists: r.Exists}
	if r.Exists {
		if r.Node == nil {
			return errRecord
		}
		n, err := f.node(r.Node)
		if err != nil {
			return err
		}
		b.Info = vfs.Info{Kind: r.Kind, Size: r.Size, Mode: n.mode, ModTime: n.modTime(), Link: r.Link, Version: r.Ver}
		if o := n.origin(); o != nil {
			b.Info.ID, b.Info.Links = o.id, o.links
		}
		b.Info.Attrs = attrsOf(n)
		if r.Kind == vfs.KindSymlink && n.body != nil {
			b.Info.Link = n.body.flat
		} else {
			b.body = n.body
		}
	}
	bases.Set(string(r.Place), b)
	return nil
}

// blobFile is a content that is kept in the blobs of a journal, and in part perhaps
// below.
type blobFile struct {
	journal Journal
	rec     *bodyRec
	lower   vfs.Reader
}

var errPartGone = vfs.Fail(vfs.Conflict, "the file changed below since a part of it was written here, and the other parts are gone")

func (f *blobFile) ReadAt(b []byte, off int64) (n int, err error) {
	for n < len(b) && off < f.rec.Size {
		part := b[n:min(len(b), n+int(min(content.ChunkSize-off%content.ChunkSize, f.rec.Size-off)))]
		if err := f.readChunk(part, off); err != nil {
			return n, err
		}
		n, off = n+len(part), off+int64(len(part))
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (f *blobFile) readChunk(b []byte, off int64) error {
	name := f.rec.Blobs[off/content.ChunkSize]
	if name == "" {
		return f.readBelow(b, off)
	}
	data, err := f.journal.Blob(context.Background(), name, off%content.ChunkSize, int64(len(b)))
	if err == nil && len(data) != len(b) {
		err = errRecord
	}
	copy(b, data)
	return err
}

func (f *blobFile) readBelow(b []byte, off int64) error {
	file, err := f.lower.Open(context.Background(), vfs.Place(f.rec.Below))
	if err != nil {
		return errors.Join(errPartGone, err)
	}
	defer func() { _ = file.Close() }()
	info, s := file.Info(), f.rec.Seen
	if s == nil || info.Size != s.Size || !info.ModTime.Equal(time.Unix(s.Sec, int64(s.Nsec))) {
		return errPartGone
	}
	if _, err := fullReadAt(file, b, off); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

func (f *blobFile) Read([]byte) (int, error) { return 0, fs.ErrInvalid }
func (f *blobFile) Close() error             { return nil }
func (f *blobFile) Info() vfs.Info {
	return vfs.Info{Kind: vfs.KindFile, Size: f.rec.Size, Version: f.rec.Version}
}

func (f *blobFile) Version(context.Context) (vfs.Version, error) { return f.rec.Version, nil }
