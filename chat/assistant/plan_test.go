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
		"1. (shelf.putBox) applied, the change is live.\n<data>\nPut applied\n</data>",
		"2. (shelf.putBox) failed, nothing was changed.\n<data>\nPut failed\nIt failed: The shelf is full.\n</data>",
		"3. (shelf.putBox) not applied, because an earlier one failed.\n<data>\nPut skipped\n</data>",
		"4. (shelf.putBox) declined, nothing was changed.\n<data>\nPut declined\n</data>",
		"5. (shelf.putBox) expired without a decision, nothing was changed.\n<data>\nPut expired\n</data>",
		"6. (shelf.putBox) still waits for a decision.\n<data>\nPut proposed\n</data>",
		"do not propose any of it again",
	} {
		require.Contains(t, note, want)
	}
}
