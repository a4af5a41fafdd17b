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
	// PingAfter is the silence after which the listener pings the server; ten seconds when zero. It detects a server that
	// vanished without closing the connection.
	PingAfter time.Duration
	// PingTimeout bounds that ping; five seconds when zero.
	PingTimeout time.Duration

	db  *DB
	log *slog.Logger

	mu            sync.Mutex
	subscriptions map[string][]Subscription
	ready         chan struct{}
	readyOnce     sync.Once
}

// Subscriptions are those of one subscriber, by channel.
type Subscriptions map[string]Subscription

// Subscription holds the callbacks of a channel. Both are called from one goroutine and must not block.
type Subscription struct {
	// Notify gets the payload of one notification.
	Notify func(payload string)
	// Resync is called when notifications may have been lost; it may be nil.
	Resync func()
}

// NewListener makes a listener; subscribe, then Run it.
func NewListener(db *DB, log *slog.Logger) *Listener {
	return &Listener{db: db, log: log, subscriptions: map[string][]Subscription{}, ready: make(chan struct{})}
}

// Subscribe registers callbacks; a channel can have several subscribers. It must come before Run.
func (l *Listener) Subscribe(to Subscriptions) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for channel, s := range to {
		l.subscriptions[channel] = append(l.subscriptions[channel], s)
	}
}

// Ready is closed once the first connection listens.
func (l *Listener) Ready() <-chan struct{} { return l.ready }

// Run listens until ctx ends, reconnecting when the connection breaks.
func (l *Listener) Run(ctx context.Context) {
	const pause = 200 * time.Millisecond
	var loggedAt time.Time
	for ctx.Err() == nil {
		// During a long outage one warning in ten seconds is enough.
		if err := l.session(ctx); err != nil && ctx.Err() == nil && time.Since(loggedAt) > 10*time.Second {
			loggedAt = time.Now()
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
		// A server that hangs does not answer the close either.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(ctx)
	}()
	l.mu.Lock()
	subscriptions := l.subscriptions
	l.mu.Unlock()
	for channel := range subscriptions {
		if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
			return fmt.Errorf("listen: %w", err)
		}
	}
	for _, of := range subscriptions {
		for _, s := range of {
			if s.Resync != nil {
				s.Resync()
			}
		}
	}
	l.readyOnce.Do(func() { close(l.ready) })
	for {
		n, err := l.waitNext(ctx, conn)
		if err != nil {
			return fmt.Errorf("wait: %w", err)
		}
		if n == nil {
			continue
		}
		for _, s := range subscriptions[n.Channel] {
			s.Notify(n.Payload)
		}
	}
}

// waitNext waits for a notification. It returns nil when none has come for PingAfter and the server answers a ping.
func (l *Listener) waitNext(ctx context.Context, conn *pgx.Conn) (*pgconn.Notification, error) {
	quiet, cancel := context.WithTimeout(ctx, cmp.Or(l.PingAfter, 10*time.Second))
	defer cancel()
	n, err := conn.WaitForNotification(quiet)
	if n != nil || err == nil {
		return n, nil
	}
	// The timeout of the wait leaves the connection usable.
	if quiet.Err() == nil || ctx.Err() != nil || conn.IsClosed() {
		return nil, err
	}
	answer, cancel := context.WithTimeout(ctx, cmp.Or(l.PingTimeout, 5*time.Second))
	defer cancel()
	if err := conn.Ping(answer); err != nil {
		return nil, fmt.Errorf("the server does not answer: %w", err)
	}
	return nil, nil
}
