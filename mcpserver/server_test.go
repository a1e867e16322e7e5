package mcpserver_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/seamfs/seamfs/backends/mem"
	"github.com/seamfs/seamfs/mcpserver"
	"github.com/seamfs/seamfs/policy"
	"github.com/seamfs/seamfs/toolfs"
	"github.com/seamfs/seamfs/vfs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// connect starts a server over files in memory and returns a client of it.
func connect(t *testing.T, files map[string]string) *mcp.ClientSession {
	return connectWith(t, files, nil)
}

func connectWith(t *testing.T, files map[string]string, opts *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	fs, err := vfs.New(mem.FromMap(files), vfs.Options{})
	require.NoError(t, err)
	rule := policy.NewReadBeforeWrite(nil)
	rule.Attach(fs.Events())
	tools, err := toolfs.New(fs, toolfs.Config{MaxResultChars: mcpserver.MaxResultChars})
	require.NoError(t, err)
	server := mcpserver.New(tools, mcpserver.Options{Version: "test", Session: toolfs.Session{Actor: vfs.NewOwner("test")}})
	here, there := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	session, err := server.Connect(ctx, there, nil)
	require.NoError(t, err)
	client, err := mcp.NewClient(&mcp.Implementation{Name: "client"}, opts).Connect(ctx, here, nil)
	require.NoError(t, err)
	t.Cleanup(func() { client.Close(); session.Wait(); cancel() })
	return client
}

func call(t *testing.T, c *mcp.ClientSession, tool, args string) (text []string, isError bool) {
	t.Helper()
	result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	require.NoError(t, err)
	assert.Nil(t, result.StructuredContent, "text only")
	for _, block := range result.Content {
		text = append(text, block.(*mcp.TextContent).Text)
	}
	return text, result.IsError
}

func TestReadThenEditKeepsLineEndings(t *testing.T) {
	c := connect(t, map[string]string{"f": "one\r\ntwo\r\nthree\n"})
	text, isError := call(t, c, "edit", `{"file_path":"f","old_string":"two","new_string":"2"}`)
	assert.True(t, isError, "an edit of what was not read: %q", text)
	text, isError = call(t, c, "read", `{"file_path":"f"}`)
	assert.False(t, isError)
	assert.Equal(t, "<path>/workspace/f</path>\n<type>file</type>\n<content>\n1: one\n2: two\n3: three\n\n(End of file - total 3 lines)\n</content>", text[0])
	text, isError = call(t, c, "edit", `{"file_path":"f","old_string":"two","new_string":"2"}`)
	assert.False(t, isError)
	assert.Equal(t, "The file /workspace/f has been updated successfully.", text[0])
	text, _ = call(t, c, "list", `{}`)
	assert.Contains(t, text[0], "(1 entries: 0 directories, 1 files)")
}

func TestToolsAreDescribedForClients(t *testing.T) {
	c := connect(t, nil)
	list, err := c.ListTools(t.Context(), nil)
	require.NoError(t, err)
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		assert.Nil(t, tool.OutputSchema, "%s: an output schema would promise structured content", tool.Name)
		require.NotNil(t, tool.Annotations.DestructiveHint, tool.Name)
		require.NotNil(t, tool.Annotations.OpenWorldHint, tool.Name)
		assert.False(t, *tool.Annotations.OpenWorldHint, tool.Name)
		reads := tool.Name != "write" && tool.Name != "edit"
		assert.Equal(t, reads, tool.Annotations.ReadOnlyHint, tool.Name)
		assert.Equal(t, !reads, *tool.Annotations.DestructiveHint, tool.Name)
	}
	assert.ElementsMatch(t, []string{"list", "read", "write", "edit", "glob", "grep"}, names)
}

func TestAnswersStayBelowTheCapAndSayHowToGoOn(t *testing.T) {
	c := connect(t, map[string]string{"long": strings.Repeat(strings.Repeat("w", 1900)+"\n", 100)})
	seen := 0
	for offset := 1; offset <= 100; {
		text, isError := call(t, c, "read", `{"file_path":"long","offset":`+itoa(offset)+`}`)
		require.False(t, isError, "%q", text)
		assert.LessOrEqual(t, len(text[0]), mcpserver.MaxResultChars)
		lines := strings.Count(text[0], ": www")
		require.Positive(t, lines)
		seen += lines
		offset += lines
	}
	assert.Equal(t, 100, seen)
}

func TestProgressComesAtOnceWhenAskedFor(t *testing.T) {
	told := make(chan any, 10)
	c := connectWith(t, map[string]string{"f": "x"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) { told <- req.Params.ProgressToken },
	})
	_, isError := call(t, c, "read", `{"file_path":"f"}`)
	require.False(t, isError)
	params := &mcp.CallToolParams{Name: "read", Arguments: json.RawMessage(`{"file_path":"f"}`)}
	params.SetProgressToken("token")
	_, err := c.CallTool(t.Context(), params)
	require.NoError(t, err)
	select {
	case token := <-told:
		assert.Equal(t, "token", token)
	case <-time.After(5 * time.Second):
		t.Error("no progress was reported")
	}
	assert.Empty(t, told, "one report for a short call, none without a token")
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }
