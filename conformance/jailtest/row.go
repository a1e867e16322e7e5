package jailtest

import (
	"os"
	"slices"
	"strings"
)

// Row is one attack of the corpus, or a family of them.
type Row struct {
	ID    string // C01 to C124
	Title string
	Needs Need
	// Elsewhere says which test covers a row that this suite does not run, or why
	// none can.
	Elsewhere string

	want    Want
	plant   func(p *P)
	attacks []attack
	run     func(p *P)
	shown   bool // what lies outside has a name inside, by which it may be read
	static  bool // names and links at rest: every door must give the same answers
}

// attack is a name, and what each operation on it must come to.
type attack struct {
	name   string // {R} and {O} stand for the host paths of the root and the outside
	expect expect
}

// Need is what a row takes of the process or of the [Jail].
type Need uint8

// The needs.
const (
	NeedRoot    Need = 1 << iota // the process is privileged
	NeedUser                     // the process is not privileged: permissions bind it
	NeedMounts                   // Jail.Mounts
	NeedVirtual                  // Jail.Virtual
	NeedUnix                     // any system but Windows
	NeedLinux
	NeedDarwin
	NeedWindows
)

var needWords = []string{"root", "an ordinary user", "mounts", "a jail over a provider", "Unix", "Linux", "macOS", "Windows"}

// String says in words what is needed.
func (n Need) String() string {
	var list []string
	for i, word := range needWords {
		if n&(1<<i) != 0 {
			list = append(list, word)
		}
	}
	return strings.Join(list, ", ")
}

// Static reports whether the row is of names and links at rest, which are tried by
// every door.
func (r Row) Static() bool { return r.static }

// missing are the needs of a row that are not met here.
func (j *Jail) missing(n Need) Need {
	have := platform
	if os.Geteuid() == 0 {
		have |= NeedRoot
	} else {
		have |= NeedUser
	}
	if j.Mounts {
		have |= NeedMounts
	}
	if j.Virtual != nil {
		have |= NeedVirtual
	}
	return n &^ have
}

// Rows returns the whole corpus in its order.
func Rows() []Row {
	return slices.Concat(
		nameRows(), linkRows(), linkTreeRows(), procRows(), mountRows(), hardRows(), modeRows(),
		raceRows(), stageRows(), resourceRows(), virtualRows(), platformRows(), hygieneRows(),
	)
}
