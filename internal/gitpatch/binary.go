package gitpatch

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
)

// isBinary tells whether content has no place in a text patch. Git looks for a NUL byte in the first 8000 only; where
// more is looked at, more is carried as binary, which git takes as well.
func isBinary(content []byte) bool { return bytes.IndexByte(content, 0) >= 0 }

// writeBinary writes both contents, so that the patch can be taken back.
func writeBinary(out *bufio.Writer, old, new []byte) {
	fmt.Fprintln(out, "GIT binary patch")
	writeLiteral(out, new)
	writeLiteral(out, old)
}

// lineBytes is how many bytes of compressed content are on a line, behind a letter that says so.
const lineBytes = 52

func writeLiteral(out *bufio.Writer, content []byte) {
	fmt.Fprintf(out, "literal %d\n", len(content))
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	z.Write(content) // neither fails: the buffer takes everything
	z.Close()
	for packed.Len() > 0 {
		part := packed.Next(lineBytes)
		if n := len(part); n <= 26 {
			out.WriteByte(byte('A' + n - 1))
		} else {
			out.WriteByte(byte('a' + n - 27))
		}
		writeBase85(out, part)
		out.WriteByte('\n')
	}
	out.WriteByte('\n')
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"

// writeBase85 writes four bytes as five digits of base 85, with zeroes after the last byte.
func writeBase85(out *bufio.Writer, part []byte) {
	for len(part) > 0 {
		var four [4]byte
		part = part[copy(four[:], part):]
		var digits [5]byte
		for v, i := binary.BigEndian.Uint32(four[:]), 4; i >= 0; v, i = v/85, i-1 {
			digits[i] = alphabet[v%85]
		}
		out.Write(digits[:])
	}
}
