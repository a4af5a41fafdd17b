package mcp_test

import (
	"context"
	"encoding/json"
	"maps"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"countersign/api/mcp/endpoint"
	"countersign/app/apptest"
	"countersign/tool/proposal"
)

var (
	form = &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}}
	page = &sdk.ElicitationCapabilities{URL: &sdk.URLElicitationCapabilities{}}
)

type handler = func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error)

// answering is a client that can ask its person in a way, and what they answer.
func answering(can *sdk.ElicitationCapabilities, answer handler) *sdk.ClientOptions {
	return &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{Elicitation: can}, ElicitationHandler: answer}
}

func agreeing(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"decision": "apply", "reason": "Looks right"}}, nil
}

func manager(t testing.TB, p *apptest.Product) *apptest.Client {
	t.Helper()
	return p.Application(t, p.Role(t, "ai.chat.read", "catalog.system.read", "catalog.system.manage"))
}

// A client that can ask its person does so within the call, and the answer is what became of it.
func aPersonIsAskedInTheClient(t *testing.T, p *apptest.Product) {
	c := manager(t, p)
	var asked string
	session := connect(t, p, c, "", answering(form, func(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		asked = r.Params.Message
		return agreeing(ctx, r)
	}))
	o := outcome(t, session, "catalog_createSystem", map[string]any{"name": "Asked by a form"})
	require.Equal(t, proposal.Applied, o.Status)
	require.Equal(t, "Looks right", o.Reason)
	require.Contains(t, asked, "Asked by a form")
	require.NotContains(t, asked, "propose:")
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM catalog_systems WHERE name = 'Asked by a form'`))

	for name, answer := range map[string]struct {
		said *sdk.ElicitResult
		want proposal.Status
	}{
		"a form that declines": {&sdk.ElicitResult{Action: "accept", Content: map[string]any{"decision": "decline"}}, proposal.Declined},
		"a declined form":      {&sdk.ElicitResult{Action: "decline"}, proposal.Declined},
		"a closed form":        {&sdk.ElicitResult{Action: "cancel"}, proposal.Proposed},
	} {
		session := connect(
			t,
			p,
			c,
			"",
			answering(form, func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) { return answer.said, nil }),
		)
		require.Equal(t, answer.want, outcome(t, session, "catalog_createSystem", map[string]any{"name": name}).Status, name)
		require.Zero(t, p.Count(t, `SELECT count(*) FROM catalog_systems WHERE name = $1`, name))
	}

	// Clients of older revisions get the proposal.
	o = outcome(t, connect(t, p, c, "2025-11-25", answering(form, agreeing)), "catalog_createSystem", map[string]any{"name": "Older"})
	require.Equal(t, proposal.Proposed, o.Status)
}

// A client that can open a page sends its person to the card, and hears what they have decided there.
func aPersonDecidesInTheApp(t *testing.T, p *apptest.Product) {
	c := manager(t, p)
	both := &sdk.ElicitationCapabilities{URL: page.URL}
	session := connect(t, p, c, "", answering(both, func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		require.Equal(t, "url", r.Params.Mode)
		id := uuid.MustParse(r.Params.ElicitationID)
		require.Contains(t, r.Params.URL, id.String())
		p.Admin.Apply(t, id)
		return &sdk.ElicitResult{Action: "accept"}, nil
	}))
	o := outcome(t, session, "catalog_createSystem", map[string]any{"name": "On the page"})
	require.Equal(t, proposal.Applied, o.Status)
	require.Empty(t, o.Token)

	// To have opened the page is no decision.
	var system struct {
		ID uuid.UUID `json:"id"`
	}
	p.Admin.Post(t, "/api/catalog/systems", map[string]any{"name": "Not removed"}, &system)
	session = connect(t, p, c, "", answering(both, func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		p.Admin.Post(t, "/api/ai/proposals/"+r.Params.ElicitationID+"/decline", map[string]any{"reason": "Still in use"}, nil)
		return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"decision": "apply"}}, nil
	}))
	o = outcome(t, session, "catalog_deleteSystem", map[string]any{"id": system.ID})
	require.Equal(t, proposal.Declined, o.Status)
	require.Equal(t, "Still in use", o.Reason)
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM catalog_systems WHERE id = $1`, system.ID))
}

// What a client was given to send back fits one call of one principal, and decides nothing.
func aStateFitsOneCall(t *testing.T, p *apptest.Product) {
	c, other := manager(t, p), manager(t, p)
	ask := func(c *apptest.Client, arguments, more map[string]any) apptest.Answer {
		params := map[string]any{"name": "catalog_createSystem", "arguments": arguments}
		maps.Copy(params, more)
		body, headers := request("tools/call", "catalog_createSystem", params)
		return post(t, p, c.Token(), body, headers...)
	}
	arguments := map[string]any{"name": "State"}
	var first struct {
		ResultType    string                     `json:"resultType"`
		RequestState  string                     `json:"requestState"`
		InputRequests map[string]json.RawMessage `json:"inputRequests"`
	}
	require.NoError(t, json.Unmarshal(rpc(t, ask(c, arguments, nil)).Result, &first))
	require.Equal(t, "input_required", first.ResultType)
	require.Contains(t, first.InputRequests, "decision")
	agreed := map[string]any{"decision": map[string]any{"action": "accept", "content": map[string]any{"decision": "apply"}}}
	refused := func(answer apptest.Answer) string {
		var result struct {
			IsError bool `json:"isError"`
			Meta    struct {
				Problem struct {
					Code string `json:"code"`
				} `json:"countersign/internal/problem"`
			} `json:"_meta"`
		}
		require.NoError(t, json.Unmarshal(rpc(t, answer).Result, &result), "%s", answer.Body)
		require.True(t, result.IsError, "%s", answer.Body)
		return result.Meta.Problem.Code
	}
	flipped := []byte(first.RequestState)
	flipped[10] ^= 1
	for _, state := range []string{string(flipped), "x", first.RequestState + "A", first.RequestState[:40]} {
		require.Equal(t, "invalid", refused(ask(c, arguments, map[string]any{"requestState": state, "inputResponses": agreed})))
	}
	mine := map[string]any{"requestState": first.RequestState, "inputResponses": agreed}
	require.Equal(t, "invalid", refused(ask(other, arguments, mine)), "somebody else's state")
	require.Equal(t, "invalid", refused(ask(c, map[string]any{"name": "Another"}, mine)), "another call")
	require.Equal(t, "invalid", refused(ask(c, arguments, map[string]any{"requestState": first.RequestState})), "no answer")
	require.Zero(t, p.Count(t, `SELECT count(*) FROM catalog_systems WHERE name IN ('State', 'Another')`))

	for range 2 {
		var o struct {
			StructuredContent endpoint.Outcome `json:"structuredContent"`
		}
		require.NoError(t, json.Unmarshal(rpc(t, ask(c, arguments, mine)).Result, &o))
		require.Equal(t, proposal.Applied, o.StructuredContent.Status, "a repeat is told how it went")
	}
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM catalog_systems WHERE name = 'State'`))
}

// agreement asks for a system as a client with one way to ask its person, and is the same call with what a person says
// who agrees in a form.
func agreement(t *testing.T, p *apptest.Product, c *apptest.Client, way, name string) (body map[string]any, headers []apptest.Header) {
	t.Helper()
	params := map[string]any{"name": "catalog_createSystem", "arguments": map[string]any{"name": name}}
	body, headers = request("tools/call", "catalog_createSystem", params)
	params["_meta"].(map[string]any)[sdk.MetaKeyClientCapabilities] = map[string]any{"elicitation": map[string]any{way: map[string]any{}}}
	var asked struct {
		RequestState string `json:"requestState"`
	}
	require.NoError(t, json.Unmarshal(rpc(t, post(t, p, c.Token(), body, headers...)).Result, &asked))
	require.NotEmpty(t, asked.RequestState)
	params["requestState"] = asked.RequestState
	params["inputResponses"] = map[string]any{"decision": map[string]any{"action": "accept", "content": map[string]any{"decision": "apply"}}}
	return body, headers
}

// Who was sent to the card decides there, whatever their client says that they have filled in, and may they have a token.
func aPageIsNoForm(t *testing.T, p *apptest.Product) {
	c := manager(t, p)
	body, headers := agreement(t, p, c, "url", "By a page")
	var answer apptest.Answer
	wait := background(t, func(context.Context) { answer = post(t, p, c.Token(), body, headers...) })
	require.Eventually(
		t,
		func() bool { return p.Count(t, `SELECT count(*) FROM held_places WHERE kind = 'mcp wait'`) == 1 },
		time.Minute,
		20*time.Millisecond,
	)
	id := uuid.MustParse(p.Column(t, `SELECT id::text FROM ai_proposals WHERE payload->>'name' = 'By a page'`)[0])
	p.Admin.Post(t, "/api/ai/proposals/"+id.String()+"/decline", map[string]any{"reason": "Seen on the page"}, nil)
	wait()
	var o struct {
		StructuredContent endpoint.Outcome `json:"structuredContent"`
	}
	require.NoError(t, json.Unmarshal(rpc(t, answer).Result, &o), "%s", answer.Body)
	require.Equal(t, proposal.Declined, o.StructuredContent.Status)
	require.Zero(t, p.Count(t, `SELECT count(*) FROM catalog_systems WHERE name = 'By a page'`))
}

// A policy that asks for two, or for a person, takes the decision from clients.
func policiesHold(t *testing.T, p *apptest.Product) {
	c := manager(t, p)
	put := func(policy map[string]any) {
		p.Countersign(t, p.Admin.Patch(t, "/api/ai/policies/catalog.createSystem", policy, nil))
	}
	put(map[string]any{"enabled": true, "alwaysConfirm": false, "twoPerson": true, "anyway": true})
	session := connect(t, p, c, "", answering(form, agreeing))
	result := call(t, session, "catalog_createSystem", map[string]any{"name": "Two of us"})
	o := outcomeOf(t, result)
	require.Equal(t, proposal.Proposed, o.Status)
	require.True(t, o.TwoPerson)
	require.Empty(t, o.Token)
	put(map[string]any{"enabled": false, "alwaysConfirm": false, "twoPerson": false})
	require.NotContains(t, namesOf(listed(t, session)), "catalog_createSystem")
	require.True(t, call(t, session, "catalog_createSystem", map[string]any{"name": "Off"}).IsError)
	put(map[string]any{"enabled": true, "alwaysConfirm": false, "twoPerson": false})
}

// Whoever waits is told that it goes on, hears of the decision at once, and can go away.
func waitingEnds(t *testing.T, p *apptest.Product) {
	c := manager(t, p)
	var told atomic.Int32
	heard := make(chan struct{}, 100)
	session := connect(
		t,
		p,
		c,
		"",
		&sdk.ClientOptions{ProgressNotificationHandler: func(context.Context, *sdk.ProgressNotificationClientRequest) {
			told.Add(1)
			heard <- struct{}{}
		}},
	)
	o := outcome(t, session, "catalog_createSystem", map[string]any{"name": "Waited for"})
	var end endpoint.Outcome
	wait := background(t, func(ctx context.Context) {
		params := &sdk.CallToolParams{Name: "proposal_wait", Arguments: map[string]any{"proposalId": o.ProposalID, "seconds": 45}}
		params.SetProgressToken("p1")
		if result, err := session.CallTool(ctx, params); err == nil {
			end = outcomeOf(t, result)
		}
	})
	<-heard
	p.Admin.Apply(t, o.ProposalID)
	wait()
	require.Equal(t, proposal.Applied, end.Status)
	require.Positive(t, told.Load())

	// A tool tells how far it is, from wherever in the product its work is done.
	author := p.Application(t, p.Role(t, "ai.chat.read", "healthcheck.healthcheck.manage"))
	for _, revision := range []string{"", "2025-11-25"} {
		stages := make(chan string, 100)
		tester := connect(
			t,
			p,
			author,
			revision,
			&sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
				stages <- r.Params.Message
			}},
		)
		params := &sdk.CallToolParams{
			Name:      "healthcheck_testScript",
			Arguments: map[string]any{"context": "healthcheck-shell", "source": "echo 1"},
		}
		params.SetProgressToken("p2")
		_, err := tester.CallTool(t.Context(), params)
		require.NoError(t, err)
		require.Contains(t, <-stages, "sandbox")
	}

	for _, revision := range []string{"", "2025-11-25"} {
		session := connect(t, p, c, revision, nil)
		o := outcome(t, session, "catalog_createSystem", map[string]any{"name": "Nobody waits " + revision})
		ctx, cancel := context.WithCancel(t.Context())
		wait := background(t, func(context.Context) {
			_, err := session.CallTool(
				ctx,
				&sdk.CallToolParams{Name: "proposal_wait", Arguments: map[string]any{"proposalId": o.ProposalID, "seconds": 45}},
			)
			require.Error(t, err)
		})
		require.Eventually(
			t,
			func() bool { return p.Count(t, `SELECT count(*) FROM held_places WHERE kind = 'mcp wait'`) == 1 },
			time.Minute,
			20*time.Millisecond,
		)
		cancel()
		wait()
		require.Eventually(
			t,
			func() bool { return p.Count(t, `SELECT count(*) FROM held_places WHERE kind = 'mcp wait'`) == 0 },
			time.Minute,
			20*time.Millisecond,
			"the call has ended with its client",
		)
	}
}
