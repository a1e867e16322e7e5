package main

import (
	"encoding/json"
	"fmt"

	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/toolfs"
	"github.com/seamfs/seamfs/vfs"
	"github.com/spf13/cobra"
)

func newTools() *cobra.Command {
	var asJSON, prompt bool
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "Show the tools: names, schemas, prompt sections",
		Args:  exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			fsys, err := vfs.New(mem.New(nil), vfs.Options{})
			if err != nil {
				return err
			}
			tools, err := toolfs.New(fsys, toolfs.Config{MultiEdit: true, Move: true, Delete: true})
			if err != nil {
				return err
			}
			switch {
			case prompt:
				for _, s := range tools.PromptSections() {
					fmt.Fprintln(cmd.OutOrStdout(), s.Text)
				}
				return nil
			case asJSON:
				return printTools(cmd, tools.List())
			}
			for _, t := range tools.List() {
				fmt.Fprintf(cmd.OutOrStdout(), "%s\n    %s\n    %s\n", t.Name, t.Description, t.InputSchema)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	cmd.Flags().BoolVar(&prompt, "prompt", false, "print the sections for a system prompt instead")
	cmd.MarkFlagsMutuallyExclusive("json", "prompt")
	return cmd
}

func printTools(cmd *cobra.Command, list []toolfs.Tool) error {
	type tool struct {
		Name         string          `json:"name"`
		Description  string          `json:"description"`
		InputSchema  json.RawMessage `json:"inputSchema"`
		OutputSchema json.RawMessage `json:"outputSchema"`
		ReadOnly     bool            `json:"readOnly"`
		Concurrent   bool            `json:"concurrent"`
	}
	out := make([]tool, len(list))
	for i, t := range list {
		out[i] = tool{t.Name, t.Description, t.InputSchema, t.OutputSchema, t.Hints.ReadOnly, t.Concurrent}
	}
	return json.NewEncoder(cmd.OutOrStdout()).Encode(out)
}
