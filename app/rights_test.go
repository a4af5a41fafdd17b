package app_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
	"countersign/model/demo"
	"countersign/tool/proposal"
)

// member is a person who may manage the catalog until the role is changed.
func member(t *testing.T, p *apptest.Product) (person *apptest.Client, loseRights func()) {
	t.Helper()
	role := p.Role(t, "catalog.system.manage")
	person = p.Person(t, role)
	return person, func() { p.Admin.Patch(t, "/api/roles/"+role.String(), map[string]any{"rules": []string{}}, nil) }
}

// Rights are read anew at each step: who has lost the rule since the proposal cannot apply it.
func TestRightsThatWereLostStopAnApply(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	person, loseRights := member(t, p)
	card := person.Propose(t, "catalog.createSystem", map[string]any{"name": "Payments API"})
	loseRights()
	e := person.Refused(t, problem.Forbidden, http.MethodPost, "/api/ai/proposals/apply", map[string]any{"token": card.Token})
	require.Equal(t, []string{"catalog.system.manage"}, e.MissingRules)
	require.Contains(t, e.Detail, "catalog.system.manage")
	require.Empty(t, person.Proposal(t, card.ProposalID).Token)
	require.Empty(t, systems(t, p.Admin))
}

// A session that was ended ends everything that was done in it: the next tool call of its turn is refused.
func TestARevokedSessionStopsItsTurn(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	person, _ := member(t, p)
	chat := person.Conversation(t, nil)
	stream, pause := startPaused(t, provider, chat, apptest.Message{Text: "Hello"})
	again := person.SignInAgain(t, p)
	again.Delete(t, "/api/auth/sessions")
	pause.Resume(apptest.ToolCall("c1", "catalog_listSystems", "{}"))
	turn := apptest.TurnOf(t, chat.As(again).Resume(t, "").Drain(t))
	stream.Close()

	require.Len(t, turn.ToolCalls(), 1)
	require.Equal(t, "output-error", turn.ToolCalls()[0].State)
	require.Contains(t, turn.ToolCalls()[0].ErrorText, "session")
	person.Refused(t, problem.Unauthorized, http.MethodGet, "/api/me", nil)
	requireStored(t, chat.As(again), turn)
}

// A card outlives the session in which it was made: the person signs in again, applies it, and the model acknowledges.
func TestACardOutlivesItsSession(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	person, _ := member(t, p)
	chat := person.Conversation(t, nil)
	card := chat.Perform(t, createSystem).Card(t, "proposal")
	again := person.SignInAgain(t, p)
	person.Post(t, "/api/auth/logout", nil, nil)

	require.Equal(t, proposal.Applied, again.Apply(t, card.ProposalID).Status)
	turn := chat.As(again).Decide(t, card.ProposalID, "apply")
	require.Equal(t, "done", turn.Metadata.Status, turn.Text())
	require.Contains(t, turn.Text(), "applied and live")
}

// What is not offered cannot be called, by whatever name and on whatever way, and the refusal names what is missing.
func TestWhatIsNotOfferedCannotBeCalled(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	person := p.Person(t)
	var offered struct {
		Tools []struct {
			Name   string `json:"name"`
			Effect string `json:"effect"`
		} `json:"tools"`
	}
	person.Get(t, "/api/ai/tools", &offered)
	require.NotEmpty(t, offered.Tools)
	for _, tool := range offered.Tools {
		// Everybody may keep memories of their own and try their own channels; what else changes something takes a rule.
		if !strings.HasSuffix(tool.Name, "Memory") && tool.Name != "notification.test" {
			require.Equal(t, "read", tool.Effect, tool.Name)
		}
	}
	for _, name := range []string{"catalog.createSystem", "catalog_createSystem"} {
		chat := person.Conversation(t, nil)
		turn := chat.Perform(t, `tool=`+name+` input={"name":"Payments API"} text="Sorry."`)
		require.Equal(t, "done", turn.Metadata.Status)
		require.Equal(t, "output-error", turn.ToolCalls()[0].State)
		require.Contains(t, turn.ToolCalls()[0].ErrorText, "catalog.system.manage")
		e := person.Refused(
			t,
			problem.Forbidden,
			http.MethodPost,
			"/api/ai/tools/"+name+"/propose",
			map[string]any{"input": map[string]any{"name": "x"}},
		)
		require.Equal(t, []string{"catalog.system.manage"}, e.MissingRules)
		person.Refused(t, problem.Forbidden, http.MethodPost, "/api/ai/tools/"+name+"/call", map[string]any{"input": map[string]any{"name": "x"}})
	}
	person.Refused(t, problem.NotFound, http.MethodPost, "/api/ai/tools/catalog.noSuchTool/call", map[string]any{"input": map[string]any{}})
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_proposals`))
	require.Equal(
		t,
		6,
		p.Count(
			t,
			`SELECT count(*) FROM ai_tool_calls WHERE tool_name = 'catalog.createSystem' AND effect = 'mutate' AND status = 'refused' AND error_code = 'forbidden'`,
		),
	)
}

// A name comes from anywhere: from a model, from a program, in any writing.
func TestAToolNameOfAnyFormIsRefusedClearly(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	for _, name := range []string{strings.Repeat("%E2%82%AC", 60), "%00", "a%2Fb", "x.y", "%FF"} {
		answer := p.Admin.Call(t, http.MethodPost, "/api/ai/tools/"+name+"/call", map[string]any{"input": map[string]any{}})
		require.NotEqual(t, problem.Internal, answer.Problem(t).Code, "%s: %s", name, answer.Body)
	}
}

// A conversation belongs to its person. For everybody else it does not exist, and looks just like one that never did.
func TestAConversationIsItsOwnersAlone(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	owner := p.Person(t, p.Role(t, "catalog.system.manage"))
	chat := owner.Conversation(t, nil)
	card := chat.Perform(t, createSystem).Card(t, "proposal")
	running, pause := startPaused(t, provider, chat, apptest.Message{Text: "Hello"})
	token := owner.Proposal(t, card.ProposalID).Token

	for who, stranger := range map[string]*apptest.Client{"another person": p.Person(t, p.Role(t, "catalog.system.manage")), "an administrator": p.Admin} {
		for _, call := range []struct {
			method, path string
			body         func(id uuid.UUID) any
		}{
			{http.MethodGet, "/api/ai/conversations/%s", nil},
			{http.MethodPatch, "/api/ai/conversations/%s", func(uuid.UUID) any { return map[string]any{"title": "Mine"} }},
			{http.MethodPost, "/api/ai/conversations/%s/archive", nil},
			{http.MethodGet, "/api/ai/chat/%s/stream", nil},
			{http.MethodPost, "/api/ai/chat/%s/stop", nil},
			{http.MethodPost, "/api/ai/chat", func(id uuid.UUID) any {
				return map[string]any{"conversationId": id, "messageId": "m", "message": "script: text=hi", "model": demo.Scripted}
			}},
			{http.MethodPost, "/api/ai/chat", func(id uuid.UUID) any {
				return map[string]any{"conversationId": id, "decision": map[string]any{"proposalId": card.ProposalID, "kind": "apply"}}
			}},
		} {
			var details []string
			for _, id := range []uuid.UUID{chat.ID, uuid.New()} {
				var body any
				if call.body != nil {
					body = call.body(id)
				}
				e := stranger.Refused(t, problem.NotFound, call.method, strings.Replace(call.path, "%s", id.String(), 1), body)
				details = append(details, strings.ReplaceAll(e.Detail, id.String(), "*"))
			}
			require.Equal(t, details[0], details[1], "%s: %s %s", who, call.method, call.path)
		}
		var list struct {
			Conversations []apptest.Conversation `json:"conversations"`
		}
		stranger.Get(t, "/api/ai/conversations", &list)
		require.Empty(t, list.Conversations, who)
	}

	// Proposals of others do not exist either, unless a rule lets one manage them.
	stranger := p.Person(t, p.Role(t, "catalog.system.manage"))
	for _, id := range []uuid.UUID{card.ProposalID, uuid.New()} {
		stranger.Refused(t, problem.NotFound, http.MethodGet, "/api/ai/proposals/"+id.String(), nil)
		stranger.Refused(t, problem.NotFound, http.MethodPost, "/api/ai/proposals/"+id.String()+"/decline", nil)
	}
	guess := token[:len(token)-64] + strings.Repeat("0", 64)
	stranger.Refused(t, problem.NotFound, http.MethodPost, "/api/ai/proposals/apply", map[string]any{"token": guess})
	var list struct {
		Proposals []proposal.Card `json:"proposals"`
	}
	stranger.Get(t, "/api/ai/proposals", &list)
	require.Empty(t, list.Proposals)
	require.Equal(t, proposal.Proposed, owner.Proposal(t, card.ProposalID).Status)
	pause.Resume()
	require.Equal(t, "done", running.Rest(t).Metadata.Status, "nobody has stopped it")
}

func TestNobodyGetsAnythingWithoutSigningIn(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	chat := p.Admin.Conversation(t, nil)
	nobody := p.Anonymous()
	for _, call := range [][2]string{
		{http.MethodGet, "/api/me"},
		{http.MethodGet, "/api/ai/conversations"},
		{http.MethodPost, "/api/ai/chat"},
		{http.MethodGet, "/api/ai/chat/" + chat.ID.String() + "/stream"},
		{http.MethodPost, "/api/ai/chat/" + chat.ID.String() + "/stop"},
		{http.MethodGet, "/api/ai/tools"},
		{http.MethodGet, "/api/ai/proposals"},
		{http.MethodPost, "/api/ai/proposals/apply"},
		{http.MethodGet, "/api/catalog/systems"},
	} {
		nobody.Refused(t, problem.Unauthorized, call[0], call[1], nil)
	}
}
