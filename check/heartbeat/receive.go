package heartbeat

import (
	"context"
	"strconv"
	"time"

	"countersign/internal/problem"
	"countersign/internal/store/throttle"
)

// Rate limits of heartbeats. Tokens have 160 random bits, so valid ones pass however many invalid ones come from the same address;
// a sender of invalid ones must wait (enumeration guard). A job that reports in a loop is limited to twice a second, which is
// more than the shortest interval of a check needs.
var (
	wrong = throttle.Rule{
		Name:         "heartbeat/wrong",
		FreeFailures: 20,
		FirstWait:    2 * time.Second,
		MaxWait:      time.Minute,
		Window:       15 * time.Minute,
	}
	often = throttle.Rule{
		Name:         "heartbeat/often",
		FreeFailures: 30,
		FirstWait:    500 * time.Millisecond,
		MaxWait:      500 * time.Millisecond,
		Window:       10 * time.Second,
	}
)

// Receive is Call for a report from the network, with rate limits. address is the key of the limit for invalid tokens. It must
// not run inside a transaction.
func (s *Store) Receive(ctx context.Context, token, address string, b Report) (Receipt, error) {
	limit := throttle.New(s.db)
	if target, _, ok := s.parseToken(token); ok {
		wait, err := limit.Reserve(ctx, often.Bucket(strconv.Itoa(int(target))))
		if err != nil {
			return Receipt{}, err
		}
		if wait > 0 {
			return Receipt{}, problem.Errorf(
				problem.Throttled,
				"This heartbeat was not heard: too many came. Send one when the work is done.",
			).After(
				wait,
			)
		}
	}
	heard, err := s.Call(ctx, token, b)
	if !problem.Is(err, problem.NotFound) {
		return heard, err
	}
	const tooMany = "Too many heartbeats that nobody awaits came from your address. Wait %s, and look at the address that the job was given."
	if refused := limit.Attempt(ctx, tooMany, wrong.Bucket(address)); refused != nil {
		return Receipt{}, refused
	}
	return Receipt{}, err
}
