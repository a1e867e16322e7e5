package hostfs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// The journal of a batch is the file "journal" in a staging directory of its own,
// ".seamfs-TOKEN" in [Options.JournalDir]. TOKEN is the id of the batch. A line is
//
//	CCCCCCCC JSON
//
// where C is the CRC-32C of the JSON, in hex. Reading ends at the first line that
// is torn or does not add up: what was appended after the last sync may be lost,
// and nothing before it can be. Each line has one of these fields:
//
//	head   first: the version of this format, when it began, whether its undo is
//	       kept, and where the staging directory is
//	temp   a name in a directory that may be there, empty: an entry of ours on its
//	       way into staging
//	step   one step of the plan, in order (see step)
//	plan   the number of steps: the plan is whole. It is synced, and so is all that
//	       is staged, before the first step is made
//	at     the number of a step about to be made, for steps that leave no trace of
//	       their own in staging. It is not synced: it needs to survive the process
//	end    "done": all is made. "back": all is taken back. "undo": a batch that was
//	       done is being taken back, which makes it unfinished again
//
// The process that works on a batch holds flock(2) on the journal, so that a
// batch under way is told from one that a dead process left.
const (
	journalName   = "journal"
	journalDraft  = "journal.new" // until it is locked
	journalFormat = 1
)

const (
	endDone = "done"
	endBack = "back"
	endUndo = "undo"
)

type record struct {
	Head *head  `json:"head,omitempty"`
	Temp *temp  `json:"temp,omitempty"`
	Step *step  `json:"step,omitempty"`
	Plan *int   `json:"plan,omitempty"`
	At   *int   `json:"at,omitempty"`
	End  string `json:"end,omitempty"`
}

type head struct {
	Format int       `json:"v"`
	Began  time.Time `json:"began"`
	Keep   bool      `json:"keep,omitempty"`
	In     rawName   `json:"in,omitempty"`    // the directory that holds the staging directory,
	Stage  string    `json:"stage,omitempty"` // and its name there; "" when it is that of the journal
}

type temp struct {
	In   rawName `json:"in"`
	Name string  `json:"name"`
}

// rawName is a name or path of any bytes in JSON, which can hold only UTF-8: what
// is not, or could be taken for it, stands quoted as Go does.
type rawName string

func (n rawName) MarshalText() ([]byte, error) {
	if utf8.ValidString(string(n)) && !strings.HasPrefix(string(n), `"`) {
		return []byte(n), nil
	}
	return []byte(strconv.QuoteToASCII(string(n))), nil
}

func (n *rawName) UnmarshalText(b []byte) error {
	if !bytes.HasPrefix(b, []byte(`"`)) {
		*n = rawName(b)
		return nil
	}
	s, err := strconv.Unquote(string(b))
	*n = rawName(s)
	return err
}

// journal is an open journal, locked by this process.
type journal struct {
	e       *engine
	id      string
	dir     int // descriptor of its staging directory
	fd      int
	ended   string
	planned bool
	at      int // the step that was last begun; -1 when none is known
	head    head
	temps   []temp
	steps   []step
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func encodeRecord(to []byte, r *record) []byte {
	text, err := json.Marshal(r)
	if err != nil {
		panic("hostfs: a journal record that cannot be written: " + err.Error())
	}
	to = fmt.Appendf(to, "%08x ", crc32.Checksum(text, castagnoli))
	return append(append(to, text...), '\n')
}

// append writes records at the end. They are not synced.
func (j *journal) append(records ...record) error {
	var buf []byte
	for i := range records {
		buf = encodeRecord(buf, &records[i])
	}
	_, err := fdWriter(j.fd).Write(buf)
	return err
}

// end writes how it ended and syncs that.
func (j *journal) end(how string) error {
	if err := j.e.step("journal-" + how); err != nil {
		return err
	}
	if err := j.append(record{End: how}); err != nil {
		return err
	}
	j.ended = how
	return j.sync()
}

func (j *journal) sync() error {
	if j.e.opts.NoSync {
		return nil
	}
	return sysErr("fdatasync", retry(func() error { return unix.Fdatasync(j.fd) }))
}

// load reads the records and cuts off a torn tail.
func (j *journal) load(text []byte) (good int) {
	j.at = -1
	for good < len(text) {
		line, _, whole := bytes.Cut(text[good:], []byte("\n"))
		var r record
		if !whole || len(line) < 10 || fmt.Sprintf("%08x", crc32.Checksum(line[9:], castagnoli)) != string(line[:8]) ||
			json.Unmarshal(line[9:], &r) != nil {
			return good
		}
		j.take(&r)
		good += len(line) + 1
	}
	return good
}

func (j *journal) take(r *record) {
	switch {
	case r.Head != nil:
		j.head = *r.Head
	case r.Temp != nil:
		j.temps = append(j.temps, *r.Temp)
	case r.Step != nil:
		j.steps = append(j.steps, *r.Step)
	case r.Plan != nil:
		j.planned = *r.Plan == len(j.steps)
	case r.At != nil:
		j.at = *r.At
	case r.End != "":
		j.ended = r.End
		j.at = -1
	}
}

// sane reports whether the journal names nothing but places and slots. What it
// names is renamed, so one that was made up by somebody must not name more.
func (j *journal) sane() bool {
	ok := (j.head.In == "" || vfs.Place(j.head.In).Valid()) && (j.head.Stage == "" || isStage(j.head.Stage))
	for _, t := range j.temps {
		ok = ok && vfs.Place(t.In).Valid()
	}
	for i := range j.steps {
		ok = ok && j.steps[i].A.sane() && (j.steps[i].Do == doAttrs || j.steps[i].B.sane())
	}
	return ok
}

func (l loc) sane() bool {
	if l.Slot == "" {
		p := vfs.Place(l.Place)
		return checkPlace(p) == nil
	}
	n, isSlot := strings.CutPrefix(l.Slot, "s")
	_, err := strconv.ParseUint(n, 10, 31)
	return isSlot && err == nil && l.Place == ""
}

// finished reports whether the batch is done and not being undone.
func (j *journal) finished() bool { return j.ended == endDone }

// garbage reports whether nothing can be made of it but to remove it.
func (j *journal) garbage() bool { return j.ended == endBack || j.finished() && !j.head.Keep }

// places are what it changes, each once.
func (j *journal) places() []vfs.Place {
	var list []vfs.Place
	seen := map[vfs.Place]bool{}
	for i := range j.steps {
		for _, l := range []loc{j.steps[i].A, j.steps[i].B} {
			if p := vfs.Place(l.Place); p != "" && !seen[p] {
				seen[p] = true
				list = append(list, p)
			}
		}
	}
	return list
}

func (j *journal) close() {
	closeFD(j.fd)
	closeFD(j.dir)
	j.fd, j.dir = -1, -1
}
