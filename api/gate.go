package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"
	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/internal/store"
	"countersign/tool"
	"countersign/tool/disposition"
	"countersign/tool/invoke"
	"countersign/tool/kit"
	"countersign/tool/proposal"
)

// reasonHeader carries the caller's reason for a change, UTF-8 with percent-encoding. It is stored with the proposal.
const reasonHeader = "Change-Reason"

// Gate enforces the policies of tools on every request with the same effect, from people and programs alike.
type Gate struct {
	DB       *store.DB
	Log      *slog.Logger
	Registry *tool.Registry
	Policies disposition.Policies
	Invoke   *invoke.Service
	// Sealer encrypts the secrets of administrative requests that wait for a decision.
	Sealer kit.Sealer
}

// ProposedWrite is the response to a write that needs a decision first.
type ProposedWrite struct {
	ProposalID uuid.UUID       `json:"proposalId"`
	Status     proposal.Status `json:"status" enum:"proposed"`
	Summary    string          `json:"summary"`
	Detail     string          `json:"detail" doc:"What happens next, for people"`
	TwoPerson  bool            `json:"twoPerson" doc:"Another person than the caller has to apply it"`
	ExpiresAt  time.Time       `json:"expiresAt"`
	Link       string          `json:"link" doc:"The proposal in the web app"`
}

// enforce is the middleware. It runs after access rules and idempotency: a retry with the same key gets the first
// answer, even if the policy has changed since.
func (g *Gate) enforce(ctx huma.Context, next func(huma.Context)) {
	op := ctx.Operation()
	t, own, governed, err := g.Registry.Governs(ctx.Context(), tool.Operation{Method: op.Method, Path: op.Path}, parameters(ctx))
	if err != nil {
		if problem.CodeOf(err) == problem.Internal {
			g.Log.Error("Policy of an operation not found", "operation", op.OperationID, "error", err)
		}
		writeProblem(ctx, err)
		return
	}
	if governed {
		// An earlier decision may be about another version of the tool; the decision here holds for the current one.
		if err := tool.CheckDecidedVersion(ctx.Context(), t.Name, t.Identity.Version); err != nil {
			writeProblem(ctx, err)
			return
		}
		if t.Identity.Version != "" {
			c := humaecho.Unwrap(ctx)
			c.SetRequest(c.Request().WithContext(tool.WithDecidedVersion(c.Request().Context(), t.Name, t.Identity.Version)))
		}
	}
	// Several tools share this operation, so read-only callers may use it: some of the tools only read.
	changes := governed && t.Effect != tool.Read && !t.PreviewsBy(tool.Operation{Method: op.Method, Path: op.Path})
	if changes && principal.FromContext(ctx.Context()).ReadOnly() && !readsByCall(ctx.Context(), t, own) {
		writeProblem(ctx, tool.ReadOnly(op.Summary))
		return
	}
	if !governed || own && (tool.Carried(ctx.Context()) == t.Name || tool.ReadsOnly(ctx.Context(), t.Name)) {
		next(ctx)
		return
	}
	if err := g.applyPolicy(ctx, t, own, next); err != nil {
		if problem.CodeOf(err) == problem.Internal {
			g.Log.Error("Policy of an operation not kept", "operation", op.OperationID, "error", err)
		}
		writeProblem(ctx, err)
	}
}

// onlyReads reports whether the request belongs to a call of its own tool that was allowed because it only reads.
func (g *Gate) onlyReads(ctx huma.Context) bool {
	if g == nil {
		return false
	}
	op := ctx.Operation()
	t, own, _, ok := g.Registry.Governed(tool.Operation{Method: op.Method, Path: op.Path})
	return ok && readsByCall(ctx.Context(), t, own)
}

// readsByCall reports whether ctx belongs to a call of t that was allowed because it only reads, where own means that
// the operation belongs to t alone.
func readsByCall(ctx context.Context, t tool.Tool, own bool) bool {
	return own && t.Impact.EffectByInput && tool.ReadsOnly(ctx, t.Name)
}

// applyPolicy passes the request on, refuses it, or turns it into a proposal.
func (g *Gate) applyPolicy(ctx huma.Context, t tool.Tool, own bool, next func(huma.Context)) error {
	exceptions, err := g.Policies.Exceptions(ctx.Context())
	if err != nil {
		return err
	}
	if len(exceptions) == 0 && !t.Policy.PersonDecides {
		next(ctx)
		return nil
	}
	op, c := ctx.Operation(), humaecho.Unwrap(ctx)
	body, err := io.ReadAll(http.MaxBytesReader(c.Response(), c.Request().Body, op.MaxBodyBytes))
	if err != nil {
		return problem.Errorf(problem.TooLarge, "The request body is larger than %d bytes. Send less.", op.MaxBodyBytes)
	}
	resetBody := func() { c.Request().Body = io.NopCloser(bytes.NewReader(body)) }
	resetBody()

	var input json.RawMessage
	var unreadable error
	if own {
		input, unreadable = t.InputOf(parameters(ctx), body)
	}
	p := principal.FromContext(ctx.Context())
	policy, err := disposition.Effective(ctx.Context(), t, input, exceptions)
	if err != nil {
		return err
	}
	d, why := disposition.DecideWrite(p, t.Access.Personal, policy)
	if policy.Enabled && (t.Effect == tool.Read || t.PreviewsBy(tool.Operation{Method: op.Method, Path: op.Path})) {
		next(ctx)
		return nil
	}
	switch {
	case d == disposition.Refuse:
		return problem.Errorf(problem.Forbidden, "%s", why)
	case d == disposition.Apply && unreadable == nil:
		next(ctx)
		return nil
	case own && t.Impact.EffectByInput && unreadable == nil:
		reads, err := g.Invoke.ReadsOnly(ctx.Context(), p, t, input)
		if err != nil {
			return err
		}
		if reads {
			c.SetRequest(c.Request().WithContext(tool.OnlyReading(c.Request().Context(), t.Name)))
			next(ctx)
			return nil
		}
	case !own && t.Access.Hidden:
		return problem.Errorf(problem.Forbidden, "%s This request cannot wait for a decision, so it is refused "+
			"while the policy of %s is set.", why, t.Name)
	case !own:
		return problem.Errorf(problem.Forbidden, "%s This request cannot wait for a decision: propose it with the tool %s.", why, t.Name)
	}
	if !t.Impact.External {
		answer, err := g.dryRun(ctx, next)
		resetBody()
		if err != nil {
			return err
		}
		if answer.status >= http.StatusBadRequest {
			return answer.send()
		}
	}
	if unreadable != nil {
		return unreadable
	}
	reason, err := reasonOf(ctx.Header(reasonHeader))
	if err != nil {
		return err
	}
	return g.propose(ctx, p, invoke.Write{
		Tool: t, Input: input, Based: ctx.Header("If-Match"), TwoPerson: policy.TwoPerson, Why: why, Reason: reason,
	})
}

// dryRun executes the request in a transaction that is rolled back: a caller without rights, or with a bad request,
// gets the same answer as without a policy. Governed operations change the database only.
func (g *Gate) dryRun(hctx huma.Context, next func(huma.Context)) (*answer, error) {
	c := humaecho.Unwrap(hctx)
	request, original := c.Request(), c.Response().Writer
	rehearsed := newAnswer(original)
	defer func() {
		c.SetRequest(request)
		resetResponse(c, original)
	}()
	err := g.DB.DryRun(request.Context(), func(ctx context.Context) error {
		c.SetRequest(request.WithContext(ctx))
		c.Response().Writer = rehearsed
		next(hctx)
		return nil
	})
	return rehearsed, err
}

func (g *Gate) propose(ctx huma.Context, p principal.Principal, w invoke.Write) error {
	var card proposal.Card
	err := g.DB.InTx(ctx.Context(), func(ctx context.Context) error {
		var err error
		card, err = g.Invoke.ProposeWrite(ctx, p, w)
		return err
	})
	if err != nil {
		return err
	}
	document, err := json.Marshal(ProposedWrite{
		ProposalID: card.ProposalID, Status: card.Status, Summary: card.Summary, TwoPerson: card.TwoPerson, ExpiresAt: card.ExpiresAt,
		Detail: w.Why + " Nothing has changed yet: the proposal waits for a decision.",
		Link:   proposal.Path(card.ProposalID),
	})
	if err != nil {
		return err
	}
	response := humaecho.Unwrap(ctx).Response()
	response.Header().Set("Location", "/api/ai/proposals/"+card.ProposalID.String())
	response.Header().Set("Content-Type", "application/json")
	response.WriteHeader(http.StatusAccepted)
	_, _ = response.Write(document)
	return nil
}

// parameters returns the path parameters of the operation in order.
func parameters(ctx huma.Context) []string {
	op := ctx.Operation()
	var values []string
	for _, name := range (tool.Operation{Path: op.Path}).Parameters() {
		values = append(values, ctx.Param(name))
	}
	return values
}

func reasonOf(header string) (string, error) {
	plain, err := url.PathUnescape(header)
	if err != nil {
		return "", problem.InvalidInput(
			"The reason must be UTF-8 with percent-encoding.",
			problem.Issue{Path: reasonHeader, Message: "is not percent-encoded"},
		)
	}
	return proposal.Reason(reasonHeader, plain)
}

// Governed describes the policies of an operation for its next caller.
type Governed struct {
	Operation string `json:"operation" doc:"Method and path as in this document"`
	Tool      string `json:"tool" doc:"Of an operation that many tools share, such as the call of custom tools, one of those about which a policy says something; agent.name stands for all tools of an agent"`
	Asks      string `json:"asks" enum:"off,secondPerson,maybeSecondPerson" doc:"off: nobody can do it. secondPerson: it becomes a proposal for another person. maybeSecondPerson: that depends on the request"`
}

// Routes declares the operations.
func (g *Gate) Routes(api huma.API) {
	huma.Register(
		api,
		rest.Op(
			"list-governed-operations",
			http.MethodGet,
			"/api/ai/operations",
			"List the operations about which policies ask for something",
			rest.Doc(
				"Operations that are not listed happen at once for people who may use them. One that tools share is listed once "+
					"for each of them that the caller may see.",
			),
		),
		func(ctx context.Context, _ *struct{}) (*struct {
			Body struct {
				Operations []Governed `json:"operations" nullable:"false"`
			}
		}, error,
		) {
			out := new(struct {
				Body struct {
					Operations []Governed `json:"operations" nullable:"false"`
				}
			})
			exceptions, err := g.Policies.Exceptions(ctx)
			if err != nil {
				return nil, err
			}
			made, err := g.madeExceptions(ctx, exceptions)
			out.Body.Operations = g.asked(api.OpenAPI(), exceptions, made)
			return out, err
		},
	)
}

// madeExceptions returns, by name, the user-made tools that have a policy and that the caller can see.
func (g *Gate) madeExceptions(ctx context.Context, exceptions map[string]disposition.Policy) ([]tool.Tool, error) {
	var made []tool.Tool
	for _, name := range slices.Sorted(maps.Keys(exceptions)) {
		if _, fixed := g.Registry.Fixed(name); fixed {
			continue
		}
		t, ok, err := g.Registry.Visible(ctx, principal.FromContext(ctx), name)
		if err != nil {
			return nil, fmt.Errorf("find the tool of a policy: %w", err)
		}
		if ok {
			made = append(made, t)
		}
	}
	return made, nil
}

func (g *Gate) asked(document *huma.OpenAPI, exceptions map[string]disposition.Policy, made []tool.Tool) []Governed {
	asked := []Governed{}
	if len(exceptions) == 0 {
		return asked
	}
	eachOperation(document, func(op *huma.Operation) {
		operation := tool.Operation{Method: op.Method, Path: op.Path}
		t, own, shared, ok := g.Registry.Governed(operation)
		switch {
		case !ok:
		case shared:
			for _, t := range made {
				if asks := asksOf(t, true, operation, exceptions); asks != "" {
					asked = append(asked, Governed{op.Method + " " + op.Path, t.Name, asks})
				}
			}
		default:
			if asks := asksOf(t, own, operation, exceptions); asks != "" {
				asked = append(asked, Governed{op.Method + " " + op.Path, t.Name, asks})
			}
		}
	})
	return asked
}

// asksOf returns what policies require for an operation of a tool, "" for nothing.
func asksOf(t tool.Tool, own bool, operation tool.Operation, exceptions map[string]disposition.Policy) string {
	switch policy := disposition.BasePolicy(t, exceptions); {
	case !policy.Enabled:
		return "off"
	case t.Effect == tool.Read || t.PreviewsBy(operation):
		return ""
	case policy.TwoPerson:
		return "secondPerson"
	case own && disposition.MayNeedSecond(t, exceptions):
		return "maybeSecondPerson"
	}
	return ""
}

// describeGate documents the proposal response of the operations that can give it.
func describeGate(document *huma.OpenAPI, registry *tool.Registry) {
	eachOperation(document, func(op *huma.Operation) {
		if _, own, _, ok := registry.Governed(tool.Operation{Method: op.Method, Path: op.Path}); !ok || !own {
			return
		}
		schema := document.Components.Schemas.Schema(reflect.TypeFor[ProposedWrite](), true, "ProposedWrite")
		op.Responses[strconv.Itoa(http.StatusAccepted)] = &huma.Response{
			Description: "A policy asks for a decision first: this is the proposal. Nothing has changed.",
			Content:     map[string]*huma.MediaType{"application/json": {Schema: schema}},
			Headers:     map[string]*huma.Param{"Location": {Schema: &huma.Schema{Type: huma.TypeString}, Description: "The proposal"}},
		}
		op.Parameters = append(op.Parameters, &huma.Param{
			Name:   reasonHeader,
			In:     "header",
			Schema: &huma.Schema{Type: huma.TypeString},
			Description: "Why, in UTF-8 with percent-encoding, at most " + strconv.Itoa(
				proposal.MaxReason,
			) + " characters. Kept with the proposal if one is made.",
		})
	})
}

// eachOperation visits the changing operations in the order of their paths.
func eachOperation(document *huma.OpenAPI, visit func(op *huma.Operation)) {
	for _, path := range slices.Sorted(maps.Keys(document.Paths)) {
		item := document.Paths[path]
		for _, op := range []*huma.Operation{item.Post, item.Put, item.Patch, item.Delete} {
			if op != nil {
				visit(op)
			}
		}
	}
}
