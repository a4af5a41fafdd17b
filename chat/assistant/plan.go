package assistant

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Outcome is the outcome of one change of a plan.
type Outcome struct {
	Status  string
	Tool    string
	Summary string
	Failure string
	// Reason is the decision's reason, and Decider its author; "" without one.
	Reason, Decider string
	// Result is set for a decided read: its result.
	Result json.RawMessage
}

// PlanNote is the model's note about a joint decision on several proposals. Like DecisionNote it is made on the server
// from the stored proposals, and never stored.
func PlanNote(outcomes []Outcome) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[decision] The person decided about %d proposals together.", len(outcomes))
	for i, o := range outcomes {
		fmt.Fprintf(&b, "\n%d. (%s) %s\n%s", i+1, o.Tool, outcomeText(o), proposalText(o))
	}
	b.WriteString("\nAcknowledge the whole outcome in a few sentences and stop; do not propose any of it again.")
	return b.String()
}

func outcomeText(o Outcome) string {
	switch o.Status {
	case "applied":
		return "applied, the change is live."
	case "failed":
		return "failed, nothing was changed."
	case "skipped":
		return "not applied, because an earlier one failed."
	case "declined":
		return "declined, nothing was changed."
	case "expired":
		return "expired without a decision, nothing was changed."
	default:
		return "still waits for a decision."
	}
}
