// Package toolfs is the file tools that a model sees: list, read, write, edit, glob
// and grep, and where they are switched on multi_edit, move and delete. It owns their names,
// schemas, argument checks, windows, envelopes and prompt sections; what they do
// is done by a [vfs.FS], whatever stands behind it.
//
// [New] makes the tools over an FS. [Tools.List] describes them, [Tools.Call] runs
// one on the raw JSON of its arguments, [Tools.PromptSections] is what to put into
// a system prompt, and [Tools.Plain] is the same as plain values for any framework.
//
// # The flow of a call
//
// The arguments are checked before anything is touched. Then list is one
// [vfs.FS.List]; read is one [vfs.FS.Stat], one read and an observation; write and
// edit are an intent, the mutation and an observation, and no stat. Intents and
// observations go through the events of the FS. With no policy attached there the
// tools are unconditional: any call may overwrite anything.
//
// # Answers
//
// A [Result] has one block of text, whose envelope, footers and messages are
// fixed, and a second one when there is something to add: a hint after a failure,
// a note about what a mutation did. Names are shown on one line by the rules of
// the listing; a name that is shown as a JSON string can be sent back in a path
// argument exactly as it is shown, also when it is not valid UTF-8: there, and
// nowhere else, a lone \udc80 to \udcff stands for the byte 0x80 to 0xff.
//
// # Limits
//
// read is for UTF-8 text. list and delete see one directory level: delete takes a
// file, a link or an empty directory. move replaces nothing. Lines are cut
// by code points. Options that look at the old file before a write (KeepCRLF,
// KeepBOM) decide on what was there just before it. Calls on one file are taken
// one after another within one Tools and what [Tools.Restrict] makes of it; against
// others only the guard of the policy protects. A read does not wait: beside a
// mutation of the same file it may record what was there before, and the next
// mutation is then refused as stale. A decider or observer must not
// call a tool on the same file: it would wait for itself. Suggestions after a miss
// look at the first 20,000 names of one directory and know no Unicode
// normalisation. MaxResultChars is kept for every name of ordinary length; a name
// of thousands of escaped bytes may take an answer above it, since at least one
// line is always shown.
package toolfs
