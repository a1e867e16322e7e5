package toolfs

import (
	"context"
	"encoding/json"
)

// Plain is a tool as plain values, for any agent framework: what each of them
// asks for is these four fields under other names.
type Plain struct {
	Name        string
	Description string
	Schema      json.RawMessage
	// Call runs the tool. The text is for the model, also when the call failed;
	// the error is then a [*Failure], for frameworks that mark a result as one.
	Call func(ctx context.Context, args json.RawMessage) (string, error)
}

// Plain returns the tools bound to a session.
func (t *Tools) Plain(s Session) []Plain {
	list := make([]Plain, 0, len(t.visible))
	for _, tool := range t.List() {
		list = append(list, Plain{
			Name: tool.Name, Description: tool.Description, Schema: tool.InputSchema,
			Call: func(ctx context.Context, args json.RawMessage) (string, error) {
				r := t.Call(ctx, s, tool.Name, args)
				if r.IsError {
					return r.Text(), r.Err
				}
				return r.Text(), nil
			},
		})
	}
	return list
}
