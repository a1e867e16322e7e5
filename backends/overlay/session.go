package overlay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seamfs/seamfs/internal/commitlog"
	"github.com/seamfs/seamfs/internal/commitlog/dirlog"
	"github.com/seamfs/seamfs/internal/tree"
	"github.com/seamfs/seamfs/vfs"
)

// Sessions keeps overlays on disk: crash-safe, several processes at once, forked by
// one record. What it writes is described in docs/sessions.md.
type Sessions struct {
	store *commitlog.Store
	close func() error
}

// OpenSessions opens the sessions that are kept in a directory of the host, which is
// made if need be. By convention that is $XDG_STATE_HOME/seamfs.
func OpenSessions(dir string) (*Sessions, error) {
	d, err := dirlog.Open(dir, nil)
	if err != nil {
		return nil, err
	}
	return &Sessions{store: commitlog.New(d, &commitlog.Options{Ahead: 1}), close: func() error { return nil }}, nil
}

// Close lets go of the directory. Overlays that are open stay usable.
func (s *Sessions) Close() error { return s.close() }

// Session is what is known of a session without opening it.
type Session struct {
	Name    string
	Root    string // what it is about: the absolute path of the lower layer
	Created time.Time
	Changed time.Time
	Commits uint64
	From    string // the session that it was forked from, "" for none
	Err     error  // why nothing more is known
}

type sessionHead struct {
	Format int    `json:"format"`
	Root   string `json:"root"`
	Name   string `json:"name"`
}

// workspace is the name of a session in the store.
func workspace(root, name string) string {
	sum := sha256.Sum256([]byte(root))
	return hex.EncodeToString(sum[:8]) + "-" + name
}

// List returns the sessions of a root, "" for those of all, the one changed last
// first.
func (s *Sessions) List(ctx context.Context, root string) ([]Session, error) {
	infos, err := s.store.List(ctx)
	if err != nil {
		return nil, err
	}
	var list []Session
	for _, info := range infos {
		var h sessionHead
		herr := json.Unmarshal(info.Head, &h)
		if info.Err == nil && herr != nil {
			info.Err = herr
		}
		if root != "" && h.Root != root {
			continue
		}
		from := info.Base
		if _, name, ok := strings.Cut(from, "-"); ok {
			from = name
		}
		list = append(list, Session{h.Name, h.Root, info.Created, info.Changed, info.Newest, from, info.Err})
	}
	slices.SortStableFunc(list, func(a, b Session) int { return b.Changed.Compare(a.Changed) })
	return list, nil
}

// Create makes an empty session. One that is there is FS_EXISTS.
func (s *Sessions) Create(ctx context.Context, root, name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	head, err := json.Marshal(sessionHead{1, root, name})
	if err != nil {
		return err
	}
	_, err = s.store.Create(ctx, workspace(root, name), head)
	return err
}

func checkName(name string) error {
	ok := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r)
	}
	if name == "" || len(name) > 60 || strings.IndexFunc(name, func(r rune) bool { return !ok(r) }) >= 0 {
		return vfs.Fail(vfs.InvalidArgument, "a session's name is up to 60 letters, digits, dots, dashes and underscores")
	}
	return nil
}

// Fork makes a session that starts as another is now. It is one record, whatever has
// been changed.
func (s *Sessions) Fork(ctx context.Context, root, from, to string) error {
	if err := checkName(to); err != nil {
		return err
	}
	log, err := s.store.Open(ctx, workspace(root, from))
	if err != nil {
		return err
	}
	at, err := log.Newest(ctx)
	if err != nil {
		return err
	}
	head, err := json.Marshal(sessionHead{1, root, to})
	if err != nil {
		return err
	}
	_, err = s.store.Fork(ctx, log, at, workspace(root, to), head)
	return err
}

// Remove deletes a session and all that was changed in it.
func (s *Sessions) Remove(ctx context.Context, root, name string) error {
	return s.store.Remove(ctx, workspace(root, name))
}

// Open opens a session as an overlay of lower, which must be what root names. Changes
// are in the session when Apply returns, those of a handle when it is synced or
// closed.
func (s *Sessions) Open(ctx context.Context, lower vfs.Reader, root, name string, opts *Options) (*Overlay, error) {
	log, err := s.store.Open(ctx, workspace(root, name))
	if err != nil {
		return nil, err
	}
	o, err := New(ctx, lower, opts)
	if err != nil {
		return nil, err
	}
	j := &journal{log: log}
	if err := o.resume(ctx, j); err != nil {
		return nil, fmt.Errorf("session %s: %w", name, err)
	}
	return o, nil
}

// Keep makes a session of an overlay that had none: what was changed in it so far is
// the first record. A session of that name is FS_EXISTS.
func (s *Sessions) Keep(ctx context.Context, o *Overlay, root, name string) error {
	if err := s.Create(ctx, root, name); err != nil {
		return err
	}
	log, err := s.store.Open(ctx, workspace(root, name))
	if err != nil {
		return err
	}
	if err := o.Journaled(ctx, &journal{log: log}, o.onMark); err != nil {
		return err
	}
	return o.Flush(ctx)
}

// checkpointEvery is how many records are read again before a checkpoint is made.
const checkpointEvery = 256

type checkpoint struct {
	Now    json.RawMessage `json:"now"`
	Mark   []byte          `json:"mark,omitempty"`
	Before json.RawMessage `json:"before,omitempty"` // the state that Undo goes back to
	After  json.RawMessage `json:"after,omitempty"`
}

// resume brings a new overlay to where its journal is.
func (o *Overlay) resume(ctx context.Context, j *journal) error {
	o.UseBlobs(j)
	start, err := o.fromCheckpoint(ctx, j)
	if err != nil {
		return err
	}
	if err := o.Journaled(ctx, j, o.onMark); err != nil {
		return err
	}
	if j.at-start >= checkpointEvery {
		o.keepCheckpoint(ctx, j)
	}
	return nil
}

func (o *Overlay) fromCheckpoint(ctx context.Context, j *journal) (start uint64, err error) {
	newest, err := j.log.Newest(ctx)
	if err != nil {
		return 0, err
	}
	seq, body, ok, err := j.log.Latest(ctx, newest)
	if err != nil || !ok {
		return 0, err
	}
	var c checkpoint
	if err := json.Unmarshal(body, &c); err != nil {
		return 0, nil //nolint:nilerr // the log has everything
	}
	now, err := o.LoadDump(ctx, c.Now)
	if err != nil {
		return 0, err
	}
	if c.Mark != nil {
		before, err := o.LoadDump(ctx, c.Before)
		if err != nil {
			return 0, err
		}
		after, err := o.LoadDump(ctx, c.After)
		if err != nil {
			return 0, err
		}
		o.onMark(c.Mark, before, after)
	}
	o.Start(now)
	j.at = seq
	return seq, nil
}

// keepCheckpoint saves the next one who opens the session some reading. It may fail:
// nothing depends on it.
func (o *Overlay) keepCheckpoint(ctx context.Context, j *journal) {
	now, err := o.Dump(ctx, o.State())
	if err != nil {
		return
	}
	c := checkpoint{Now: now}
	o.undo.mu.Lock()
	mark, before, after := o.undo.mark(), o.undo.before, o.undo.after
	o.undo.mu.Unlock()
	if mark != nil {
		c.Mark = mark
		if c.Before, err = o.Dump(ctx, before); err != nil {
			return
		}
		if c.After, err = o.Dump(ctx, after); err != nil {
			return
		}
	}
	if body, err := json.Marshal(c); err == nil {
		_ = j.log.Checkpoint(ctx, j.at, body)
	}
}

// mark is what the journal has of the last apply: the id of its batch below. One that
// was taken back is "".
func (u *undo) mark() []byte {
	if u.id == "" {
		return nil
	}
	return []byte(u.id)
}

// onMark takes note of an apply, or an undo, of whatever process.
func (o *Overlay) onMark(mark []byte, before, after tree.State) {
	o.undo.mu.Lock()
	defer o.undo.mu.Unlock()
	o.undo.id, o.undo.before, o.undo.after = strings.TrimPrefix(string(mark), "-"), before, after
	if bytes.HasPrefix(mark, []byte("-")) {
		o.undo.id = ""
	}
}

// journal is a log as a tree knows it.
type journal struct {
	log *commitlog.Log
	at  uint64
}

// inBlobs begins a record that is kept in blobs, since it is a large one.
const inBlobs = "blobs:"

const blobPart = 4 << 20

func (j *journal) Newer(ctx context.Context) ([][]byte, error) {
	var list [][]byte
	at := j.at
	for rec, err := range j.log.Read(ctx, at) {
		if err != nil {
			return nil, err
		}
		at = rec.Seq
		if rec.Noop {
			continue
		}
		body, err := j.whole(ctx, rec.Body)
		if err != nil {
			return nil, err
		}
		list = append(list, body)
	}
	j.at = at
	return list, nil
}

func (j *journal) whole(ctx context.Context, body []byte) ([]byte, error) {
	names, large := strings.CutPrefix(string(body), inBlobs)
	if !large {
		return body, nil
	}
	var whole []byte
	for name := range strings.SplitSeq(names, ",") {
		part, err := j.Blob(ctx, name, 0, -1)
		if err != nil {
			return nil, err
		}
		whole = append(whole, part...)
	}
	return whole, nil
}

func (j *journal) Commit(ctx context.Context, record []byte) (beaten bool, err error) {
	if len(record) > blobPart {
		var names []string
		for part := range slices.Chunk(record, blobPart) {
			name, err := j.PutBlob(ctx, part)
			if err != nil {
				return false, err
			}
			names = append(names, name)
		}
		record = []byte(inBlobs + strings.Join(names, ","))
	}
	out, err := j.log.Commit(ctx, j.at, commitlog.Record{Body: record})
	if err != nil {
		return false, err
	}
	if out.State == commitlog.NotApplied {
		return true, nil
	}
	j.at = out.Seq
	return false, nil
}

func (j *journal) PutBlob(ctx context.Context, data []byte) (string, error) {
	h, err := j.log.PutBlob(ctx, data)
	return h.String(), err
}

func (j *journal) Blob(ctx context.Context, name string, off, n int64) ([]byte, error) {
	h, err := commitlog.ParseHash(name)
	if err != nil {
		return nil, err
	}
	return j.log.Blob(ctx, h, off, n)
}
