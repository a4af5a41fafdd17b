package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"countersign/api/apidb"
	"countersign/internal/principal"
	"countersign/internal/store"
)

// Effects looks up the outcome of writes with an Idempotency-Key that applied a proposal. It implements
// proposal.Effects.
type Effects struct{ DB *store.DB }

// Answer implements proposal.Effects.
func (e Effects) Answer(ctx context.Context, p principal.Principal, key string) (answer json.RawMessage, done bool, err error) {
	answer, done, _, err = e.findAnswer(ctx, p, key)
	return answer, done, err
}

// Close implements proposal.Effects. It takes the lock of the key, so a running write ends first, and stores a
// tombstone answer that fits no request: later writes are refused.
func (e Effects) Close(ctx context.Context, p principal.Principal, key string) (answer json.RawMessage, done bool, err error) {
	q := apidb.New(e.DB.Conn(ctx))
	if err := q.LockIdempotencyKey(ctx, lockName(p.Key(), key)); err != nil {
		return nil, false, fmt.Errorf("lock idempotency key: %w", err)
	}
	answer, done, taken, err := e.findAnswer(ctx, p, key)
	if err != nil || taken {
		return answer, done, err
	}
	err = q.KeepIdempotentAnswer(ctx, apidb.KeepIdempotentAnswerParams{
		Principal: p.Key(), Key: key, RequestHash: []byte{}, Status: http.StatusConflict, Headers: http.Header{}, Body: []byte{},
	})
	if err != nil {
		return nil, false, fmt.Errorf("close idempotency key: %w", err)
	}
	return nil, false, nil
}

// findAnswer loads an answer. taken reports any answer under the key: a key of a person's own request has had no effect
// for a proposal, and cannot have one.
func (e Effects) findAnswer(ctx context.Context, p principal.Principal, key string) (answer json.RawMessage, done, taken bool, err error) {
	row, err := apidb.New(e.DB.Conn(ctx)).IdempotentAnswer(ctx, apidb.IdempotentAnswerParams{Principal: p.Key(), Key: key})
	if store.NoRows(err) {
		return nil, false, false, nil
	}
	if err != nil {
		return nil, false, false, fmt.Errorf("load idempotent answer: %w", err)
	}
	if !row.Applied || row.Status >= http.StatusBadRequest {
		return nil, false, true, nil
	}
	answer = json.RawMessage(row.Body)
	if len(answer) == 0 {
		answer = json.RawMessage(`{}`)
	}
	return answer, true, true, nil
}

func lockName(who, key string) string { return who + " " + key }
