package stream_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/chat/stream"
	"countersign/tool/spend"
)

func spendOf(turn uuid.UUID, input int64) *spend.Settlement {
	return &spend.Settlement{
		ID: uuid.NewSHA1(turn, nil), Connection: turn, PrincipalKind: "user", PrincipalID: turn, Attempt: 1, Purpose: "answer",
		Estimate: 500, Reported: input > 0, InputTokens: input, OutputTokens: 1,
	}
}

const settled = `SELECT coalesce(sum(tokens), 0) FROM ai_spend WHERE turn_id = $1 AND step = 1 AND attempt = 1 AND status = 'settled'`

func TestARecordSettlesTheTokensOfItsModelCall(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	turn, silent := newTurn(t, p.db), newTurn(t, p.db)
	reserved := spendOf(turn, 40)
	exec(t, p.db, `INSERT INTO ai_spend (id, connection_id, principal_kind, principal_id, turn_id, step, attempt, purpose, reserved, status)
		VALUES ($1, $2, 'user', $2, $2, 1, 1, 'answer', 900, 'reserved')`, reserved.ID, turn)
	r := modelRecord(turn, 1, 1)
	r.Spend = reserved
	require.NoError(t, p.log.Submit(r)(t.Context()))
	require.Equal(t, 41, count(t, p.db, settled, turn))

	r = modelRecord(silent, 1, 1)
	r.Spend = spendOf(silent, 0)
	require.NoError(t, p.log.Submit(r)(t.Context()))
	require.Equal(t, 500, count(t, p.db, settled, silent), "without a report it is the estimate, with or without a reservation")
}

// The process that holds the turn now makes the call again, under the same id.
func TestARecordThatIsRefusedSettlesNothing(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	turn := newTurn(t, p.db)
	takeOver(t, p.db, turn)
	r := modelRecord(turn, 1, 1)
	r.Spend = spendOf(turn, 40)
	require.ErrorIs(t, p.log.Submit(r)(t.Context()), stream.ErrFenced)
	require.Zero(t, count(t, p.db, settled, turn))
}

func TestTwoRecordsOfOneStepInOneFlushSettleOnce(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	turn, other := newTurn(t, p.db), newTurn(t, p.db)
	var waits []func(context.Context) error
	for _, id := range []uuid.UUID{turn, turn, turn, other} {
		r := modelRecord(id, 1, 1)
		r.Spend = spendOf(id, 40)
		waits = append(waits, p.log.Submit(r))
	}
	for _, wait := range waits {
		_ = wait(t.Context())
	}
	require.Equal(t, 41, count(t, p.db, settled, turn))
	require.Equal(t, 41, count(t, p.db, settled, other))
}
