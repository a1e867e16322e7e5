package conformance

// Law is a numbered law of [vfs.Provider], such as "L12".
type Law string

// laws are the sentences that a failure prints, in the order of their numbers.
// A test holds those of L against the doc of vfs.Provider, and all of them
// against the cases.
var laws = []struct {
	Law      Law
	Sentence string
}{
	{"L1", "all methods may be called from several goroutines at once"},
	{"L2", "no method follows a link in any component of a Place"},
	{"L3", "what does not exist is FS_NOT_FOUND, below a file FS_NOT_DIRECTORY; the root is a directory"},
	{"L4", "names are bytes: not folded, trimmed, unescaped or normalised"},
	{"L5", "a listing has each name once, in byte order, with its own kind"},
	{"L6", "Open is for regular files and never blocks; an open File goes on reading what was opened"},
	{"L7", "Read, ReadAt, Info and Version of a File agree"},
	{"L8", "a version is equal exactly when the content is, over every provider"},
	{"L9", "metadata alone never changes a version; any change of content does"},
	{"L10", "one change is atomic: a reader sees the old content or the new one, whole"},
	{"L11", "several changes are made in order, all or none"},
	{"L12", "the guard is checked before Fill, on the content itself"},
	{"L13", "of changes guarded by one version at most one succeeds, and none is lost"},
	{"L14", "Fill receives what the guard was checked on; its error is returned and nothing has changed"},
	{"L15", "the new content is exactly the pieces of the draft"},
	{"L16", "a change that fails or is cancelled changes nothing and leaves nothing behind"},
	{"L17", "cancellation before publication is FS_ABORTED; after it, success"},
	{"L18", "a Put of the content that is there publishes nothing and is unchanged"},
	{"L19", "a Put keeps mode, owner and attributes; new entries follow the umask"},
	{"L20", "a Put onto anything but a regular file is FS_NOT_REGULAR_FILE, onto a read-only one FS_PERMISSION_DENIED"},
	{"L21", "missing parents are made when asked for, else FS_NOT_FOUND"},
	{"L22", "Remove takes one entry, RemoveAll a tree, neither follows a link or takes the root"},
	{"L23", "MakeDir on something is FS_EXISTS, but with Parents an existing directory is success"},
	{"L24", "Move takes the entry itself and keeps its content and metadata"},
	{"L25", "Exchange swaps two existing entries"},
	{"L26", "Symlink stores its body as given, Link adds a name; either on something is FS_EXISTS"},
	{"L27", "SetAttrs changes metadata alone"},
	{"L28", "a set capability works; an unset one is FS_UNSUPPORTED and changes nothing"},
	{"L29", "a full store is FS_NO_SPACE and loses nothing"},
	{"L30", "a snapshot never changes; a fork and its origin never see each other's changes"},
	{"L31", "what a Walker reaches is what List, Open and a walk by Places find, and an open Dir stays the directory that was opened"},
	{"L32", "a Handle is an open file as a kernel has it: it stays the file, and each write is seen at once"},
	{"L33", "a batch is kept only when asked for; Undo takes back all of it, or nothing when a place has changed since"},

	// All of the above at once, held against plain maps.
	{"M1", "a random sequence of changes, snapshots and forks leaves what the model says"},

	// These are kept by vfs.FS and the tools over whatever provider they are given.
	{"F1", "two names that lead to one place have one Key, before and after it is created"},
	{"F2", "nothing outside the root is named, reached or looked at"},
	{"F3", "every error is a *vfs.Error with a code, a display path and a bounded message"},
	{"F4", "operations after Close are FS_CLOSED, and Close waits for those under way"},
	{"T1", "the tools show and take text exactly as the specification says"},
}

// sentence returns what a law says.
func (l Law) sentence() string {
	for _, known := range laws {
		if known.Law == l {
			return known.Sentence
		}
	}
	return ""
}
