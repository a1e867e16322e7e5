package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/seamfs/seamfs/backends/jail"
	"github.com/seamfs/seamfs/internal/landlock"
	"github.com/seamfs/seamfs/policy"
	"github.com/seamfs/seamfs/vfs"
	"github.com/spf13/cobra"
)

// jailFlags say how --root is held.
type jailFlags struct {
	unconfined      bool
	engine          choice
	mounts          []string
	strictHardLinks bool
	landlock        choice
}

// The words of --landlock.
const (
	wallAuto    = "auto"
	wallRequire = "require"
	wallOff     = "off"
)

func (j *jailFlags) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	j.engine.among = []string{jail.Openat2, jail.OSRoot}
	j.landlock = choice{wallAuto, []string{wallAuto, wallRequire, wallOff}}
	f.BoolVar(&j.unconfined, "unconfined", false, "let names and links lead out of --root, anywhere that this user may go")
	f.Var(&j.engine, "engine", "what holds names inside; default: the first that works here (see seamfs doctor)")
	f.StringArrayVar(&j.mounts, "allow-mount", nil, "enter what is mounted at this name inside the root; may be repeated")
	f.BoolVar(&j.strictHardLinks, "strict-hard-links", false, "refuse to read a file with several names, one of which may be outside")
	f.Var(&j.landlock, "landlock", "the second wall, of the kernel around this process: where there is one; or fail without it; or none")
}

// jailOnly are the flags that mean nothing without a jail.
var jailOnly = []string{"engine", "allow-mount", "strict-hard-links", "landlock"}

func (j *jailFlags) check(cmd *cobra.Command, mem bool) error {
	other := ""
	switch {
	case mem && j.unconfined:
		return usageError{errors.New("--unconfined is about --root: it does not go with --mem")}
	case mem:
		other = "--mem"
	case j.unconfined:
		other = "--unconfined"
	default:
		return nil
	}
	for _, name := range jailOnly {
		if cmd.Flags().Changed(name) {
			return usageError{fmt.Errorf("--%s is about a confined --root: it does not go with %s", name, other)}
		}
	}
	return nil
}

// confined opens the root as a jail.
func (w *workspace) confined(rules policy.RulesOptions) (*vfs.FS, error) {
	dir, err := jailable(w.root)
	if err != nil {
		return nil, err
	}
	provider, err := jail.New(dir, &jail.Options{
		Engine: w.jail.engine.value, Mounts: w.jail.mounts, StrictHardLinks: w.jail.strictHardLinks, ReadOnly: w.readOnly,
	})
	if err != nil {
		return nil, err
	}
	return ruled(provider, rules, provider.FSOptions())
}

// jailable returns the absolute name of a directory that can be a jail. Nothing is
// outside of the root of the disk, so a jail there would hold nothing: it is more
// likely a mistake, such as a client that starts its servers in "/".
func jailable(root string) (string, error) {
	dir, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return "", err
	}
	top, err := os.Stat(filepath.VolumeName(dir) + string(filepath.Separator))
	if err == nil && os.SameFile(info, top) {
		return "", usageError{fmt.Errorf("the root would be %s, which holds nothing in: name a directory with --root, or say --unconfined", dir)}
	}
	return dir, nil
}

// restrict is landlock.Restrict, or what a test puts in its place: what it does to a
// process cannot be undone.
var restrict = landlock.Restrict

// wall puts up the second wall, when there is a root to put it around: after it this
// process reaches the root and the paths of extra, and opens nothing else. All that
// is configured, loaded or listened on must be open by now.
func (w *workspace) wall(extra landlock.Rules) error {
	if w.mem || w.jail.unconfined || w.jail.landlock.value == wallOff {
		return nil
	}
	least := landlock.Usable
	if w.jail.landlock.value == wallRequire {
		least = landlock.Whole
	}
	rules := extra
	if w.dry.on() {
		rules = w.dry.wall(w.root, extra)
	} else if w.readOnly {
		rules.ReadOnly = append([]string{w.root}, extra.ReadOnly...)
	} else {
		rules.ReadWrite = append([]string{w.root}, extra.ReadWrite...)
	}
	_, err := restrict(rules, least)
	if errors.Is(err, landlock.ErrUnavailable) {
		if w.jail.landlock.value == wallAuto {
			return nil // it is the second wall: doctor tells
		}
		return fmt.Errorf("--landlock=require: %w", err)
	}
	return err
}
