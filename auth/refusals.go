package auth

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/auth/authdb"
	"countersign/internal/principal"
	"countersign/internal/store"
)

// Refused sign-ins and tokens are aggregated in the audit log, so that attackers cannot flood it. The first refusal of
// a source (account and address) becomes an entry at once. Further ones within the window are counted and become one
// entry at its end. The number of sources is bounded; beyond it sources are counted together.
const (
	refusalWindow     = 10 * time.Minute
	maxRefusalSources = 200
	// manyAddresses replaces the addresses that are counted together.
	manyAddresses = "many addresses"
)

type refusals struct{ db *store.DB }

// note counts n refusals of a source, in the transaction of ctx.
func (r refusals) note(ctx context.Context, action audit.Action, account *uuid.UUID, address string, n int64) error {
	q := authdb.New(r.db.Conn(ctx))
	bucket := refusalBucket(action, account, address)
	if counted, err := q.CountRefusal(ctx, authdb.CountRefusalParams{Bucket: bucket, Refused: n}); err != nil {
		return fmt.Errorf("count refusal: %w", err)
	} else if counted > 0 {
		return nil
	}
	if err := q.LockRefusals(ctx); err != nil {
		return fmt.Errorf("lock refusals: %w", err)
	}
	sources, err := q.CountRefusalSources(ctx)
	if err != nil {
		return fmt.Errorf("count sources of refusals: %w", err)
	}
	if sources >= maxRefusalSources {
		account, address = nil, manyAddresses
		bucket = refusalBucket(action, account, address)
	}
	fresh, err := q.InsertRefusal(
		ctx,
		authdb.InsertRefusalParams{Bucket: bucket, Kind: string(action), AccountID: account, Address: address, Refused: n},
	)
	if err != nil {
		return fmt.Errorf("note refusal: %w", err)
	}
	if !fresh {
		return nil
	}
	return r.record(ctx, action, account, address, firstRefusal[action])
}

var firstRefusal = map[audit.Action]string{
	audit.SignInFailed: "A sign-in was refused", audit.TokenRefused: "An API token that is unknown, expired or revoked was refused",
}

var moreRefusals = map[audit.Action]string{
	audit.SignInFailed: "sign-ins were refused", audit.TokenRefused: "API tokens were refused",
}

func refusalBucket(action audit.Action, account *uuid.UUID, address string) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%v\x00%s", action, account, address))
	return sum[:]
}

func (r refusals) record(ctx context.Context, action audit.Action, account *uuid.UUID, address, summary string) error {
	object := audit.Ref{Type: typeUser}
	if action == audit.TokenRefused {
		object.Type = typeApplication
	}
	if account != nil {
		people, err := authdb.New(r.db.Conn(ctx)).PeopleByIDs(ctx, []uuid.UUID{*account})
		if err != nil {
			return fmt.Errorf("find account: %w", err)
		}
		object.ID = account.String()
		if len(people) == 1 {
			object.Name = people[0].Name
		}
	}
	return audit.Record(ctx, r.db, audit.Event{
		Action: action, Object: object, Summary: summary, Address: address, Actor: principal.Principal{Kind: principal.Service},
	})
}

// settle writes entries for the counts of ended windows.
func (r refusals) settle(ctx context.Context) error {
	return r.db.InTx(ctx, func(ctx context.Context) error {
		rows, err := authdb.New(r.db.Conn(ctx)).TakeOldRefusals(ctx, refusalWindow.Seconds())
		if err != nil {
			return fmt.Errorf("read counted refusals: %w", err)
		}
		for _, row := range rows {
			if row.More == 0 {
				continue
			}
			action := audit.Action(row.Kind)
			summary := fmt.Sprintf("%d more %s within %d minutes", row.More, moreRefusals[action], int(refusalWindow.Minutes()))
			if err := r.record(ctx, action, row.AccountID, row.Address, summary); err != nil {
				return err
			}
		}
		return nil
	})
}

// refusedTokens counts refused tokens in memory and writes the counts once a second: a refusal must not cost more than
// the lookup it answers.
type refusedTokens struct {
	refusals refusals
	log      *slog.Logger

	mu      sync.Mutex
	pending map[string]int64
}

// maxPending bounds the separately counted addresses within a second.
const maxPending = 1000

func (g *refusedTokens) note(address string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pending == nil {
		g.pending = map[string]int64{}
		time.AfterFunc(time.Second, g.write)
	}
	if _, known := g.pending[address]; !known && len(g.pending) >= maxPending {
		address = manyAddresses
	}
	g.pending[address]++
}

func (g *refusedTokens) write() {
	g.mu.Lock()
	counts := g.pending
	g.pending = nil
	g.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for address, n := range counts {
		err := g.refusals.db.InTx(ctx, func(ctx context.Context) error {
			return g.refusals.note(ctx, audit.TokenRefused, nil, address, n)
		})
		if err != nil {
			g.log.Warn("Refused tokens not recorded", "refusals", n, "error", err)
		}
	}
}
