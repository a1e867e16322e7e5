// Package interop is the bridges to the rest of Go's filesystem world: a
// [vfs.FS] as an io/fs.FS ([FS]), an afero.Fs ([Afero]) and a hackpadfs.FS
// ([Hackpad]), and an io/fs.FS ([FromFS]) or afero.Fs ([FromAfero]) as a
// [vfs.Provider].
//
// # Out of seamfs
//
// A view is rooted at the base of the FS: "a/b" in it is the name a/b beneath the
// base. Links are kept, and followed by vfs. Errors are those of package os: a
// *PathError or *LinkError with the operation, the name as it was given, and a
// sentinel or errno inside, of which [vfs.CodeOf] finds the code. What the FS
// cannot do is ENOSYS, which errors.ErrUnsupported matches, and changes nothing.
//
// Where the FS has vfs.CapHandle, files of Afero and Hackpad are open files as
// an operating system has them. Where it has only vfs.CapApply, a file that is
// written is held in memory: what was written is seen in it at once, and by
// others from Sync or Close on, when it is made again, in order, on what is there
// by then. What others wrote meanwhile to other parts stays, and a file that was
// removed meanwhile stays removed. Such a file may have vfs.MaxTextBytes bytes.
//
// # Into seamfs
//
// A lower layer is treated as something that does not change while it is in use,
// except through the provider that [FromAfero] returns. What it reports is not
// trusted for more than it is: listings are sorted and made unique, versions are
// digests of the content, and a Place with a link in it is FS_CONFLICT, whatever
// the layer would have followed.
//
// # Limits
//
// A view is no jail: over backends/local a link may lead out of the base. The
// body of a link is stored as given, and an absolute one is a display path of the
// FS; give the FS the base "/" to have them agree with the names of the view. The
// root of a view cannot be removed or renamed.
//
// Modes are those asked for less the umask of the backend. A directory that is
// asked for with fewer bits, but some for others than the owner, has them a
// moment after it is made. A file cannot be made with mode 0: that is 0666. The
// access time of Chtimes is not kept. An open file has no Chmod, Chown and
// Chtimes. io/fs names only what is valid UTF-8: entries with other names are
// listed, and cannot be opened by name.
//
// FromFS asks for the kind of a file before it opens it, and so does FromAfero;
// what somebody else puts there between the two may block or be followed as the
// lower layer does it. Reading a file of an archive backwards opens it anew.
package interop
