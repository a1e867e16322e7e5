//go:build unix

package interop_test

import "syscall"

// clearUmask makes the host keep modes as they are asked for, which the suites
// of others compare.
func clearUmask() { syscall.Umask(0) }

func makeFIFO(name string) error { return syscall.Mkfifo(name, 0o644) }
