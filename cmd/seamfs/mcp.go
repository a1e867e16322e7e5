package main

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/seamfs/seamfs/internal/landlock"
	"github.com/seamfs/seamfs/mcpserver"
	"github.com/spf13/cobra"
)

func newMCP() *cobra.Command {
	var w workspace
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the tools over MCP on standard input and output",
		Long: `Serve the tools to an MCP client over standard input and output, until the
client goes. One process is one session of the read-before-write policy.

With --dry the client changes nothing in the root: what it does waits in a session, see
"seamfs changes --help". Only a person makes it real, by "seamfs apply", unless
--allow-apply offers the client a tool for it.`,
		Example: `  claude mcp add seamfs -- seamfs mcp --root "$PWD"
  claude mcp add seamfs -- seamfs mcp --root "$PWD" --dry
  seamfs mcp --mem --from testdata/tree.txtar`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			config := w.config
			config.MaxResultChars = mcpserver.MaxResultChars
			fsys, tools, session, err := w.open(cmd, config)
			if err != nil {
				return err
			}
			defer fsys.Close()
			server := mcpserver.New(tools, mcpserver.Options{Version: version(), Session: session, Staged: w.dry.on()})
			if err := w.wall(landlock.Rules{}); err != nil {
				return err
			}
			return server.Run(cmd.Context(), &mcp.StdioTransport{MaxLineLength: maxLine})
		},
	}
	w.flags(cmd)
	return cmd
}
