// Package dirlog keeps a commit log in a directory. Any number of processes may
// use it at once, also over a network file system: all that it asks for is that
// link(2) makes a name that is not there, or fails.
//
// A key is a file below the directory, and is there whole or not at all: it is
// written beside, under tmp/, synced, and linked to its name, and the directory
// that got the name is synced too. A process that is killed leaves at most a file in
// tmp/, which is deleted when the directory is opened a day later.
//
// # Limits
//
// A file system without hard links (FAT, some of FUSE) cannot hold a log. What
// fsync promises is what the file system makes of it; on Windows a directory is not
// synced, since that cannot be asked for. Options.NoSync gives up what a crash of
// the machine may take; a killed process still loses nothing.
package dirlog
