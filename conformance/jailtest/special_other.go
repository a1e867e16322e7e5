//go:build !linux

package jailtest

// These are for rows that need Linux.
func plantDescriptorLinks(p *P) { p.Fatalf("no /proc on this system") }
func plantDevices(p *P)         { p.Fatalf("devices have other numbers on this system") }
func plantTerminal(p *P)        { p.Fatalf("terminals have other numbers on this system") }
func noTerminal(p *P)           { plantTerminal(p) }
func exchangedFIFO(p *P)        { p.Fatalf("no exchange on this system") }
