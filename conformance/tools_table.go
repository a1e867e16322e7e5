package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seamfs/seamfs/toolfs"
	"github.com/seamfs/seamfs/vfs"
)

// call is one call of a tool and what its answer must be.
type call struct {
	tool  string
	args  map[string]any
	raw   string   // the arguments as JSON, where a value could not say them
	code  vfs.Code // "" for a success
	exact []string // the first block, one of these; none is not checked
	says  []string // each of them somewhere in the answer, "a|b" for either
	never []string // none of them in the answer
	quiet bool     // no second block
}

// read asks for f; pairs are further arguments, name and value.
func read(path string, pairs ...any) call {
	k := call{tool: "read", args: map[string]any{"file_path": path}}
	for i := 0; i < len(pairs); i += 2 {
		k.args[pairs[i].(string)] = pairs[i+1]
	}
	return k
}

func list(path string, pairs ...any) call {
	k := read(path, pairs...)
	k.tool = "list"
	delete(k.args, "file_path")
	k.args["path"] = path
	return k
}

// write wants one of the two acknowledgements that the specification fixes.
func write(path, content string) call {
	k := call{tool: "write", args: map[string]any{"file_path": path, "content": content}}
	return k.at(path)
}

// edit wants the acknowledgement that the specification fixes.
func edit(path, old, new string) call {
	k := call{tool: "edit", args: map[string]any{"file_path": path, "old_string": old, "new_string": new}}
	return k.at(path)
}

func editAll(path, old, new string) call {
	k := edit(path, old, new)
	k.args["replace_all"] = true
	return k.at(path)
}

// multiEdit takes pairs of old and new.
func multiEdit(path string, pairs ...string) call {
	edits := []any{}
	for i := 0; i < len(pairs); i += 2 {
		edits = append(edits, map[string]any{"old_string": pairs[i], "new_string": pairs[i+1]})
	}
	k := call{tool: "multi_edit", args: map[string]any{"file_path": path, "edits": edits}}
	return k.at(path)
}

// rawCall sends JSON as it stands.
func rawCall(tool, json string) call { return call{tool: tool, raw: json} }

// at says which place the acknowledgement of a mutation names, where that is not
// the path that was sent.
func (k call) at(place string) call {
	shown := toolBase + "/" + place
	switch {
	case k.tool == "write":
		k.exact = []string{envelope("file", shown, "Created file"), envelope("file", shown, "Updated file")}
	case k.args["replace_all"] == true:
		k.exact = []string{"The file " + shown + " has been updated. All occurrences were successfully replaced."}
	default:
		k.exact = []string{"The file " + shown + " has been updated successfully."}
	}
	return k
}

// created and updated say which acknowledgement a write must give.
func (k call) created() call { k.exact = k.exact[:1]; return k }
func (k call) updated() call { k.exact = k.exact[1:]; return k }

// shows wants the first block to be exactly this.
func (k call) shows(text string) call { k.exact = []string{text}; return k }

// saying wants each of these in the answer.
func (k call) saying(parts ...string) call {
	k.says = append(k.says[:len(k.says):len(k.says)], parts...)
	return k
}

// without wants none of these in the answer.
func (k call) without(parts ...string) call { k.never = parts; return k }

// alone wants no second block.
func (k call) alone() call { k.quiet = true; return k }

// fails wants an error with this code that says these things.
func (k call) fails(code vfs.Code, says ...string) call {
	k.code, k.exact = code, nil
	return k.saying(says...)
}

// refused wants FS_INVALID_ARGUMENT with exactly the message of the
// specification: an argument check before any I/O.
func (k call) refused(message string) call {
	return k.fails(vfs.InvalidArgument).shows("Error: " + message)
}

func (k call) json() json.RawMessage {
	if k.raw != "" {
		return json.RawMessage(k.raw)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(k.args); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// String names the call in a failure.
func (k call) String() string {
	s := strings.TrimSpace(string(k.json()))
	if len(s) > 160 {
		s = s[:160] + "..."
	}
	return k.tool + " " + s
}

// maxMessage bounds an error that a model is shown.
const maxMessage = 2 << 10

// check holds an answer against what the call wants of it.
func (k call) check(c *C, r toolfs.Result) {
	op := k.String()
	if len(r.Content) == 0 || len(r.Content) > 2 {
		c.Errorf("%s: got %d blocks, want one or two", op, len(r.Content))
		return
	}
	all := strings.Join(r.Content, "\n")
	if got := codeOf(r); got != k.code {
		c.Errorf("%s: got %s, want %s: %s", op, orOK(got), orOK(k.code), show(all))
		return
	}
	if !utf8.ValidString(all) {
		c.Errorf("%s: got an answer that is not UTF-8: %s", op, show(all))
	}
	k.checkFailure(c, op, r)
	if k.quiet && len(r.Content) > 1 {
		c.Errorf("%s: got a second block, want none: %s", op, show(r.Content[1]))
	}
	k.checkText(c, op, r.Content[0], all)
}

// checkFailure holds the shape of a failure: what the text says is what the
// error says, and it is short whatever was sent.
func (k call) checkFailure(c *C, op string, r toolfs.Result) {
	if r.IsError != (r.Err != nil) {
		c.Errorf("%s: got IsError %t beside Err %v", op, r.IsError, r.Err)
	}
	if !r.IsError || r.Err == nil {
		return
	}
	c.Want(op+": text of the failure", r.Content[0], "Error: "+r.Err.Message)
	if len(r.Content[0]) > maxMessage {
		c.Errorf("%s: got a message of %d bytes, want at most %d", op, len(r.Content[0]), maxMessage)
	}
}

func (k call) checkText(c *C, op, first, all string) {
	ok := len(k.exact) == 0
	for _, want := range k.exact {
		ok = ok || first == want
	}
	if !ok {
		c.Errorf("%s: got %s, want %s", op, show(first), show(strings.Join(k.exact, " or ")))
	}
	for _, part := range k.says {
		if !containsAny(all, part) {
			c.Errorf("%s: got %s, want it to say %q", op, show(all), part)
		}
	}
	for _, part := range k.never {
		if strings.Contains(all, part) {
			c.Errorf("%s: got %s, want no %q in it", op, show(all), part)
		}
	}
}

// containsAny looks for one of the alternatives in part, whatever their case.
func containsAny(s, part string) bool {
	for alternative := range strings.SplitSeq(part, "|") {
		if strings.Contains(strings.ToLower(s), strings.ToLower(alternative)) {
			return true
		}
	}
	return false
}

// row is a case about one file, f, in data.
type row struct {
	id     string
	law    Law
	before string // content of f at the start
	absent bool   // there is no f at the start
	cfg    toolfs.Config
	calls  []call
	after  string // content of f when the last call is a mutation that succeeds
}

// edits is a row in which an edit of f succeeds after a read.
func edits(id, before string, k call, after string) row {
	return row{id: id, law: "L15", before: before, calls: []call{read("f"), k}, after: after}
}

// refuses is a row in which the last call fails and nothing changes.
func refuses(id string, law Law, before string, k call) row {
	return row{id: id, law: law, before: before, calls: []call{read("f"), k}}
}

// reads is a row that reads f and gets exactly these lines.
func reads(id, before, footer string, lines ...string) row {
	return row{id: id, law: "T1", before: before, calls: []call{read("f").shows(fileText("f", footer, lines...)).alone()}}
}

// end is the footer of a whole text.
func end(lines int) string { return fmt.Sprintf("(End of file - total %d lines)", lines) }

// casesOf turns rows into cases.
func casesOf(rows []row) []Case {
	cases := make([]Case, len(rows))
	for i, r := range rows {
		cases[i] = Case{Name: "edit.md/" + r.id, Law: r.law, Needs: vfs.CapApply, Run: r.run}
	}
	return cases
}

// run makes the calls. Nothing may change but by the last of them, and by that
// only the content of f, and only when it is a mutation that succeeds.
func (r row) run(c *C) {
	if !r.absent {
		c.Put("f", r.before)
	}
	want := c.tree()
	t := newDesk(c, setup{cfg: r.cfg})
	last := len(r.calls) - 1
	t.do(r.calls[:last]...)
	t.do(r.calls[last])
	if k := r.calls[last]; k.code == "" && k.tool != "read" && k.tool != "list" {
		f := want["f"]
		if f.Kind == 0 {
			f = c.tree()["f"] // what a new file is like is for other rows
		}
		f.Content = r.after
		want["f"] = f
	}
	c.unchanged(r.calls[last].String(), want)
}
