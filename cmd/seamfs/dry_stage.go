package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seamfs/seamfs/backends/overlay"
	"github.com/seamfs/seamfs/internal/text"
	"github.com/seamfs/seamfs/toolfs"
	"github.com/seamfs/seamfs/vfs"
)

var _ toolfs.Stage = (*stage)(nil)

func (s *stage) Staged(ctx context.Context) ([]toolfs.StagedChange, error) {
	list, err := s.seen(ctx)
	out := make([]toolfs.StagedChange, len(list))
	for i := range list {
		c := &list[i]
		out[i] = toolfs.StagedChange{Letter: c.Kind.Letter(), Path: string(c.Place), From: string(c.From), Detail: detail(c)}
	}
	return out, err
}

func (s *stage) Diff(ctx context.Context, path string) (string, error) {
	list, err := s.seen(ctx)
	if err != nil {
		return "", err
	}
	for _, c := range list {
		if string(c.Place) != path {
			continue
		}
		f, err := s.over.Diff(ctx, c)
		if err != nil {
			return "", err
		}
		var b strings.Builder
		for _, line := range fileHeader(f) {
			b.WriteString(line + "\n")
		}
		for _, h := range f.Hunks {
			b.Write(h.Body)
		}
		return b.String(), nil
	}
	return "", &vfs.Error{Code: vfs.NotFound, Op: "changes", Path: path, Message: "nothing was changed at " + text.ShowName(path) + "; changes without diff lists what was"}
}

func (s *stage) Apply(ctx context.Context, paths []string) (string, error) {
	list, err := s.seen(ctx)
	if err != nil {
		return "", err
	}
	picked := map[vfs.Place]bool{}
	for i := range list {
		c := &list[i]
		picked[c.Place] = paths == nil || slices.ContainsFunc(paths, func(p string) bool {
			return vfs.Place(p).Contains(c.Place) || c.From != "" && vfs.Place(p).Contains(c.From)
		})
	}
	plan, err := s.over.Plan(ctx, overlay.Selection{Match: func(p vfs.Place) bool { return picked[p] }}, overlay.PlanOptions{})
	if err != nil {
		return "", err
	}
	if len(plan.Items) == 0 {
		return "", vfs.Fail(vfs.NotFound, "there is nothing to apply; changes lists what is staged")
	}
	done, err := s.over.ApplyPlan(ctx, plan, overlay.ApplyOptions{})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Applied %s:", count(len(done.Items), "change"))
	for _, line := range itemLines(done.Items, 100) {
		b.WriteString("\n" + line)
	}
	for _, note := range done.Notes {
		b.WriteString("\nNote: " + note)
	}
	if len(plan.Rest) > 0 {
		fmt.Fprintf(&b, "\nStill staged: %s.", count(len(plan.Rest), "change"))
	}
	return b.String(), nil
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
