//go:build !linux

package jailtest

// These are for rows that need Linux.
func deepTree(p *P)      { p.Fatalf("the tree is made by Linux calls") }
func renameStorm(p *P)   { p.Fatalf("no exchange on this system") }
func noDescriptors(p *P) { p.Fatalf("descriptors cannot be told on this system") }
