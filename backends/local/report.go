package local

import "github.com/seamfs/seamfs/internal/hostfs"

// Report says which engine a [Provider] has and which ways it goes: what a file
// system was found to lack, and how often a lease was granted. Its String is for
// people.
type Report = hostfs.Report

// Volume is one file system in a [Report].
type Volume = hostfs.Volume

// Feature is a set of kernel features that an engine does without.
type Feature = hostfs.Feature
