package overlay

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

// picked is what is approved of an item, beside the states of what it is about. It is
// the same in every process that plans the same. Places are bytes, and so base64.
type picked struct {
	Place  []byte   `json:"place"`
	Kind   string   `json:"kind"`
	From   []byte   `json:"from,omitempty"`
	LinkOf []byte   `json:"linkOf,omitempty"`
	Hunks  []string `json:"hunks,omitempty"`
	Way    string   `json:"way"` // what is done about what is below
}

type state struct {
	Kind    string            `json:"kind,omitempty"`
	Mode    uint32            `json:"mode,omitempty"`
	Link    []byte            `json:"link,omitempty"`
	Version vfs.Version       `json:"version,omitempty"`
	UID     *int              `json:"uid,omitempty"`
	GID     *int              `json:"gid,omitempty"`
	Xattrs  map[string][]byte `json:"xattrs,omitempty"`
}

func stateOf(info vfs.Info) state {
	if info.Kind == vfs.KindUnknown {
		return state{}
	}
	s := state{Kind: info.Kind.String(), Link: []byte(info.Link)}
	if info.Kind != vfs.KindSymlink {
		s.Mode = uint32(info.Mode.Perm())
	}
	if info.Kind == vfs.KindFile {
		s.Version = info.Version
	}
	if a := info.Attrs; a != nil {
		s.UID, s.GID = a.UID, a.GID
		if len(a.Xattrs) > 0 {
			s.Xattrs = a.Xattrs
		}
	}
	return s
}

// Digest is what somebody approves who approves the plan: its changes, what they start
// from, what is below now and what will be there. It is the same in every process, as
// long as none of these is another. See [ApplyOptions].Approved.
func (p *Plan) Digest(ctx context.Context) (string, error) {
	d, err := p.digest(ctx)
	if err != nil {
		return "", err
	}
	return d.String(), nil
}

// digest binds by all; parts say what of it is another.
type digest struct {
	all   hash.Hash
	parts [3]hash.Hash // what is picked, what is below, what is here
}

// partChanged says what of a digest changed when one of its parts did.
var partChanged = [...]string{"other changes are picked, or they are met in another way", "what is below changed", "what was changed here is something else by now"}

func (d *digest) String() string {
	s := hex.EncodeToString(d.all.Sum(nil))
	for _, part := range d.parts {
		s += "-" + hex.EncodeToString(part.Sum(nil)[:4])
	}
	return s
}

func (d *digest) add(part int, v any) error {
	line, err := json.Marshal(v)
	if err == nil {
		line = append(line, '\n')
		d.all.Write(line)
		d.parts[part].Write(line)
	}
	return err
}

func (p *Plan) digest(ctx context.Context) (*digest, error) {
	d := &digest{all: sha256.New(), parts: [3]hash.Hash{sha256.New(), sha256.New(), sha256.New()}}
	d.all.Write([]byte("seamfs plan 1\n"))
	for i := range p.Items { // they are in byte order of their places
		it := &p.Items[i]
		what := picked{Place: []byte(it.Place), Kind: it.Kind.String(), From: []byte(it.From), LinkOf: []byte(it.LinkOf), Way: it.way()}
		if it.Partial {
			what.Hunks = slices.Compact(slices.Sorted(slices.Values(p.selected.Hunks[it.Place])))
		}
		var before, after state
		if it.d.Base != nil && it.d.Base.Exists {
			before = stateOf(it.d.Base.Info)
		}
		if it.d.Exists {
			after = stateOf(it.d.Now)
			var err error
			if after.Version, err = p.result(ctx, it); err != nil {
				return nil, fmt.Errorf("digest of %s: %w", it.Place, err)
			}
		}
		err := errors.Join(d.add(0, what), d.add(1, [3]state{before, stateOf(it.below), stateOf(it.source)}), d.add(2, after))
		if err != nil {
			return nil, err
		}
	}
	return d, nil
}

// result is the version of what an item writes, or the digest of what is put together
// for it.
func (p *Plan) result(ctx context.Context, it *Item) (vfs.Version, error) {
	switch {
	case it.After.Kind != vfs.KindFile:
		return "", nil
	case it.content != nil:
		sum := sha256.Sum256(it.content)
		return vfs.Version(hex.EncodeToString(sum[:])), nil
	}
	info, err := p.view.Lstat(ctx, it.Place, vfs.WantVersion)
	return cmp.Or(it.After.Version, info.Version), err
}

// way is how an item is met.
func (it *Item) way() string {
	switch {
	case it.Conflict != nil:
		return it.Conflict.Class.String()
	case it.Applied:
		return "applied"
	case it.Merged:
		return "merged"
	case it.Forced:
		return "forced"
	}
	return "applies"
}

// approved holds the plan against what was approved.
func (p *Plan) approved(ctx context.Context, approved string) error {
	if approved == "" {
		return nil
	}
	d, err := p.digest(ctx)
	if err != nil || d.String() == approved {
		return err
	}
	var why []string
	if parts := strings.Split(approved, "-"); len(parts) == 1+len(d.parts) {
		for i, part := range strings.Split(d.String(), "-")[1:] {
			if part != parts[i+1] {
				why = append(why, partChanged[i])
			}
		}
	}
	if why == nil {
		why = []string{"it is another plan"}
	}
	return vfs.Fail(vfs.Conflict, "this is not what was approved: "+strings.Join(why, "; ")+". Nothing was applied; look at the plan again, and have it approved")
}
