package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/check"
	"countersign/check/history"
	"countersign/check/history/historydb"
	"countersign/internal/store"
)

// Limits of the check history in milliseconds, at the 95th percentile.
const (
	rawChartGoal = 10
	sumChartGoal = 1
	boardGoal    = 50
)

// pastDays is how many days of boards there are before those that are measured.
const pastDays = 89

// records is a database with the results of a day, an hour of which is not sealed.
type records struct {
	db      *store.DB
	clock   int64
	keeper  *history.Keeper
	reader  *history.Reader
	systems []uuid.UUID
	targets int32
	rows    int64
}

// checkHistory fills a database with ten million results, a million when quick, hour by hour as the product does, and measures what
// is read of them.
func checkHistory(ctx context.Context, o options) error {
	h, end, err := openHistory(ctx)
	if err != nil {
		return err
	}
	defer end()
	h.targets = 7000
	if o.quick {
		h.targets = 700
	}
	if err := h.seed(ctx); err != nil {
		return fmt.Errorf("seed: %w", err)
	}
	fmt.Printf(
		"# History of checks, %s\n\n%d targets of %d systems, a run a minute for 24 hours.\n\n",
		time.Now().Format(time.DateOnly),
		h.targets,
		len(h.systems),
	)
	if err := h.fill(ctx); err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	if err := h.sizes(ctx); err != nil {
		return err
	}
	if err := h.measureReads(ctx); err != nil {
		return err
	}
	return h.explain(ctx)
}

func openHistory(ctx context.Context) (*records, func(), error) {
	db, _, end, err := openDatabase(ctx)
	if err != nil {
		return nil, nil, err
	}
	h := &records{db: db, clock: 20_000 * history.Day}
	clock := func(context.Context) (int64, error) { return h.clock, nil }
	h.keeper = history.NewKeeper(db, slog.New(slog.DiscardHandler), history.KeeperOptions{Now: clock})
	h.reader = history.NewReader(db, history.ReaderOptions{Now: clock})
	return h, end, nil
}

// openDatabase makes a migrated database without the product; end drops it.
func openDatabase(ctx context.Context) (db *store.DB, address string, end func(), err error) {
	server := os.Getenv("COUNTERSIGN_TEST_DATABASE_URL")
	if server == "" {
		return nil, "", nil, errors.New("run it on the test stack: COUNTERSIGN_TEST_DATABASE_URL is not set")
	}
	admin, err := pgx.Connect(ctx, server)
	if err != nil {
		return nil, "", nil, err
	}
	name := "bench_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	if _, err := admin.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		return nil, "", nil, err
	}
	drop := func() {
		_, _ = admin.Exec(context.WithoutCancel(ctx), "DROP DATABASE "+name+" WITH (FORCE)")
		_ = admin.Close(context.WithoutCancel(ctx))
	}
	u, err := url.Parse(server)
	if err != nil {
		return nil, "", nil, err
	}
	u.Path = "/" + name
	db, err = store.Open(ctx, u.String(), store.Options{MaxConns: 8})
	if err == nil {
		_, err = db.Migrate(ctx)
	}
	if err != nil {
		drop()
		return nil, "", nil, err
	}
	return db, u.String(), func() {
		db.Close()
		drop()
	}, nil
}

// seed makes systems of seven targets, with some changes of status and gaps and 89 days on their boards.
func (h *records) seed(ctx context.Context) error {
	conn := h.db.Conn(ctx)
	for range h.targets / 7 {
		h.systems = append(h.systems, store.NewID())
	}
	if _, err := conn.Exec(ctx, `INSERT INTO check_targets (check_id, system_id, shard, interval_ms, phase_ms, since_ms, active, scope)
		SELECT gen_random_uuid(), s, 0, 60000, 0, 0, true, '{}' FROM unnest($1::uuid[]) s, generate_series(1, 7)`, h.systems); err != nil {
		return err
	}
	if _, err := conn.Exec(
		ctx,
		`INSERT INTO check_system_states (system_id, status, since_ms) SELECT s, 1, $2 FROM unnest($1::uuid[]) s`,
		h.systems,
		h.clock-history.Day,
	); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, `INSERT INTO check_transitions (system_id, target, at_ms, before, after, reason)
		SELECT system_id, id, $1::bigint + i * 7200000 + id, i % 2 + 1, (i + 1) % 2 + 1, 'a reason' FROM check_targets, generate_series(0, 11) i`, h.clock); err != nil {
		return err
	}
	if _, err := conn.Exec(
		ctx,
		`INSERT INTO check_gaps SELECT id, $1::bigint + i * 7200000, $1::bigint + i * 7200000 + 120000, 3, 'taken over' FROM check_targets, generate_series(0, 3) i`,
		h.clock,
	); err != nil {
		return err
	}
	boards := historydb.SaveBoardsParams{Systems: h.systems}
	for range h.systems {
		boards.Cells, boards.CellsTo = append(boards.Cells, pastBoard(h.clock/history.Day)), append(boards.CellsTo, int32(h.clock/history.Day))
		boards.Hours = append(boards.Hours, []byte{})
	}
	return historydb.New(conn).SaveBoards(ctx, boards)
}

// copied makes the results of an hour in the order in which they come: a run of each target, minute by minute.
func (h *records) copied(hour int64, minutes int) pgx.CopyFromSource {
	r := rand.New(rand.NewPCG(uint64(hour), 1))
	n, total := 0, minutes*int(h.targets)
	return pgx.CopyFromFunc(func() ([]any, error) {
		if n == total {
			return nil, nil
		}
		minute, target := int64(n)/int64(h.targets), int32(n)%h.targets
		n++
		verdict, cause, code := int16(check.Passed), int16(check.None), int16(200)
		if r.IntN(100) == 0 {
			verdict, cause, code = int16(check.Failed), int16(check.TimedOut), 0
		}
		took := int32(1000 + 400*math.Exp(2*r.Float64()) + 900*r.Float64())
		slot := hour*history.Hour + minute*history.Minute + int64(target)*8%history.Minute
		return []any{target + 1, slot, r.Int32N(20), took, int64(7), verdict, cause, code, nil}, nil
	})
}

// fill writes hour after hour and seals each when it is over. The last half hour stays as it is.
func (h *records) fill(ctx context.Context) error {
	columns := []string{"target", "slot", "late_ms", "took_us", "held", "verdict", "cause", "code", "kept"}
	first := h.clock / history.Hour
	var copying, sealing, sealed time.Duration
	var did int64
	for i := range int64(25) {
		minutes := 60
		if i == 24 {
			minutes = 30
		}
		begun := time.Now()
		n, err := h.db.Conn(ctx).CopyFrom(ctx, pgx.Identifier{"check_results"}, columns, h.copied(first+i, minutes))
		if err != nil {
			return err
		}
		h.rows += n
		copying += time.Since(begun)
		h.clock = (first+i)*history.Hour + int64(minutes)*history.Minute
		if i == 24 {
			break
		}
		h.clock += 6 * history.Minute
		before, err := h.used(ctx)
		if err != nil {
			return err
		}
		begun = time.Now()
		s, err := h.keeper.Seal(ctx)
		if err != nil {
			return err
		}
		sealing += time.Since(begun)
		after, err := h.used(ctx)
		if err != nil {
			return err
		}
		sealed, did = sealed+after-before, did+s.Results
	}
	h.clock = (first+24)*history.Hour + 30*history.Minute
	fmt.Printf(
		"%d results written by COPY, one connection: %.0f a second. Sealed %d: %.0f a second, **%.2f µs of processor a "+
			"result** (this process and its connections to the database).\n\n",
		h.rows,
		float64(h.rows)/copying.Seconds(),
		did,
		float64(did)/sealing.Seconds(),
		float64(sealed.Microseconds())/float64(did),
	)
	_, err := h.db.Conn(
		ctx,
	).Exec(
		ctx,
		`VACUUM ANALYZE check_blocks, check_hours, check_boards, check_targets, check_transitions, check_gaps, check_system_states`,
	)
	return err
}

// used is the processor time of this process and of its connections to the database.
func (h *records) used(ctx context.Context) (time.Duration, error) {
	rows, err := h.db.Conn(
		ctx,
	).Query(
		ctx,
		`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'`,
	)
	if err != nil {
		return 0, err
	}
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int32])
	total := usage(os.Getpid(), false)
	for _, pid := range pids {
		total += usage(int(pid), false)
	}
	return total, err
}

func (h *records) sizes(ctx context.Context) error {
	var open, openBytes, blocks, hours int64
	err := h.db.Conn(ctx).QueryRow(ctx, `SELECT (SELECT count(*) FROM check_results),
		(SELECT sum(pg_relation_size(c.oid) + pg_indexes_size(c.oid)) FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid AND i.inhparent = 'check_results'::regclass),
		pg_total_relation_size('check_blocks'), pg_total_relation_size('check_hours')`).Scan(&open, &openBytes, &blocks, &hours)
	if err != nil {
		return err
	}
	sealed := float64(h.rows - open)
	fmt.Printf("Bytes a result, indexes included: %.0f as a row, %.1f in a block, %.1f more in its hourly sum (%.0f a sum).\n\n",
		float64(openBytes)/float64(open), float64(blocks)/sealed, float64(hours)/sealed, float64(hours)/(float64(h.targets)*24))
	return nil
}
