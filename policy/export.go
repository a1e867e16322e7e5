package policy

import (
	"encoding/json"
	"maps"
	"slices"
	"weak"

	"github.com/seamfs/seamfs/vfs"
)

// exportFormat is the number of the form that Export writes and Import reads.
const exportFormat = 1

type exported struct {
	Format int            `json:"format"`
	Files  []exportedFile `json:"files"`
}

// exportedFile has its key as bytes, which JSON holds in base64, since a key may
// hold a name that is not UTF-8. No version is an absent file.
type exportedFile struct {
	Key     []byte      `json:"key"`
	Version vfs.Version `json:"version,omitempty"`
	All     bool        `json:"all,omitempty"`
	Lines   []span      `json:"lines,omitempty"`
	Total   int64       `json:"total,omitempty"`
}

// Export returns what an owner has seen, keys and versions and no content, as
// JSON, for [ReadBeforeWrite.Import] in another process. Keys mean the same there
// only over a filesystem with the same ID.
func (p *ReadBeforeWrite) Export(owner *vfs.Owner) ([]byte, error) {
	if owner == nil {
		return nil, badState("there is no owner")
	}
	out := exported{Format: exportFormat, Files: []exportedFile{}}
	p.mu.Lock()
	defer p.mu.Unlock()
	if state := p.owners[weak.Make(owner)]; state != nil {
		for _, key := range slices.Sorted(maps.Keys(state.files)) {
			s := state.files[key]
			out.Files = append(out.Files, exportedFile{
				Key: []byte(key), Version: s.version,
				All: s.seen.all, Lines: s.seen.spans, Total: s.seen.total,
			})
		}
	}
	return json.Marshal(out)
}

// Import makes owner know what an Export says, in place of what it knew. What
// has changed since is found out when it is used: its version no longer holds.
func (p *ReadBeforeWrite) Import(owner *vfs.Owner, data []byte) error {
	var in exported
	if owner == nil {
		return badState("there is no owner")
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return badState("it is not JSON of an export")
	}
	if in.Format != exportFormat {
		return badState("it has a format that is not known here")
	}
	files := make(map[vfs.Key]fileState, len(in.Files))
	for _, f := range in.Files {
		s, err := f.state()
		if err != nil {
			return err
		}
		files[vfs.Key(f.Key)] = s
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stateOf(owner).files = files
	return nil
}

// state checks one file of an import.
func (f exportedFile) state() (fileState, error) {
	switch {
	case len(f.Key) == 0:
		return fileState{}, badState("it has a file without a key")
	case f.Version == "":
		return fileState{}, nil
	}
	s := fileState{present: true, version: f.Version, seen: coverage{all: f.All, total: f.Total}}
	for _, l := range f.Lines {
		if l.First < 1 || l.Last < l.First {
			return fileState{}, badState("it has a range of lines that is none")
		}
	}
	if len(f.Lines) > 0 {
		s.seen.spans = merge(f.Lines)
	}
	return s, nil
}

func badState(reason string) error {
	return &vfs.Error{Code: vfs.InvalidArgument, Op: "import", Message: "observed state cannot be taken over: " + reason}
}
