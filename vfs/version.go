package vfs

// Version names a content. Two versions are equal as strings exactly when the
// contents are held to be the same, whichever backend minted them, so a version
// stays good across copy-up, fork, apply and restart.
//
// It is a digest of the bytes: a change of content changes it, be it of the same
// size, within one clock tick or with the time put back; a change of metadata
// alone does not. A to B and back to A is A again. It detects change, not
// forgery. Bytes stored through a writable memory mapping are seen once they are
// written back. Consumers compare versions and never parse them.
type Version string

// Guard is the condition under which a change is made. The zero Guard is no
// condition; the change is atomic all the same.
type Guard struct {
	kind    guardKind
	version Version
}

type guardKind uint8

const (
	guardNone guardKind = iota
	guardAbsent
	guardVersion
)

// CreateIfAbsent makes a change only where nothing exists. An existing target is
// FS_NOT_OBSERVED: something is there that the caller has not seen.
func CreateIfAbsent() Guard { return Guard{kind: guardAbsent} }

// ReplaceIfVersion makes a change only where the target's content has version v.
// A missing target or another content is FS_STALE_VERSION.
func ReplaceIfVersion(v Version) Guard { return Guard{kind: guardVersion, version: v} }

// AtVersion is [ReplaceIfVersion] as an edit reads it: the content that the edit
// was made for.
func AtVersion(v Version) Guard { return ReplaceIfVersion(v) }

// None reports whether g is no condition at all.
func (g Guard) None() bool { return g.kind == guardNone }

// WantsAbsent reports whether g came from [CreateIfAbsent].
func (g Guard) WantsAbsent() bool { return g.kind == guardAbsent }

// WantsVersion returns the version that g asks for, and whether it asks for one.
func (g Guard) WantsVersion() (Version, bool) { return g.version, g.kind == guardVersion }

// Check holds g against what is there: whether anything exists, and the version
// of its content. Providers call it inside their critical section. Its error is
// a [Code].
func (g Guard) Check(exists bool, v Version) error {
	switch {
	case g.kind == guardAbsent && exists:
		return NotObserved
	case g.kind == guardVersion && (!exists || v != g.version):
		return StaleVersion
	}
	return nil
}
