// Package policy decides what the file tools may do. [ReadBeforeWrite] attaches to
// the event gate of a filesystem and lets nobody overwrite what they have not
// seen. [Rules] wraps a provider and refuses whole places, for every method and
// every caller.
//
// The two are different in kind. A decider on the gate guards the calls of tools
// that ask it; code that uses the FS directly is not asked. What must hold for
// every access is a wrapper.
//
// # Limits
//
// ReadBeforeWrite keeps one record per owner and file, until the owner is
// collected: it grows with the number of files that an owner has seen. A move has
// one guard, on what is moved, so a tool that asks under this policy must not
// replace at the destination. A directory has no content to be seen: removing or
// moving one is not held against any observation, so a tool must not remove more
// than an empty one. Coverage counts lines that were cut for their length as seen.
//
// Rules match places, not objects: another hard link to a denied file, made by
// someone else, is another place. They match the bytes of names, so on a volume
// that ignores case a denied name in other case must be denied as well. That a
// directory about to be moved or removed holds no denied place is checked just
// before it; what other processes put there in between is not seen. Rules look
// at a whole batch before it is made: where two of its steps must fail, the
// answer may be the later one's.
package policy
