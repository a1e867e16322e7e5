package hostfs

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"

	"github.com/seamfs/seamfs/internal/content"
	"github.com/seamfs/seamfs/vfs"
)

// tagKind is what a name in staging was made for.
type tagKind byte

const (
	noTag     tagKind = iota
	tagPart           // a file that is being written; it was never published
	tagPut            // a file to be exchanged with the target, or what came out
	tagRemove         // a file or link on its way out, under its own name
	tagTree           // a directory on its way out, under its own name
	tagBatch          // the journal of a batch, and what the batch needs: not swept
)

// tag is the token of a name in staging when it has something to say to a sweep:
// 40 bits of the digest of what is published, 40 of that of what it replaces, 12
// of that of the target's name, 12 random ones, and 24 that tell a tag, and its
// kind, from a random token. It takes no file of its own, and cannot be torn.
type tag struct {
	kind         tagKind
	fresh, prior [5]byte
	target       uint16 // 12 bits
}

func newTag(kind tagKind, fresh, prior vfs.Version, target string) tag {
	return tag{kind: kind, fresh: digestBits(fresh), prior: digestBits(prior), target: nameBits(target)}
}

// digestBits are the first 40 bits of a version; of none they are zero.
func digestBits(v vfs.Version) (bits [5]byte) {
	const at = len("x1-")
	if len(v) >= at+10 {
		_, _ = hex.Decode(bits[:], []byte(v[at:at+10]))
	}
	return bits
}

func nameBits(name string) uint16 {
	bits := digestBits(content.Sum([]byte(name)))
	return uint16(bits[0])<<4 | uint16(bits[1])>>4
}

// name returns a fresh name of the staging pattern with the tag in it.
func (t tag) name() string {
	var raw [16]byte
	copy(raw[:], t.fresh[:])
	copy(raw[5:], t.prior[:])
	_, _ = rand.Read(raw[11:13])
	raw[10], raw[11] = byte(t.target>>4), byte(t.target<<4)|raw[11]&0xf
	copy(raw[13:], tagCheck(t.kind, raw[:13]))
	return stagePrefix + tokenEncoding.EncodeToString(raw[:])
}

func tagCheck(kind tagKind, raw []byte) []byte {
	bits := digestBits(content.Sum(append([]byte{byte(kind)}, raw...)))
	return bits[:3]
}

// readTag returns what a name of the staging pattern says, if anything.
func readTag(name string) tag {
	if !isStage(name) {
		return tag{}
	}
	raw, err := tokenEncoding.DecodeString(name[len(stagePrefix):])
	if err != nil {
		return tag{}
	}
	for kind := tagPart; kind <= tagBatch; kind++ {
		if bytes.Equal(tagCheck(kind, raw[:13]), raw[13:]) {
			t := tag{kind: kind, target: uint16(raw[10])<<4 | uint16(raw[11])>>4}
			copy(t.fresh[:], raw)
			copy(t.prior[:], raw[5:])
			return t
		}
	}
	return tag{}
}
