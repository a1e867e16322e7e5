package main

import (
	"fmt"
	"slices"
	"strings"
)

// choice is a flag that takes one of a few words. It is empty until it is set.
type choice struct {
	value string
	among []string
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return strings.Join(c.among, "|") }

func (c *choice) Set(s string) error {
	if !slices.Contains(c.among, s) {
		return fmt.Errorf("want %s", strings.Join(c.among, " or "))
	}
	c.value = s
	return nil
}
