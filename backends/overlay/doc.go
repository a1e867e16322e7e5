// Package overlay is copy-on-write over anything: a [vfs.Provider] that shows a lower
// layer and, on top of it, what was changed. Nothing reaches the lower layer until it is
// applied, and [New] takes a [vfs.Reader], so that the compiler holds it too.
//
//	o, err := overlay.New(ctx, lower, nil)      // then change o as any provider
//	list, err := o.Changes(ctx)                 // look
//	plan, err := o.Plan(ctx, overlay.Selection{Paths: []vfs.Place{"src"}}, overlay.PlanOptions{})
//	done, err := o.ApplyPlan(ctx, plan, overlay.ApplyOptions{})
//	err = o.Undo(ctx)                           // or o.Discard(ctx, selection)
//
// # Shape
//
// internal/tree holds what was changed, in memory or, with [Sessions], in a commit log:
// a deletion is an entry, a directory that was moved is an entry that names where it
// comes from. Where it first differs from below it keeps what was there: kind, mode,
// times, version and, up to 1 MiB, the content.
//
//   - [Overlay.Changes] compares the two. It reads no content but where a version
//     decides.
//   - [Overlay.Plan] is a function of three: what was below when a change began, what is
//     below now, and what is here. Each change is applied already, can be applied, or is
//     a [Conflict] of one of thirteen classes that says what to do next.
//   - [Overlay.ApplyPlan] turns a plan into one list of [vfs.Change] for the lower layer,
//     each held against what the plan saw. Journal, recovery and undo are the lower
//     layer's: see [vfs.Recoverer].
//   - What was applied is no change any more. Of a file of which some hunks were
//     applied the rest is one, from what is below then.
//
// # Laws
//
//   - Applying never changes what the overlay shows, whatever is picked, but where a
//     merge was asked for: then it shows what was merged.
//   - When all is applied there is no change left, and below is what the overlay shows.
//   - When all is discarded there is no change left, and the overlay shows what is
//     below. Discarding touches nothing below.
//   - An apply is made as a whole or not at all, as far as the lower layer can (CapBatch,
//     CapRecover). What has changed below since the plan is FS_STALE_VERSION.
//   - Nothing below is overwritten that is not what the plan saw there. Force, by place,
//     makes a plan go over what it saw; it never loses entries of a directory that
//     nobody has looked at.
//   - A part is refused (source-needed) where it would overwrite what a change that was
//     not picked still shows from below.
//   - Undo gives back what was below, and what was applied is a change again; what was
//     changed here since stays. If it fails nothing has changed.
//   - A plan that was approved by its [Plan.Digest] is applied exactly or not at all.
//
// # Limits
//
// Changes of the lower layer show through where nothing was changed on top. Then what
// is there is read then: a file that was moved here and not written is read from below,
// and is gone if it is removed there.
//
//   - A time alone is no change, and is not applied. Owners are not applied.
//   - Files with several names: content comes first. Within the overlay the names that
//     share a file below change together. An apply writes a file of its own where the
//     name holds another file already, where the lower layer makes no links, and where a
//     link and a change of attributes alone come together, and says so in a note; the
//     lower layer splits the names of what is written anew, and says so as well. Names
//     below that were not changed here are no changes: after an apply they show what is
//     below. A jail refuses to set the attributes of a file with several names,
//     and an apply those of one that was made anew here with the same content.
//   - Two names that were made here of one file that was moved are two files below.
//   - A file that becomes a link or directory, or the other way round, is removed first:
//     for that moment the name is missing below. So is that of a link that points
//     elsewhere. What is a file on both sides is never missing.
//   - Whether case counts below is found out by looking at a name that is there under
//     another case; in a directory without letters in its names it is not found out, and
//     two names that are one end in an error of the lower layer, with nothing applied.
//   - Special files are shown and can be removed or moved, and not made.
//   - Directories that changed places in a circle of three or more, or into each other,
//     are FS_UNSUPPORTED as a whole; parts can be applied, or a rename discarded.
//   - The content of changes is held in memory, at most Options.MaxBytes. Contents above
//     [MaxDiffBytes] have no hunks and no merge; those above 1 MiB have no merge once
//     they have changed below.
//   - In a session, the parts of a very large file that were not written are read from
//     below: once the file has changed there they are gone, which is FS_CONFLICT.
//   - A process that dies after the lower layer has made a batch and before the session
//     knows of it leaves changes that the next plan finds applied already. Until that is
//     applied what was moved is missing here, and the apply cannot be undone by Undo,
//     though by the lower layer.
//   - Undo takes back the last apply, one of them; the next apply forgets what was kept
//     of it. A fork shares it: who undoes first has undone it for both.
package overlay
