// Package search walks a tree, finds files by name and lines by content, over any
// [vfs.FS]: a disk, a tree in memory, an overlay, a jail.
//
// [Walk] finds files, [Glob] those whose path matches a pattern, [Grep] lines that
// match one. All three work in parallel, hand out what they find while they go on,
// in byte order of the paths, and hold no more than what is shown; the [Stats] say
// what was left out, and whether anything could not be read. Links are not
// followed. Options say which part of a tree is looked at: by default all but what
// ignore files name and the directories of version control.
//
// # Ignore rules
//
// .gitignore is read as git reads it, .git/info/exclude too, and .ignore, with the
// same syntax and the last word; a repository need not be there. The rules of
// the directories above count as well, up to the begin of the repository, else up
// to the base. A glob that names what is ignored, without a wildcard in that
// component, finds it, and so does a search that starts there.
//
// # Limits
//
// The excludes of a user's git configuration lie outside the tree and are not
// read, nor is info/exclude of a worktree, whose .git is a file. A directory is
// read as a whole, so memory goes with the largest one. A directory that is renamed
// while its entries are on their way may be found under the old name. Over a
// provider without [vfs.CapWalk] each step is by path.
package search
