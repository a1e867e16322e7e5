// Package conformance is the public suite that every provider of a
// [vfs.Provider] runs. A backend's whole test of the contract is:
//
//	func TestConformance(t *testing.T) {
//		conformance.Run(t, conformance.Provider{
//			New: func(t conformance.TB) vfs.Provider { return mybackend.New() },
//		})
//	}
//
// Every case names the law it proves, numbered in the doc of [vfs.Provider], and
// the cases of tools name the row of the case table that they come from. A
// failure prints the law, the operation, what was got and wanted, and the seed
// that replays it. What a provider cannot do it says by its capabilities, and
// then must refuse; what it does wrong for now it declares as a [Gap], with a
// reason. A gap that is not declared fails, and so does a declaration that is no
// longer true. Nothing is skipped in silence: Run logs how many cases passed,
// did not apply, and stand behind a gap.
//
// # Limits
//
// The suite can prove a provider wrong and never right. Run it with -race.
package conformance
