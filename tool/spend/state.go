package spend

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/tool/spend/spenddb"
)

// State is a principal's usage of a cap. Cap is 0 when there is none.
type State struct {
	Used, Cap int64
	// FreesAt is the time when a call of one token fits again; nil while one does.
	FreesAt *time.Time
}

// State sums a principal's usage of the cap for its own calls. It reserves nothing.
func (l *Ledger) State(ctx context.Context, p principal.Principal, connection uuid.UUID, limit Cap) (State, error) {
	limit, counts := limit.For(isUnattended(p))
	if limit.none() {
		return State{}, nil
	}
	row, err := spenddb.New(l.db.Conn(ctx)).Spent(ctx, spenddb.SpentParams{
		ConnectionID:     connection,
		PrincipalID:      p.ID,
		WindowSeconds:    limit.Window.Seconds(),
		Cap:              limit.Tokens,
		CountsUnattended: counts.unattended(),
	})
	if err != nil {
		return State{}, fmt.Errorf("sum spent tokens: %w", err)
	}
	s := State{Used: row.Used, Cap: limit.Tokens}
	if row.Used >= limit.Tokens {
		// Rounded up, so that a client that retries at this second is not too early.
		s.FreesAt = new(time.Now().Add(seconds(row.FreeInSeconds) + time.Second).UTC().Truncate(time.Second))
	}
	return s, nil
}

// Sum is one principal's usage of a connection.
type Sum struct {
	PrincipalKind principal.Kind
	PrincipalID   uuid.UUID
	Tokens        int64
	// Reserved is the part of Tokens from estimates of calls that are running or whose process died.
	Reserved int64
	// Cached is the part of Tokens from providers' caches.
	Cached int64
	Calls  int
}

// Sums lists the principals that used a connection in the last window, largest usage first, up to a limit. after is the
// last one of the page before, nil for the first page.
func (l *Ledger) Sums(
	ctx context.Context,
	connection uuid.UUID,
	window time.Duration,
	counts Counts,
	after *Sum,
	most int32,
) ([]Sum, error) {
	params := spenddb.SpendByPrincipalParams{
		ConnectionID: connection, WindowSeconds: window.Seconds(), CountsUnattended: counts.unattended(), MaxRows: most,
	}
	if after != nil {
		params.AfterTokens, params.AfterID = &after.Tokens, after.PrincipalID
	}
	rows, err := spenddb.New(l.db.CustomPlans(ctx)).SpendByPrincipal(ctx, params)
	if err != nil {
		return nil, fmt.Errorf("sum spent tokens: %w", err)
	}
	sums := make([]Sum, len(rows))
	for i, r := range rows {
		sums[i] = Sum{
			PrincipalKind: principal.Kind(r.PrincipalKind), PrincipalID: r.PrincipalID,
			Tokens: r.Tokens, Reserved: r.Reserved, Cached: r.Cached, Calls: int(r.Calls),
		}
	}
	return sums, nil
}
