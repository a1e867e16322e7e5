package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seamfs/seamfs/backends/jail"
	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/vfs"
)

// newestSession is what --dry without a name means. No session can have the name.
const newestSession = "@newest"

// stateDir is where sessions are kept: what --state says, else the directory that
// the XDG base directories give. By default it is never inside of the root, where
// it would be a part of what it is about.
func stateDir(flag, root string) (string, error) {
	if flag != "" {
		return filepath.Abs(flag)
	}
	dir := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("there is no place for sessions: %w; name one with --state DIR", err)
		}
		dir = filepath.Join(home, ".local", "state")
	}
	dir = filepath.Join(dir, "seamfs")
	if within(root, resolved(dir)) {
		return "", usageError{fmt.Errorf("sessions would be kept in %s, which is inside of the root %s: name another place with --state DIR, or that one to have it so", dir, root)}
	}
	return dir, nil
}

// resolved follows the links of a path as far as it exists.
func resolved(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		return p
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(resolved(parent), filepath.Base(path))
}

func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// rootKey is the name that sessions know a root by: absolute, with all links followed.
func rootKey(root string) (string, error) {
	dir, err := jailable(root)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// chooseSession returns the session of that name, or with "" the one that was changed
// last. With create one is made where there is none.
func chooseSession(ctx context.Context, store *overlay.Sessions, root, name string, create bool) (chosen string, made bool, err error) {
	list, err := store.List(ctx, root)
	if err != nil {
		return "", false, err
	}
	names := make([]string, len(list))
	for i, s := range list {
		if names[i] = s.Name; s.Name == name || name == "" {
			return s.Name, false, nil
		}
	}
	switch {
	case create && name == "":
		name = time.Now().Format("dry-20060102-150405")
	case create:
	case len(names) > 0:
		return "", false, usageError{fmt.Errorf("%s has no session %q; it has %s", root, name, strings.Join(names, ", "))}
	default:
		return "", false, usageError{fmt.Errorf("%s has no session; tool calls with --dry begin one: seamfs call --dry TOOL JSON", root)}
	}
	err = store.Create(ctx, root, name)
	if vfs.CodeOf(err) == vfs.Exists {
		return name, false, nil // another process was faster
	}
	return name, err == nil, err
}

// overlayOptions are those of an overlay for whoever runs this process.
func overlayOptions() *overlay.Options {
	opts := &overlay.Options{}
	if uid := os.Getuid(); uid >= 0 {
		groups, _ := os.Getgroups()
		opts.User = &overlay.User{UID: uid, GID: os.Getgid(), Groups: groups}
	}
	if mask, ok := umask(); ok {
		opts.Umask = &mask
	}
	return opts
}

// staged is a session that is open.
type staged struct {
	root  string // as sessions know it
	state string
	name  string
	made  bool
	lower *jail.Provider
	over  *overlay.Overlay
	store *overlay.Sessions
}

func (s *staged) Close() error {
	return errors.Join(s.lower.Close(), s.store.Close())
}

// openStaged opens a session over a root that is held by a jail.
func openStaged(ctx context.Context, root, state, name string, create bool, opts jail.Options) (_ *staged, err error) {
	s := &staged{}
	if s.root, err = rootKey(root); err != nil {
		return nil, err
	}
	if s.state, err = stateDir(state, s.root); err != nil {
		return nil, err
	}
	if s.store, err = overlay.OpenSessions(s.state); err != nil {
		return nil, err
	}
	if s.name, s.made, err = chooseSession(ctx, s.store, s.root, name, create); err != nil {
		return nil, errors.Join(err, s.store.Close())
	}
	if s.lower, err = jail.New(root, &opts); err != nil {
		return nil, errors.Join(err, s.store.Close())
	}
	if s.over, err = s.store.Open(ctx, s.lower, s.root, s.name, overlayOptions()); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}
