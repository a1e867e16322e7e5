package toolfs

import (
	"encoding/json"
	"fmt"
)

// Schemas are written by hand: plain objects without unions, references or
// additionalProperties, since clients and models differ in what else they take.

func schema(format string, args ...any) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(format, args...))
}

const pathDescription = "Absolute, or relative to the workspace. Names are taken literally: no ~, no globs, no file:// addresses."

func listInput() json.RawMessage {
	return schema(`{"type":"object","properties":{` +
		`"path":{"type":"string","description":"The directory. Default: the workspace. ` + pathDescription + `"},` +
		`"offset":{"type":"integer","minimum":1,"default":1,"description":"Number of the first entry to show, from 1."}}}`)
}

func readInput(c Config) json.RawMessage {
	return schema(`{"type":"object","properties":{`+
		`"file_path":{"type":"string","description":"The file. `+pathDescription+`"},`+
		`"offset":{"type":"integer","minimum":1,"default":1,"description":"Number of the first line to show, from 1."},`+
		`"limit":{"type":"integer","minimum":1,"maximum":%[1]d,"default":%[1]d,"description":"How many lines to show at most."}},`+
		`"required":["file_path"]}`, c.ReadLimit)
}

func writeInput() json.RawMessage {
	return schema(`{"type":"object","properties":{` +
		`"file_path":{"type":"string","description":"The file. ` + pathDescription + `"},` +
		`"content":{"type":"string","description":"The whole content, written exactly as given."}},` +
		`"required":["file_path","content"]}`)
}

const editProperties = `"old_string":{"type":"string","minLength":1,"description":"The text to replace, literally as the file has it."},` +
	`"new_string":{"type":"string","description":"The text to put there; empty removes. Must differ from old_string."},` +
	`"replace_all":{"type":"boolean","default":false,"description":"Replace every occurrence, where otherwise there must be exactly one."}`

func editInput() json.RawMessage {
	return schema(`{"type":"object","properties":{` +
		`"file_path":{"type":"string","description":"The file. ` + pathDescription + `"},` +
		editProperties + `},"required":["file_path","old_string","new_string"]}`)
}

func multiEditInput() json.RawMessage {
	return schema(`{"type":"object","properties":{` +
		`"file_path":{"type":"string","description":"The file. ` + pathDescription + `"},` +
		`"edits":{"type":"array","minItems":1,"description":"The edits, made in order, each on the result of the one before.",` +
		`"items":{"type":"object","properties":{` + editProperties + `},"required":["old_string","new_string"]}}},` +
		`"required":["file_path","edits"]}`)
}

func moveInput() json.RawMessage {
	return schema(`{"type":"object","properties":{` +
		`"source":{"type":"string","description":"The file, directory or link to move. ` + pathDescription + `"},` +
		`"destination":{"type":"string","description":"Its new path, where nothing may be yet. Missing parent directories are made."}},` +
		`"required":["source","destination"]}`)
}

func deleteInput() json.RawMessage {
	return schema(`{"type":"object","properties":{` +
		`"file_path":{"type":"string","description":"The file, link or empty directory. ` + pathDescription + `"}},` +
		`"required":["file_path"]}`)
}

// The output schemas describe the canonical values.
var (
	listOutput = schema(`{"type":"object","properties":{"path":{"type":"string"},"offset":{"type":"integer","minimum":1},` +
		`"entries":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},` +
		`"type":{"type":"string","enum":["file","directory","other"]}},"required":["name","type"]}},` +
		`"totalEntries":{"type":"integer","minimum":0},"counts":{"type":"object","properties":{` +
		`"directories":{"type":"integer","minimum":0},"files":{"type":"integer","minimum":0},"other":{"type":"integer","minimum":0}},` +
		`"required":["directories","files","other"]}},"required":["path","offset","entries","totalEntries","counts"]}`)
	readOutput = schema(`{"type":"object","properties":{"path":{"type":"string"},"offset":{"type":"integer","minimum":1},` +
		`"lines":{"type":"array","items":{"type":"object","properties":{"number":{"type":"integer","minimum":1},` +
		`"text":{"type":"string"}},"required":["number","text"]}},"totalLines":{"type":"integer","minimum":0}},` +
		`"required":["path","offset","lines","totalLines"]}`)
	writeOutput = schema(`{"type":"object","properties":{"path":{"type":"string"},` +
		`"operation":{"type":"string","enum":["create","update"]},` +
		`"before":{"type":"string","description":"Null for a create."},"after":{"type":"string"},"oversize":{"type":"boolean"}},` +
		`"required":["path","operation","before","after"]}`)
	editOutput = schema(`{"type":"object","properties":{"path":{"type":"string"},"before":{"type":"string"},` +
		`"after":{"type":"string"},"oversize":{"type":"boolean"}},"required":["path","before","after"]}`)
	moveOutput = schema(`{"type":"object","properties":{"source":{"type":"string"},"destination":{"type":"string"},` +
		`"type":{"type":"string","enum":["file","directory","symlink","other"]}},"required":["source","destination","type"]}`)
	deleteOutput = schema(`{"type":"object","properties":{"path":{"type":"string"},` +
		`"type":{"type":"string","enum":["file","directory","symlink","other"]}},"required":["path","type"]}`)
)
