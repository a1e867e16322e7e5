// Package repotest holds the tests of the repository itself: which package may
// import which, that exported names and packages are documented, how long files
// and functions are. It has no other code.
//
// # Limits
//
// The tests ask the go command, and so run only where it is.
package repotest
