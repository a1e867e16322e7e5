package conformance

import (
	"fmt"
	"slices"

	"github.com/seamfs/seamfs/vfs"
)

// Case is one thing that is proven.
type Case struct {
	Name  string   // group/what, stable
	Law   Law      // the law of vfs.Provider
	Needs vfs.Caps // without these the case does not apply
	Lacks vfs.Caps // with any of these the case does not apply
	Wants Extra    // what else it takes of the Provider
	Run   func(c *C)
}

// Extra is what a case takes of a [Provider] besides New.
type Extra uint8

// The extras, one for each optional field, and WantUnprivileged for cases about
// permissions that do not bind a privileged user.
const (
	WantFull Extra = 1 << iota
	WantSpecial
	WantUnprivileged
)

// Cases returns every case of the suite, in a stable order.
func Cases() []Case {
	return slices.Concat(
		placeCases, readCases, listCases, versionCases, putCases, guardCases, failCases,
		nameCases, moveCases, removeCases, attrCases, batchCases, capCases, raceCases, snapshotCases, walkCases, handleCases, recoverCases,
		moreCases, modelCases, fsCases(), editTableCases(),
	)
}

// cases are those that a run is restricted to.
func (p Provider) cases() []Case {
	if p.Only == nil {
		return Cases()
	}
	return slices.DeleteFunc(Cases(), func(c Case) bool { return !p.Only(c) })
}

// applies reports whether a case can be run on p, and if not, why.
func (c Case) applies(p Provider, caps vfs.Caps) (bool, string) {
	switch {
	case !caps.Has(c.Needs):
		return false, fmt.Sprintf("needs %s", c.Needs&^caps)
	case caps&c.Lacks != 0:
		return false, fmt.Sprintf("is about a provider without %s", caps&c.Lacks)
	case c.Wants&WantFull != 0 && p.NewFull == nil:
		return false, "Provider.NewFull is not set"
	case c.Wants&WantSpecial != 0 && p.Special == nil:
		return false, "Provider.Special is not set"
	case c.Wants&WantUnprivileged != 0 && p.Privileged:
		return false, "permissions do not bind a privileged user"
	}
	return true, ""
}
