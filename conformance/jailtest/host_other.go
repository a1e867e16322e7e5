//go:build !linux && !darwin && !windows

package jailtest

const platform = NeedUnix
