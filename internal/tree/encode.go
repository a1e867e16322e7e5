package tree

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
)

// A record is what became of a tree from one state to the next, as JSON: see
// docs/sessions.md. Names are bytes, and so base64. What did not change between the
// two states is not even looked at: it is the same node.

type record struct {
	Format  int         `json:"v"`
	Entries []entryRec  `json:"entries,omitempty"`
	Shared  []sharedRec `json:"shared,omitempty"`
	Taken   []takenRec  `json:"taken,omitempty"`
	Bases   []baseRec   `json:"bases,omitempty"`
	LastIno uint64      `json:"lastIno,omitempty"`
	Names   int64       `json:"names,omitempty"` // how many more
	Bytes   int64       `json:"bytes,omitempty"`
	Mark    []byte      `json:"mark,omitempty"`
}

const recordFormat = 1

type entryRec struct {
	Path []byte   `json:"p"`
	Gone bool     `json:"gone,omitempty"`
	Fill bool     `json:"fill,omitempty"` // a directory that keeps the entries it has
	Node *nodeRec `json:"n,omitempty"`
}

type nodeRec struct {
	Ino    uint64            `json:"i,omitempty"`
	Mode   fs.FileMode       `json:"m"`
	UID    uint32            `json:"u,omitempty"`
	GID    uint32            `json:"g,omitempty"`
	Sec    int64             `json:"s,omitempty"`
	Nsec   int32             `json:"ns,omitempty"`
	Xattrs map[string][]byte `json:"x,omitempty"`
	Origin *originRec        `json:"o,omitempty"`
	Was    []byte            `json:"w,omitempty"`
	Body   *bodyRec          `json:"b,omitempty"`
}

type originRec struct {
	Place []byte `json:"p"`
	Hi    uint64 `json:"hi,omitempty"`
	Lo    uint64 `json:"lo,omitempty"`
	Links int    `json:"l,omitempty"`
}

// bodyRec is a content: in the record, in blobs of one chunk each, or below. An
// empty name of a blob is a chunk that is below.
type bodyRec struct {
	Flat    []byte      `json:"f,omitempty"`
	Size    int64       `json:"size,omitempty"`
	Blobs   []string    `json:"blobs,omitempty"`
	Version vfs.Version `json:"ver,omitempty"`
	Below   []byte      `json:"below,omitempty"` // the place
	Seen    *statRec    `json:"seen,omitempty"`  // what was below there, when chunks of it are used
}

type statRec struct {
	Size   int64  `json:"size"`
	Sec    int64  `json:"s"`
	Nsec   int32  `json:"ns"`
	Hi, Lo uint64 `json:",omitempty"`
}

type sharedRec struct {
	Ino   uint64   `json:"i"`
	Names int      `json:"names,omitempty"` // 0: gone
	Node  *nodeRec `json:"n,omitempty"`
}

type takenRec struct {
	ID  []byte `json:"id"`
	Ino uint64 `json:"i,omitempty"` // 0: gone
}

type baseRec struct {
	Place  []byte      `json:"p"`
	Gone   bool        `json:"gone,omitempty"`
	Exists bool        `json:"e,omitempty"`
	Kind   vfs.Kind    `json:"k,omitempty"`
	Link   string      `json:"link,omitempty"`
	Ver    vfs.Version `json:"ver,omitempty"`
	Size   int64       `json:"size,omitempty"`
	Node   *nodeRec    `json:"n,omitempty"`
}

// encoder works out a record.
type encoder struct {
	p   *Provider
	ctx context.Context
	rec record
}

// dirty are the places of the lower layer of which the records may differ between two
// states, so that not all of them need to be compared.
type dirty struct {
	all    bool
	places []vfs.Place
}

func (d dirty) and(e dirty) dirty {
	return dirty{d.all || e.all, append(slices.Clip(d.places), e.places...)}
}

// encode returns the record of what became of old, nil where nothing did.
func (p *Provider) encode(ctx context.Context, old, now *state, changed dirty, mark []byte) ([]byte, error) {
	e := &encoder{p: p, ctx: ctx, rec: record{Format: recordFormat, Mark: mark, LastIno: now.lastIno}}
	from := old
	if from == nil {
		from = &state{}
	}
	e.rec.Names, e.rec.Bytes = now.entries-from.entries, now.bytes-from.bytes
	if err := e.node(nil, from.root, now.root); err != nil {
		return nil, err
	}
	if err := e.tables(from, now, changed); err != nil {
		return nil, err
	}
	r := &e.rec
	if len(r.Entries)+len(r.Shared)+len(r.Taken)+len(r.Bases) == 0 && mark == nil && old != nil {
		return nil, nil
	}
	return json.Marshal(r)
}

func pathOf(p []byte, name string) []byte {
	if len(p) == 0 {
		return []byte(name)
	}
	return append(append(bytes.Clone(p), '/'), name...)
}

// node adds what became of the entry at a path.
func (e *encoder) node(path []byte, old, now *node) error {
	switch {
	case old == now:
		return nil
	case now == nil:
		e.rec.Entries = append(e.rec.Entries, entryRec{Path: path, Gone: true})
		return nil
	}
	merge := old != nil && old.dir() != nil && now.dir() != nil
	if !merge || !sameMeta(old, now) {
		n, err := e.nodeRec(now)
		if err != nil {
			return err
		}
		e.rec.Entries = append(e.rec.Entries, entryRec{Path: path, Fill: merge, Node: n})
	}
	if now.dir() == nil {
		return nil
	}
	if !merge {
		old = nil
	}
	return e.entries(path, old, now)
}

// entries compares what is in two directories.
func (e *encoder) entries(path []byte, old, now *node) (err error) {
	if old != nil {
		old.dir().each(func(name string, c *node) bool {
			if now.dir().get(name) == nil {
				err = e.node(pathOf(path, name), c, nil)
			}
			return err == nil
		})
	}
	now.dir().each(func(name string, c *node) bool {
		if err != nil {
			return false
		}
		var was *node
		if old != nil {
			was = old.dir().get(name)
		}
		err = e.node(pathOf(path, name), was, c)
		return err == nil
	})
	return err
}

func sameMeta(a, b *node) bool {
	if a.ino != b.ino || a.mode != b.mode || a.uid != b.uid || a.gid != b.gid || a.sec != b.sec || a.nsec != b.nsec {
		return false
	}
	if !maps.EqualFunc(a.xattrs(), b.xattrs(), bytes.Equal) {
		return false
	}
	x, y := a.origin(), b.origin()
	return x == y || x != nil && y != nil && *x == *y
}

func (e *encoder) nodeRec(n *node) (*nodeRec, error) {
	r := &nodeRec{Ino: n.ino, Mode: n.mode, UID: n.uid, GID: n.gid, Sec: n.sec, Nsec: n.nsec, Xattrs: n.xattrs()}
	if n.extra != nil {
		r.Was = []byte(n.extra.was)
	}
	if o := n.origin(); o != nil {
		r.Origin = &originRec{[]byte(o.place), o.id.Hi, o.id.Lo, o.links}
	}
	if n.body == nil {
		return r, nil
	}
	b, err := e.body(n.body)
	r.Body = b
	return r, err
}

// inline is up to how many bytes a content is in the record itself.
const inline = 8 << 10

func (e *encoder) body(b *body) (*bodyRec, error) {
	switch {
	case b.below() && b.low.file == nil:
		return &bodyRec{Below: []byte(b.low.place), Size: b.low.size}, nil
	case b.size() <= inline:
		all, err := b.bytes()
		return &bodyRec{Flat: all, Size: int64(len(all))}, err
	}
	if s := b.stored.Load(); s != nil && s.in == e.p.journal {
		return s.rec, nil
	}
	r := &bodyRec{Size: b.size()}
	var err error
	if r.Version, err = b.sum(e.ctx); err != nil {
		return nil, err
	}
	keepBelow := b.chunks != nil && b.chunks.low.isBelow() && b.size() > copyWhole
	if keepBelow {
		r.Below, r.Seen = []byte(b.chunks.low.place), seenOf(b.chunks.low)
	}
	for off := int64(0); off < b.size(); off += content.ChunkSize {
		if keepBelow && b.chunks.onlyBelow(off) {
			r.Blobs = append(r.Blobs, "")
			continue
		}
		chunk, err := b.appendTo(nil, off, min(content.ChunkSize, b.size()-off))
		if err != nil {
			return nil, err
		}
		name, err := e.p.journal.PutBlob(e.ctx, chunk)
		if err != nil {
			return nil, err
		}
		r.Blobs = append(r.Blobs, name)
	}
	b.stored.Store(&stored{e.p.journal, r})
	return r, nil
}

// stored is where one journal has a content; another one knows nothing of it.
type stored struct {
	in  Journal
	rec *bodyRec
}

// copyWhole is up to how many bytes a file from below that was written in part is
// copied whole into a journal. Of a larger one the chunks that were not written stay
// below, and are lost when it changes there.
const copyWhole = 64 << 20

func seenOf(l *lowBody) *statRec {
	info := l.file.Info()
	return &statRec{info.Size, info.ModTime.Unix(), int32(info.ModTime.Nanosecond()), info.ID.Hi, info.ID.Lo}
}

// tables adds what became of the maps beside the tree.
func (e *encoder) tables(old, now *state, changed dirty) (err error) {
	if old.shared != now.shared {
		err = eachChange(old.shared, now.shared, func(ino uint64, s sharedFile, gone bool) error {
			r := sharedRec{Ino: ino}
			if !gone {
				r.Names = s.names
				if r.Node, err = e.nodeRec(s.node); err != nil {
					return err
				}
			}
			e.rec.Shared = append(e.rec.Shared, r)
			return nil
		})
	}
	if err == nil && old.taken != now.taken {
		err = eachChange(old.taken, now.taken, func(id string, ino uint64, gone bool) error {
			if gone {
				ino = 0
			}
			e.rec.Taken = append(e.rec.Taken, takenRec{[]byte(id), ino})
			return nil
		})
	}
	switch {
	case err != nil || old.bases == now.bases:
		return err
	case changed.all:
		return eachChange(old.bases, now.bases, e.base)
	}
	slices.Sort(changed.places)
	for _, p := range slices.Compact(changed.places) {
		was, is := old.base(p), now.base(p)
		if was == is {
			continue
		}
		if err := e.base(string(p), is, is == nil); err != nil {
			return err
		}
	}
	return nil
}

// base returns what is recorded of a place, nil for nothing.
func (st *state) base(p vfs.Place) *Base {
	if st.bases == nil {
		return nil
	}
	b, _ := st.bases.Get(string(p))
	return b
}

func (e *encoder) base(place string, b *Base, gone bool) error {
	r := baseRec{Place: []byte(place), Gone: gone}
	if !gone && b.Exists {
		info := &b.Info
		r.Exists, r.Kind, r.Link, r.Ver, r.Size = true, info.Kind, strings.ToValidUTF8(info.Link, "?"), info.Version, info.Size
		n := &node{mode: info.Mode, uid: noOwner, gid: noOwner, extra: &extra{origin: &origin{id: info.ID, links: info.Links}}}
		n.setTime(info.ModTime)
		if a := info.Attrs; a != nil {
			n.extra.xattrs = a.Xattrs
			if a.UID != nil && a.GID != nil {
				n.uid, n.gid = uint32(*a.UID), uint32(*a.GID)
			}
		}
		if n.body = b.body; n.body == nil && info.Kind == vfs.KindSymlink {
			n.body = &body{flat: info.Link}
		}
		var err error
		if r.Node, err = e.nodeRec(n); err != nil {
			return err
		}
	}
	e.rec.Bases = append(e.rec.Bases, r)
	return nil
}
