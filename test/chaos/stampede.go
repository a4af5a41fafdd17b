package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

// stampede applies one token many times at once over both APIs: with a key for each call, where one may succeed, and
// then with one key for all, where all get the first one's outcome.
func stampede(ctx context.Context, c *crowd, w *world, callers int, out io.Writer) error {
	for _, shared := range []bool{false, true} {
		r := c.ledger.begin("stampede")
		p := c.person(r, rand.New(rand.NewPCG(c.seed, 7)))
		id, err := p.propose(ctx)
		if err != nil {
			return err
		}
		card, err := p.card(ctx, id)
		if err != nil {
			return err
		}
		key := ""
		want := 1
		if shared {
			key, want = uuid.NewString(), callers
		}
		began := time.Now()
		answered := c.rush(ctx, callers, card.Token, key)
		took := time.Since(began)
		r.end()

		var systems int
		const count = "SELECT count(*) FROM catalog_systems s JOIN ai_proposals p ON s.name = p.payload ->> 'name' WHERE p.id = $1"
		if err := w.db.Conn(ctx).QueryRow(ctx, count, id).Scan(&systems); err != nil {
			return fmt.Errorf("count systems: %w", err)
		}
		if systems != 1 || answered[http.StatusOK] != want || answered[http.StatusOK]+answered[http.StatusConflict] != callers {
			c.ledger.complain(violation{"stampede", id, fmt.Sprintf("%d systems, answers %v", systems, answered)})
		}
		kind := "each with a key of its own"
		if shared {
			kind = "all with one key"
		}
		_, _ = fmt.Fprintf(
			out,
			"%d concurrent applies of one token over two APIs, %s: %d system, answers %v, %.1f s\n",
			callers,
			kind,
			systems,
			answered,
			took.Seconds(),
		)
	}
	return nil
}

// rush makes all calls at the same moment and counts the answers by status; 0 is no answer.
func (c *crowd) rush(ctx context.Context, callers int, token, key string) map[int]int {
	gate := make(chan struct{})
	var all sync.WaitGroup
	statuses := make([]atomic.Int64, callers)
	for i := range callers {
		all.Go(func() {
			p := c.person(&run{}, nil)
			own := key
			if own == "" {
				own = uuid.NewString()
			}
			<-gate
			a, err := p.attempt(ctx, c.apis[i%len(c.apis)], http.MethodPost, "/api/ai/proposals/apply", object{"token": token}, own)
			if err == nil {
				statuses[i].Store(int64(a.status))
			}
		})
	}
	close(gate)
	all.Wait()
	count := map[int]int{}
	for i := range statuses {
		count[int(statuses[i].Load())]++
	}
	return count
}
