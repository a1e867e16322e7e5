package jailtest

import "os"

// descriptors are those that are open, and what they are of.
func descriptors() map[string]string {
	list, _ := os.ReadDir("/proc/self/fd")
	open := map[string]string{}
	for _, entry := range list {
		if to, err := os.Readlink("/proc/self/fd/" + entry.Name()); err == nil {
			open[entry.Name()] = to
		}
	}
	return open
}
