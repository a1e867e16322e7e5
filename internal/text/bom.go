package text

import "bytes"

// BOM is the byte order mark: three bytes in UTF-8. At the start of a file it is hidden from readers and kept by
// edits; anywhere else it is content.
const BOM = "\ufeff"

var bomBytes = []byte(BOM)

// CutBOM returns b without a leading byte order mark, and whether there was one. rest shares b.
func CutBOM(b []byte) (rest []byte, found bool) { return bytes.CutPrefix(b, bomBytes) }
