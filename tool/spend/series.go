package spend

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/tool/spend/spenddb"
)

// bucketSize is the resolution of Series, except for the last hours. In all time zones but two, days begin at such a
// boundary.
const bucketSize = 30 * time.Minute

// Split is the dimension of a series.
type Split string

// The splits of a series. Key is the id of the connection, person or team, the name of the model, or the caller: chat,
// client (programs that chat), automation, application or check. A member of several teams counts for each of them,
// and a person without a team for the key "".
const (
	Whole        Split = "none"
	ByConnection Split = "connection"
	ByModel      Split = "model"
	ByPerson     Split = "person"
	ByTeam       Split = "team"
	ByCaller     Split = "caller"
)

// Range selects the time and the calls of a series.
type Range struct {
	// Starts are the begins of the slots, in order; the last slot ends at End.
	Starts []time.Time
	End    time.Time
	Split  Split
	// Principal and Connection restrict the series; nil for all.
	Principal, Connection *uuid.UUID
}

// Use is the sum of calls. Tokens is what caps count, including estimates of calls without reported usage; CostMicros
// is the cost of the Priced calls, which have a price.
type Use struct {
	Calls, Priced                           int64
	Tokens                                  int64
	InputTokens, OutputTokens, CachedTokens int64
	CostMicros                              int64
}

// Point is the use of one key in one slot, counted from 0. Others sums all keys but the twelve largest.
type Point struct {
	Slot   int
	Key    string
	Others bool
	Use
}

// Series sums calls by key and slot, in that order. It reads the sums of half hours, and the calls of the last hours.
func (l *Ledger) Series(ctx context.Context, r Range) ([]Point, error) {
	rows, err := spenddb.New(l.db.CustomPlans(ctx)).SpendSeries(ctx, spenddb.SpendSeriesParams{
		FromAt: r.Starts[0], ToAt: r.End, Starts: r.Starts, Split: string(r.Split), PrincipalID: r.Principal, ConnectionID: r.Connection,
	})
	if err != nil {
		return nil, fmt.Errorf("add up spend: %w", err)
	}
	points := make([]Point, len(rows))
	for i, row := range rows {
		points[i] = Point{Slot: int(row.Slot) - 1, Key: row.Key, Others: row.Others, Use: Use{
			Calls: row.Calls, Priced: row.Priced, Tokens: row.Tokens, InputTokens: row.InputTokens, OutputTokens: row.OutputTokens,
			CachedTokens: row.CachedTokens, CostMicros: row.CostMicros,
		}}
	}
	return points, nil
}
