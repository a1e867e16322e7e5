package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/seamfs/seamfs/backends/local"
	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/policy"
	"github.com/seamfs/seamfs/toolfs"
	"github.com/seamfs/seamfs/vfs"
	"github.com/spf13/cobra"
)

// workspace is what the flags say about the filesystem that the tools work on.
type workspace struct {
	root     string
	jail     jailFlags
	mem      bool
	from     string
	noPolicy bool
	readOnly bool
	deny     []string
	dry      dryFlags
	config   toolfs.Config
}

func (w *workspace) flags(cmd *cobra.Command) {
	w.treeFlags(cmd)
	w.dry.flags(cmd)
	f := cmd.Flags()
	f.BoolVar(&w.noPolicy, "no-policy", false, "do not ask for a read before a write or an edit")
	f.BoolVar(&w.readOnly, "read-only", false, "refuse every change")
	f.BoolVar(&w.config.MultiEdit, "multi-edit", false, "offer the tool multi_edit")
	f.BoolVar(&w.config.Move, "move", false, "offer the tool move")
	f.BoolVar(&w.config.Delete, "delete", false, "offer the tool delete")
}

// treeFlags are those about what there is to read.
func (w *workspace) treeFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&w.root, "root", ".", "work on this directory of the real disk, and nothing outside of it")
	w.jail.flags(cmd)
	f.BoolVar(&w.mem, "mem", false, "work on a tree in memory instead, which is gone afterwards; its base is "+vfs.DefaultBase)
	f.StringVar(&w.from, "from", "", "with --mem: fill the tree from a directory, or from a txtar file")
	f.StringArrayVar(&w.deny, "deny", nil, "refuse every access to what matches this glob, relative to the base; may be repeated")
}

// open opens the filesystem and the tools over it, and one owner of what they
// will have seen. The caller closes the filesystem.
func (w *workspace) open(cmd *cobra.Command, config toolfs.Config) (*vfs.FS, *toolfs.Tools, toolfs.Session, error) {
	fsys, err := w.filesystem(cmd)
	if err != nil {
		return nil, nil, toolfs.Session{}, err
	}
	if w.dry.on() {
		config.Staged, config.Apply = true, w.dry.allowApply
		config.Stage = &stage{over: w.dry.open.over, rules: w.dry.rules}
	}
	if !w.noPolicy {
		policy.NewReadBeforeWrite(nil).Attach(fsys.Events())
	}
	tools, err := toolfs.New(fsys, config)
	if err != nil {
		_ = fsys.Close()
		return nil, nil, toolfs.Session{}, err
	}
	return fsys, tools, toolfs.Session{Actor: vfs.NewOwner("seamfs")}, nil
}

func (w *workspace) filesystem(cmd *cobra.Command) (*vfs.FS, error) {
	if err := w.jail.check(cmd, w.mem); err != nil {
		return nil, err
	}
	if err := w.dry.check(w); err != nil {
		return nil, err
	}
	rules := policy.RulesOptions{ReadOnly: w.readOnly, Deny: w.deny}
	if !w.mem {
		if w.from != "" {
			return nil, usageError{errors.New("--from fills a tree in memory: it needs --mem")}
		}
		if w.jail.unconfined {
			fmt.Fprintln(cmd.ErrOrStderr(), "seamfs: unconfined: names and links may lead anywhere that this user may go")
			return w.unconfined(rules)
		}
		if w.dry.on() {
			return w.dryFilesystem(cmd, rules)
		}
		return w.confined(rules)
	}
	if cmd.Flags().Changed("root") {
		return nil, usageError{errors.New("--root and --mem exclude each other")}
	}
	provider, err := memory(w.from)
	if err != nil {
		return nil, err
	}
	ruled, err := policy.Rules(provider, rules)
	if err != nil {
		return nil, usageError{err}
	}
	return vfs.New(ruled, vfs.Options{})
}

// unconfined opens the real disk with the root as the base. The globs of the rules
// are about Places, which start at the root of the disk and not at the base.
func (w *workspace) unconfined(rules policy.RulesOptions) (*vfs.FS, error) {
	provider, err := local.New(w.root, nil)
	if err != nil {
		return nil, err
	}
	opts := provider.FSOptions()
	deny := make([]string, len(rules.Deny))
	for i, glob := range rules.Deny {
		deny[i] = path.Join(opts.Base, glob)[1:]
	}
	rules.Deny = deny
	return ruled(provider, rules, opts)
}

// ruled is an FS over provider with the rules around it. It closes the provider,
// also when it fails.
func ruled(provider vfs.Provider, rules policy.RulesOptions, opts vfs.Options) (*vfs.FS, error) {
	inner, err := policy.Rules(provider, rules)
	if err != nil {
		_ = opts.Closer.Close()
		return nil, usageError{err}
	}
	fsys, err := vfs.New(inner, opts)
	if err != nil {
		_ = opts.Closer.Close()
		return nil, err
	}
	return fsys, nil
}

// memory makes a tree in memory, filled from a directory or a txtar file.
func memory(from string) (vfs.Provider, error) {
	if from == "" {
		return mem.New(nil), nil
	}
	info, err := os.Stat(from)
	if err != nil {
		return nil, fmt.Errorf("--from: %w", err)
	}
	if info.IsDir() {
		return mem.Load(os.DirFS(from), nil)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("--from: %s is neither a directory nor a txtar file", from)
	}
	archive, err := txtar.ParseFile(from)
	if err != nil {
		return nil, fmt.Errorf("--from: %w", err)
	}
	if len(archive.Files) == 0 {
		return nil, fmt.Errorf("--from: %s holds no file; a txtar file has lines like \"-- name --\"", from)
	}
	files := map[string]string{}
	for _, file := range archive.Files {
		if !fs.ValidPath(filepath.ToSlash(file.Name)) {
			return nil, fmt.Errorf("--from: %s: the name %q is not a clean relative path", from, file.Name)
		}
		files[file.Name] = string(file.Data)
	}
	return mem.FromMap(files), nil
}
