package vfs

// Owner is who has seen what: the identity by which a policy keeps observed
// state. It is a pointer of its own, and concrete, so that the state can be held
// weakly and goes when the owner goes.
type Owner struct{ name string }

// NewOwner returns an owner. The name is for logs and need not be unique.
func NewOwner(name string) *Owner { return &Owner{name: name} }

// Name returns the name given to NewOwner.
func (o *Owner) Name() string { return o.name }

// FSOwner returns o: an owner is its own actor.
func (o *Owner) FSOwner() *Owner { return o }

// Actor is what a policy asks of the opaque actor in an event: who owns what it
// observes. An agent's session implements it.
type Actor interface{ FSOwner() *Owner }
