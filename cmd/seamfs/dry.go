package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seamfs/seamfs/backends/jail"
	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/internal/landlock"
	"github.com/seamfs/seamfs/policy"
	"github.com/seamfs/seamfs/vfs"
	"github.com/spf13/cobra"
)

// dryFlags are about working on an overlay of the root instead of the root.
type dryFlags struct {
	session    string // "" without --dry
	state      string
	allowApply bool

	open  *staged
	rules vfs.Provider // the overlay as the tools see it
}

func (d *dryFlags) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Var((*sessionName)(&d.session), "dry", "change nothing in --root: keep all changes in a session of it, to look at, apply or discard; default: the newest session, or a new one")
	f.Lookup("dry").NoOptDefVal = newestSession
	f.StringVar(&d.state, "state", "", "keep sessions in this directory (default $XDG_STATE_HOME/seamfs, or ~/.local/state/seamfs)")
	f.BoolVar(&d.allowApply, "allow-apply", false, "with --dry: offer the tool apply, which makes changes real; otherwise only a person can, by \"seamfs apply\"")
}

// sessionName is a flag that takes the name of a session, or nothing.
type sessionName string

func (s *sessionName) String() string { return string(*s) }
func (s *sessionName) Type() string   { return "SESSION" }
func (s *sessionName) Set(v string) error {
	if v == "" {
		return errors.New("want the name of a session; leave the = out for the newest one")
	}
	*s = sessionName(v)
	return nil
}

func (d *dryFlags) on() bool { return d.session != "" }

func (d *dryFlags) check(w *workspace) error {
	switch {
	case !d.on() && d.allowApply:
		return usageError{errors.New("--allow-apply is about --dry: without it every change is real at once")}
	case !d.on() && d.state != "":
		return usageError{errors.New("--state is about --dry")}
	case !d.on():
		return nil
	case w.mem:
		return usageError{errors.New("--dry is about --root: a tree in memory is gone afterwards anyway")}
	case w.jail.unconfined:
		return usageError{errors.New("--dry needs a confined --root: it does not go with --unconfined")}
	case d.allowApply && w.readOnly:
		return usageError{errors.New("--allow-apply and --read-only exclude each other")}
	}
	return nil
}

// dryFilesystem opens the session as what the tools work on.
func (w *workspace) dryFilesystem(cmd *cobra.Command, rules policy.RulesOptions) (*vfs.FS, error) {
	d := &w.dry
	name := d.session
	if name == newestSession {
		name = ""
	}
	opts := jail.Options{Engine: w.jail.engine.value, Mounts: w.jail.mounts, StrictHardLinks: w.jail.strictHardLinks, ReadOnly: !d.allowApply}
	s, err := openStaged(cmd.Context(), w.root, d.state, name, true, opts)
	if err != nil {
		return nil, err
	}
	d.open = s
	how := ""
	if s.made {
		how = " (new)"
	}
	until := ""
	if d.allowApply {
		until = " until they are applied"
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "seamfs: dry: changes stay in the session %s%s%s; nothing in %s is touched\n", s.name, how, until, s.root)
	if d.rules, err = policy.Rules(s.over, rules); err != nil {
		return nil, errors.Join(usageError{err}, s.Close())
	}
	fsOpts := s.lower.FSOptions()
	fsOpts.ID, fsOpts.Closer = "dry:"+s.name+":"+s.root, s
	fsys, err := vfs.New(d.rules, fsOpts)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return fsys, nil
}

// wall is what the second wall is put around: the session may be written, and the
// root only where changes may be applied to it.
func (d *dryFlags) wall(root string, rules landlock.Rules) landlock.Rules {
	rules.ReadWrite = append(rules.ReadWrite, d.open.state)
	if d.allowApply {
		rules.ReadWrite = append(rules.ReadWrite, root)
	} else {
		rules.ReadOnly = append(rules.ReadOnly, root)
	}
	return rules
}

// stage shows an overlay to the tools changes and apply. What the rules deny they do
// not see.
type stage struct {
	over  *overlay.Overlay
	rules vfs.Provider
}

func (s *stage) denied(ctx context.Context, c *overlay.Change) bool {
	for _, p := range []vfs.Place{c.Place, c.From} {
		if p == "" {
			continue
		}
		if _, err := s.rules.Lstat(ctx, p, 0); vfs.CodeOf(err) == vfs.PermissionDenied {
			return true
		}
	}
	return false
}

func (s *stage) seen(ctx context.Context) ([]overlay.Change, error) {
	list, err := s.over.Changes(ctx)
	return slices.DeleteFunc(list, func(c overlay.Change) bool { return s.denied(ctx, &c) }), err
}
