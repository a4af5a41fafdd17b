package api

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/tool"
)

// A decided proposal of one tool is no permission for the operation of another one: a turn's credential erases, or sets the retention,
// only where the proposal of that very operation is applied.
func TestATurnPassesOnlyWithTheProposalOfTheOperation(t *testing.T) {
	t.Parallel()
	turn := principal.NewContext(t.Context(), principal.Principal{Kind: principal.User, ID: uuid.New(), TurnID: uuid.New()})
	routes := new(Privacy)
	for name, ask := range map[string]func(ctx context.Context) error{
		erasureTool: func(ctx context.Context) error {
			_, err := routes.requestErasure(ctx, nil)
			return err
		},
		retentionTool: func(ctx context.Context) error {
			_, err := routes.setRetention(ctx, nil)
			return err
		},
	} {
		for _, other := range []string{"", "catalog.createSystem", "ai", erasureTool, retentionTool} {
			if other == name {
				_, err := outsideTurn(tool.Carry(turn, other), name)
				require.NoError(t, err)
				continue
			}
			require.True(t, problem.Is(ask(tool.Carry(turn, other)), problem.Forbidden), "%s with a proposal of %q", name, other)
		}
	}
}
