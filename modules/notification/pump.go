package notification

import (
	"context"
	"sync"
	"time"

	"countersign/event"
	"countersign/internal/notice"
	"countersign/modules/notification/notificationdb"
)

const (
	// lease is how long a process has for a delivery that it has claimed, and SendTimeout bounds the attempt in it.
	lease = 30 * time.Second
	// SendTimeout bounds one attempt.
	SendTimeout = 10 * time.Second
	// lanePlaces is the number of messages that a process sends to one receiver at a time.
	lanePlaces = 8
	// longestIdle is the fallback for lost notifications and for leases of killed processes.
	longestIdle = 5 * time.Second
	shortIdle   = 5 * time.Millisecond
	// A lane is filled again when half of its places are free, or after fullIdle when others hang, so that a claim is for several.
	// A claim that found something is followed by another one as soon.
	fullIdle = 100 * time.Millisecond
)

// pump sends what is due. Each process with workers has one; they share the deliveries by claims.
type pump struct {
	*service
	notifier *event.Notifier
	// freed has something when half of the places of a lane are free again.
	freed   chan struct{}
	sending sync.WaitGroup

	mu    sync.Mutex
	lanes map[string]int
}

func newPump(s *service) *pump {
	return &pump{service: s, notifier: event.NewNotifier(), freed: make(chan struct{}, 1), lanes: map[string]int{}}
}

// run sends until ctx ends. Messages that are being sent then are sent and recorded.
func (p *pump) run(ctx context.Context) {
	defer p.sending.Wait()
	failing, ready := false, false
	for ctx.Err() == nil {
		if !ready {
			err := p.ensure(ctx)
			if ready = err == nil; !ready && ctx.Err() == nil {
				p.log.Warn("The keys of web push are missing", "error", err)
			}
		}
		changed := p.notifier.Changed()
		claimed, err := p.claim(ctx)
		if len(claimed) > 0 {
			p.sending.Go(func() { p.deliver(context.WithoutCancel(ctx), claimed) })
		}
		idle := fullIdle
		if err == nil && len(claimed) == 0 {
			idle, err = p.untilDue(ctx)
		}
		if err != nil {
			if !failing && ctx.Err() == nil {
				p.log.Warn("Notifications are not sent", "error", err)
			}
			idle = time.Second
		}
		failing = err != nil
		p.wait(ctx, changed, idle)
	}
}

func (p *pump) wait(ctx context.Context, changed <-chan struct{}, idle time.Duration) {
	timer := time.NewTimer(idle)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-changed:
	case <-p.freed:
	case <-timer.C:
	}
}

// claim takes what is due in lanes with free places, and occupies these.
func (p *pump) claim(ctx context.Context) ([]notificationdb.ClaimRow, error) {
	params := notificationdb.ClaimParams{
		Busy: []string{}, Free: []int32{}, Places: lanePlaces, LeaseSeconds: lease.Seconds(),
	}
	p.mu.Lock()
	for lane, used := range p.lanes {
		params.Busy, params.Free = append(params.Busy, lane), append(params.Free, int32(lanePlaces-used))
	}
	p.mu.Unlock()
	claimed, err := p.queries(ctx).Claim(ctx, params)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, d := range claimed {
		p.lanes[d.Lane]++
	}
	return claimed, nil
}

func (p *pump) release(lane string) {
	p.mu.Lock()
	p.lanes[lane]--
	used := p.lanes[lane]
	if used == 0 {
		delete(p.lanes, lane)
	}
	p.mu.Unlock()
	if used > lanePlaces/2 {
		return
	}
	select {
	case p.freed <- struct{}{}:
	default:
	}
}

// untilDue is how long nothing is due in lanes with free places.
func (p *pump) untilDue(ctx context.Context) (time.Duration, error) {
	full, longest := []string{}, longestIdle
	p.mu.Lock()
	for lane, used := range p.lanes {
		if used >= lanePlaces {
			full, longest = append(full, lane), fullIdle
		}
	}
	p.mu.Unlock()
	seconds, err := p.queries(ctx).NextDue(ctx, full)
	if err != nil {
		return longestIdle, err
	}
	wait := time.Duration(seconds * float64(time.Second))
	return min(max(wait, shortIdle), longest), nil
}

// deliver takes claimed deliveries to their next state. One that it cannot decide about waits for the end of its lease.
func (p *pump) deliver(ctx context.Context, claimed []notificationdb.ClaimRow) {
	b, err := p.readBatch(ctx, claimed)
	if err != nil {
		p.log.Warn("Notifications wait for their next attempt", "deliveries", len(claimed), "error", err)
	}
	for _, d := range claimed {
		if err != nil {
			p.release(d.Lane)
			continue
		}
		p.sending.Go(func() {
			defer p.release(d.Lane)
			if err := p.step(ctx, b, d); err != nil {
				p.log.Warn("A notification waits for its next attempt", "delivery", d.ID, "error", err)
			}
		})
	}
}

// about is the record of a claimed delivery.
func about(d notificationdb.ClaimRow) notice.About {
	return notice.About{Kind: d.AboutKind, ID: d.AboutID}
}

func noticeOf(d notificationdb.ClaimRow) notice.Notice {
	return notice.Notice{
		About: about(d), Topic: d.Topic, Edge: d.Edge, Phase: notice.Phase(d.Phase), Urgent: d.IsUrgent, Systems: d.Systems, Bundle: d.Bundle,
	}
}
