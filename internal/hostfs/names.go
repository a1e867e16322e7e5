package hostfs

import (
	"crypto/rand"
	"encoding/base32"
	"strings"
	"unicode/utf8"

	"github.com/seamfs/seamfs/vfs"
)

const (
	stagePrefix = ".seamfs-"
	tokenLen    = 26 // 128 random bits in base32
	stageLeaf   = "new"
	alphabet    = "abcdefghijklmnopqrstuvwxyz234567"
)

var tokenEncoding = base32.NewEncoding(alphabet).WithPadding(base32.NoPadding)

// token returns 128 random bits as a name of tokenLen bytes.
func token() string {
	var raw [16]byte
	_, _ = rand.Read(raw[:]) // never fails; it crashes the program instead
	return tokenEncoding.EncodeToString(raw[:])
}

// stageName returns a fresh name for staging that has no tag. It says nothing of the
// target, so that no watcher takes it for one and no name is too long.
func stageName() string { return stagePrefix + token() }

// isStage reports whether name is exactly what stageName makes.
func isStage(name string) bool {
	if len(name) != len(stagePrefix)+tokenLen || name[:len(stagePrefix)] != stagePrefix {
		return false
	}
	for i := len(stagePrefix); i < len(name); i++ {
		if strings.IndexByte(alphabet, name[i]) < 0 {
			return false
		}
	}
	return true
}

// conflictName returns the name under which a foreign version of name is kept
// that could not be put back, within the limit of one component.
func conflictName(name string) string {
	suffix := ".seamfs-conflict-" + token()
	if over := len(name) + len(suffix) - vfs.MaxNameBytes; over > 0 {
		cut := len(name) - over
		for cut > 0 && !utf8.RuneStart(name[cut]) {
			cut--
		}
		name = name[:cut]
	}
	return name + suffix
}

// checkPlace refuses a place that is not well formed, or that names what belongs
// to staging.
func checkPlace(p vfs.Place) error {
	if !p.Valid() || len(p) >= tooLong {
		return vfs.InvalidArgument
	}
	if !strings.Contains(string(p), stagePrefix) {
		return nil
	}
	for name := range strings.SplitSeq(string(p), "/") {
		if isStage(name) {
			return vfs.Fail(vfs.InvalidArgument, "the name is reserved for files that are being written")
		}
	}
	return nil
}
