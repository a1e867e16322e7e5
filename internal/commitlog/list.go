package commitlog

import (
	"context"
	"errors"
	"strings"
	"time"
)

// Info is what a list says of a workspace.
type Info struct {
	Name    string
	Created time.Time
	Newest  uint64    // the number of the newest commit
	Changed time.Time // when that was made, or the workspace created
	Head    []byte    // what it was created with
	Base    string    // what it was forked from, "" for none, as [Log.Base] has it
	BaseSeq uint64
	Err     error // why nothing but the name is known: its log cannot be read
}

// List returns the workspaces, by the order of their encoded names within those of
// a hash, which means nothing. It costs about four requests for each. One that
// cannot be read is in the list, with its Err.
func (s *Store) List(ctx context.Context) ([]Info, error) {
	var list []Info
	err := s.each(ctx, func(l *Log, err error) error {
		if errors.Is(err, errRemoved) {
			return nil
		}
		list = append(list, l.info(err))
		return nil
	})
	return list, err
}

func (l *Log) info(err error) Info {
	i := Info{Name: l.Name(), Err: err}
	if err == nil {
		i.Created, i.Changed, i.Head, i.Newest = l.Created(), l.Created(), l.Head(), l.known()
		i.Base, i.BaseSeq, _ = l.Base()
		if l.tail.seq == i.Newest && i.Newest > 0 {
			i.Changed = l.tail.time
		}
	}
	return i
}

// each calls f for every place that a workspace is or was in, in the order of the
// keys, with why its log cannot be read.
func (s *Store) each(ctx context.Context, f func(l *Log, err error) error) error {
	for after := ""; ; {
		keys, err := s.driver.List(ctx, workspaces, after, 1)
		if err != nil || len(keys) == 0 {
			return err
		}
		p, ok := placeOf(keys[0])
		if !ok { // not ours
			after = keys[0]
			continue
		}
		after = strings.TrimSuffix(p.prefix(), "/") + "0" // behind all that begins with the prefix
		head, err := s.get(ctx, p, 0)
		if isNotFound(err) {
			continue // it is not there yet, or rests of it are
		}
		l := s.log(p, head)
		if err == nil {
			err = l.find(ctx)
		}
		if err := f(l, err); err != nil {
			return err
		}
	}
}
