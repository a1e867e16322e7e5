//go:build !unix

package interop_test

import "errors"

func clearUmask() {}

func makeFIFO(string) error { return errors.ErrUnsupported }
