package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"countersign/check/health"
	"countersign/event"
	"countersign/internal/store"
)

const (
	// eventRate is the number of events a second, in transactions of eventsTogether.
	eventRate, eventsTogether = 1000, 5
	eventSubjects             = 500
	eventConsumers            = 3
	eventProcesses            = 2
	// lagGoal bounds the 95th percentile of the time from the append of an event to its handling.
	lagGoal = 500 * time.Millisecond
)

// events appends events for a minute while two processes with three consumers follow them, and then again while these
// processes are killed.
func events(ctx context.Context, o options) error {
	length, kills := time.Minute, o.kills
	if o.quick {
		length, kills = 10*time.Second, min(kills, 20)
	}
	fmt.Printf(
		"# Events, %s\n\nLoad at the start: %s. %d events a second in transactions of %d, about %d subjects; %d consumers, each of which "+
			"writes a row for each event, in %d processes.\n\n",
		time.Now().Format(time.DateOnly),
		load(),
		eventRate,
		eventsTogether,
		eventSubjects,
		eventConsumers,
		eventProcesses,
	)
	if err := eventRun(ctx, "undisturbed", length, 0); err != nil {
		return err
	}
	if kills == 0 {
		return nil
	}
	return eventRun(ctx, fmt.Sprintf("%d kills", kills), 0, kills)
}

// eventRun appends until a time has passed and processes have been killed as often as asked.
func eventRun(ctx context.Context, name string, length time.Duration, kills int) error {
	db, address, end, err := openDatabase(ctx)
	if err != nil {
		return err
	}
	defer end()
	if _, err := db.Conn(
		ctx,
	).Exec(
		ctx,
		`CREATE TABLE got (place bigserial, consumer text, event_id bigint, subject text, lag_ms float8)`,
	); err != nil {
		return err
	}
	followers, err := startFollowers(address)
	if err != nil {
		return err
	}
	defer followers.stop()
	if err := waitFor(ctx, db, `SELECT count(*) = $1 FROM event_consumers`, eventConsumers); err != nil {
		return fmt.Errorf("start consumers: %w", err)
	}
	appending, stop := context.WithCancel(ctx)
	defer stop()
	var appender errgroup.Group
	appender.Go(func() error { return appendEvents(appending, db) })
	began := time.Now()
	for killed := range kills {
		pauseFor(ctx, time.Duration(200+rand.IntN(300))*time.Millisecond)
		if err := followers.replace(killed % eventProcesses); err != nil {
			return err
		}
	}
	pauseFor(ctx, length-time.Since(began))
	stop()
	if err := appender.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	took := time.Since(began)
	if err := waitFor(ctx, db, `SELECT (SELECT count(*) FROM got) >= $1 * (SELECT count(*) FROM events)`, eventConsumers); err != nil {
		fmt.Printf("%s: not all events arrived: %v\n", name, err)
	}
	return report(ctx, db, name, took)
}

func report(ctx context.Context, db *store.DB, name string, took time.Duration) error {
	var appended, lost, doubled, disordered int
	var p50, p95, most float64
	err := db.Conn(ctx).QueryRow(ctx, `SELECT (SELECT count(*) FROM events),
		(SELECT count(*) FROM events e CROSS JOIN event_consumers c
			WHERE NOT EXISTS (SELECT FROM got g WHERE g.consumer = c.name AND g.event_id = e.id)),
		(SELECT count(*) - count(DISTINCT (consumer, event_id)) FROM got),
		(SELECT count(*) FROM (SELECT event_id, lag(event_id) OVER (PARTITION BY consumer, subject ORDER BY place) AS before FROM got) g
			WHERE event_id <= before),
		(SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY lag_ms) FROM got),
		(SELECT percentile_cont(0.95) WITHIN GROUP (ORDER BY lag_ms) FROM got), (SELECT max(lag_ms) FROM got)`,
	).Scan(&appended, &lost, &doubled, &disordered, &p50, &p95, &most)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d events in %.0f s (%.0f a second); lag p50 %.0f ms, p95 %.0f ms, max %.0f ms; lost %d, doubled %d, out of order %d\n",
		name, appended, took.Seconds(), float64(appended)/took.Seconds(), p50, p95, most, lost, doubled, disordered)
	if lost+doubled+disordered > 0 {
		return errors.New("events were lost, doubled or out of order")
	}
	if p95 > float64(lagGoal.Milliseconds()) {
		fmt.Printf("The goal is a lag of %s at the 95th percentile.\n", lagGoal)
	}
	return nil
}

// appendEvents appends at an even rate, by four at a time, until ctx ends. The rows of the subjects order their events.
func appendEvents(ctx context.Context, db *store.DB) error {
	registry, err := event.NewRegistry(health.EventTypes("healthcheck.healthcheck.status.read", event.SeeAll)...)
	if err != nil {
		return err
	}
	if _, err := db.Conn(ctx).Exec(ctx, `CREATE TABLE subjects AS SELECT generate_series(0, $1 - 1) AS id`, eventSubjects); err != nil {
		return err
	}
	outbox := event.NewOutbox(db, registry)
	due := time.NewTicker(time.Second * eventsTogether / eventRate)
	defer due.Stop()
	var group errgroup.Group
	defer group.Wait()
	group.SetLimit(6)
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-due.C:
			group.Go(func() error {
				writing := context.WithoutCancel(ctx)
				return db.InTx(writing, func(ctx context.Context) error { return appendSome(ctx, db, outbox) })
			})
		}
	}
	return ctx.Err()
}

func appendSome(ctx context.Context, db *store.DB, outbox *event.Outbox) error {
	first := rand.IntN(eventSubjects - eventsTogether)
	_, err := db.Conn(ctx).Exec(ctx, `SELECT FROM subjects WHERE id >= $1 AND id < $2 ORDER BY id FOR UPDATE`, first, first+eventsTogether)
	if err != nil {
		return err
	}
	some := make([]event.New, eventsTogether)
	for i := range some {
		id := uuid.NewSHA1(uuid.Nil, []byte(strconv.Itoa(first+i)))
		some[i] = event.New{
			Type: health.EventChanged, Subject: health.SubjectOf(id), ContextKey: id.String(),
			Payload: health.ChangedPayload{
				SystemID: id, SystemName: "s", Before: "healthy", After: "degraded", Reason: "bench", At: time.Unix(1, 0),
			},
		}
	}
	return outbox.Append(ctx, some...)
}

// followEvents is a process with the consumers.
func followEvents(ctx context.Context, address string) error {
	db, err := store.Open(ctx, address, store.Options{MaxConns: 12})
	if err != nil {
		return err
	}
	defer db.Close()
	registry, err := event.NewRegistry(health.EventTypes("healthcheck.healthcheck.status.read", event.SeeAll)...)
	if err != nil {
		return err
	}
	notifier := event.NewNotifier()
	consumers := make([]event.Consumer, eventConsumers)
	for i := range consumers {
		name := "consumer " + strconv.Itoa(i)
		consumers[i] = event.Consumer{
			Name:  name,
			Types: []string{health.EventChanged},
			Handle: func(ctx context.Context, e event.Event) error {
				_, err := db.Conn(ctx).Exec(ctx, `INSERT INTO got (consumer, event_id, subject, lag_ms)
				VALUES ($1, $2, $3, extract(epoch FROM clock_timestamp() - $4) * 1000)`, name, e.ID, e.Subject, e.CreatedAt)
				return err
			},
		}
	}
	runner, err := event.NewRunner(event.Options{DB: db, Log: slog.Default(), Registry: registry, Notifier: notifier, Consumers: consumers})
	if err != nil {
		return err
	}
	listener := store.NewListener(db, slog.Default())
	listener.Subscribe(notifier.Subscriptions())
	go listener.Run(ctx)
	runner.Run(ctx)
	return nil
}

// followers are the processes with consumers.
type followers struct {
	address string
	running []*exec.Cmd
}

func startFollowers(address string) (*followers, error) {
	f := &followers{address: address, running: make([]*exec.Cmd, eventProcesses)}
	for i := range f.running {
		if err := f.start(i); err != nil {
			f.stop()
			return nil, err
		}
	}
	return f, nil
}

func (f *followers) start(i int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, "follow-events", f.address)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start a process with consumers: %w", err)
	}
	f.running[i] = cmd
	return nil
}

// replace kills a process and starts another one.
func (f *followers) replace(i int) error {
	_ = f.running[i].Process.Kill()
	_ = f.running[i].Wait()
	return f.start(i)
}

func (f *followers) stop() {
	for _, cmd := range f.running {
		if cmd != nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
}

// waitFor waits at most a minute for a query to be true.
func waitFor(ctx context.Context, db *store.DB, query string, args ...any) error {
	for deadline := time.Now().Add(time.Minute); ; pauseFor(ctx, 100*time.Millisecond) {
		var done bool
		if err := db.Conn(ctx).QueryRow(ctx, query, args...).Scan(&done); err != nil {
			return err
		}
		if done {
			return nil
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			return errors.New("it took more than a minute")
		}
	}
}

func pauseFor(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
