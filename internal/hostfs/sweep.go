package hostfs

import "fmt"

// Swept is what a sweep of one directory came to. Names are those in the
// directory.
type Swept struct {
	// Removed counts leftovers that were this library's own bytes, by their digest.
	Removed int
	// Restored are names under which something is back that a removal had taken
	// aside when its process died.
	Restored []string
	// Kept are names under which versions of other processes are now, which an
	// exchange had displaced when its process died.
	Kept []string
	// Left are leftovers of which nothing is known, or that belong to another user.
	Left []string
}

// notes tell of what another process, or a person, wants to know about.
func (s *Swept) notes() (notes []string) {
	for _, name := range s.Restored {
		notes = append(notes, fmt.Sprintf("a process died while it removed %q; what is left of it is back", name))
	}
	for _, name := range s.Kept {
		notes = append(notes, fmt.Sprintf("a process died while it replaced a file; a version that it displaced is kept as %q", name))
	}
	return notes
}
