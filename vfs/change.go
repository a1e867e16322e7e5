package vfs

import (
	"context"
	"io"
)

// Op is the kind of a [Change].
type Op uint8

// The operations. A provider that does not know one answers FS_UNSUPPORTED.
const (
	OpPut       Op = iota + 1 // create or replace a regular file by what Fill returns
	OpRemove                  // remove one entry; a directory must be empty
	OpRemoveAll               // remove an entry and all beneath it
	OpMakeDir                 // make a directory
	OpSymlink                 // make a symbolic link with body Link
	OpLink                    // make Place another name of the file at From
	OpMove                    // move the entry at From to Place
	OpExchange                // swap the entries at From and Place
	OpSetAttrs                // change metadata only
)

var opNames = [...]string{"?", "put", "remove", "remove-all", "make-dir", "symlink", "link", "move", "exchange", "set-attrs"}

// String returns the operation in one word.
func (o Op) String() string {
	if int(o) < len(opNames) {
		return opNames[o]
	}
	return opNames[0]
}

// HasFrom reports whether the operation is also about the Place in From.
func (o Op) HasFrom() bool { return o == OpLink || o == OpMove || o == OpExchange }

// Change is one step of a mutation. Which fields count depends on Op.
type Change struct {
	Op    Op
	Place Place
	From  Place // Link, Move, Exchange

	// Guard is held against Place, and for Move against From: against what the
	// operation consumes.
	Guard Guard

	Parents   bool // make missing parent directories of Place
	NoReplace bool // Move: an existing entry at Place is FS_EXISTS

	Link  string // Symlink
	Attrs *Attrs // Put, MakeDir, SetAttrs: published together with the content
	Fill  Fill   // Put
}

// Fill makes the new content of a Put from what the guard was checked on. It
// runs inside the provider's critical section, may run more than once (after a
// lost race, or on another base), is pure, and must not call its provider. Its
// error ends the change and is returned as it is.
type Fill func(ctx context.Context, prior Prior) (Draft, error)

// Prior is what a [Fill] starts from. It is good only while Fill runs.
type Prior interface {
	Exists() bool
	Info() Info       // zero when nothing exists
	Version() Version // "" when nothing exists
	io.ReaderAt       // the content
	// Bytes returns the whole content; the caller must not change it. It is
	// FS_TOO_LARGE above max bytes.
	Bytes(max int64) ([]byte, error)
}

// Draft is a new content: its pieces, one after the other.
type Draft struct{ Pieces []Piece }

// Piece is a part of a [Draft]: one of a range kept from the prior content,
// bytes, or a stream.
type Piece struct {
	Keep   Range
	Data   []byte
	Stream func() (io.ReadCloser, error) // opened anew each time the draft is read
}

// Range is Len bytes from Off.
type Range struct{ Off, Len int64 }

// Keep returns the piece that is n bytes of the prior content from off.
func Keep(off, n int64) Piece { return Piece{Keep: Range{off, n}} }

// Bytes returns the piece that is b. The provider does not change b, and does
// not keep it after Apply returns unless it copies it.
func Bytes(b []byte) Piece { return Piece{Data: b} }

// Effect says what a change did.
type Effect uint8

// The effects. EffectUnchanged is a Put of the content that was there already:
// nothing was published.
const (
	EffectCreate Effect = iota + 1
	EffectUpdate
	EffectUnchanged
	EffectRemoved
	EffectMoved
)

var effectNames = [...]string{"", "create", "update", "unchanged", "removed", "moved"}

// String returns the effect in one word, as canonical values carry it.
func (e Effect) String() string {
	if int(e) < len(effectNames) {
		return effectNames[e]
	}
	return ""
}

// Outcome is what one change of an Apply came to.
type Outcome struct {
	Effect  Effect
	Version Version // of the content now there, for a Put
	Notes   []string
}
