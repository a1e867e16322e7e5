// Package gitpatch writes patches that `git apply` accepts, and reads those that git and diff write.
//
// [Write] takes what was and what is of each file. Texts become unified hunks, and content with a NUL byte a binary
// patch in both directions; names are quoted as git quotes them, and the index lines have the ids of the blobs. A file
// that becomes a symlink, or the other way round, is a removal and a creation, as git has it. What git has no place for
// is given as notes, which go in front as comments, or make an error of it ([Options]).
//
// [Parse] reads a patch into one [Patch] a file, and [Patch.Apply] applies that to the content, exactly: at the lines
// that it says, with all of its context. The bodies are read by go-gitdiff. The names, and where a hunk goes, are
// read here, because go-gitdiff (v0.9.0) loses some: it takes a quoted name that ends in a backslash for an unfinished
// one, replaces bytes in a quoted name that are not UTF-8, and puts a hunk of no old lines one line too high.
//
// # Limits
//
// A binary change is written whole, never as a delta; reading knows both. Content of all sides is in memory.
//
// Git has modes 100644, 100755 and 120000 only, and neither directories, owners, times, extended attributes, hard links
// nor special files. Submodules and combined diffs ("diff --cc") are refused when read.
//
// Reading takes a patch of at most [Limits]; it holds the patch and, for each of its lines, some 50 bytes.
//
// `git apply` (2.39) does not make a file below what was a symlink that leads to itself; the patch is right, and is
// applied here.
//
// Labels of other prefixes than "a/" and "b/" are understood where both sides are there to compare. A creation or
// removal in a diff without git's header loses a leading "a/" or "b/", whatever it meant.
package gitpatch
