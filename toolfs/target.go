package toolfs

import (
	"context"
	"errors"

	"github.com/seamfs/seamfs/internal/text"
	"github.com/seamfs/seamfs/vfs"
)

// resolve turns a name into a target, in the session's working directory. The
// verb is what a failure says that the model tried.
func (c *call) resolve(ctx context.Context, name, verb string, noFollow bool) (vfs.Target, error) {
	t, err := c.fs.Resolve(ctx, name, vfs.ResolveOptions{Cwd: c.session.Cwd, NoFollow: noFollow})
	if err != nil {
		err = reworded(err, verb)
		c.explainMiss(ctx, name, err)
	}
	return t, err
}

// entry resolves a name to the entry itself, for what removes or moves it, and
// looks at it: links are not followed. A directory gets a target that says so,
// which is how a policy knows that there is no content to lose.
func (c *call) entry(ctx context.Context, name, verb string) (vfs.Target, vfs.Kind, error) {
	t, err := c.resolve(ctx, name, verb, true)
	if err != nil {
		return t, 0, err
	}
	info, err := c.fs.Lstat(ctx, t, 0)
	if err != nil {
		err = reworded(err, verb)
		c.explainMiss(ctx, name, err)
		return t, 0, err
	}
	if info.Kind == vfs.KindDir && !t.MustBeDir() {
		t, err = c.resolve(ctx, name+"/", verb, true)
	}
	return t, info.Kind, err
}

// showLink observes a link on behalf of the actor. What a link holds is its
// body, which no read can show; the answer of the tool tells it instead.
func (c *call) showLink(ctx context.Context, t vfs.Target, verb string) (body string, err error) {
	info, err := c.fs.Lstat(ctx, t, vfs.WantVersion)
	if err != nil {
		return "", reworded(err, verb)
	}
	if info.Kind != vfs.KindSymlink {
		// It was one a moment ago. What is there now nobody has looked at.
		return "", &vfs.Error{Code: vfs.Conflict, Op: verb, Path: t.Display(),
			Message: "cannot " + verb + " " + quoted(t.Display()) + ": the path changed meanwhile; try again"}
	}
	return info.Link, c.observed(ctx, "the link was looked at", vfs.Observation{Target: t, Present: true, Version: info.Version})
}

// lock holds targets from the intent to the observation.
func (c *call) lock(ctx context.Context, verb string, targets ...vfs.Target) (release func(), err error) {
	keys := make([]vfs.Key, len(targets))
	for i, t := range targets {
		keys[i] = t.Key()
	}
	release, err = c.locks.acquire(ctx, keys...)
	if err != nil {
		return nil, &vfs.Error{Code: vfs.Aborted, Op: verb, Path: targets[0].Display(),
			Message: "cannot " + verb + " " + quoted(targets[0].Display()) + ": cancelled; nothing was changed"}
	}
	return release, nil
}

// intent is what a decider is asked about.
func (c *call) intent(t vfs.Target) vfs.Intent { return vfs.Intent{Target: t, Actor: c.session.Actor} }

// observed tells the observers what the actor now knows. What was done stays
// done: a cancelled call is recorded all the same, and a failure to record says
// so. done is what the error tells to have happened.
func (c *call) observed(ctx context.Context, done string, o vfs.Observation) error {
	o.Actor = c.session.Actor
	err := c.fs.Events().Observed(context.WithoutCancel(ctx), o)
	if err == nil {
		return nil
	}
	reason := text.Excerpt(err.Error(), maxForeign)
	var known *vfs.Error
	if errors.As(err, &known) {
		reason = known.Error()
	}
	return &vfs.Error{Code: vfs.CodeOf(err), Op: "observe", Path: o.Target.Display(),
		Message: done + " (" + quoted(o.Target.Display()) + "), but recording it failed: " + reason}
}

// changedOnly is the view of someone who made a version without having been
// shown it: no line of an unknown total.
func changedOnly() *vfs.View { return &vfs.View{First: 1, Last: 0, Total: -1} }
