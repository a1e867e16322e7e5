package jailtest

// procRows is group C: what is no file, and sizes.
func procRows() []Row {
	return []Row{
		{ID: "C44", Title: "a procfs within the root", Needs: NeedMounts, plant: func(p *P) { p.mountProc("proc") },
			attacks: each(climbs, "proc/self/root/etc/passwd", "proc/self/cwd", "proc/self/exe", "proc/self/fd/0", "proc/self/environ", "proc/self/mem", "proc/1/root", "proc", "proc/")},
		{ID: "C44b", Title: "a protected name that does not exist yet", plant: func(p *P) { p.Dir("d") }, run: protectedUnborn},
		{ID: "C45", Title: "links into /proc and /dev", Needs: NeedLinux, static: true,
			plant:   plantLinks("root", "/proc/self/root/{O}/secret", "cwd", "/proc/self/cwd/../x", "stdin", "/dev/stdin", "env", "/proc/self/environ", "rel", "../../../../../../../../../proc/self/environ"),
			attacks: append(each(leaves, "root", "cwd", "stdin", "env", "rel"), each(climbs, "root/", "cwd/x")...)},
		{ID: "C46", Title: "links to a descriptor of this process", Needs: NeedLinux, plant: plantDescriptorLinks, attacks: each(leaves, "proc", "dev")},
		{ID: "C47", Title: "a FIFO that somebody is about to write to", Needs: NeedUnix, plant: func(p *P) { p.fifo("p") }, attacks: each(special, "p"), run: blockedWriter},
		{ID: "C48", Title: "names beneath a FIFO", Needs: NeedUnix, plant: func(p *P) { p.fifo("p") }, attacks: each(beneathFile, "p/x", "p/x/y"), run: beneathFIFO},
		{ID: "C49", Title: "a socket", Needs: NeedUnix, plant: plantSocket, attacks: each(special, "sock"), run: func(p *P) { p.listedAs("sock", "other") }},
		{ID: "C49d", Title: "devices", Needs: NeedRoot | NeedLinux, plant: plantDevices, attacks: each(special, "null", "zero", "tty", "block"), run: func(p *P) { p.listedAs("zero", "other") }},
		{ID: "C50", Title: "roots that are none", Needs: NeedUnix, run: badRoots},
		{ID: "C51", Title: "a file and a FIFO exchanged all the time", Needs: NeedLinux, run: exchangedFIFO},
		{ID: "C52", Title: "a terminal", Needs: NeedRoot | NeedLinux, plant: plantTerminal, attacks: each(special, "pty"), run: noTerminal},
		{ID: "C53", Title: "files larger than memory", Needs: NeedUnix, run: largeFiles},
		{ID: "C54", Title: "a file that never stops growing", Needs: NeedUnix, run: growingFile},
	}
}
