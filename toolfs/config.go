package toolfs

import (
	"fmt"

	"github.com/seamfs/seamfs/vfs"
)

// The defaults of [Config].
const (
	DefaultListMaxEntries    = 200
	DefaultReadLimit         = 2000
	DefaultReadMaxLineLength = 2000
	DefaultReadMaxBytes      = 51200
	DefaultReadStreamMinSize = 10485760
	DefaultMaxArgumentBytes  = 64 << 20
	DefaultGlobMaxFiles      = 200
	DefaultGrepMaxMatches    = 100
	DefaultGrepMaxLineLength = 500
	DefaultSearchMaxMillis   = 30_000
)

// Config bounds and extends the tools. The zero value is the shipped behaviour;
// of the numbers, zero means the default and less is FS_INVALID_ARGUMENT.
type Config struct {
	// ListMaxEntries is how many entries one page of list has at most.
	ListMaxEntries int `json:"listMaxEntries,omitempty"`
	// ReadLimit is how many lines one read returns: the default and the maximum.
	ReadLimit int `json:"readLimit,omitempty"`
	// ReadMaxLineLength is how many code points of a line are shown.
	ReadMaxLineLength int `json:"readMaxLineLength,omitempty"`
	// ReadMaxBytes bounds the bytes of the lines of one read.
	ReadMaxBytes int `json:"readMaxBytes,omitempty"`
	// ReadStreamMinSize is the size in bytes from which a file is streamed
	// instead of held in memory as a whole.
	ReadStreamMinSize int64 `json:"readStreamMinSize,omitempty"`
	// GlobMaxFiles is how many files one page of glob has at most.
	GlobMaxFiles int `json:"globMaxFiles,omitempty"`
	// GrepMaxMatches is how many matching lines one page of grep has at most.
	GrepMaxMatches int `json:"grepMaxMatches,omitempty"`
	// GrepMaxLineLength is how many code points of a line grep shows, those of the
	// first match among them.
	GrepMaxLineLength int `json:"grepMaxLineLength,omitempty"`
	// SearchMaxMillis is after how many milliseconds a search ends with what it has
	// found, and says so.
	SearchMaxMillis int `json:"searchMaxMillis,omitempty"`
	// MaxArgumentBytes bounds the JSON of one call; above it is FS_TOO_LARGE.
	MaxArgumentBytes int `json:"maxArgumentBytes,omitempty"`
	// MaxResultChars bounds an answer, counted in UTF-16 units; zero is no bound.
	// Pages end earlier to keep it; nothing is cut. It must leave room for one
	// line: at least MinResultChars of the line length.
	MaxResultChars int `json:"maxResultChars,omitempty"`

	// KeepCRLF makes write give its content CRLF line ends where it replaces a
	// file that has only those and the content has no CR.
	KeepCRLF bool `json:"keepCRLF,omitempty"`
	// KeepBOM makes write keep the byte order mark of the file it replaces.
	KeepBOM bool `json:"keepBOM,omitempty"`
	// Staged says that a mutation only stages a change that a person reviews, as
	// over an overlay: the tools are then not marked destructive.
	Staged bool `json:"staged,omitempty"`

	// MultiEdit, Move and Delete switch on the tools of those names.
	MultiEdit bool `json:"multiEdit,omitempty"`
	Move      bool `json:"move,omitempty"`
	Delete    bool `json:"delete,omitempty"`

	// Stage is where mutations are staged; it switches on the tool changes, and with
	// Apply the tool apply.
	Stage Stage `json:"-"`
	Apply bool  `json:"apply,omitempty"`
}

// MinResultChars is the least MaxResultChars for a line length: one line of the
// widest characters, its envelope and its footer.
func MinResultChars(lineLength int) int { return 2*lineLength + 1024 }

// checked returns c with its defaults filled in.
func (c Config) checked() (Config, error) {
	for _, f := range []struct {
		key   string
		value *int
		def   int
	}{
		{"listMaxEntries", &c.ListMaxEntries, DefaultListMaxEntries},
		{"readLimit", &c.ReadLimit, DefaultReadLimit},
		{"readMaxLineLength", &c.ReadMaxLineLength, DefaultReadMaxLineLength},
		{"readMaxBytes", &c.ReadMaxBytes, DefaultReadMaxBytes},
		{"maxArgumentBytes", &c.MaxArgumentBytes, DefaultMaxArgumentBytes},
		{"globMaxFiles", &c.GlobMaxFiles, DefaultGlobMaxFiles},
		{"grepMaxMatches", &c.GrepMaxMatches, DefaultGrepMaxMatches},
		{"grepMaxLineLength", &c.GrepMaxLineLength, DefaultGrepMaxLineLength},
		{"searchMaxMillis", &c.SearchMaxMillis, DefaultSearchMaxMillis},
	} {
		if *f.value < 0 {
			return c, badConfig(f.key, "must be positive, or zero for the default")
		}
		if *f.value == 0 {
			*f.value = f.def
		}
	}
	if c.ReadStreamMinSize == 0 {
		c.ReadStreamMinSize = DefaultReadStreamMinSize
	}
	switch least := MinResultChars(c.ReadMaxLineLength); {
	case c.Apply && c.Stage == nil:
		return c, badConfig("apply", "needs a stage to apply from")
	case c.ReadStreamMinSize < 0:
		return c, badConfig("readStreamMinSize", "must be positive, or zero for the default")
	case c.MaxResultChars < 0:
		return c, badConfig("maxResultChars", "must be positive, or zero for no bound")
	case c.MaxResultChars > 0 && c.MaxResultChars < least:
		return c, badConfig("maxResultChars", fmt.Sprintf("must be at least %d to hold one line", least))
	}
	// What cannot be held in memory as a whole is streamed, whatever was asked.
	c.ReadStreamMinSize = min(c.ReadStreamMinSize, vfs.MaxTextBytes)
	return c, nil
}

func badConfig(key, reason string) error {
	return &vfs.Error{Code: vfs.InvalidArgument, Op: "new", Path: key, Message: "toolfs: " + key + " " + reason}
}

// chars counts a text as the strictest client does: in UTF-16 units.
func chars(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}
