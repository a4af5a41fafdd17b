package httprequest

import (
	"context"
	"crypto/sha256"

	"github.com/google/uuid"

	"countersign/internal/egress"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/internal/store"
	"countersign/internal/store/exactlyonce"
	"countersign/tool"
	"countersign/tool/budget"
)

// judge validates a request and returns its target and the values behind its placeholders.
func (m *Module) judge(ctx context.Context, r Request) (Request, egress.Target, []stand, error) {
	r, target, err := r.checked()
	if err != nil {
		return r, target, nil, err
	}
	if _, err := r.bodyEscape(); err != nil {
		return r, target, nil, err
	}
	stands, err := m.stands(ctx, r.placeholders())
	if err != nil {
		return r, target, nil, err
	}
	if err := allows(stands, target); err != nil {
		return r, target, nil, err
	}
	// The SSRF guard refuses before a decision is requested.
	if _, err := m.Guard.Check(ctx, target.URL.String()); err != nil {
		return r, target, nil, problem.As(err)
	}
	return r, target, stands, nil
}

// Send sends a request, exactly once for each key ("" for none) over all processes: a repeat returns the outcome of the
// first request, or that the outcome is unknown when its process died. The stored answer holds no secret.
func (m *Module) Send(ctx context.Context, r Request, key string) (Answer, error) {
	p := principal.FromContext(ctx)
	if key == "" {
		return m.reserved(ctx, p, r, func(ctx context.Context) (Answer, error) { return m.deliver(ctx, r) })
	}
	document, err := canonicalRequest(r)
	if err != nil {
		return Answer{}, err
	}
	hash := sha256.Sum256(document)
	return exactlyonce.Do(ctx, m.Once, exactlyonce.Call{Principal: p, Key: key, Hash: hash[:], Timeout: r.timeout(), Unknown: lost()},
		func(ctx context.Context) (Answer, error) {
			return m.reserved(ctx, p, r, func(ctx context.Context) (Answer, error) { return m.deliver(ctx, r) })
		})
}

// reserved sends a request within the concurrency limit, with a reserved call and an audit row. A tool call has
// reserved its own.
func (m *Module) reserved(
	ctx context.Context,
	p principal.Principal,
	r Request,
	deliver func(ctx context.Context) (Answer, error),
) (answer Answer, err error) {
	place, err := m.Quota.Acquire(ctx, p, m.sending)
	if err != nil {
		return answer, err
	}
	defer place.Release(ctx)
	if p.TurnID != uuid.Nil {
		return deliver(ctx)
	}
	arguments, err := canonicalRequest(r)
	if err != nil {
		return answer, err
	}
	id, err := m.Calls.Reserve(ctx, budget.Call{
		ID: store.NewID(), Principal: p, Transport: budget.API, Tool: toolName, Effect: tool.Mutate, Arguments: arguments,
	})
	if err != nil {
		return answer, err
	}
	answer, err = deliver(ctx)
	if failed := m.Calls.Finish(context.WithoutCancel(ctx), id, err); failed != nil {
		// The request was sent: an error would have it sent again.
		m.Log.Error("Audit row of a request not settled", "call", id, "error", failed)
	}
	return answer, err
}

// deliver substitutes placeholders and sends the request.
func (m *Module) deliver(ctx context.Context, r Request) (Answer, error) {
	r, target, stands, err := m.judge(ctx, r)
	if err != nil {
		return Answer{}, err
	}
	values, err := m.values(ctx, stands, target)
	if err != nil {
		return Answer{}, err
	}
	return m.fill(ctx, r, stands, values)
}

// fill puts the values into a request and sends it.
func (m *Module) fill(ctx context.Context, r Request, stands []stand, values map[string]secret.Value) (Answer, error) {
	masker, err := newMasker(values)
	if err != nil {
		return Answer{}, err
	}
	filled, err := r.filled(values)
	if err != nil {
		return Answer{}, err
	}
	s := sender{guard: m.Guard, stands: stands, masker: masker}
	return s.send(ctx, filled)
}
