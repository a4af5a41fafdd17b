package httprequest

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/egress"
	"countersign/modules/httprequest/httprequestdb"
	"countersign/principal"
	"countersign/problem"
	"countersign/store"
	"countersign/tool"
	"countersign/tool/budget"
)

// slack is how much longer than its time a request may take before it is given up as lost.
const slack = 10 * time.Second

// judge says what a request is, where it goes and what its placeholders stand for; or why it is not sent.
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
	// What is refused at once does not wait for a decision.
	if _, err := m.Guard.Check(ctx, target.URL.String()); err != nil {
		return r, target, nil, problem.As(err)
	}
	return r, target, stands, nil
}

// Send sends a request. With a key, "" for none, it is sent once, however often and from however many processes it is asked for:
// whoever repeats it is told how the first one went, and that nobody knows when its process has died.
func (m *Module) Send(ctx context.Context, r Request, key string) (Answer, error) {
	p := principal.FromContext(ctx)
	if key == "" {
		return m.reserved(ctx, p, r)
	}
	document, err := canonicalRequest(r)
	if err != nil {
		return Answer{}, err
	}
	hash := sha256.Sum256(document)
	begun, err := m.begin(ctx, p, key, hash[:], r.timeout()+slack)
	if err != nil {
		return Answer{}, err
	}
	if !begun {
		return m.await(ctx, p, key, hash[:])
	}
	// What is on its way is seen through, whether or not somebody still waits.
	seen, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.timeout()+slack/2)
	defer cancel()
	answer, failure := m.reserved(seen, p, r)
	if problem.CodeOf(failure) == problem.Internal {
		// Nothing was sent: whatever happens after that is an answer.
		if err := m.queries(ctx).ForgetRequest(seen, httprequestdb.ForgetRequestParams{Principal: p.Key(), Key: key}); err != nil {
			return Answer{}, fmt.Errorf("forget a request: %w", err)
		}
		return Answer{}, failure
	}
	if err := m.finish(seen, p, key, answer, failure); err != nil {
		return Answer{}, err
	}
	return answer, failure
}

// outcome is how a request went, as it is kept. What it says of an answer holds no value of a secret.
type outcome struct {
	Answer  *Answer        `json:"answer,omitempty"`
	Problem *problem.Error `json:"problem,omitempty"`
}

func (m *Module) begin(ctx context.Context, p principal.Principal, key string, hash []byte, most time.Duration) (bool, error) {
	n, err := m.queries(ctx).BeginRequest(ctx, httprequestdb.BeginRequestParams{Principal: p.Key(), Key: key, RequestHash: hash, Seconds: most.Seconds()})
	if err != nil {
		return false, fmt.Errorf("begin a request: %w", err)
	}
	return n > 0, nil
}

func (m *Module) finish(ctx context.Context, p principal.Principal, key string, answer Answer, failure error) error {
	o := outcome{Answer: &answer}
	if failure != nil {
		o = outcome{Problem: problem.As(failure)}
	}
	data, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("encode the answer of a request: %w", err)
	}
	if err := m.queries(ctx).FinishRequest(ctx, httprequestdb.FinishRequestParams{Principal: p.Key(), Key: key, Answer: data}); err != nil {
		return fmt.Errorf("store the answer of a request: %w", err)
	}
	return nil
}

// await is how an earlier request with the same key went.
func (m *Module) await(ctx context.Context, p principal.Principal, key string, hash []byte) (Answer, error) {
	again := time.NewTicker(200 * time.Millisecond)
	defer again.Stop()
	for {
		row, err := m.queries(ctx).BegunRequest(ctx, httprequestdb.BegunRequestParams{Principal: p.Key(), Key: key})
		switch {
		case store.NoRows(err):
			return Answer{}, errUnanswered
		case err != nil:
			return Answer{}, fmt.Errorf("find a request: %w", err)
		case subtle.ConstantTimeCompare(row.RequestHash, hash) != 1:
			return Answer{}, problem.Errorf(problem.KeyReused, "This Idempotency-Key was used for another request. Use a new key for each action.")
		case len(row.Answer) > 0:
			var o outcome
			if err := json.Unmarshal(row.Answer, &o); err != nil {
				return Answer{}, fmt.Errorf("read the answer of a request: %w", err)
			}
			switch {
			case o.Problem != nil:
				return Answer{}, o.Problem
			case o.Answer == nil:
				return Answer{}, errors.New("the answer of a request is kept as nothing")
			}
			return *o.Answer, nil
		case row.Lost:
			return Answer{}, lost()
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return Answer{}, context.Cause(ctx)
		}
	}
}

// reserved sends a request once it has a place, and a reserved call with an audit row. A tool call has reserved its own.
func (m *Module) reserved(ctx context.Context, p principal.Principal, r Request) (answer Answer, err error) {
	place, err := m.Places.Take(ctx, p, m.sending)
	if err != nil {
		return answer, err
	}
	defer place.GiveBack(ctx)
	if p.TurnID != uuid.Nil {
		return m.deliver(ctx, r)
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
	answer, err = m.deliver(ctx, r)
	if failed := m.Calls.Finish(context.WithoutCancel(ctx), id, err); failed != nil {
		// The request was sent: an error would have it sent again.
		m.Log.Error("Audit row of a request not settled", "call", id, "error", failed)
	}
	return answer, err
}

// deliver fills placeholders in and sends the request.
func (m *Module) deliver(ctx context.Context, r Request) (Answer, error) {
	r, target, stands, err := m.judge(ctx, r)
	if err != nil {
		return Answer{}, err
	}
	values, err := m.values(ctx, stands, target)
	if err != nil {
		return Answer{}, err
	}
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
