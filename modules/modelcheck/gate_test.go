package modelcheck_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/modules/modelcheck"
	"countersign/modules/modelcheck/suite"
)

// Situations that do not fit into the window have no verdict either: a model that is too small for most passes no gate.
func TestSkippedSituationsCloseAGate(t *testing.T) {
	t.Parallel()
	report := func(passed, skipped int) modelcheck.Report {
		r := modelcheck.Report{}
		r.Status, r.Total = modelcheck.Done, passed+skipped
		r.Played, r.Passed = r.Total, passed
		for i := range r.Total {
			o := modelcheck.Outcome{Kind: "title", Verdict: suite.Passed}
			if i >= passed {
				o.Verdict, o.Reasons = suite.Skipped, []string{"Not played: the window is too small."}
			}
			r.Outcomes = append(r.Outcomes, o)
		}
		return r
	}
	few, many := report(19, 1), report(18, 2)
	require.Empty(t, few.Gate(1))
	issues := many.Gate(1)
	require.Len(t, issues, 1)
	require.Contains(t, issues[0], "2 of 20 situations could not be played")
	require.Contains(t, issues[0], "The reason in 2 of them: Not played: the window is too small.")
}
