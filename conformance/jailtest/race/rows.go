package race

// Rows returns which test of this package covers which row of the corpus.
func Rows() map[string]string {
	const (
		both  = "TestSwaps, TestSteps"
		kinds = "TestSwapsOfKinds, TestStepsOfKinds"
	)
	rows := map[string]string{
		"C51": kinds, "C88": kinds,
		"C87": "TestSteps: a swap and its way back at each pair of calls",
		"C89": "TestStagingAtEveryStep", "C90": "TestPlantedStaging",
		"C91": "TestStagingAtEveryStep; internal/hostfs TestStagingIsPrivate, by another user",
		"C92": "TestStagingAtEveryStep", "C96": "TestKilledAtEveryCall",
		"C98": "TestParentMovedAtEveryCall", "C99": both + ": put/leaf",
	}
	for _, id := range []string{"C75", "C76", "C77", "C78", "C79", "C80", "C81", "C82", "C83", "C84", "C85", "C86"} {
		rows[id] = both
	}
	return rows
}
