// Package jailtest is a public suite of attacks on whatever claims to hold
// operations beneath one directory: a corpus of rows, each a way out that some
// jail has had. Backend jail runs it, and so can any other:
//
//	func TestCorpus(t *testing.T) {
//		jailtest.Run(t, jailtest.Jail{
//			Name: "mine",
//			New: func(tb jailtest.TB, root string, want jailtest.Want) (vfs.Provider, vfs.Options, error) {
//				p, err := mine.New(root)
//				return p, vfs.Options{Base: root}, err
//			},
//		})
//	}
//
// For each row the suite makes a directory that holds the root of the jail and,
// beside it, what nothing may reach; plants the row; and tries it by every
// operation of the seam. Besides the code of each answer it holds that what is
// outside is as it was, in names, modes, sizes, times and bytes; that no answer,
// however it is printed, carries anything of it; that each operation comes back
// within two seconds; that what is refused has changed nothing inside; and that
// no descriptor, goroutine or staging is left over.
//
// It may be run on a jail that turns out to be none, and by root: a change is tried
// only where what it would hit without a jail lies in the suite's own directory, and
// names of the real host are only looked at.
//
// Rows that take root, mounts, another platform or a race say so and are listed as
// not applicable where they cannot run; docs/containment.md is the table. What a
// jail is known to fail it declares as a [Gap], which goes stale when the row
// passes.
//
// # Limits
//
// The suite can prove a jail wrong and never right. The rows run one after another,
// since descriptors and goroutines are counted for the whole process: nothing else
// may run in it meanwhile. A second in which the machine stands still may be taken
// for an operation that blocks.
package jailtest
