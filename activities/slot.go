package activities

import (
	"context"
	"time"

	"countersign/chat/assistant"
)

// mostRereading is how long the model may take to read a conversation again before small calls must not displace it.
const mostRereading = 2 * time.Second

// A server with one slot has the conversation in its only cache. A small call displaces it there, and the next answer waits
// until the server has read all of it again. Few servers tell how many slots they have, so one in a private network may have one
// until its pace shows that reading takes no time.

// mayHaveOneSlot reports whether small calls may displace the conversation, and whether that is likely to matter.
func (a *Turn) mayHaveOneSlot(s *session, sc scope) (may, likely bool) {
	known := a.measures(s, sc)
	switch slots := a.figures(s, sc).Slots; {
	case slots == 1:
		return true, true
	case slots > 1 || !sc.connection.IsOwnServer:
		return false, false
	case known.Pace <= 0:
		return true, false
	}
	f := a.frame(s, sc)
	size := f.tokens + f.offer.Tokens + assistant.EstimateTokens(s.History())
	slow := known.ReadingTime(known.Calibration.Tokens(size)) > mostRereading
	return slow, slow
}

// smallCallsFirst lets the verdict and the name of the conversation end before the request for the answer, where they would displace
// what the answer leaves in the cache. After a while it does not wait any more: such a server keeps the order.
func (a *Turn) smallCallsFirst(ctx context.Context, s *session, sc scope, step int, g *gate) {
	if step != 1 {
		return
	}
	if may, _ := a.mayHaveOneSlot(s, sc); !may {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, assistant.VerdictTime.Thinking)
	defer cancel()
	select {
	case <-g.decided:
	case <-ctx.Done():
		return
	}
	if named, ok := s.Memo.named.Get(); ok {
		select {
		case <-named:
		case <-ctx.Done():
		}
	}
}
