package toolfs

import (
	"fmt"
	"strconv"
	"strings"
)

// renderRead renders the lines of a window. capped says that the byte cap ended
// it. With a limit of characters it ends the window before the line that would
// exceed it, as the byte cap does, and takes what it left out from v.
func renderRead(v *ReadValue, capped bool, limit int) string {
	if limit > 0 {
		longest := fmt.Sprintf("(Output capped. Showing lines %d-%d. Use offset=%d to continue.)", v.TotalLines, v.TotalLines, v.TotalLines)
		left := limit - chars(renderEnvelope(v.Path, "file", 0, nil, longest))
		n := fit(len(v.Lines), left, func(i int) int {
			return len(strconv.FormatInt(v.Lines[i].Number, 10)) + len(": ") + chars(v.Lines[i].Text)
		})
		capped = capped || n < len(v.Lines)
		v.Lines = v.Lines[:n]
	}
	line := func(b *strings.Builder, i int) {
		var number [20]byte
		b.Write(strconv.AppendInt(number[:0], v.Lines[i].Number, 10))
		b.WriteString(": ")
		b.WriteString(v.Lines[i].Text)
	}
	return renderEnvelope(v.Path, "file", len(v.Lines), line, readFooter(*v, capped))
}

// readFooter says what was shown, whether there is more, and how to go on.
func readFooter(v ReadValue, capped bool) string {
	last := v.Offset + int64(len(v.Lines)) - 1
	switch {
	case capped:
		return fmt.Sprintf("(Output capped. Showing lines %d-%d. Use offset=%d to continue.)", v.Offset, last, last+1)
	case last < v.TotalLines:
		return fmt.Sprintf("(Showing lines %d-%d of %d. Use offset=%d to continue.)", v.Offset, last, v.TotalLines, last+1)
	}
	return fmt.Sprintf("(End of file - total %d lines)", v.TotalLines)
}
