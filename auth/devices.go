package auth

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/semaphore"

	"countersign/auth/authdb"
	"countersign/auth/credential"
	"countersign/internal/problem"
)

const (
	// deviceLifetime bounds how long an unused device stays known.
	deviceLifetime = 180 * 24 * time.Hour
	// maxDevices bounds the known devices of an account; the most recently used stay.
	maxDevices = 20
)

// isKnown reports whether the account has signed in on this device before.
func (s *Sessions) isKnown(ctx context.Context, email string, from Device) (bool, error) {
	if from.token == nil {
		return false, nil
	}
	known, err := authdb.New(s.db.Conn(ctx)).IsKnownDevice(ctx, authdb.IsKnownDeviceParams{
		TokenHash: from.token, Email: email, LifetimeSeconds: deviceLifetime.Seconds(),
	})
	if err != nil {
		return false, fmt.Errorf("look up device: %w", err)
	}
	return known, nil
}

// remember stores the device as known for an account. Several people may share a device, which keeps one cookie; a new
// device gets a cookie, which is returned.
func (s *Sessions) remember(ctx context.Context, user uuid.UUID, from Device) (token string, err error) {
	q := authdb.New(s.db.Conn(ctx))
	hash, exists := from.token, false
	if hash != nil {
		if exists, err = q.DeviceExists(ctx, hash); err != nil {
			return "", fmt.Errorf("look up device: %w", err)
		}
	}
	if !exists {
		token, hash = credential.New()
	}
	if err := q.KeepDevice(ctx, authdb.KeepDeviceParams{TokenHash: hash, UserID: user}); err != nil {
		return "", fmt.Errorf("keep device: %w", err)
	}
	if err := q.DeleteFurtherDevices(ctx, authdb.DeleteFurtherDevicesParams{UserID: user, Most: maxDevices}); err != nil {
		return "", fmt.Errorf("delete further devices: %w", err)
	}
	return token, nil
}

// limiter bounds concurrent sign-ins, and the waiting ones.
type limiter struct {
	running *semaphore.Weighted
	waiting *atomic.Int64
}

// maxWaiting bounds the sign-ins that wait in a limiter of this process.
const maxWaiting = 256

func newLimiter(atOnce int64) limiter { return limiter{semaphore.NewWeighted(atOnce), &atomic.Int64{}} }

// acquire waits for a slot.
func (l limiter) acquire(ctx context.Context) (leave func(), err error) {
	if l.waiting.Add(1) > maxWaiting {
		l.waiting.Add(-1)
		return nil, problem.Errorf(
			problem.Unavailable,
			"Too many people sign in at this moment. Wait a few seconds and try again.",
		).After(
			2 * time.Second,
		)
	}
	defer l.waiting.Add(-1)
	if err := l.running.Acquire(ctx, 1); err != nil {
		return nil, problem.Errorf(problem.Unavailable, "The sign-in was given up. Try again.").WithCause(err)
	}
	return func() { l.running.Release(1) }, nil
}

// proxyWarning warns, rate-limited, that requests come through an undeclared proxy.
type proxyWarning struct{ last atomic.Int64 }

// warnEvery is the minimum time between two warnings.
const warnEvery = time.Hour

func (w *proxyWarning) check(log *slog.Logger, trusted bool, remoteAddr, forwardedFor string) {
	var text string
	switch {
	case !trusted && forwardedFor != "":
		text = "Sign-ins come with X-Forwarded-For, which is not trusted: everybody behind that proxy counts as one " +
			"client. If the proxy is yours and sets the header itself, set COUNTERSIGN_TRUST_PROXY=true"
	case trusted && forwardedFor == "":
		text = "Sign-ins come without X-Forwarded-For although COUNTERSIGN_TRUST_PROXY is true: everybody counts as one " +
			"client. Let the proxy set the header, or switch the setting off"
	default:
		return
	}
	now, last := time.Now().UnixNano(), w.last.Load()
	if last != 0 && now-last < int64(warnEvery) || !w.last.CompareAndSwap(last, now) {
		return
	}
	log.Warn(text, "from", remoteAddr) //nolint:sloglint // one of two constant texts
}
