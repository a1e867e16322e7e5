package main

import (
	"bufio"
	"bytes"
	"errors"
)

// maxLine bounds one line of input: the largest arguments that a tool takes, and
// what JSON puts around them.
const maxLine = 80 << 20

// readLine reads one line without its end. A line that is too long is read to
// its end and dropped, so that the next one is found.
func readLine(r *bufio.Reader) (line []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > maxLine; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), tooLong, err
		}
	}
}
