package chat

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"countersign/api"

	"github.com/google/uuid"

	"countersign/api/chat/chatdb"
	"countersign/chat/turn"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest/sse"
	"countersign/internal/store"
)

const (
	// retryHeader counts the earlier attempts of a request in the stock libraries.
	retryHeader = "X-Stainless-Retry-Count"

	// keyWindow bounds the validity of an Idempotency-Key, and retryWindow the time in which a request with the same
	// body counts as a retry: clients wait up to ten minutes for an answer before they retry.
	keyWindow   = 24 * time.Hour
	retryWindow = time.Hour
	// attemptTimeout bounds how long a retry waits for an attempt that has not accepted its turn, before it counts that
	// attempt as dead.
	attemptTimeout = 2 * queueTimeout
	// joinPollInterval is the time between two reads of an attempt's row.
	joinPollInterval = 100 * time.Millisecond
)

// attempt is one attempt of a request. Requests with the same key, and retries with the same body, are the same
// request.
type attempt struct {
	id, owner uuid.UUID
	key, body []byte
	// fresh marks a request that is no retry of the previous one with the same body.
	fresh bool
	// hasKey marks a request with an Idempotency-Key.
	hasKey bool
	// willRetry marks a client that retries when it gets no answer in time.
	willRetry bool
}

// attemptOf identifies a request and its retries. Hashes are keyed (HMAC), as a body may hold a password.
func (h *Completions) attemptOf(r *http.Request, p principal.Principal, body []byte, stream bool) (attempt, error) {
	a := attempt{id: store.NewID(), owner: p.ID}
	client := p.Key() + "/" + p.SessionID.String()
	if p.Kind == principal.Application {
		client = p.Key()
	}
	hash := func(kind string, text []byte) []byte {
		sum := hmac.New(sha256.New, h.RetryKey)
		_, _ = fmt.Fprintf(sum, "%s\n%s\n", kind, client)
		_, _ = sum.Write(text)
		return sum.Sum(nil)
	}
	request := bytes.NewBufferString(r.URL.Path + "\n")
	for _, header := range chatHeaders {
		request.WriteString(r.Header.Get(header) + "\n")
	}
	request.Write(body)
	a.body = hash("body", request.Bytes())
	a.key = a.body
	count, err := strconv.Atoi(r.Header.Get(retryHeader))
	again := err == nil && count > 0
	if key := r.Header.Get(api.IdempotencyHeader); key != "" {
		if err := api.CheckIdempotencyKey(key); err != nil {
			return a, err
		}
		a.key, a.hasKey, a.willRetry = hash("key", []byte(key)), true, true
		return a, nil
	}
	a.fresh = !again
	// Clients do not retry a stream that has begun.
	a.willRetry = err == nil && !stream
	return a, nil
}

// window is the time in which an earlier attempt is the same request.
func (a attempt) window() time.Duration {
	if a.hasKey {
		return keyWindow
	}
	return retryWindow
}

// joined is the turn that an earlier attempt accepted.
type joined struct {
	turn    turn.Turn
	message string
	by      turn.Request
}

// claimRequest claims a request for this attempt, or returns the turn that an earlier attempt accepted, waiting while
// that attempt is accepting. The claim ends with recordTurn or releaseRequest.
func (h *Completions) claimRequest(ctx context.Context, a attempt) (found *joined, err error) {
	ctx, end := sse.Open(ctx)
	defer end()
	q := h.requests(ctx)
	for {
		_, err := q.ClaimClientRequest(ctx, chatdb.ClaimClientRequestParams{
			KeyHash: a.key, AttemptID: a.id, OwnerID: a.owner, BodyHash: a.body, Fresh: a.fresh,
			WindowSeconds: a.window().Seconds(), TimeoutSeconds: attemptTimeout.Seconds(),
		})
		if err == nil {
			return nil, nil //nolint:nilnil // the claim is this attempt's
		}
		if !store.NoRows(err) {
			return nil, fmt.Errorf("claim request of a client: %w", err)
		}
		row, err := q.JoinClientRequest(ctx, a.key)
		if store.NoRows(err) {
			continue // the other attempt was refused
		}
		if err != nil {
			return nil, fmt.Errorf("join request of a client: %w", err)
		}
		if !hmac.Equal(row.BodyHash, a.body) {
			return nil, problem.Errorf(problem.KeyReused,
				"This Idempotency-Key was used for another request. Use a new key for each message.").With("param",
				api.IdempotencyHeader)
		}
		if row.TurnID != nil {
			t, err := h.Chat.Turns.Find(ctx, *row.TurnID)
			if err == nil && t.Status != turn.Stopped {
				return &joined{turn: t, message: row.MessageID, by: turn.Request{Key: a.key, Attempts: int(row.Attempts)}}, nil
			}
			if err != nil && !problem.Is(err, problem.NotFound) {
				return nil, err
			}
			// A turn that was stopped or deleted since has no answer.
			a.fresh = true
			continue
		}
		select {
		case <-time.After(joinPollInterval):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// recordTurn stores the turn of an attempt in the transaction that accepts the turn. It fails when a later attempt with
// the same key has taken over.
func (h *Completions) recordTurn(ctx context.Context, a attempt, id uuid.UUID, message string) error {
	n, err := h.requests(ctx).FillClientRequest(ctx,
		chatdb.FillClientRequestParams{KeyHash: a.key, AttemptID: a.id, TurnID: id, MessageID: message})
	if err != nil {
		return fmt.Errorf("note turn of a request: %w", err)
	}
	// Two concurrent requests with the same body may be no retries; each gets its own turn.
	if n == 0 && a.hasKey {
		return problem.Errorf(problem.Conflict, "A later attempt of this request has taken its place, and is answered.")
	}
	return nil
}

// releaseRequest releases the claim of a refused request, so that it can be sent again.
func (h *Completions) releaseRequest(ctx context.Context, a attempt) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	if err := h.requests(ctx).DropClientRequest(ctx,
		chatdb.DropClientRequestParams{KeyHash: a.key, AttemptID: a.id}); err != nil {
		h.Chat.Log.Warn("Claim of a refused request not given up", "error", err)
	}
}
