package assistant_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/chat/assistant"
)

func TestThePlanNoteTellsTheWholeOutcome(t *testing.T) {
	t.Parallel()
	outcome := func(status string) assistant.Outcome {
		return assistant.Outcome{Status: status, Tool: "shelf.putBox", Summary: "Put " + status, Failure: "The shelf is full."}
	}
	note := assistant.PlanNote([]assistant.Outcome{
		outcome("applied"), outcome("failed"), outcome("skipped"), outcome("declined"), outcome("expired"), outcome("proposed"),
	})
	for _, want := range []string{
		"[decision] The person decided about 6 proposals together.",
		"1. Put applied (shelf.putBox): applied, the change is live.",
		"2. Put failed (shelf.putBox): failed, nothing was changed: The shelf is full.",
		"3. Put skipped (shelf.putBox): not applied, because an earlier one failed.",
		"4. Put declined (shelf.putBox): declined, nothing was changed.",
		"5. Put expired (shelf.putBox): expired without a decision, nothing was changed.",
		"6. Put proposed (shelf.putBox): still waits for a decision.",
		"do not propose any of it again",
	} {
		require.Contains(t, note, want)
	}
}
