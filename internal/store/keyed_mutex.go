package store

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// keyedMutex is a FIFO mutex per name within this process.
type keyedMutex struct {
	// timeout bounds the wait for a lock, as lock_timeout does in the database.
	timeout time.Duration

	mu    sync.Mutex
	locks map[string]*namedLock
}

// namedLock is the mutex of one name: full while it is locked. users counts its holder and its waiters.
type namedLock struct {
	held  chan struct{}
	users int
}

func newKeyedMutex(most time.Duration) *keyedMutex {
	return &keyedMutex{timeout: most, locks: map[string]*namedLock{}}
}

// LockLocally locks a name within this process. It precedes a lock in the database, so that of all local waiters only one
// occupies a connection. Inside a transaction it does nothing: the caller already has a connection and locks that others may
// wait for. A wait that exceeds the lock timeout fails with an error that is Unavailable. unlock must be called.
func (db *DB) LockLocally(ctx context.Context, name string) (unlock func(), err error) {
	if db.InTransaction(ctx) {
		return func() {}, nil
	}
	lock := db.localLocks.acquire(name)
	wait := time.NewTimer(db.localLocks.timeout)
	defer wait.Stop()
	select {
	case lock.held <- struct{}{}:
		return func() {
			<-lock.held
			db.localLocks.release(name, lock)
		}, nil
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-wait.C:
		err = fmt.Errorf("wait for local lock: %w", context.DeadlineExceeded)
	}
	db.localLocks.release(name, lock)
	return nil, err
}

func (l *keyedMutex) acquire(name string) *namedLock {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, ok := l.locks[name]
	if !ok {
		p = &namedLock{held: make(chan struct{}, 1)}
		l.locks[name] = p
	}
	p.users++
	return p
}

func (l *keyedMutex) release(name string, p *namedLock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.users--; p.users == 0 {
		delete(l.locks, name)
	}
}
