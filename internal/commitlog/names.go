package commitlog

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/seamfs/seamfs/vfs"
)

const (
	// MaxName bounds the name of a workspace as it is encoded, in bytes. Lower-case
	// ASCII letters, digits, "-" and "_" take one, all others three.
	MaxName = 200

	seqDigits = 12
	maxSeq    = 999_999_999_999
)

// newOp returns a random id of 130 bits. It is in lower case, as all of a key is.
func newOp() string { return strings.ToLower(rand.Text()) }

// plain reports whether a byte of a name stands for itself.
func plain(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}

// encodeName makes one component of a key from any string: what is not plain is
// "=" and two hexadecimal digits. So is the first byte of what Windows takes for a
// device, with or without an extension.
func encodeName(name string) string {
	var b strings.Builder
	for i := range len(name) {
		if c := name[i]; plain(c) && (i > 0 || !isDevice(name)) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "=%02x", c)
		}
	}
	return b.String()
}

func isDevice(name string) bool {
	switch name {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(name) == 4 && (name[:3] == "com" || name[:3] == "lpt") && '0' <= name[3] && name[3] <= '9'
}

// decodeName is the way back, for exactly what encodeName makes.
func decodeName(encoded string) (string, bool) {
	var b strings.Builder
	for rest := encoded; rest != ""; {
		if rest[0] != '=' {
			b.WriteByte(rest[0])
			rest = rest[1:]
			continue
		}
		if len(rest) < 3 {
			return "", false
		}
		c, err := hex.DecodeString(rest[1:3])
		if err != nil {
			return "", false
		}
		b.Write(c)
		rest = rest[3:]
	}
	name := b.String()
	return name, name != "" && len(encoded) <= MaxName && encodeName(name) == encoded
}

// place is where a workspace is kept: its encoded name, and which of that name it
// is, since a name can be used again after a removal: "x", then "x.1", "x.2". A
// place is used once.
type place struct {
	name string
	gen  uint64
}

func (p place) String() string {
	if p.gen == 0 {
		return encodeName(p.name)
	}
	return encodeName(p.name) + "." + strconv.FormatUint(p.gen, 10)
}

func parsePlace(s string) (place, bool) {
	encoded, gen, later := strings.Cut(s, ".")
	name, ok := decodeName(encoded)
	p := place{name: name}
	if ok && later {
		p.gen, _ = strconv.ParseUint(gen, 10, 32)
	}
	return p, ok && p.String() == s
}

// checkName refuses what cannot name a workspace.
func checkName(name string) error {
	if name == "" {
		return vfs.Fail(vfs.InvalidArgument, "a workspace needs a name")
	}
	if len(encodeName(name)) > MaxName {
		return vfs.Fail(vfs.InvalidArgument, fmt.Sprintf("the name of a workspace is too long: it may take %d bytes, of which capitals and all but ASCII take three each", MaxName))
	}
	return nil
}

// The keys. Two digits of a hash spread workspaces over the prefixes of an object
// store, which limits requests by prefix.

const workspaces = "w/"

func (p place) prefix() string {
	sum := sha256.Sum256([]byte(p.name))
	return workspaces + hex.EncodeToString(sum[:1]) + "/" + p.String() + "/"
}

func (p place) logs() string               { return p.prefix() + "log/" }
func (p place) record(seq uint64) string   { return p.logs() + seqName(seq) }
func (p place) ckpts() string              { return p.prefix() + "ckpt/" }
func (p place) ckpt(seq uint64) string     { return p.ckpts() + seqName(seq) }
func (p place) hint() string               { return p.prefix() + "hint" }
func blobs(family string) string           { return "b/" + family + "/" }
func blobKey(family string, h Hash) string { s := h.String(); return blobs(family) + s[:2] + "/" + s }

func seqName(seq uint64) string { return fmt.Sprintf("%0*d", seqDigits, seq) }

// seqOf is the number that a key below prefix ends in.
func seqOf(key, prefix string) (uint64, bool) {
	digits, ok := strings.CutPrefix(key, prefix)
	if !ok || len(digits) != seqDigits {
		return 0, false
	}
	seq, err := strconv.ParseUint(digits, 10, 64)
	return seq, err == nil
}

// placeOf is the workspace that a key belongs to.
func placeOf(key string) (place, bool) {
	parts := strings.SplitN(key, "/", 4)
	if len(parts) != 4 {
		return place{}, false
	}
	p, ok := parsePlace(parts[2])
	return p, ok && strings.HasPrefix(key, p.prefix())
}
