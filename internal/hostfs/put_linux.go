package hostfs

import (
	"context"
	"fmt"

	"github.com/seamfs/seamfs/vfs"
	"golang.org/x/sys/unix"
)

// put is one attempt at a Put: prepare, stage, publish, in this order, so that a
// batch can be all prepared, all staged, and then published one by one.
func (e *engine) put(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	if c.Place == vfs.Root {
		return vfs.Outcome{}, vfs.NotRegularFile
	}
	if c.Fill == nil {
		return vfs.Outcome{}, vfs.InvalidArgument
	}
	return e.inParent(ctx, c.Place, c.Parents, func(par *parent) (vfs.Outcome, error) {
		job := &putJob{e: e, c: c, par: par, old: -1, tmp: -1, at: spot{dir: -1}}
		defer job.close()
		err := job.prepare(ctx)
		if err == nil && !job.unchanged() {
			if err = job.stage(ctx); err == nil && !job.unchanged() {
				err = job.publish(ctx)
			}
		}
		return job.outcome(err)
	})
}

// putJob is one file on its way: what was there, what is to be there, and where
// that waits meanwhile.
type putJob struct {
	e   *engine
	c   *vfs.Change
	par *parent

	old   int // the file that is there, open for reading; -1 when there is none
	oldSt unix.Stat_t
	prior *prior
	draft *draft
	lease lease // on old

	tmp       int // the temporary file
	tmpSt     unix.Stat_t
	at        spot // where it waits under a name, or what it displaced does
	named     bool // something is there under that name
	notOurs   bool // and it is not ours to delete
	notes     []string
	kept      []string // what is left of a lost race; told whatever comes of the change
	published bool
}

// prepare looks at the target, and asks.
func (j *putJob) prepare(ctx context.Context) error {
	var err error
	j.old, err = j.e.openRegular(j.par.fd, j.par.leaf, &j.oldSt, true)
	switch {
	case err == vfs.NotFound:
		j.prior = &prior{ctx: ctx}
	case err == errMount && j.e.opts.Confine.named(j.par.place):
		return errMountPoint
	case err != nil:
		return err
	default:
		j.prior = &prior{ctx: ctx, exists: true, info: infoOf(&j.oldSt), src: fdReader(j.old)}
	}
	return j.ask(ctx)
}

// ask checks the guard on the bytes of what is there, and asks Fill.
func (j *putJob) ask(ctx context.Context) error {
	if _, wants := j.c.Guard.WantsVersion(); wants && j.prior.exists {
		if err := j.e.step("read"); err != nil {
			return err
		}
		if err := j.prior.load(true); err != nil {
			return err
		}
	}
	if err := j.c.Guard.Check(j.prior.exists, j.prior.version); err != nil {
		return err
	}
	filled, err := j.c.Fill(ctx, j.prior)
	if j.prior.lost {
		return errAgain
	}
	if err != nil {
		return err
	}
	// The digest of what is replaced is needed even if nobody asked: to leave an
	// equal content alone, and to know what came out of the exchange.
	if err := j.prior.load(false); err != nil {
		return err
	}
	j.draft, err = newDraft(j.prior, filled)
	return err
}

// unchanged reports whether the draft is known to be what is there already.
func (j *putJob) unchanged() bool {
	return j.prior.exists && j.draft.version == j.prior.version && j.attrsHold()
}

// attrsHold reports whether the file has the attributes that the change sets.
func (j *putJob) attrsHold() bool {
	a, st := j.c.Attrs, &j.oldSt
	switch {
	case a == nil:
		return true
	case a.Xattrs != nil,
		a.Mode != nil && hostMode(*a.Mode) != st.Mode&0o7777,
		a.ModTime != nil && a.ModTime.UnixNano() != st.Mtim.Nano(),
		a.UID != nil && *a.UID != int(st.Uid),
		a.GID != nil && *a.GID != int(st.Gid):
		return false
	}
	return true
}

// publish makes the staged file the target. Until it returns nil nothing has
// happened, after it nothing may fail any more.
func (j *putJob) publish(ctx context.Context) error {
	if j.prior.exists {
		return j.replace(ctx)
	}
	return j.create(ctx)
}

func (j *putJob) outcome(err error) (vfs.Outcome, error) {
	if err != nil {
		return vfs.Outcome{Notes: j.kept}, err
	}
	out := vfs.Outcome{Effect: vfs.EffectCreate, Version: j.draft.version}
	switch {
	case !j.published:
		out.Effect = vfs.EffectUnchanged
		return out, nil
	case j.prior.exists:
		out.Effect = vfs.EffectUpdate
		if n := j.oldSt.Nlink; n > 1 {
			j.notes = append(j.notes, fmt.Sprintf("%d hard links: the other names keep the old content", n))
		}
	}
	j.cleanUp()
	out.Notes = j.notes
	return out, nil
}

// close gives back all that the attempt held, the staging directory included.
func (j *putJob) close() {
	j.cleanUp()
	j.endLease()
	closeFD(j.old)
	closeFD(j.tmp)
}
