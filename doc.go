// Package seamfs is the root of the module; it holds no code. Start reading at
// package vfs, the seam: package toolfs has the tools that a model sees, package
// policy what they may do, the packages below backends the filesystems behind
// the seam, and package conformance the suite that proves them. The command is
// cmd/seamfs. docs/design.md says why things are as they are.
//
// # Limits
//
// Each package states its own.
package seamfs
