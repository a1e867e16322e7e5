// Package commitlog is an append-only log of commits per workspace, with blobs
// beside it, over a store that can create a key only if it is absent. It is what
// sessions of an overlay are kept in, and workspaces in an object store.
//
// Commit N+1 is a new key that is never overwritten: whoever creates it wins, and
// everybody else is told what is there. So a caller that folded the log up to N
// and checked its preconditions on that may rely on them when its commit lands
// (they are serializable); a fork is one record that names a workspace and a
// number; a snapshot is a number; and a lost answer can be settled by looking.
//
// Bodies of records and checkpoints are bytes that this package does not read.
// What it stores, byte by byte, is in docs/commitlog.md.
//
// # Outcomes
//
// A commit has three outcomes, never two: it is in the log ([Applied]), it is not
// and another record is ([NotApplied]), or that is not known ([Unknown]), since
// the answer was lost and so were those to the questions after it. An unknown one
// is settled later by [Log.Resolve], or made impossible by [Log.Fence].
//
// # Limits
//
// A record holds at most [MaxRecord] bytes: contents above [InlineMax] belong into
// blobs. A checkpoint and a blob are held in memory whole. One workspace commits
// once per round trip to its store; [Group] lets goroutines of one process share a
// commit, and nothing is shared between workspaces. Another process's commits are
// found by asking ([Log.Newest]: one request), there are no events. Records of a
// live workspace are never deleted. Clocks of processes that use one store must
// agree within some hours, for removals only.
package commitlog
