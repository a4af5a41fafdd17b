package store

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Listener receives notifications of this database on one connection outside of the pool.
//
// A notification can be lost while the connection is down, so every subscriber must treat it as a hint to re-read
// rows, and its Resync is called after each (re)connection.
type Listener struct {
	// Quiet is after how long without a notification the server is asked whether it still answers; ten seconds when zero. A server that
	// went away without a word is otherwise believed in for ever: a listener has nothing to say by itself.
	Quiet time.Duration
	// Answer is how long it may take to answer that; five seconds when zero.
	Answer time.Duration
	// Presence is held by the connection; it may be nil.
	Presence *Presence

	db  *DB
	log *slog.Logger

	mu            sync.Mutex
	subscriptions map[string]Subscription
	ready         chan struct{}
	readyOnce     sync.Once
}

// Subscription is what happens when a channel is notified. Both functions are called from one goroutine and must not block.
type Subscription struct {
	// Notify gets the payload of one notification.
	Notify func(payload string)
	// Resync is called when notifications may have been lost; it may be nil.
	Resync func()
}

// NewListener makes a listener; subscribe, then Run it.
func NewListener(db *DB, log *slog.Logger) *Listener {
	return &Listener{db: db, log: log, subscriptions: map[string]Subscription{}, ready: make(chan struct{})}
}

// Subscribe names what to call for a channel. It must come before Run.
func (l *Listener) Subscribe(channel string, s Subscription) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.subscriptions[channel] = s
}

// Ready is closed once the first connection listens.
func (l *Listener) Ready() <-chan struct{} { return l.ready }

// Run listens until ctx ends, reconnecting when the connection breaks.
func (l *Listener) Run(ctx context.Context) {
	const pause = 200 * time.Millisecond
	var told time.Time
	for ctx.Err() == nil {
		// A database that is away for long is not worth five lines a second.
		if err := l.session(ctx); err != nil && ctx.Err() == nil && time.Since(told) > 10*time.Second {
			told = time.Now()
			l.log.Warn("Notifications interrupted", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

func (l *Listener) session(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, l.db.pool.Config().ConnConfig)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() {
		// A server that does not answer does not answer this either.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(ctx)
	}()
	l.mu.Lock()
	subscriptions := l.subscriptions
	l.mu.Unlock()
	if l.Presence != nil {
		// It is shared with a connection that was lost and that the server still believes in.
		if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock_shared($1)", l.Presence.Own()); err != nil {
			return fmt.Errorf("hold the lock of this process: %w", err)
		}
		l.Presence.hold()
		defer l.Presence.lose()
	}
	for channel := range subscriptions {
		if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
			return fmt.Errorf("listen: %w", err)
		}
	}
	for _, s := range subscriptions {
		if s.Resync != nil {
			s.Resync()
		}
	}
	l.readyOnce.Do(func() { close(l.ready) })
	for {
		n, err := l.next(ctx, conn)
		if err != nil {
			return fmt.Errorf("wait: %w", err)
		}
		if n != nil {
			subscriptions[n.Channel].Notify(n.Payload)
		}
	}
}

// next waits for a notification. It is nil when none has come for a while and the server answers.
func (l *Listener) next(ctx context.Context, conn *pgx.Conn) (*pgconn.Notification, error) {
	quiet, cancel := context.WithTimeout(ctx, cmp.Or(l.Quiet, 10*time.Second))
	defer cancel()
	n, err := conn.WaitForNotification(quiet)
	if n != nil || err == nil {
		return n, nil
	}
	// The end of the wait leaves the connection as it is.
	if quiet.Err() == nil || ctx.Err() != nil || conn.IsClosed() {
		return nil, err
	}
	answer, cancel := context.WithTimeout(ctx, cmp.Or(l.Answer, 5*time.Second))
	defer cancel()
	if err := conn.Ping(answer); err != nil {
		return nil, fmt.Errorf("the server does not answer: %w", err)
	}
	return nil, nil
}
