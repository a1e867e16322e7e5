// Package e2e holds the tests of the main job, end to end: an agent's tool calls
// on real source trees and large files, over every backend. It has no other code.
//
// # Limits
//
// The real source tree is that of the Go distribution which runs the tests.
package e2e
