// Package text holds the text rules of seamfs, each written once, as pure functions over bytes.
//
// Text is UTF-8 without NUL ([Check], [Scanner]). Only LF ends a line, one CR directly before it is hidden, a lone
// CR is data, and a byte order mark at the start is hidden ([Collector]). An edit is a splice: it is matched on a
// view in which CRLF reads as LF, and mapped back to raw offsets, so that every byte outside the replaced span stays
// as it is ([Splice]). Nothing is ever matched fuzzily; what was nearly right goes into the error. A name is shown to
// a model in one line that cannot be taken for anything else, and can be sent back ([ShowName], [UnquotePath]).
//
// The law that ties reading to editing: the text that a [Collector] gives for a line, when it was not truncated, is
// found by [Splice] in the same content.
//
// # Limits
//
// Splice works on content in memory. When old_string has a line break and the content has CRLF line ends, it makes
// one copy of the content to match on; a sequence of edits makes one copy between one edit and the next, and maxSize
// bounds each of these as it bounds the result.
//
// The hints in a "not found" error look at the first 8 MiB of the content.
//
// The letters of the composed and decomposed forms (NFC, NFD) are told apart without Unicode's tables: a hint about
// them is checked for the accents of western and central European letters, and states only code points for others.
//
// UTF-16 is named only when its byte order mark is there. UTF-16 without one, and without a NUL byte, can be valid
// UTF-8 by chance; it is then taken for text, since nobody can tell.
package text
