package main

import (
	"context"

	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/spf13/cobra"
)

// dryFlags are those of a search in what a session shows: what it has changed, and
// the root where it has not.
func (s *searching) dryFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Var((*sessionName)(&s.dry.session), "dry", "search what a session of --root shows instead; default: the newest session")
	f.Lookup("dry").NoOptDefVal = newestSession
	f.StringVar(&s.dry.state, "state", "", "with --dry: where sessions are kept (default $XDG_STATE_HOME/seamfs, or ~/.local/state/seamfs)")
}

// findSession makes sure that there is the session to search: a call may begin one,
// but a search of a new one would be a search of the root under a wrong name.
func (s *searching) findSession(ctx context.Context) error {
	if err := s.dry.check(&s.workspace); err != nil || !s.dry.on() {
		return err
	}
	root, err := rootKey(s.root)
	if err != nil {
		return err
	}
	state, err := stateDir(s.dry.state, root)
	if err != nil {
		return err
	}
	store, err := overlay.OpenSessions(state)
	if err != nil {
		return err
	}
	defer store.Close()
	name := s.dry.session
	if name == newestSession {
		name = ""
	}
	s.dry.session, _, err = chooseSession(ctx, store, root, name, false)
	return err
}
