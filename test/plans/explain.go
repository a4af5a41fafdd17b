package plans

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"countersign/internal/store"
)

// Found is the plan of one query.
type Found struct {
	Name string
	// Blocks is the number of touched pages of tables and indexes, in memory or not.
	Blocks int64
	// Milliseconds is the duration; it says little on a busy machine.
	Milliseconds float64
	// Scanned are the tables of Large that were scanned as a whole, Indexes the used indexes.
	Scanned, Indexes []string
	most             int64
}

// Err describes a plan that violates its limits; nil when it keeps them.
func (f *Found) Err() error {
	switch {
	case len(f.Scanned) > 0:
		return fmt.Errorf("%s: reads all of %s", f.Name, strings.Join(f.Scanned, ", "))
	case f.Blocks > f.most:
		return fmt.Errorf("%s: touches %d pages, and should touch no more than %d", f.Name, f.Blocks, f.most)
	case len(f.Indexes) == 0:
		return fmt.Errorf("%s: uses no index", f.Name)
	}
	return nil
}

// explained runs each statement twice: once for its plan, and once for its rows.
type explained struct {
	store.Conn

	found *Found
}

// Query implements the generated packages' view of a connection.
func (e explained) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if err := e.explain(ctx, sql, args); err != nil {
		return nil, err
	}
	return e.Conn.Query(ctx, sql, args...)
}

// QueryRow implements the generated packages' view of a connection.
func (e explained) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if err := e.explain(ctx, sql, args); err != nil {
		return failed{err}
	}
	return e.Conn.QueryRow(ctx, sql, args...)
}

// Exec implements the generated packages' view of a connection.
func (e explained) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if err := e.explain(ctx, sql, args); err != nil {
		return pgconn.CommandTag{}, err
	}
	return e.Conn.Exec(ctx, sql, args...)
}

type failed struct{ err error }

// Scan implements pgx.Row.
func (f failed) Scan(...any) error { return f.err }

// plan is a node of a plan with its children.
type plan struct {
	Type     string  `json:"Node Type"`
	Relation string  `json:"Relation Name"`
	Index    string  `json:"Index Name"`
	Subplan  string  `json:"Subplan Name"`
	Loops    float64 `json:"Actual Loops"`
	Hit      int64   `json:"Shared Hit Blocks"`
	Read     int64   `json:"Shared Read Blocks"`
	Plans    []plan  `json:"Plans"`
}

func (e explained) explain(ctx context.Context, sql string, args []any) error {
	var out []struct {
		Plan      plan    `json:"Plan"`
		Execution float64 `json:"Execution Time"`
	}
	var text []byte
	row := e.Conn.QueryRow(
		ctx,
		"EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, FORMAT JSON) "+sql,
		append([]any{pgx.QueryExecModeCacheDescribe}, args...)...)
	if err := row.Scan(&text); err != nil {
		return fmt.Errorf("explain %s: %w", e.found.Name, err)
	}
	if err := json.Unmarshal(text, &out); err != nil || len(out) != 1 {
		return fmt.Errorf("read plan of %s: %w", e.found.Name, err)
	}
	e.found.Milliseconds += out[0].Execution
	e.found.Blocks += out[0].Plan.Hit + out[0].Plan.Read
	e.found.add(out[0].Plan)
	return nil
}

// add records the nodes of a plan. Writes beside the result of a statement count without a node above them.
func (f *Found) add(p plan) {
	if p.Type == "ModifyTable" && strings.HasPrefix(p.Subplan, "CTE ") {
		f.Blocks += p.Hit + p.Read
	}
	if p.Loops > 0 {
		if p.Type == "Seq Scan" && slices.Contains(Large(), p.Relation) && !slices.Contains(f.Scanned, p.Relation) {
			f.Scanned = append(f.Scanned, p.Relation)
		}
		if p.Index != "" && !slices.Contains(f.Indexes, p.Index) {
			f.Indexes = append(f.Indexes, p.Index)
		}
	}
	for _, below := range p.Plans {
		f.add(below)
	}
}
