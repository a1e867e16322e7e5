package hostfs

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/seamfs/seamfs/vfs"
)

// put is one attempt at a Put: guard, Fill, stage in a private directory, look
// again, publish.
func (e *portable) put(ctx context.Context, c *vfs.Change) (vfs.Outcome, error) {
	if c.Place == vfs.Root {
		return vfs.Outcome{}, vfs.NotRegularFile
	}
	if c.Fill == nil {
		return vfs.Outcome{}, vfs.InvalidArgument
	}
	return e.inParent(ctx, c.Place, c.Parents, func(d *pdir, fi fs.FileInfo) (vfs.Outcome, error) {
		job := &portablePut{e: e, c: c, d: d, fi: fi}
		err := job.prepare(ctx)
		if job.old != nil {
			defer job.old.Close()
		}
		if err == nil && !job.unchanged() {
			err = job.stage(ctx)
		}
		return job.outcome(), err
	})
}

// portablePut is one file on its way.
type portablePut struct {
	e     *portable
	c     *vfs.Change
	d     *pdir
	fi    fs.FileInfo
	old   *os.File
	prior *prior
	draft *draft

	published bool
	notes     []string
}

func (j *portablePut) prepare(ctx context.Context) error {
	j.prior = &prior{ctx: ctx}
	if j.fi != nil {
		var info fs.FileInfo
		var err error
		if j.old, info, err = j.e.openRegular(j.d, j.fi, os.O_RDONLY); err != nil {
			return err
		}
		// Opening to write without truncating asks the host whether we may.
		// Nothing is written, so that other names of it do not matter.
		w, _, err := j.e.openSeen(j.d, j.fi, os.O_WRONLY)
		if err != nil {
			return err
		}
		_ = w.Close()
		j.prior = &prior{ctx: ctx, exists: true, info: portableInfo(info), src: j.old}
	}
	if _, wants := j.c.Guard.WantsVersion(); wants {
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
	if err := j.prior.load(false); err != nil {
		return err
	}
	j.draft, err = newDraft(j.prior, filled)
	return err
}

func (j *portablePut) unchanged() bool {
	a := j.c.Attrs
	return j.prior.exists && j.draft.version == j.prior.version &&
		(a == nil || (a.Mode == nil || *a.Mode == j.fi.Mode()&^fs.ModeType) && (a.ModTime == nil || a.ModTime.Equal(j.fi.ModTime())))
}

// stage writes into a private directory and publishes from there.
func (j *portablePut) stage(ctx context.Context) error {
	dir, name, err := j.e.makeStage(j.d)
	if err != nil {
		return err
	}
	err = j.write(ctx, dir)
	if err == nil && !j.unchanged() {
		err = j.publish(ctx, name+"/"+stageLeaf)
	}
	if cerr := j.e.removeStage(j.d, dir, name); cerr != nil && j.published {
		j.notes = append(j.notes, fmt.Sprintf("%q could not be removed: %v", name, cerr))
	}
	return err
}

// makeStage makes a private directory next to the target.
func (e *portable) makeStage(d *pdir) (*os.Root, string, error) {
	for range openTries {
		if err := e.step("mkdir-stage"); err != nil {
			return nil, "", err
		}
		name := stageName()
		err := d.root.Mkdir(name, 0o700)
		if vfs.CodeOf(err) == vfs.Exists {
			continue
		}
		if err != nil {
			return nil, "", e.hostErr(err)
		}
		dir, err := e.enterStage(d, name)
		if err != nil {
			_ = d.root.Remove(name)
			return nil, "", err
		}
		return dir, name, nil
	}
	return nil, "", vfs.Busy
}

func (e *portable) removeStage(d *pdir, dir *os.Root, name string) error {
	err := e.step("rmdir-stage")
	if err == nil {
		err = dir.RemoveAll(stageLeaf)
	}
	_ = dir.Close()
	if err == nil {
		err = d.root.Remove(name)
	}
	return err
}

func (j *portablePut) write(ctx context.Context, dir *os.Root) error {
	mode := fs.FileMode(0o600)
	if !j.prior.exists {
		mode = 0o666
	}
	if err := j.e.step("create-temp"); err != nil {
		return err
	}
	f, err := dir.OpenFile(stageLeaf, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return j.e.hostErr(err)
	}
	defer f.Close()
	if err := j.e.step("write"); err != nil {
		return err
	}
	if err := j.draft.writeTo(ctx, f); err != nil {
		return err
	}
	if err := j.e.step("attrs"); err != nil {
		return err
	}
	if err := j.attrs(dir, f); err != nil {
		return err
	}
	if !j.e.opts.NoSync {
		if err := j.e.step("sync"); err != nil {
			return err
		}
		if err := f.Sync(); err != nil {
			return err
		}
	}
	return f.Close()
}

// attrs keeps the mode of what is replaced, and sets what the change asks for.
func (j *portablePut) attrs(dir *os.Root, f *os.File) error {
	a := j.c.Attrs
	var mode *fs.FileMode
	if j.prior.exists {
		kept := j.fi.Mode().Perm()
		mode = &kept
		if j.fi.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 && (a == nil || a.Mode == nil) {
			j.notes = append(j.notes, noteSetID)
		}
	}
	if a != nil && a.Mode != nil {
		mode = a.Mode
	}
	if mode != nil && j.e.Caps().Has(vfs.CapMode) {
		if err := f.Chmod(*mode); err != nil {
			return err
		}
	}
	if a != nil && a.ModTime != nil {
		return dir.Chtimes(stageLeaf, time.Time{}, *a.ModTime)
	}
	return nil
}

// publish looks at the target once more and renames over it, or links to a name
// that nothing has. What another process puts there between the look and the
// rename is lost.
func (j *portablePut) publish(ctx context.Context, staged string) error {
	if err := j.e.step("verify"); err != nil {
		return err
	}
	now, err := j.e.look(j.d)
	if err != nil {
		return err
	}
	if (now != nil) != j.prior.exists {
		return errAgain
	}
	if now != nil {
		v, err := j.e.versionAt(ctx, j.d, now)
		if err != nil {
			return err
		}
		if v != j.prior.version || !now.Mode().IsRegular() || now.Mode() != j.fi.Mode() {
			return errAgain
		}
	}
	if err := j.e.step("publish"); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if !j.prior.exists {
		switch err := j.d.root.Link(staged, j.d.leaf); vfs.CodeOf(err) {
		case "":
			j.published = true
			return nil
		case vfs.Exists:
			return errAgain
		case vfs.NotFound:
			return vfs.NotFound
		}
	}
	err = patiently(func() error { return j.d.root.Rename(staged, j.d.leaf) })
	j.published = err == nil
	return j.e.hostErr(err)
}

func (j *portablePut) outcome() vfs.Outcome {
	if j.draft == nil {
		return vfs.Outcome{}
	}
	out := vfs.Outcome{Effect: vfs.EffectUnchanged, Version: j.draft.version}
	if j.published {
		out.Notes = j.notes
		if out.Effect = vfs.EffectCreate; j.prior.exists {
			out.Effect = vfs.EffectUpdate
		}
	}
	return out
}
