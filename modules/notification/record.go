package notification

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"countersign/event"
	"countersign/internal/notice"
	"countersign/internal/store"
	"countersign/modules/notification/channel"
	"countersign/modules/notification/notificationdb"
)

const (
	maxAttempts = 10
	firstRetry  = 2 * time.Second
	maxRetry    = 5 * time.Minute
	// maxRetryAfter bounds what a receiver may ask for.
	maxRetryAfter = time.Hour
)

// errInFlight says that a recovery has to wait for the end of its problem's delivery.
var errInFlight = errors.New("the problem is being delivered")

// backoff is the wait after a number of failed attempts.
func backoff(attempts int32, asked time.Duration) time.Duration {
	own := min(firstRetry<<min(attempts-1, 16), maxRetry)
	return max(own, min(asked, maxRetryAfter))
}

// record writes the end of an attempt.
func (s *service) record(ctx context.Context, d notificationdb.ClaimRow, kind channel.Kind, o channel.Outcome) error {
	switch {
	case o.Result == channel.Sent:
		return s.end(ctx, d, notice.Sent, o.Result, "")
	case o.Result == channel.Uncertain && !kind.Idempotent():
		return s.end(ctx, d, notice.Unknown, o.Result, o.Reason)
	case o.Result == channel.Permanent || d.Attempts >= maxAttempts:
		state := notice.Failed
		if d.IsUncertain || o.Result == channel.Uncertain {
			state = notice.Unknown
		}
		return s.end(ctx, d, state, o.Result, o.Reason)
	default:
		return s.retry(ctx, d, o, backoff(d.Attempts, o.RetryAfter))
	}
}

func (s *service) retry(ctx context.Context, d notificationdb.ClaimRow, o channel.Outcome, wait time.Duration) error {
	_, err := s.queries(ctx).Retry(ctx, notificationdb.RetryParams{
		ID: d.ID, Claim: d.Claim, Reason: o.Reason, Result: string(o.Result), IsUncertain: o.Result == channel.Uncertain, Seconds: wait.Seconds(),
	})
	return store.Wrap("record a failed attempt", err)
}

func (s *service) hold(ctx context.Context, d notificationdb.ClaimRow, h held) error {
	_, err := s.queries(ctx).Hold(ctx, notificationdb.HoldParams{
		ID: d.ID, Claim: d.Claim, HeldBy: h.by, Reason: h.reason, Seconds: h.wait.Seconds(),
	})
	return store.Wrap("hold a delivery", err)
}

// finish ends a delivery for which no attempt is made.
func (s *service) finish(ctx context.Context, d notificationdb.ClaimRow, state notice.State, reason string) error {
	s.outcomes.WithLabelValues("", string(state)).Inc()
	return s.end(ctx, d, state, channel.Uncertain, reason)
}

// end records the last state of a delivery; a failure is also an event.
func (s *service) end(ctx context.Context, d notificationdb.ClaimRow, state notice.State, result channel.Result, reason string) error {
	p := notificationdb.FinishParams{ID: d.ID, Claim: d.Claim, State: string(state), Reason: reason, Result: string(result)}
	if state != notice.Failed {
		done, err := s.ends.Do(ctx, struct{}{}, p)
		if err == nil && !done {
			// Another transaction has the row, or another claim.
			_, err = s.queries(ctx).Finish(ctx, p)
		}
		return store.Wrap("record a delivery", err)
	}
	return s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.queries(ctx).LockNotification(ctx, d.NotificationID); err != nil {
			return fmt.Errorf("lock a notification: %w", err)
		}
		n, err := s.queries(ctx).Finish(ctx, p)
		if err != nil || n == 0 {
			return store.Wrap("record a delivery", err)
		}
		return s.events.Append(ctx, event.New{
			Type: EventFailed, Subject: subjectNotification + ":" + d.NotificationID.String(), ContextKey: d.NotificationID.String(),
			Payload: Failure{
				NotificationID: d.NotificationID, DeliveryID: d.ID, ChannelID: d.ChannelID, AboutKind: d.AboutKind, AboutID: d.AboutID,
				Topic: d.Topic, Reason: reason, Attempts: int(d.Attempts),
			},
		})
	})
}

// maxRecorded bounds the deliveries of one statement.
const maxRecorded = 100

// begin reports whether an attempt may be made: the delivery is still wanted and the claim holds.
func (s *service) begin(ctx context.Context, d notificationdb.ClaimRow) (bool, error) {
	p := notificationdb.BeginParams{ID: d.ID, Claim: d.Claim}
	done, err := s.begins.Do(ctx, struct{}{}, p)
	if err == nil && !done {
		var n int64
		n, err = s.queries(ctx).Begin(ctx, p)
		done = n > 0
	}
	return done, store.Wrap("begin", err)
}

// beginAll implements batching.Func.
func (s *service) beginAll(ctx context.Context, _ struct{}, asked []notificationdb.BeginParams) ([]bool, error) {
	p, ids := notificationdb.BeginAllParams{}, make([]uuid.UUID, len(asked))
	for i, one := range asked {
		ids[i] = one.ID
		p.Ids, p.Claims = append(p.Ids, one.ID), append(p.Claims, one.Claim)
	}
	done, err := s.queries(ctx).BeginAll(ctx, p)
	return among(ids, done), err
}

// endAll implements batching.Func.
func (s *service) endAll(ctx context.Context, _ struct{}, asked []notificationdb.FinishParams) ([]bool, error) {
	p, ids := notificationdb.FinishAllParams{}, make([]uuid.UUID, len(asked))
	for i, one := range asked {
		ids[i] = one.ID
		p.Ids, p.Claims = append(p.Ids, one.ID), append(p.Claims, one.Claim)
		p.States, p.Reasons, p.Results = append(p.States, one.State), append(p.Reasons, one.Reason), append(p.Results, one.Result)
	}
	done, err := s.queries(ctx).FinishAll(ctx, p)
	return among(ids, done), err
}

// among reports which of the ids are in done.
func among(ids, done []uuid.UUID) []bool {
	found := make([]bool, len(ids))
	for i, id := range ids {
		found[i] = slices.Contains(done, id)
	}
	return found
}
