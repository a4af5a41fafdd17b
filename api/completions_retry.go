package api

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"countersign/api/apidb"
	"countersign/chat/turn"
	"countersign/principal"
	"countersign/problem"
	"countersign/rest/sse"
	"countersign/store"
)

const (
	// retryHeader says how often the stock libraries have sent a request before.
	retryHeader = "X-Stainless-Retry-Count"

	// keyWindow is for how long an Idempotency-Key holds, and retryWindow for how long a request with the same body is
	// a retry: clients wait up to ten minutes for an answer before they send one.
	keyWindow   = 24 * time.Hour
	retryWindow = time.Hour
	// attemptPatience is how long a retry waits for an attempt that has not accepted its turn, before it takes that
	// attempt for dead.
	attemptPatience = 2 * queuePatience
	// joinPause is the time between two looks at an attempt.
	joinPause = 100 * time.Millisecond
)

// attempt is one try of a request. What was sent before with the same key, or as a retry with the same body, is the
// same request.
type attempt struct {
	id, owner uuid.UUID
	key, body []byte
	// fresh is set for a request that is no retry of the one before with the same body.
	fresh bool
	// named is set for a request with an Idempotency-Key.
	named bool
	// retried says that the client sends a retry when it has no answer in time.
	retried bool
}

// attemptOf reads what tells retries. Hashes are keyed, as a body may hold a password.
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
	if key := r.Header.Get(idempotencyHeader); key != "" {
		if err := checkKey(key); err != nil {
			return a, err
		}
		a.key, a.named, a.retried = hash("key", []byte(key)), true, true
		return a, nil
	}
	a.fresh = !again
	// A stream that has begun is not asked for again.
	a.retried = err == nil && !stream
	return a, nil
}

// window is for how long an earlier attempt is the same request.
func (a attempt) window() time.Duration {
	if a.named {
		return keyWindow
	}
	return retryWindow
}

// joined is a turn that an earlier attempt has accepted.
type joined struct {
	turn    turn.Turn
	message string
	by      turn.Request
}

// begin claims a request for this attempt, or finds the turn that an earlier one has accepted; while that one is about
// to accept it, it waits. The claim ends with fill or drop.
func (h *Completions) begin(ctx context.Context, a attempt) (found *joined, err error) {
	ctx, end := sse.Open(ctx)
	defer end()
	q := apidb.New(h.Chat.DB.Conn(ctx))
	for {
		_, err := q.ClaimClientRequest(ctx, apidb.ClaimClientRequestParams{
			KeyHash: a.key, AttemptID: a.id, OwnerID: a.owner, BodyHash: a.body, Fresh: a.fresh,
			WindowSeconds: a.window().Seconds(), PatienceSeconds: attemptPatience.Seconds(),
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
				idempotencyHeader)
		}
		if row.TurnID != nil {
			t, err := h.Chat.Turns.Find(ctx, *row.TurnID)
			if err == nil && t.Status != turn.Stopped {
				return &joined{turn: t, message: row.MessageID, by: turn.Request{Key: a.key, Attempts: int(row.Attempts)}}, nil
			}
			if err != nil && !problem.Is(err, problem.NotFound) {
				return nil, err
			}
			// A turn that was stopped or deleted since has no answer to give.
			a.fresh = true
			continue
		}
		select {
		case <-time.After(joinPause):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// fill notes the turn that an attempt has accepted, in the transaction that accepts it. It is an error when a later
// attempt with the same key has taken over.
func (h *Completions) fill(ctx context.Context, a attempt, id uuid.UUID, message string) error {
	n, err := apidb.New(h.Chat.DB.Conn(ctx)).FillClientRequest(ctx,
		apidb.FillClientRequestParams{KeyHash: a.key, AttemptID: a.id, TurnID: id, MessageID: message})
	if err != nil {
		return fmt.Errorf("note turn of a request: %w", err)
	}
	// The same body may be sent twice at once by no retry; then each has a turn of its own.
	if n == 0 && a.named {
		return problem.Errorf(problem.Conflict, "A later attempt of this request has taken its place, and is answered.")
	}
	return nil
}

// drop gives up the claim of a request that was refused, so that it can be sent again.
func (h *Completions) drop(ctx context.Context, a attempt) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	if err := apidb.New(h.Chat.DB.Conn(ctx)).DropClientRequest(ctx,
		apidb.DropClientRequestParams{KeyHash: a.key, AttemptID: a.id}); err != nil {
		h.Chat.Log.Warn("Claim of a refused request not given up", "error", err)
	}
}
