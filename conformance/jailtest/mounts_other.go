//go:build !linux

package jailtest

// These are for rows that need mounts, which the suite makes on Linux only.
func (p *P) mount(name, source, kind, data string) { p.Fatalf("cannot mount %s at %s", kind, name) }
func (p *P) bind(source, name string, dir bool)    { p.mount(name, source, "bind", "") }
func (p *P) mountProc(name string)                 { p.mount(name, "", "proc", "") }
func (p *P) unmount()                              {}
func mountedTree(p *P)                             { p.mount("", "", "", "") }
func plantTmpfs(p *P)                              { p.mount("", "", "", "") }
func allowedMount(p *P)                            { p.mount("", "", "", "") }
func mountedOver(p *P)                             { p.mount("", "", "", "") }
func mountedRoot(p *P)                             { p.mount("", "", "", "") }
func deafMount(p *P)                               { p.mount("", "", "", "") }
func plantManyMounts(p *P)                         { p.mount("", "", "", "") }
func walkMounts(p *P)                              { p.mount("", "", "", "") }
