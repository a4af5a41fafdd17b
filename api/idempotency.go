package api

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"
	"github.com/labstack/echo/v4"

	"countersign/api/apidb"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/tool"
)

const (
	IdempotencyHeader = "Idempotency-Key"
	replayedHeader    = "Idempotency-Replayed"
	maxKeyLength      = 255
)

// honourIdempotencyKey makes a write with an Idempotency-Key idempotent: the handler runs in a transaction that also
// stores its answer under the key, and a retry gets that answer. Refused and failed calls store nothing, so they can be
// retried. A key reused for another request is refused, as is the replay of an answer about a record that the caller
// cannot see any more. Answers with secrets are not stored and not replayed.
func honourIdempotencyKey(api *huma.OpenAPI, db *store.DB, key []byte, log *slog.Logger) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		sent := ctx.Header(IdempotencyHeader)
		op := ctx.Operation()
		if sent == "" || op.Method == http.MethodGet || rest.IsPublic(op) || rest.IsSelfIdempotent(op) {
			next(ctx)
			return
		}
		if err := CheckIdempotencyKey(sent); err != nil {
			writeProblem(ctx, err)
			return
		}
		c := humaecho.Unwrap(ctx)
		if err := runIdempotent(c, db, idempotentRequest{sent, key, api}, op, func() { next(ctx) }); err != nil {
			if problem.CodeOf(err) == problem.Internal {
				log.Error("Idempotent request failed", "operation", op.OperationID, "error", err)
			}
			rest.WriteProblem(c.Response(), err)
		}
	}
}

// CheckIdempotencyKey refuses a key that is too long or has other characters than printable ASCII.
func CheckIdempotencyKey(key string) error {
	if len(key) > maxKeyLength {
		return problem.InvalidInput(
			"The Idempotency-Key is too long: at most 255 characters.",
			problem.Issue{Path: IdempotencyHeader, Message: "is too long"},
		)
	}
	for _, r := range key {
		if r <= ' ' || r > '~' {
			return problem.InvalidInput(
				"The Idempotency-Key must be printable ASCII without spaces, such as a UUID.",
				problem.Issue{Path: IdempotencyHeader, Message: "has a character that is not allowed"},
			)
		}
	}
	return nil
}

// errRolledBack rolls back the transaction of a handler that answered with an error; the answer itself is sent.
var errRolledBack = errors.New("handler refused")

// idempotentRequest identifies a request: the key that was sent, and the server secret for the hash of the rest.
type idempotentRequest struct {
	sent   string
	secret []byte
	api    *huma.OpenAPI
}

func runIdempotent(c echo.Context, db *store.DB, key idempotentRequest, op *huma.Operation, handle func()) error {
	request := c.Request()
	body, err := io.ReadAll(http.MaxBytesReader(c.Response(), request.Body, op.MaxBodyBytes))
	if err != nil {
		return problem.Errorf(problem.TooLarge, "The request body is larger than %d bytes. Send less.", op.MaxBodyBytes)
	}
	who := principal.FromContext(request.Context()).Key()
	hash := key.hash(request, body)

	leave, err := db.LockLocally(request.Context(), "idempotency/"+lockName(who, key.sent))
	if err != nil {
		return fmt.Errorf("wait for the same request: %w", err)
	}
	defer leave()

	answer := newAnswer(c.Response().Writer)
	original := c.Response().Writer
	defer func() { c.Response().Writer = original }()

	replayed := false
	err = db.InTx(request.Context(), func(ctx context.Context) error {
		var err error
		replayed, err = replay(ctx, db, who, key.sent, hash, answer)
		if err == nil && replayed && rest.IsShownOnce(op) {
			return problem.Errorf(
				problem.Conflict,
				"This was done already by a request with the same Idempotency-Key. Its answer held a secret "+
					"that is shown once, so it is not given again. If you did not get it, ask again with a new key.",
			)
		}
		if err != nil || replayed {
			return err
		}
		request.Body = io.NopCloser(bytes.NewReader(body))
		c.SetRequest(request.WithContext(ctx))
		c.Response().Writer = answer
		handle()
		c.SetRequest(request)
		if answer.status >= http.StatusBadRequest {
			return errRolledBack
		}
		if rest.IsShownOnce(op) {
			return keep(ctx, db, who, key.sent, hash, answer.withoutBody())
		}
		return keep(ctx, db, who, key.sent, hash, answer)
	})
	if err != nil && !errors.Is(err, errRolledBack) {
		resetResponse(c, original)
		return err
	}
	if replayed {
		if refusal := withheld(c, key.api, op, answer); refusal != nil {
			return refusal.send()
		}
	}
	return answer.send()
}

// resetResponse allows writing an error after the handler "answered" into memory.
func resetResponse(c echo.Context, w http.ResponseWriter) {
	response := c.Response()
	response.Writer, response.Committed, response.Status, response.Size = w, false, 0, 0
}

// hash is keyed (HMAC), as a body may hold a password, and a fast unkeyed hash of one could be brute-forced from a copy
// of the database.
func (o idempotentRequest) hash(r *http.Request, body []byte) []byte {
	sum := hmac.New(sha256.New, o.secret)
	_, _ = fmt.Fprintf(sum, "%s %s\n%s\n", r.Method, r.URL.RequestURI(), r.Header.Get("If-Match"))
	_, _ = sum.Write(body)
	return sum.Sum(nil)
}

func replay(ctx context.Context, db *store.DB, who, key string, hash []byte, into *answer) (bool, error) {
	q := apidb.New(db.Conn(ctx))
	// The lock serialises requests with the same key, so the second sees the first one's answer.
	if err := q.LockIdempotencyKey(ctx, lockName(who, key)); err != nil {
		return false, fmt.Errorf("lock idempotency key: %w", err)
	}
	row, err := q.IdempotentAnswer(ctx, apidb.IdempotentAnswerParams{Principal: who, Key: key})
	if store.NoRows(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("load idempotent answer: %w", err)
	}
	if subtle.ConstantTimeCompare(row.RequestHash, hash) != 1 {
		return false, problem.Errorf(problem.KeyReused, "This Idempotency-Key was used for another request. Use a new key for each action.")
	}
	maps.Copy(into.header, row.Headers)
	into.header.Set(replayedHeader, "true")
	into.status, into.wrote = int(row.Status), true
	_, _ = into.body.Write(row.Body)
	return true, nil
}

func keep(ctx context.Context, db *store.DB, who, key string, hash []byte, a *answer) error {
	err := apidb.New(db.Conn(ctx)).KeepIdempotentAnswer(ctx, apidb.KeepIdempotentAnswerParams{
		Principal: who, Key: key, RequestHash: hash, Status: int32(a.status), Headers: a.header, Body: append([]byte{}, a.body.Bytes()...),
		Applied: tool.Carried(ctx) != "",
	})
	if err != nil {
		return fmt.Errorf("store idempotent answer: %w", err)
	}
	return nil
}

// answer buffers a response until its transaction has committed.
type answer struct {
	to     http.ResponseWriter
	header http.Header
	status int
	wrote  bool
	body   bytes.Buffer
}

func newAnswer(to http.ResponseWriter) *answer {
	return &answer{to: to, header: http.Header{}, status: http.StatusOK}
}

// withoutBody returns the answer without its content.
func (a *answer) withoutBody() *answer {
	return &answer{header: http.Header{}, status: a.status, wrote: true}
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if !a.wrote {
		a.status, a.wrote = status, true
	}
}

func (a *answer) Write(p []byte) (int, error) {
	a.wrote = true
	return a.body.Write(p)
}

func (a *answer) send() error {
	maps.Copy(a.to.Header(), a.header)
	a.to.WriteHeader(a.status)
	_, err := a.to.Write(a.body.Bytes())
	return err
}

// PruneIdempotencyKeys deletes answers older than two days.
func PruneIdempotencyKeys(ctx context.Context, db *store.DB) error {
	if _, err := apidb.New(db.Conn(ctx)).PruneIdempotencyKeys(ctx); err != nil {
		return fmt.Errorf("prune idempotency keys: %w", err)
	}
	return nil
}
