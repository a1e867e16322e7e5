package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// progressEvery is below the shortest time after which a client was seen to give
// up on a call that says nothing.
const progressEvery = 15 * time.Second

// keepAlive reports progress at once and then regularly, when the caller gave a
// token for it, until the function it returns is called.
func keepAlive(ctx context.Context, req *mcp.CallToolRequest) (stop func()) {
	token := req.Params.GetProgressToken()
	if token == nil || req.Session == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	notify := func(n int) {
		// A client that no longer listens is no reason to fail the call.
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(n), Message: req.Params.Name})
	}
	notify(0)
	done.Go(func() {
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for n := 1; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				notify(n)
			}
		}
	})
	return func() { cancel(); done.Wait() }
}
