package tool_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/principal"
	"countersign/tool"
)

func TestWhoWasSeenServesOneRequestAtOnce(t *testing.T) {
	t.Parallel()
	who := principal.Principal{Kind: principal.Application, ID: uuid.New(), SessionID: uuid.New(), Rules: []string{"a.b.read"}}
	later := time.Now().Add(time.Hour)

	_, ok := tool.TakeRecentPrincipal(t.Context(), who.Kind, who.SessionID)
	require.False(t, ok)
	ctx := tool.WithRecentPrincipal(t.Context(), who, later)
	_, ok = tool.TakeRecentPrincipal(ctx, who.Kind, uuid.New())
	require.False(t, ok, "who acts through something else is somebody else")
	_, ok = tool.TakeRecentPrincipal(ctx, principal.User, who.SessionID)
	require.False(t, ok)
	got, ok := tool.TakeRecentPrincipal(ctx, who.Kind, who.SessionID)
	require.True(t, ok)
	require.Equal(t, who, got)
	_, ok = tool.TakeRecentPrincipal(ctx, who.Kind, who.SessionID)
	require.False(t, ok, "the next request reads again")

	_, ok = tool.TakeRecentPrincipal(tool.WithRecentPrincipal(t.Context(), who, time.Now().Add(-time.Second)), who.Kind, who.SessionID)
	require.False(t, ok, "a second ago is not now")
}
