package toolfs

import "encoding/json"

const (
	searchPathSchema = `"path":{"type":"string","description":"Where to search. Default: the workspace. ` + pathDescription + `"},`
	searchTail       = `"newest_first":{"type":"boolean","default":false,"description":"Order by modification time, newest first, instead of by path."},` +
		`"include_ignored":{"type":"boolean","default":false,"description":"Search what .gitignore and .ignore leave out, too."},` +
		`"offset":{"type":"integer","minimum":1,"default":1,"description":"Number of the first result to show, from 1."},` +
		`"limit":{"type":"integer","minimum":1,"maximum":%[1]d,"description":"How many results to show at most."}},` +
		`"required":["pattern"]}`
)

func globInput(c Config) json.RawMessage {
	return schema(`{"type":"object","properties":{`+
		`"pattern":{"type":"string","minLength":1,"description":"A glob, relative to path: * ? [abc] {a,b}, and ** for any number of directories. `+
		`Without a slash it is about base names, at any depth. A backslash makes the next character literal."},`+
		searchPathSchema+searchTail, c.GlobMaxFiles)
}

func grepInput(c Config) json.RawMessage {
	return schema(`{"type":"object","properties":{`+
		`"pattern":{"type":"string","minLength":1,"description":"A regular expression of RE2: no look-around, no back-references. \\w \\d \\s \\b are ASCII."},`+
		searchPathSchema+
		`"glob":{"type":"string","description":"Only files that match this glob, such as *.go or src/**/*.ts; !*.min.js leaves files out."},`+
		`"output_mode":{"type":"string","enum":["content","files","count"],"default":"content",`+
		`"description":"Matching lines, the files that have one, or the number of lines in each file."},`+
		`"literal":{"type":"boolean","default":false,"description":"Take the pattern as plain text."},`+
		`"ignore_case":{"type":"boolean","default":false,"description":"Take capital and small letters for equal."},`+
		`"whole_word":{"type":"boolean","default":false,"description":"Match only whole words."},`+
		`"multiline":{"type":"boolean","default":false,"description":"A match may span lines. Use (?s) to let a dot match line ends."},`+
		`"context":{"type":"integer","minimum":0,"maximum":50,"default":0,"description":"How many lines to show before and after each match."},`+
		`"before":{"type":"integer","minimum":0,"maximum":50,"description":"How many lines to show before each match, if not as context says."},`+
		`"after":{"type":"integer","minimum":0,"maximum":50,"description":"How many lines to show after each match, if not as context says."},`+
		searchTail, max(c.GrepMaxMatches, c.GlobMaxFiles))
}

var (
	globOutput = schema(`{"type":"object","properties":{"path":{"type":"string"},"pattern":{"type":"string"},` +
		`"offset":{"type":"integer","minimum":1},"files":{"type":"array","items":{"type":"string"}},` +
		`"totalFiles":{"type":"integer","minimum":0},"incomplete":{"type":"boolean"}},` +
		`"required":["path","pattern","offset","files","totalFiles","incomplete"]}`)
	grepOutput = schema(`{"type":"object","properties":{"path":{"type":"string"},"pattern":{"type":"string"},` +
		`"mode":{"type":"string","enum":["content","files","count"]},"offset":{"type":"integer","minimum":1},` +
		`"files":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"},"count":{"type":"integer","minimum":1},` +
		`"lines":{"type":"array","items":{"type":"object","properties":{"number":{"type":"integer","minimum":1},"text":{"type":"string"},` +
		`"match":{"type":"boolean"},"truncated":{"type":"boolean"}},"required":["number","text","match","truncated"]}}},` +
		`"required":["path","count","lines"]}},"totalMatches":{"type":"integer","minimum":0},"totalFiles":{"type":"integer","minimum":0},` +
		`"binaryFiles":{"type":"integer","minimum":0},"incomplete":{"type":"boolean"}},` +
		`"required":["path","pattern","mode","offset","files","totalMatches","totalFiles","binaryFiles","incomplete"]}`)
)
