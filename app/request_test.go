package app_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/tool/proposal"
)

// A second person sees the message that asked for a change and what the assistant said before it proposed, as plain text.
// The chat stays its owner's: neither what was said before, nor what tools have answered, nor anything for whoever does not
// see what the proposal is about.
func TestASecondPersonSeesWhatLedToAProposal(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	rules := p.Role(t, "catalog.system.manage")
	owner, editor, viewer, stranger := p.Person(
		t,
		rules,
	), p.Person(
		t,
		rules,
	), p.Person(
		t,
		rules,
	), p.Person(
		t,
		rules,
		p.Role(t, "ai.proposal.manage"),
	)
	zeus := newSystem(t, p.Admin, "Project Zeus")
	newSystem(t, p.Admin, "Returned by a tool")
	holds := func(c *apptest.Client, relation string) map[string]any {
		return map[string]any{"subjectType": "user", "subjectId": c.ID, "relation": relation}
	}
	grant(t, p, "catalog.system/"+zeus.String(), true, holds(owner, "owner"), holds(editor, "editor"), holds(viewer, "viewer"))
	setPolicy(t, p, "catalog.updateSystem", map[string]any{"twoPerson": true})

	chat := owner.Conversation(t, nil)
	provider.Answer(apptest.Events("stop", apptest.Text("An earlier answer.")))
	chat.Say(t, "An earlier question.")
	provider.Answer(apptest.Events("tool_calls", apptest.Text("Let me read. "), apptest.ToolCall("look", "ai_listDocs", `{}`)))
	provider.Answer(
		apptest.Events(
			"tool_calls",
			apptest.Text("I [propose](https://evil.example) this.\u202e ![x](https://evil.example/x.png)"),
			apptest.ToolCall(
				"change",
				"catalog_updateSystem",
				`{"id":"`+zeus.String()+`","description":"It moves"}`,
			),
			apptest.Text("After the call."),
		),
	)
	card := chat.Say(t, "Zeus moves on Friday, say so. \u200bMy password=hunter2secret").Card(t, "proposal")
	require.Nil(t, card.Request, "the message of the chat holds it once")

	want := &proposal.Request{
		Message: "Zeus moves on Friday, say so. My password=[REDACTED]",
		Answer:  "Let me read.\n\nI [propose](https://evil.example) this. ![x](https://evil.example/x.png)",
	}
	for name, c := range map[string]*apptest.Client{"the proposer": owner, "who decides": editor, "who sees it": viewer} {
		require.Equal(t, want, c.Proposal(t, card.ProposalID).Request, name)
		list := c.Call(t, http.MethodGet, "/api/ai/proposals", nil)
		require.Contains(t, string(list.Body), card.ProposalID.String())
		require.NotContains(t, string(list.Body), "moves on Friday", "lists stay short")
	}
	token := editor.Proposal(t, card.ProposalID).Token
	for _, c := range []*apptest.Client{stranger, p.Admin} {
		unseen(t, c, card.ProposalID, token)
	}
	editor.Refused(t, problem.NotFound, http.MethodGet, "/api/ai/conversations/"+chat.ID.String(), nil)

	// An answer that can repeat what the person has read is not passed on: a second person may read less.
	chat = owner.Conversation(t, nil)
	provider.Answer(apptest.Events("tool_calls", apptest.Text("Let me look. "), apptest.ToolCall("look", "catalog_listSystems", `{}`)))
	provider.Answer(apptest.Events("tool_calls", apptest.Text("Somewhere it says that Returned by a tool is next."),
		apptest.ToolCall("change", "catalog_updateSystem", `{"id":"`+zeus.String()+`","description":"It rests"}`)))
	looked := chat.Say(t, "And what is next?").Card(t, "proposal")
	require.Equal(t, &proposal.Request{Message: "And what is next?"}, editor.Proposal(t, looked.ProposalID).Request)

	// It is under the seal: nobody decides by what was put in its place.
	p.Exec(t, `UPDATE ai_proposals SET asked = 'Delete it' WHERE id = $1`, card.ProposalID)
	altered := editor.Proposal(t, card.ProposalID)
	require.Empty(t, altered.Token)
	require.Contains(t, altered.Blocked, "not what was proposed")
}

// What one person decided about alone when it was proposed shows nobody else what was said, also when a policy asks for a
// second person later. Both texts are bounded, and a plan shows them with its changes.
func TestWhatLedToAProposalIsForSecondPeopleAlone(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	owner, _ := member(t, p)
	second, _ := member(t, p)
	propose := func() uuid.UUID {
		chat := owner.Conversation(t, nil)
		provider.Answer(apptest.Events("tool_calls", apptest.Text(strings.Repeat("long ", 1000)+"THE END"),
			apptest.ToolCall("a", "catalog_createSystem", `{"name":"A"}`), apptest.ToolCall("b", "catalog_createSystem", `{"name":"B"}`)))
		return chat.Say(t, "THE BEGINNING"+strings.Repeat(" on and on", 1000)).Metadata.TurnID
	}
	alone := propose()
	for _, c := range []*apptest.Client{owner, p.Admin} {
		for _, card := range readPlan(t, c, alone).Proposals {
			require.Nil(t, card.Request)
		}
	}
	setPolicy(t, p, "catalog.createSystem", map[string]any{"twoPerson": true})
	for _, card := range readPlan(t, second, alone).Proposals {
		require.True(t, card.TwoPerson)
		require.Nil(t, card.Request, "it was written for nobody else")
	}
	for _, card := range readPlan(t, second, propose()).Proposals {
		require.NotNil(t, card.Request)
		require.Len(t, []rune(card.Request.Message), 2000)
		require.Len(t, []rune(card.Request.Answer), 2000)
		require.True(t, strings.HasPrefix(card.Request.Message, "THE BEGINNING"))
		require.True(t, strings.HasSuffix(card.Request.Answer, "THE END"))
		require.True(t, strings.HasSuffix(card.Request.Message, "…") && strings.HasPrefix(card.Request.Answer, "…"))
	}
}

// Who asks by page, API or application says why in a header.
func TestTheReasonOfARequestIsKeptWithItsProposal(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	setPolicy(t, p, "catalog.createSystem", map[string]any{"twoPerson": true})
	proposer, _ := member(t, p)
	second, _ := member(t, p)
	why := func(text string) apptest.Header {
		return apptest.Header{Name: "Change-Reason", Value: url.PathEscape(text)}
	}
	const systems, propose = "/api/catalog/systems", "/api/ai/tools/catalog.createSystem/propose"

	w := waits(
		t,
		proposer,
		http.MethodPost,
		systems,
		map[string]any{"name": "By page"},
		why("Für den Umzug\nam Freitag, password=hunter2secret"),
	)
	seen := second.Proposal(t, w.ProposalID)
	require.Equal(t, "Für den Umzug\nam Freitag, password=[REDACTED]", seen.Reason)
	require.Nil(t, seen.Request)
	require.NotContains(t, strings.Join(p.Dump(t), "\n"), "hunter2secret")

	var card proposal.Card
	proposer.Post(t, propose, map[string]any{"input": map[string]any{"name": "By tool"}}, &card, why("Asked for in the review"))
	require.Equal(t, "Asked for in the review", second.Proposal(t, card.ProposalID).Reason)

	before := p.Count(t, `SELECT count(*) FROM ai_proposals`)
	for _, bad := range []apptest.Header{why(strings.Repeat("x", 501)), why("bad\u202eword"), {Name: "Change-Reason", Value: "%zz"}} {
		e := proposer.Refused(t, problem.Invalid, http.MethodPost, systems, map[string]any{"name": "Refused"}, bad)
		require.Equal(t, "Change-Reason", e.Issues[0].Path)
		proposer.Refused(t, problem.Invalid, http.MethodPost, propose, map[string]any{"input": map[string]any{"name": "Refused"}}, bad)
	}
	require.Equal(t, before, p.Count(t, `SELECT count(*) FROM ai_proposals`))
	// Where nobody is asked, nothing is kept of it.
	setPolicy(t, p, "catalog.createSystem", map[string]any{"twoPerson": false})
	require.Equal(
		t,
		http.StatusCreated,
		proposer.Call(t, http.MethodPost, systems, map[string]any{"name": "At once"}, why("No matter")).Status,
	)
}
