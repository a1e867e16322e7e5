package memlog

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/seamfs/seamfs/internal/commitlog"
)

// Faults says how often what goes wrong, as shares of 1. They are drawn apart.
type Faults struct {
	LostBefore float64       // the request never arrives, and fails
	LostAfter  float64       // it is carried out, and its answer lost
	Delayed    float64       // it fails now, and is carried out later
	Duplicated float64       // it is carried out, and once more later
	Read       float64       // a Get or List fails
	Later      time.Duration // at most how much later
	Seed       uint64
}

// errLost is what a client sees of all of them: nothing.
var errLost = errors.New("the connection was lost")

// Faulty is a driver between whose client and which a network lies that loses,
// delays and doubles what is created.
type Faulty struct {
	commitlog.Driver
	faults Faults

	mu   sync.Mutex
	dice *rand.Rand
	hurt int
	late sync.WaitGroup
}

// NewFaulty returns d behind such a network. Wait ends it.
func NewFaulty(d commitlog.Driver, f Faults) *Faulty {
	return &Faulty{Driver: d, faults: f, dice: rand.New(rand.NewPCG(f.Seed, 1))}
}

// Create creates, or not, and says so, or not.
func (f *Faulty) Create(ctx context.Context, key string, data []byte) error {
	switch {
	case f.meets(f.faults.LostBefore):
		return errLost
	case f.meets(f.faults.Delayed):
		f.later(ctx, key, data)
		return errLost
	}
	err := f.Driver.Create(ctx, key, data)
	if f.meets(f.faults.Duplicated) {
		f.later(ctx, key, data)
	}
	if f.meets(f.faults.LostAfter) {
		return errLost
	}
	return err
}

// Get gets, or fails.
func (f *Faulty) Get(ctx context.Context, key string, off, n int64) ([]byte, error) {
	if f.meets(f.faults.Read) {
		return nil, errLost
	}
	return f.Driver.Get(ctx, key, off, n)
}

// List lists, or fails.
func (f *Faulty) List(ctx context.Context, prefix, after string, limit int) ([]string, error) {
	if f.meets(f.faults.Read) {
		return nil, errLost
	}
	return f.Driver.List(ctx, prefix, after, limit)
}

// Wait waits until nothing is under way any more.
func (f *Faulty) Wait() { f.late.Wait() }

// Hurt returns how many faults there were.
func (f *Faulty) Hurt() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hurt
}

func (f *Faulty) meets(share float64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.dice.Float64() >= share {
		return false
	}
	f.hurt++
	return true
}

// later carries a request out that nobody waits for.
func (f *Faulty) later(ctx context.Context, key string, data []byte) {
	ctx = context.WithoutCancel(ctx)
	f.mu.Lock()
	wait := time.Duration(f.dice.Float64() * float64(f.faults.Later))
	f.mu.Unlock()
	f.late.Go(func() {
		time.Sleep(wait)
		_ = f.Driver.Create(ctx, key, data) // whatever becomes of it, nobody hears it
	})
}
