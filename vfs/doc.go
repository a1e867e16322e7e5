// Package vfs is the seam: what an agent's file tools, or any other consumer,
// ask of a filesystem, and what a backend must offer for it.
//
// Consumers use [FS], a concrete type. Backends implement [Provider], a small
// interface that deals in places, bytes and compare-and-swap. All that must be
// the same over every backend is written once, in FS: arguments, the following
// of links, UTF-8, line endings, literal matching, error codes, cancellation.
//
// # Reading on
//
// [Place], [Target] and [FS.Resolve] say how names become places. [Version] and
// [Guard] say how nothing is overwritten that was not seen. [Change] is the one
// mutation. [Events] is the gate where policies decide. [Error] and [Code] are
// how things fail. The numbered laws of [Provider] are what the suite in package
// conformance proves.
//
// # Limits
//
// A name is at most [MaxPathBytes] bytes, a component [MaxNameBytes]. A text to
// be edited is at most [MaxTextBytes] bytes. A version detects change, not
// forgery; see [Version].
package vfs
