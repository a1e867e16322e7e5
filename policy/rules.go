package policy

import "github.com/seamfs/seamfs/vfs"

// RulesOptions say what [Rules] refuses. Globs are of doublestar: "*" stays
// within one name, "**" crosses directories, "{a,b}" and "[a-z]" are as usual.
// They match places, relative to the provider's root, and what they match
// includes all that lies beneath it. A glob without a slash matches that name at
// any depth: ".env" is every .env, "/.env" is not a glob here, "./.env" is the
// one at the root. A slash at the end means nothing.
type RulesOptions struct {
	// ReadOnly refuses every change.
	ReadOnly bool
	// Deny refuses every access. The names stay visible in the listing of the
	// directory that holds them: hiding them would make it say that a directory is
	// empty which cannot be removed, and that a name is free which is not.
	Deny []string
	// ReadOnlyGlobs refuses changes, and moves into, out of and onto.
	ReadOnlyGlobs []string
}

// Rules returns a provider over p that refuses what opts say with
// FS_PERMISSION_DENIED, the same whether or not anything is there, before p is
// asked. Since a provider follows no link and a Place is one, no name and no link
// leads around a rule; hard links are other places, and making one of a protected
// file is refused. A directory that holds a protected place cannot be removed
// with all beneath it, moved or exchanged, since that would take it out of its
// rule. Snapshots and forks keep the rules, and nothing hands out p.
//
// It fails with FS_INVALID_PATTERN on a glob that is malformed or could never
// match: a rule that silently does nothing is worse than none.
func Rules(p vfs.Provider, opts RulesOptions) (vfs.Provider, error) {
	deny, err := compile(opts.Deny)
	if err != nil {
		return nil, err
	}
	readOnly, err := compile(opts.ReadOnlyGlobs)
	if err != nil {
		return nil, err
	}
	return wrapProvider(p, &ruleSet{readOnly: opts.ReadOnly, deny: deny, protect: readOnly}), nil
}

// ruleSet is compiled rules, shared by a provider and its snapshots.
type ruleSet struct {
	readOnly bool
	deny     globs
	protect  globs
}

// read refuses a place that may not be accessed at all.
func (r *ruleSet) read(p vfs.Place) error {
	if r.deny.match(p) {
		return vfs.Fail(vfs.PermissionDenied, "permission denied by a rule of this workspace")
	}
	return nil
}

// change refuses a place that may not be changed.
func (r *ruleSet) change(p vfs.Place) error {
	if err := r.read(p); err != nil {
		return err
	}
	if r.readOnly {
		return vfs.Fail(vfs.PermissionDenied, "permission denied: this filesystem is read-only")
	}
	if r.protect.match(p) {
		return vfs.Fail(vfs.PermissionDenied, "permission denied: it is read-only by a rule of this workspace")
	}
	return nil
}
