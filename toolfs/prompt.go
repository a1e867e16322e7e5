package toolfs

import "slices"

// Section is a part of a system prompt about one tool.
type Section struct{ Name, Text string }

var sectionTexts = map[string]string{
	"list": "`list` shows one directory: each direct child with its kind, hidden names too. Without a path it shows the workspace, " +
		"so start there when you do not know the project. It goes down one level only. When the footer names an offset there is more; " +
		"call `list` again with that offset.",
	"read": "`read` shows a text file. In front of each line stand its number, a colon and a space, which are not part of the file. " +
		"The footer says whether you have seen the end, and otherwise the offset to go on from. A line that is too long is cut, and says so.",
	"glob": "`glob` finds files by name: `*.go` at any depth, `src/**/*.ts` beneath src. It shows files only, hidden ones too, in the order of their paths; " +
		"set newest_first for what was changed last. What .gitignore leaves out is not shown, and the answer says so, unless the pattern names it.",
	"grep": "`grep` finds lines by a regular expression, or by plain text with literal. Narrow it by path and glob; " +
		"output_mode files shows only which files match. Lines stand beneath the path of their file and carry the numbers that `read` uses: " +
		"`12:` is a line that matches, `12-` one around it. A long line is cut around its first match. Seeing a line here does not count as having read the file.",
	"write": "`write` creates a file, together with missing parent directories, or replaces everything in it by the content you give, " +
		"byte for byte. For a change to a part of a file use `edit`. Replacing a file may be refused until you have read it; " +
		"the message then says so.",
	"edit": "`edit` puts new_string in place of old_string in a text file. Copy old_string exactly, with its white space and without " +
		"line numbers; nothing is guessed. It has to occur once: add lines around it until it does, or set replace_all to change every " +
		"occurrence. CRLF line ends may be given as LF and are kept. An edit may be refused until you have read the file, " +
		"or when it has changed since; read it again then.",
	"multi_edit": "`multi_edit` makes several edits in one file in one step: in the order given, each on the result of the ones before, " +
		"and none of them if one fails.",
	"move": "`move` renames or moves a file, a directory or a link. The destination is the full new path, and nothing may be there.",
	"delete": "`delete` removes one file, one link or one empty directory. Empty a directory first, from the inside out. " +
		"Deleting a file may be refused until you have read it.",
	"changes": "What you write, edit, move and delete is staged: your own tools see it at once, and the real files change when a person has looked at it and " +
		"applies it. `changes` lists what is staged; with a path and diff it shows the change of one file. Programs outside of these tools do not see it.",
	"apply": "`apply` makes staged changes real. Use it only when the user has asked for it, and look at `changes` first. " +
		"When it reports a conflict, somebody has changed the file meanwhile: tell the user.",
}

// sectionsOf returns the sections of tools, in their order.
func sectionsOf(all []definition) []Section {
	list := make([]Section, len(all))
	for i, d := range all {
		list[i] = Section{Name: d.Name, Text: sectionTexts[d.Name]}
	}
	return list
}

// PromptSections returns what to tell a model about the tools in its system
// prompt, the same bytes each time. [Tools.Restrict] hides tools, and not their
// sections, so that a prompt stays a stable prefix.
func (t *Tools) PromptSections() []Section { return slices.Clone(t.sections) }
