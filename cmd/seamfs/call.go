package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/seamfs/seamfs/internal/landlock"
	"github.com/seamfs/seamfs/toolfs"
	"github.com/spf13/cobra"
)

func newCall() *cobra.Command {
	var w workspace
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "call TOOL [JSON] | call -",
		Short: "Call a tool, or many of them in one session",
		Long: `Call one tool with arguments as one JSON object, and print what a model would see.

With "-", read one call a line from standard input, such as
  {"tool": "read", "arguments": {"file_path": "go.mod"}}
and answer each with one line of JSON. All of them are one session: what one call
has read, a later one may edit.`,
		Example: `  seamfs call list '{}'
  seamfs call read '{"file_path": "go.mod", "limit": 5}'
  printf '%s\n' '{"tool":"read","arguments":{"file_path":"a"}}' \
    '{"tool":"edit","arguments":{"file_path":"a","old_string":"x","new_string":"y"}}' | seamfs call -`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 || (args[0] == "-" && len(args) == 2) {
				return usageError{errors.New(`want a tool and its arguments as JSON, or "-"`)}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			fsys, tools, session, err := w.open(cmd, w.config)
			if err != nil {
				return err
			}
			defer fsys.Close()
			if err := w.wall(landlock.Rules{}); err != nil {
				return err
			}
			c := caller{tools: tools, session: session, out: cmd.OutOrStdout()}
			if args[0] == "-" {
				return c.lines(cmd.Context(), cmd.InOrStdin())
			}
			arguments := "{}"
			if len(args) == 2 {
				arguments = args[1]
			}
			return c.one(cmd.Context(), args[0], json.RawMessage(arguments), asJSON)
		},
	}
	w.flags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the answer as one line of JSON, as \"call -\" does")
	return cmd
}

// caller runs tool calls and prints their answers.
type caller struct {
	tools   *toolfs.Tools
	session toolfs.Session
	out     io.Writer
}

// reply is an answer as JSON: what a model would see, and the code to act on. It
// never holds a whole file beyond what was asked to be shown.
type reply struct {
	Tool    string   `json:"tool,omitempty"`
	Content []string `json:"content"`
	IsError bool     `json:"isError"`
	Error   *failure `json:"error,omitempty"`
}

type failure struct {
	Name string `json:"name"`
	Code string `json:"code"`
}

func replyOf(tool string, r toolfs.Result) reply {
	out := reply{Tool: tool, Content: r.Content, IsError: r.IsError}
	if r.Err != nil {
		out.Error = &failure{Name: r.Err.Name, Code: string(r.Err.Code)}
	}
	return out
}

func (c *caller) one(ctx context.Context, tool string, args json.RawMessage, asJSON bool) error {
	result := c.tools.Call(ctx, c.session, tool, args)
	var err error
	if asJSON {
		err = c.print(replyOf(tool, result))
	} else {
		_, err = fmt.Fprintln(c.out, result.Text())
	}
	if err == nil && result.IsError {
		err = errTool
	}
	return err
}

// lines answers one call a line until the input ends. A line that is no call is
// answered with an error and does not end it.
func (c *caller) lines(ctx context.Context, in io.Reader) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	for ctx.Err() == nil {
		line, tooLong, err := readLine(lines)
		if len(line) > 0 || tooLong {
			if err := c.print(c.line(ctx, line, tooLong)); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (c *caller) line(ctx context.Context, line []byte, tooLong bool) reply {
	var call struct {
		Tool      string          `json:"tool"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if tooLong {
		return refuse("FS_TOO_LARGE", fmt.Sprintf("a line may have %d bytes", maxLine))
	}
	if err := json.Unmarshal(line, &call); err != nil {
		return refuse("FS_INVALID_ARGUMENT", "the line is not a JSON object: "+err.Error())
	}
	if call.Tool == "" {
		return refuse("FS_INVALID_ARGUMENT", `the line names no tool; want {"tool": "read", "arguments": {...}}`)
	}
	if call.Arguments == nil {
		call.Arguments = json.RawMessage("{}")
	}
	return replyOf(call.Tool, c.tools.Call(ctx, c.session, call.Tool, call.Arguments))
}

func refuse(code, message string) reply {
	return reply{Content: []string{"Error: " + message}, IsError: true, Error: &failure{Name: "FsError", Code: code}}
}

func (c *caller) print(r reply) error {
	enc := json.NewEncoder(c.out)
	enc.SetEscapeHTML(false) // an envelope is easier to read as it is
	return enc.Encode(r)
}
