package commitlog

// Waiting returns how many wait in a group, for its tests.
func Waiting[T any](g *Group[T]) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.queue)
}
