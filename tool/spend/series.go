package spend

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/tool/spend/spenddb"
)

// bucketSize is the least that Series tells apart, apart from the last hours. Days begin with one in all time zones but two.
const bucketSize = 30 * time.Minute

// Split says what Series tells apart.
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

// Range is what a series is about.
type Range struct {
	// Starts are when the slots begin, in order; the last one ends with End.
	Starts []time.Time
	End    time.Time
	Split  Split
	// Principal and Connection narrow it; nil is everybody's and all.
	Principal, Connection *uuid.UUID
}

// Use is what calls have used together. Tokens are what caps count, with estimates of calls whose use nobody has told; CostMicros is the
// cost of those calls that have one, Priced how many these are.
type Use struct {
	Calls, Priced                           int64
	Tokens                                  int64
	InputTokens, OutputTokens, CachedTokens int64
	CostMicros                              int64
}

// Point is the use of one key in one slot, counted from 0. Others is that of all keys but the twelve largest.
type Point struct {
	Slot   int
	Key    string
	Others bool
	Use
}

// Series adds up calls by slots, those of one key after the other. It reads sums of half hours, and of the last hours the calls.
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
