package app_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

func TestDeadLettersAreResolvedByCommand(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	first, second := stage{T: t, p: p}.parked(), stage{T: t, p: p}.parked()
	id := func(path string) string { return path[strings.LastIndex(path, "/")+1:] }
	status, printed := p.Command(t, "events", "list")
	require.Zero(t, status, printed)
	require.Contains(t, printed, "gone: depth 0, lag 0s, retries 0, dispatches 0, dead letters 2\n")
	require.Contains(t, printed, "dead letter gone "+id(first)+", healthcheck.system_healthy of system:")
	for _, do := range [][]string{{"retry", "gone", id(first)}, {"drop", "gone", id(second)}} {
		status, printed = p.Command(t, append([]string{"events"}, do...)...)
		require.Zero(t, status, printed)
		status, printed = p.Command(t, append([]string{"events"}, do...)...)
		require.Equal(t, 1, status, printed)
	}
	for _, wrong := range [][]string{{}, {"retry"}, {"drop", "gone", "x"}, {"list", "gone"}} {
		status, printed = p.Command(t, append([]string{"events"}, wrong...)...)
		require.Equal(t, 1, status, printed)
	}
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM event_retries WHERE dead_at IS NULL AND event_id = $1::text::bigint`, id(first)))
	require.Equal(t, 2, p.Count(t, `SELECT count(*) FROM ai_audit_entries WHERE object_type = 'event.parked'`))
}
