package main

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/chat/stream"
)

// A stream that is read again after a decision says how the decision went, and the stored message that somebody was
// asked. A wrong outcome is still a difference.
func TestAStreamThatIsReadAgainSaysWhatWasDecided(t *testing.T) {
	t.Parallel()
	first := []string{
		stream.Start("m1", json.RawMessage(`{}`)), stream.StartStep(),
		stream.ToolInput("c1", "catalog.createSystem", json.RawMessage(`{}`)), stream.ToolApprovalRequest("p1", "c1"), stream.FinishStep(),
	}
	stored, err := stream.Reduce(first)
	require.NoError(t, err)
	parts, err := json.Marshal(stored.Parts)
	require.NoError(t, err)
	require.NoError(t, compare(first, parts, stored.Metadata, map[string]string{"p1": "proposed"}))
	again := slices.Concat(first, []string{stream.ToolOutputDenied("c1")})
	require.NoError(t, compare(again, parts, stored.Metadata, map[string]string{"p1": "expired"}))
	require.NoError(t, compare(again, parts, stored.Metadata, map[string]string{"p1": "declined"}))
	require.Error(t, compare(again, parts, stored.Metadata, map[string]string{"p1": "applied"}))
	require.Error(t, compare(again, parts, stored.Metadata, nil))
}
