package commitlog

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func examples() map[string]envelope {
	at := time.Date(2026, 11, 30, 12, 34, 56, 789, time.UTC)
	return map[string]envelope{
		"head":       {kind: kindHead, op: "op", time: at, family: "fam", body: []byte("head")},
		"fork":       {kind: kindHead, op: "op", time: at, family: "fam", chain: []segment{{place{"a", 0}, 3}, {place{"B c", 2}, 900}}},
		"commit":     {kind: kindCommit, seq: 7, op: "op", actor: "me", time: at, body: []byte("body\x00\xff")},
		"fence":      {kind: kindFence, seq: maxSeq, op: "op", time: time.Time{}},
		"end":        {kind: kindEnd, seq: 8, op: "op", time: time.Unix(-1, 5)},
		"checkpoint": {kind: kindCheckpoint, seq: 8, op: "op", time: at, body: bytes.Repeat([]byte("state"), 100)},
	}
}

// Version 1 is these bytes, for ever: what one seamfs wrote, the next reads.
func TestFormatOne(t *testing.T) {
	for name, e := range examples() {
		golden := filepath.Join("testdata", "v1-"+name)
		if os.Getenv("SEAMFS_UPDATE") != "" {
			require.NoError(t, os.MkdirAll("testdata", 0o755))
			require.NoError(t, os.WriteFile(golden, e.encode(), 0o644))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		require.Equal(t, want, e.encode(), name)
		got, err := decode(want)
		require.NoError(t, err, name)
		require.True(t, e.time.Equal(got.time), name)
		e.time, e.body, got.body = got.time, append([]byte{}, e.body...), append([]byte{}, got.body...)
		require.Equal(t, e, got, name)
	}
}

// No byte of a record can be lost, changed or added without an error.
func TestEveryDamageIsSeen(t *testing.T) {
	for name, e := range examples() {
		data := e.encode()
		for i := range data {
			_, err := decode(data[:i])
			require.Error(t, err, "%s cut at %d", name, i)
			for bit := range 8 {
				bent := bytes.Clone(data)
				bent[i] ^= 1 << bit
				_, err := decode(bent)
				require.Error(t, err, "%s with bit %d of byte %d flipped", name, bit, i)
				require.Contains(t, []vfs.Code{vfs.IOError, vfs.Unsupported}, vfs.CodeOf(err))
			}
		}
		_, err := decode(append(data, 0))
		require.Error(t, err, name)
	}
}

func TestNewerFormats(t *testing.T) {
	e := examples()["commit"]
	unknown := e
	unknown.kind = kindCheckpoint + 1
	data := e.encode()
	data[4] = version + 1
	for name, data := range map[string][]byte{"version": data, "version, nothing else": data[:5], "kind": unknown.encode()} {
		_, err := decode(data)
		require.Equal(t, vfs.Unsupported, vfs.CodeOf(err), name)
		require.ErrorContains(t, err, "use a newer seamfs", name)
	}
}

func TestNamesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := place{string(rapid.SliceOfN(rapid.Byte(), 1, 60).Draw(t, "name")), rapid.Uint64Range(0, 1<<32-1).Draw(t, "gen")}
		got, ok := parsePlace(p.String())
		require.True(t, ok)
		require.Equal(t, p, got)
		require.True(t, ValidKey(p.record(3)))
		got, ok = placeOf(p.record(3))
		require.True(t, ok)
		require.Equal(t, p, got)
	})
	for _, s := range []string{"", ".", "..", ".1", "a.", "a.0", "a.01", "a.x", "A", "=4", "=zz", "=61", "=4A", "a/b", "con", "com1.2", "a.4294967296"} {
		_, ok := parsePlace(s)
		require.False(t, ok, "%q", s)
	}
}

func TestValidKey(t *testing.T) {
	for key, want := range map[string]bool{
		"w/00/a.1/log/000000000001": true, "b/x/00/=20": true,
		"": false, "/a": false, "a/": false, "a//b": false, ".": false, "a/..": false, "a/.b": false, "A": false, "a\\b": false, "a:b": false, "a\x00": false,
	} {
		require.Equal(t, want, ValidKey(key), "%q", key)
	}
}

// FuzzRecord: whatever the bytes, decode does not panic, and takes only what encode makes.
func FuzzRecord(f *testing.F) {
	for _, e := range examples() {
		f.Add(e.encode()[fixedLen:], byte(e.kind))
	}
	f.Fuzz(func(t *testing.T, rest []byte, k byte) {
		_, _ = decode(rest)
		// the checksum would keep everything else out, so it is made to fit
		e := envelope{kind: kindCommit, body: rest}
		data := e.encode()
		framed := append([]byte{}, data[:fixedLen]...)
		framed[5] = k
		framed = seal(append(framed, rest...))
		got, err := decode(framed)
		if err == nil {
			require.Equal(t, framed, got.encode())
			require.NoError(t, got.check())
		}
	})
}
