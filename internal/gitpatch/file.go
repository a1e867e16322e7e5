package gitpatch

import (
	"crypto/sha1" // what git names blobs by, no secret
	"encoding/hex"
	"fmt"
	"strings"
)

// Mode is one of the three modes of a file that git knows.
type Mode uint32

// The modes of git.
const (
	Regular    Mode = 0o100644
	Executable Mode = 0o100755
	Symlink    Mode = 0o120000
)

// String is the mode as git writes it.
func (m Mode) String() string { return fmt.Sprintf("%06o", uint32(m)) }

// ModeOf returns the mode that git has for a regular file of these permission bits: Executable when its owner may run
// it. exact is false when git will make other bits of it, which is then to be noted.
func ModeOf(perm uint32) (m Mode, exact bool) {
	if perm&0o100 != 0 {
		return Executable, perm == 0o755
	}
	return Regular, perm == 0o644
}

// Side is a file before or after. The Content of a symlink is its target.
type Side struct {
	Path    string // within the tree, whatever bytes; not quoted
	Mode    Mode
	Content []byte
}

// File is one change: without Old a creation, without New a removal, with different paths a rename (or a copy).
type File struct {
	Old, New *Side
	// Copy says that the file stays at the old path as well.
	Copy bool
}

// Note is something about a file that git cannot carry, such as {"bin", "owner 10:10"}.
type Note struct{ Path, What string }

// LossError says that the patch would not be all that changed.
type LossError struct{ Notes []Note }

// Error names what would be lost.
func (e *LossError) Error() string {
	var list []string
	for _, n := range e.Notes {
		list = append(list, quote(n.Path)+": "+quote(n.What))
	}
	return fmt.Sprintf("a git patch cannot carry %s; write it without strict to have this as a comment", strings.Join(list, "; "))
}

// BlobID is the name that git gives to content, in hexadecimal.
func BlobID(content []byte) string {
	sum := sha1.New()
	fmt.Fprintf(sum, "blob %d\x00", len(content))
	sum.Write(content)
	return hex.EncodeToString(sum.Sum(nil))
}

// check says what no patch can be made of.
func (s *Side) check() error {
	if s == nil {
		return nil
	}
	if err := checkPath(s.Path); err != nil {
		return fmt.Errorf("path %s cannot be in a patch: %w", quote(s.Path), err)
	}
	switch s.Mode {
	case Regular, Executable:
		return nil
	case Symlink:
		if len(s.Content) == 0 {
			return fmt.Errorf("%s: a symlink has a target", quote(s.Path))
		}
		return nil
	}
	return fmt.Errorf("%s: git has no mode %s; use ModeOf, and a note", quote(s.Path), s.Mode)
}
