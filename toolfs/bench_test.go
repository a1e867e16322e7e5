package toolfs_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/seamfs/seamfs/toolfs"
)

// What the tools add to an FS in memory: arguments, window, envelope.
func BenchmarkCall(b *testing.B) {
	files := map[string]string{"small": strings.Repeat(strings.Repeat("x", 63)+"\n", 64), "page": strings.Repeat(strings.Repeat("x", 24)+"\n", 2000)}
	for i := range 200 {
		files[fmt.Sprintf("d/f%03d", i)] = ""
	}
	w := newWorld(b, files, toolfs.Config{})
	big := strings.Repeat("line of text\n", 80_000)
	for _, c := range []struct {
		name, tool string
		args       json.RawMessage
	}{
		{"read 4 KiB", "read", args(b, "file_path", "small")},
		{"read 50 KiB", "read", args(b, "file_path", "page")},
		{"list 200", "list", args(b, "path", "d")},
		{"write 1 MiB", "write", args(b, "file_path", "w", "content", big)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if r := w.tools.Call(b.Context(), w.me, c.tool, c.args); r.IsError {
					b.Fatal(r.Text())
				}
			}
		})
	}
}
