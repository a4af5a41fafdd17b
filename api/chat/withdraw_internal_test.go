package chat

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/chat/conversation"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store/storetest"
)

// Who is told to try again finds the conversation, and is told so without a second wait for a database that does not answer.
func TestAConversationIsWithdrawnOnlyWhenItsMessageIsRefused(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	h := &Chat{Conversations: conversation.New(db, nil, nil), Log: slog.New(slog.DiscardHandler)}
	p := principal.Principal{Kind: principal.User, ID: uuid.New(), Name: "Ada"}
	conv, err := h.Conversations.ForMessage(t.Context(), p)
	require.NoError(t, err)
	for _, passing := range []error{nil, fmt.Errorf("accept message: %w", context.DeadlineExceeded)} {
		h.withdraw(t.Context(), p, conv, passing)
		_, err = h.Conversations.Get(t.Context(), p, conv.ID)
		require.NoError(t, err)
	}
	h.withdraw(t.Context(), p, conv, problem.Errorf(problem.Throttled, "Wait."))
	_, err = h.Conversations.Get(t.Context(), p, conv.ID)
	require.Equal(t, problem.NotFound, problem.CodeOf(err))
}
