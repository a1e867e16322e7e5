package conformance

// Score is what came of all the cases of one law.
type Score struct {
	Law           Law    `json:"law"`
	Sentence      string `json:"sentence"`
	Passed        int    `json:"passed"`
	Failed        int    `json:"failed"`
	Gapped        int    `json:"gapped"`
	NotApplicable int    `json:"notApplicable"`
}

// Mark is a score in one sign: "✓" when every case that applies passed, "✗" when
// one failed, "gap" when one stands behind a declared gap, "–" when none applies.
func (s Score) Mark() string {
	switch {
	case s.Failed > 0:
		return "✗"
	case s.Gapped > 0:
		return "gap"
	case s.Passed > 0:
		return "✓"
	}
	return "–"
}

// Scores returns the score of every law, in the order of their numbers.
func (r Report) Scores() []Score {
	scores := make([]Score, len(laws))
	at := map[Law]*Score{}
	for i, l := range laws {
		scores[i] = Score{Law: l.Law, Sentence: l.Sentence}
		at[l.Law] = &scores[i]
	}
	for _, result := range r.Results {
		s := at[result.Case.Law]
		if s == nil {
			continue // a stale gap is about no law
		}
		switch result.Status {
		case Passed:
			s.Passed++
		case Failed:
			s.Failed++
		case Gapped:
			s.Gapped++
		case NotApplicable:
			s.NotApplicable++
		}
	}
	return scores
}
