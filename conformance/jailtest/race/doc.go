// Package race tries to get out of a jail by changing the tree between a check and
// the use of what was checked. It has two instruments over one table of operations,
// [Ops]:
//
//   - [Swapper]: a hostile process exchanges names without a pause while the victim
//     repeats an operation. It meets what nobody thought of, by luck.
//   - [Stepper]: the victim stops before each system call that takes a path, and the
//     tree is changed there, and back before each later one. No luck is in it: each
//     interleaving of an operation is run once.
//
// Neither says anything unless a jail that checks and then uses fails under it in
// the same run: the tests of this package hold two such beside the engines. A
// program that runs them calls [Child] first thing in its main or TestMain, since
// swapper and stepped victim are other processes of the same binary.
//
// # Limits
//
// Linux only, on amd64 and arm64: exchange and seccomp user notification are what
// the instruments are made of. Under a supervisor that holds a seccomp listener
// already [StartStepper] fails and says so. The swapper needs two processors to say much.
package race
