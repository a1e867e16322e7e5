// Package diff compares and merges texts by lines, as pure functions over bytes.
//
// A line ends after LF, and nowhere else; what follows the last LF is a line too. CR, byte order marks and bytes that
// are no UTF-8 are data. So every text is the concatenation of its lines, and what is put together from lines of two
// texts (a selection of hunks, a merge) has every byte from one of them.
//
// [Compute] finds the lines that differ. Common lines at both ends are cut off, and lines that only one side has are
// set aside. What is left goes through Myers' search from both ends, which finds a least difference, up to a bound.
// Above the bound, lines that are unique on both sides are anchors (patience); without those, lines that occur least
// often (histogram); without those, the way that came furthest. A change that can slide is moved to where a reader
// would put it. Time and memory are bounded by a constant times the size, whatever the texts.
//
// [Diff.Hunks] are what a person is shown and picks from, each with an id. [Diff.Select] gives the text with only the
// picked ones. [Diff.Unified] is the body of a patch. [Merge] is a three-way merge on the same matching.
//
// # Hunk ids
//
// An id is eight lower-case hexadecimal digits: the start of the SHA-256 of the hunk's lines, context included, but not
// its place. The second and later ones of the same digits in one file have "-2", "-3" and so on, in the order of the
// file. So a hunk keeps its id when other hunks are applied, dropped, or move it up or down; among identical hunks the
// number is by position, and the later ones count one less after an earlier one is gone. Ids belong to one number of
// context lines, and to one file.
//
// # Limits
//
// The result is a least difference when that is at most about 500 lines between two anchors; above, it is near to one.
// Texts so unlike that the budget is used up come out longer than need be, never wrong.
//
// Texts are in memory, and a comparison takes about 40 bytes for each of their lines beside them. What is text is for
// the caller to say: binary content goes through, as lines of whatever length.
//
// Merge takes changes as disjoint only when a line that neither side changed is between them, as git does.
package diff
