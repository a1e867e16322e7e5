package commitlog

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

// The envelope: magic, version, kind, two zero bytes, the length of it all, the
// fields, the body, and 8 bytes of the SHA-256 of everything before them.
const (
	magic    = "\x8dSFL"
	version  = 1
	fixedLen = 16
	sumLen   = 8
)

// encode is stable: it makes the same bytes of the same envelope, always.
func (e envelope) encode() []byte {
	b := make([]byte, fixedLen, fixedLen+len(e.op)+len(e.actor)+len(e.family)+len(e.body)+64)
	copy(b, magic)
	b[4], b[5] = version, byte(e.kind)
	b = binary.AppendUvarint(b, e.seq)
	b = binary.AppendVarint(b, e.time.Unix())
	b = binary.AppendUvarint(b, uint64(e.time.Nanosecond()))
	b = appendString(b, e.op)
	b = appendString(b, e.actor)
	if e.kind == kindHead {
		b = appendString(b, e.family)
		b = binary.AppendUvarint(b, uint64(len(e.chain)))
		for _, s := range e.chain {
			b = appendString(b, s.place.String())
			b = binary.AppendUvarint(b, s.through)
		}
	}
	return seal(append(b, e.body...))
}

// seal fills in the length and adds the checksum.
func seal(b []byte) []byte {
	binary.LittleEndian.PutUint64(b[8:], uint64(len(b)+sumLen))
	sum := sha256.Sum256(b)
	return append(b, sum[:sumLen]...)
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// decode reads what encode made, and nothing else: bytes that it takes are those
// that encode makes of the result. It keeps data.
func decode(data []byte) (envelope, error) {
	if len(data) < 5 || string(data[:4]) != magic || data[4] == 0 {
		return envelope{}, damaged("it does not begin as a record does")
	}
	if data[4] > version {
		return envelope{}, newer(fmt.Sprintf("it has format %d, and this program reads up to %d", data[4], version))
	}
	if len(data) < fixedLen+sumLen {
		return envelope{}, damaged("it is cut off")
	}
	if n := binary.LittleEndian.Uint64(data[8:]); n != uint64(len(data)) {
		return envelope{}, damaged(fmt.Sprintf("it has %d bytes and should have %d", len(data), n))
	}
	end := len(data) - sumLen
	if sum := sha256.Sum256(data[:end]); string(sum[:sumLen]) != string(data[end:]) {
		return envelope{}, damaged("its checksum is another")
	}
	e := envelope{kind: kind(data[5])}
	if e.kind < kindHead || e.kind > kindCheckpoint || data[6] != 0 || data[7] != 0 {
		return envelope{}, newer("it is of a kind that this program does not know")
	}
	if d := (decoder{rest: data[fixedLen:end:end]}); !d.fields(&e) {
		return envelope{}, damaged("its fields do not hold together")
	}
	return e, nil
}

func damaged(why string) error {
	return &unreadable{vfs.Fail(vfs.IOError, "the record is damaged: "+why)}
}

func newer(why string) error {
	return &unreadable{vfs.Fail(vfs.Unsupported, "the record was written by a newer seamfs: "+why+": use a newer seamfs")}
}

// unreadable marks what will not be read by asking again.
type unreadable struct{ error }

func (u *unreadable) Unwrap() error { return u.error }

func isUnreadable(err error) bool {
	var u *unreadable
	return errors.As(err, &u)
}

// decoder takes fields off what is left.
type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) fields(e *envelope) bool {
	e.seq = d.uvarint()
	sec := d.varint()
	nsec := d.uvarint()
	d.bad = d.bad || nsec >= 1e9
	e.time = time.Unix(sec, int64(nsec)).UTC()
	d.bad = d.bad || e.time.Unix() != sec
	e.op = d.string()
	e.actor = d.string()
	if e.kind == kindHead {
		e.family = d.string()
		d.bad = d.bad || !ValidKey(e.family)
		for n := d.uvarint(); n > 0 && !d.bad; n-- {
			p, ok := parsePlace(d.string())
			s := segment{p, d.uvarint()}
			d.bad = d.bad || !ok || s.through > maxSeq || len(e.chain) > 0 && s.through <= e.chain[len(e.chain)-1].through
			e.chain = append(e.chain, s)
		}
	}
	e.body = d.rest
	return !d.bad && e.check() == nil
}

// uvarint takes a number in its shortest form only.
func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.rest)
	return v * d.take(n)
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.rest)
	return v * int64(d.take(n))
}

// take goes on by n bytes, and returns 0 if they were not a number.
func (d *decoder) take(n int) uint64 {
	if d.bad || n <= 0 || n > 1 && d.rest[n-1] == 0 {
		d.bad = true
		return 0
	}
	d.rest = d.rest[n:]
	return 1
}

func (d *decoder) string() string {
	n := d.uvarint()
	if d.bad || n > uint64(len(d.rest)) {
		d.bad = true
		return ""
	}
	s := string(d.rest[:n])
	d.rest = d.rest[n:]
	return s
}
