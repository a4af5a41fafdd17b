package activities_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/activities"
	"countersign/chat/turn"
	"countersign/internal/principal"
)

// counted are people who are asked for, and whom nobody knows for as long as fails says.
type counted struct {
	people

	asked, fails atomic.Int32
}

// Load implements proposal.Principals.
func (c *counted) Load(ctx context.Context, kind principal.Kind, id, session uuid.UUID) (principal.Principal, error) {
	c.asked.Add(1)
	if c.fails.Add(-1) >= 0 {
		return principal.Principal{}, errors.New("the database is away")
	}
	return c.people.Load(ctx, kind, id, session)
}

// run accepts a message while what its turn stands on is loaded, and begins it.
func (p *process) run(t *testing.T) uuid.UUID {
	t.Helper()
	var ahead *activities.Prefetch
	id := p.begin(t, "Hello", func(set *turn.Settings) {
		var load func(context.Context)
		ahead, load = p.NewPrefetch(*set)
		go load(t.Context())
	})
	p.StartFirstModelCall(t.Context(), id, ahead)
	require.Len(t, p.provider.Requests(), 1)
	return id
}

func TestWhatWasLoadedAheadIsLoadedOnce(t *testing.T) {
	t.Parallel()
	p, who := newProcess(t), &counted{}
	p.Principals, p.PrefetchMaxAge = who, time.Hour
	id := p.run(t)
	require.Equal(t, int32(1), who.asked.Load())
	p.call(t, id, 1)
	require.Equal(t, int32(1), who.asked.Load())
}

// What could not be loaded ahead is loaded as if nobody had tried.
func TestATurnDoesNotStandOnWhatFailed(t *testing.T) {
	t.Parallel()
	p, who := newProcess(t), &counted{}
	who.fails.Store(1)
	p.Principals = who
	p.run(t)
	require.Equal(t, int32(2), who.asked.Load())
}

// The person may have lost rights since.
func TestATurnDoesNotStandOnWhatIsOld(t *testing.T) {
	t.Parallel()
	p, who := newProcess(t), &counted{}
	p.Principals, p.PrefetchMaxAge = who, -1
	p.run(t)
	require.Equal(t, int32(2), who.asked.Load())
}
