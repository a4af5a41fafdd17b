package app_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/principal"
	"countersign/internal/rest"
	"countersign/tool"
	"countersign/tool/kit"
	"countersign/tool/proposal"
)

// A process dies between the effect of a change and its record, and meanwhile the session of whoever decided ends. The change
// is live, and that is what the card says.
func TestACrashAfterTheEffectIsNoFailure(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	decider := p.SignIn(t, p.Admin.Credentials)
	card := decider.Propose(t, "catalog.createSystem", map[string]any{"name": "Payments API"})
	applied := decider.Apply(t, card.ProposalID)
	require.Equal(t, proposal.Applied, applied.Status)
	p.AwaitWorkflow(t, "proposal/"+card.ProposalID.String())

	decider.Post(t, "/api/auth/logout", nil, nil)
	p.Exec(
		t,
		`UPDATE ai_proposals SET status = 'applying', result = NULL, finished_at = NULL, created_at = now() - interval '1 minute' WHERE id = $1`,
		card.ProposalID,
	)
	apptest.Eventually(t, "the reconciler has it carried out", func() bool { return p.Admin.Proposal(t, card.ProposalID).Status.Final() })
	again := p.Admin.Proposal(t, card.ProposalID)
	require.Equal(t, proposal.Applied, again.Status, "%+v", again.Error)
	require.JSONEq(t, string(applied.Result), string(again.Result))
	require.Equal(t, []string{"Payments API"}, names(t, p.Admin))
}

// bog is a module with a tool that never ends and one whose change the API can never make.
type bog struct {
	release chan struct{}
	sunk    atomic.Int32
}

type depth struct {
	Metres int `json:"metres,omitempty"`
}

func (*bog) Rules() []principal.Rule {
	return []principal.Rule{{ID: "bog.depth.manage", Description: "Change how deep the bog is", Default: true}}
}

func (b *bog) Routes(api huma.API) {
	huma.Register(api, rest.Op("set-depth", http.MethodPut, "/api/bog", "Set the depth", rest.Rules("bog.depth.manage")),
		func(context.Context, *struct{ Body depth }) (*struct{ Body depth }, error) {
			panic("the bog has no ground")
		})
}

func (b *bog) Tools() []tool.Tool {
	rules := []string{"bog.depth.manage"}
	return []tool.Tool{
		kit.NewRead(tool.Definition{Name: "bog.getDepth", Description: "How deep it is.", Effect: tool.Read, Rules: rules, Timeout: time.Second},
			func(context.Context, tool.Caller, depth) (depth, error) {
				b.sunk.Add(1)
				<-b.release
				return depth{Metres: 1}, nil
			}),
		kit.NewWrite(tool.Definition{Name: "bog.setDepth", Description: "Set how deep it is.", Effect: tool.Mutate, Rules: rules},
			func(_ context.Context, _ tool.Caller, in depth) (kit.Preview[depth], error) {
				return kit.Preview[depth]{Summary: "Dig the bog", Payload: in}, nil
			},
			func(in depth) tool.Request { return kit.Put("/api/bog", in) },
			func(answer depth) depth { return answer }),
	}
}

// A change that the server can never make ends, with what is true, and takes those after it along.
func TestAPlanDoesNotWaitForAChangeThatCannotBeMade(t *testing.T) {
	t.Parallel()
	b := &bog{release: make(chan struct{})}
	t.Cleanup(func() { close(b.release) })
	p := apptest.Start(t, apptest.Options{Modules: []any{b}})
	chat := p.Admin.Conversation(t, nil)
	plan := planOf(t, p, chat, `r1.tool=bog.setDepth r1.input={"metres":3} r1.tool=catalog.createSystem r1.input={"name":"After it"} `)
	tokens := []string{}
	for _, c := range plan.Proposals {
		tokens = append(tokens, p.Admin.Proposal(t, c.ProposalID).Token)
	}
	p.Admin.Call(t, http.MethodPost, "/api/ai/plans/"+plan.PlanID.String()+"/apply", map[string]any{"tokens": tokens})
	apptest.Eventually(t, "the plan has ended", func() bool { return readPlan(t, p.Admin, plan.PlanID).Status == proposal.Failed })
	ended := readPlan(t, p.Admin, plan.PlanID).Proposals
	require.Equal(t, proposal.Failed, ended[0].Status)
	require.Contains(t, ended[0].Error.Message, "nothing was changed")
	require.NotContains(t, ended[0].Error.Message, "ground")
	require.Equal(t, proposal.Skipped, ended[1].Status)
	require.Empty(t, names(t, p.Admin))
	p.AwaitWorkflow(t, "plan/"+plan.PlanID.String())
}

// Calls that never end, as many as a crowd makes, do not keep anybody else from chatting.
func TestCallsThatNeverEndStopNobodyElse(t *testing.T) {
	t.Parallel()
	b := &bog{release: make(chan struct{})}
	t.Cleanup(func() { close(b.release) })
	p := apptest.Start(t, apptest.Options{Modules: []any{b}, Env: map[string]string{"COUNTERSIGN_TOOL_BUDGET_CALLS": "100000"}})
	other := p.Person(t)
	ctx, cancel := context.WithCancel(t.Context())
	var calling sync.WaitGroup
	var made atomic.Int32
	for range 20 {
		calling.Go(func() {
			for ctx.Err() == nil && made.Add(1) <= 1_000 {
				_, _ = p.Admin.Send(ctx, http.MethodPost, "/api/ai/tools/bog.getDepth/call", map[string]any{"input": map[string]any{}})
			}
		})
	}
	own := p.Admin.Conversation(t, nil)
	stuck := own.Perform(t, `tool=bog.getDepth input={} calls=8 text=Done.`)
	require.Contains(t, stuck.Text(), "Done.", "whoever calls it is told that it was given up")
	require.Contains(t, other.Conversation(t, nil).Say(t, "Which systems are there?").Text(), "no system")
	cancel()
	calling.Wait()
	require.LessOrEqual(t, b.sunk.Load(), int32(256), "and what goes on in vain has an end")
}
