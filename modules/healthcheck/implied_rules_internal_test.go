package healthcheck

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAResultSaysByWhichRulesItWasTold(t *testing.T) {
	t.Parallel()
	details := []string{DetailsRead}
	marshal := func(output any) json.RawMessage {
		raw, err := json.Marshal(output)
		require.NoError(t, err)
		return raw
	}
	fares := func(reason string) json.RawMessage {
		return marshal(statusOutput{Systems: []systemFare{{SystemName: "Front", Status: Unhealthy, Reason: reason, Checks: 1}}})
	}
	const brief = "The check Door is unhealthy: 3 runs in a row failed"
	require.Empty(t, impliedRules[statusOutput](fares("2 of 3 checks are unhealthy, first Door in production: 3 runs in a row failed.")))
	require.Empty(t, impliedRules[statusOutput](fares(hiddenReason)))
	require.Equal(t, details, impliedRules[statusOutput](fares(brief+": Could not connect.")))

	of := func(s SystemStatus) json.RawMessage { return marshal(listSystemChecksOutput{s}) }
	target := func(reason string) []TargetStatus {
		return []TargetStatus{{CheckName: "Door", Status: Unhealthy, Reason: reason}}
	}
	require.Empty(t, impliedRules[listSystemChecksOutput](of(SystemStatus{Reason: brief + ".", Targets: target("3 runs in a row failed")})))
	require.Equal(
		t,
		details,
		impliedRules[listSystemChecksOutput](of(SystemStatus{Targets: target("3 runs in a row failed: Could not connect")})),
	)
	require.Equal(t, details, impliedRules[listSystemChecksOutput](of(SystemStatus{Reason: brief + ": Could not connect."})))

	healthy := target("Healthy from 2 of 2")
	healthy[0].Locations = []LocationStatus{{Name: "Oregon", Reason: "1 run failed: Could not connect"}}
	require.Equal(t, details, impliedRules[listSystemChecksOutput](of(SystemStatus{Targets: healthy})))

	for _, other := range []string{"", "null and", `"text"`, `{"preview":"The check Door"}`, `{"systems":[]}{}`} {
		require.Equal(t, details, impliedRules[statusOutput](json.RawMessage(other)), other)
	}
}
