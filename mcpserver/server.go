// Package mcpserver serves the tools of package toolfs over the Model Context
// Protocol, with the official SDK.
//
// How it is served follows from what real clients do. Answers are text only:
// with structured content, several clients hide the text from the model or send
// both. The annotations of a tool are what clients decide permissions by. What
// has been observed belongs to the [toolfs.Session] given here, and never to a
// protocol session, since the newest protocol has none. An answer stays below
// the bound of toolfs.Config.MaxResultChars; [MaxResultChars] suits the clients
// seen.
//
// # Limits
//
// One server speaks for one session of tools: all clients connected to it share
// what they have observed. Roots that a client offers are not looked at.
package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/seamfs/seamfs/toolfs"
)

// MaxResultChars is the size of an answer that every client seen passes on whole.
const MaxResultChars = 32_000

// Options are how the tools are offered.
type Options struct {
	Name    string // of the server; default "seamfs"
	Version string
	// Session is on whose behalf every call is made.
	Session toolfs.Session
	// Staged says that what the tools change waits for review, as over an overlay;
	// the client is told so.
	Staged bool
}

// Instructions is what a client is told of the server: short, since some clients
// show a model nothing else until it searches for tools.
const Instructions = "File tools for one workspace: list directories, read, write and edit text files, byte for byte. Read a file before you overwrite or edit it."

// StagedInstructions is what a client is told besides under [Options].Staged.
const StagedInstructions = " Changes are staged: these tools see them at once, other programs only when the user has reviewed the diff and applied it; the tool changes lists them."

// New returns a server that offers the tools.
func New(tools *toolfs.Tools, opts Options) *mcp.Server {
	if opts.Name == "" {
		opts.Name = "seamfs"
	}
	instructions := Instructions
	if opts.Staged {
		instructions += StagedInstructions
	}
	server := mcp.NewServer(&mcp.Implementation{Name: opts.Name, Version: opts.Version}, &mcp.ServerOptions{
		Instructions: instructions,
		Capabilities: &mcp.ServerCapabilities{}, // otherwise logging is advertised, which nothing here does
	})
	for _, tool := range tools.List() {
		server.AddTool(describe(tool), handler(tools, opts.Session, tool.Name))
	}
	return server
}

// describe turns a tool into its MCP form. The output schema stays behind: it
// would promise structured content.
func describe(t toolfs.Tool) *mcp.Tool {
	destructive, openWorld := t.Hints.Destructive, t.Hints.OpenWorld
	return &mcp.Tool{
		Name: t.Name, Description: t.Description, InputSchema: t.InputSchema,
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint: t.Hints.ReadOnly, IdempotentHint: t.Hints.Idempotent,
			DestructiveHint: &destructive, OpenWorldHint: &openWorld, // left out they would mean true
		},
		// Clients that defer tools would otherwise show a model their names alone.
		Meta: mcp.Meta{"anthropic/alwaysLoad": true},
	}
}

func handler(tools *toolfs.Tools, session toolfs.Session, name string) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		stop := keepAlive(ctx, req)
		defer stop()
		args := req.Params.Arguments
		if len(args) == 0 {
			args = json.RawMessage("{}")
		}
		return answer(tools.Call(ctx, session, name, args)), nil
	}
}

func answer(r toolfs.Result) *mcp.CallToolResult {
	result := &mcp.CallToolResult{IsError: r.IsError}
	for _, block := range r.Content {
		result.Content = append(result.Content, &mcp.TextContent{Text: block})
	}
	return result
}
