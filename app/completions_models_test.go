package app_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/tool/proposal"
)

// completes posts a question to /v1 and returns the text of the answer, and its conversation.
func completes(t *testing.T, c *apptest.Client, model, text string, headers ...apptest.Header) (said, chat string) {
	t.Helper()
	var out struct {
		Choices []struct {
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	answer := c.Post(t, "/v1/chat/completions", map[string]any{
		"model": model, "messages": []any{map[string]any{"role": "user", "content": text}},
	}, &out, headers...)
	require.Len(t, out.Choices, 1)
	return out.Choices[0].Message.Content, answer.Header.Get("Countersign-Conversation")
}

func chatModels(t *testing.T, c *apptest.Client) (ids []string) {
	t.Helper()
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	c.Get(t, "/v1/models", &list)
	for _, m := range list.Data {
		ids = append(ids, m.ID)
	}
	return ids
}

// called makes the model call a tool, and then say something.
func called(provider *apptest.Provider, wire, arguments, says string) {
	provider.Answer(apptest.Events("tool_calls", apptest.ToolCall("c1", wire, arguments)))
	provider.Answer(apptest.Events("stop", apptest.Text(says)))
}

// toldLast is what the model was told last: the result of a tool.
func toldLast(provider *apptest.Provider) string {
	requests := provider.Requests()
	told := requests[len(requests)-1].Messages
	return told[len(told)-1].Content
}

func TestASkillIsAModelThatIsInstructedByIt(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	ada := p.Person(t)
	bearer := p.Bearer(ada.ID, newChatToken(t, ada).Token)
	before := chatModels(t, bearer)
	instruction := "Answer as the keeper of a lighthouse, " + uuid.NewString()
	p.Admin.Post(t, "/api/ai/skills", map[string]any{
		"name": unique("Keeper"), "description": "Keeps lighthouses", "targets": []string{"chat"}, "systemPrompt": instruction,
	}, nil)
	var model string
	for _, id := range chatModels(t, bearer) {
		if !slices.Contains(before, id) {
			require.Empty(t, model)
			model = id
		}
	}
	require.NotEmpty(t, model)
	for asked, instructed := range map[string]bool{model: true, "countersign": false} {
		provider.Answer(apptest.Events("stop", apptest.Text("The light is on.")))
		said, _ := completes(t, bearer, asked, "Is it on? "+asked)
		require.Equal(t, "The light is on.", said)
		requests := provider.Requests()
		require.Equal(t, instructed, strings.Contains(requests[len(requests)-1].Raw, instruction), asked)
	}
	require.Equal(t, http.StatusNotFound, bearer.Call(t, http.MethodPost, "/v1/chat/completions", map[string]any{
		"model": model + "x", "messages": []any{map[string]any{"role": "user", "content": "Hello"}},
	}).Status)
}

func TestAnAgentIsAModelThatHasItsOwnToolsAlone(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	s := stage{t, p}
	slug := "orders-" + uuid.NewString()[:8]
	path := "/api/agents/" + slug
	p.Admin.Post(t, "/api/agents", map[string]any{"slug": slug, "name": "Orders", "private": false}, nil)
	draft := path + "/revisions/" + s.made(path+"/revisions", map[string]any{})
	s.put(draft+"/agent_md", map[string]any{"content": "Answer in the tone of a shipping clerk."})
	s.put(
		draft+"/spec",
		map[string]any{"spec": map[string]any{"tools": map[string]any{"mine": map[string]any{"requires_identity": "countersign"}}}},
	)
	for id, effect := range map[string]string{"look": "read", "mine": "read", "pay": "mutate"} {
		s.put(draft+"/tools/"+id, map[string]any{
			"description": "Looks orders up.", "args_schema": map[string]any{"type": "object"}, "effect": effect,
			"source": `export default { actions: { default: () => "order 4711" } };`,
		})
	}
	apptest.Eventually(t, "the sandbox is warm", func() bool {
		return p.Admin.Call(t, http.MethodPost, draft+"/tools/look/dry_run", map[string]any{"args": map[string]any{}}).Status == http.StatusOK
	})
	p.Admin.Post(t, draft+"/freeze", nil, nil)
	p.Admin.Post(t, draft+"/promote", nil, nil)
	role, model := p.Role(t, "agent.agent.read"), "countersign/agent/"+slug
	ada, bob := p.Person(t, role), p.Person(t)
	clerk, other := p.Bearer(ada.ID, newChatToken(t, ada).Token), p.Bearer(bob.ID, newChatToken(t, bob).Token)
	wire := "agent_" + slug + "_"

	require.Contains(t, chatModels(t, clerk), model)
	require.Equal(t, http.StatusOK, clerk.Call(t, http.MethodGet, "/v1/models/"+model, nil).Status)
	require.NotContains(t, chatModels(t, other), model, "who may not use its tools does not chat with it")
	ask := map[string]any{"model": model, "messages": []any{map[string]any{"role": "user", "content": "Hello"}}}
	require.Equal(t, http.StatusNotFound, other.Call(t, http.MethodPost, "/v1/chat/completions", ask).Status)
	require.Empty(t, provider.Requests())

	t.Log("it is told of its tools, and of no other")
	called(provider, wire+"look", "{}", "It is order 4711.")
	said, _ := completes(t, clerk, model, "Which order is it?")
	require.Equal(t, "It is order 4711.", said)
	require.Contains(t, toldLast(provider), "order 4711")
	for _, request := range provider.Requests() {
		require.Contains(t, request.Raw, "the tone of a shipping clerk")
		require.Len(t, request.Tools, 3)
		for _, offered := range request.Tools {
			require.True(t, strings.HasPrefix(offered.Function.Name, wire), offered.Function.Name)
		}
	}
	require.Equal(
		t,
		1,
		p.Count(
			t,
			`SELECT count(*) FROM ai_tool_calls WHERE principal_id = $1 AND tool_name = $2 AND status = 'executed'`,
			ada.ID,
			"agent."+slug+".look",
		),
	)

	t.Log("a model that calls another tool all the same is refused, and that is on record")
	called(provider, "catalog_listSystems", "{}", "I cannot.")
	_, _ = completes(t, clerk, model, "And the systems?")
	require.Contains(t, toldLast(provider), "its own tools alone")
	require.Equal(
		t,
		1,
		p.Count(
			t,
			`SELECT count(*) FROM ai_tool_calls WHERE principal_id = $1 AND tool_name = 'catalog.listSystems' AND status = 'refused'`,
			ada.ID,
		),
	)

	t.Log("what changes something waits for a person")
	provider.Answer(apptest.Events("tool_calls", apptest.ToolCall("c1", wire+"pay", "{}")))
	said, _ = completes(t, clerk, model, "Pay it.")
	require.Contains(t, said, "**Waiting for a decision:**")

	t.Log("a tool that wants to know who asks runs for a person and not for an application")
	called(provider, wire+"mine", "{}", "Yours.")
	_, _ = completes(t, clerk, model, "Which are mine?")
	require.Contains(t, toldLast(provider), "order 4711")
	robot := p.Application(t, role, p.Role(t, "ai.chat.read"))
	called(provider, wire+"mine", "{}", "Nobody's.")
	_, _ = completes(t, robot, model, "Which are mine?")
	require.Contains(t, toldLast(provider), "auth_required")
	require.NotContains(t, toldLast(provider), "order 4711")

	t.Log("the assistant has all tools, and an agent that is switched off is none")
	said, _ = completes(t, clerk, "countersign", `script: tool=catalog.listSystems text="None."`)
	require.Equal(t, "None.", said)
	require.NotContains(t, provider.Requests()[len(provider.Requests())-1].Raw, "shipping clerk")
	setPolicy(t, p, "agent."+slug, map[string]any{"enabled": false})
	require.NotContains(t, chatModels(t, clerk), model)
	require.Equal(t, http.StatusNotFound, clerk.Call(t, http.MethodPost, "/v1/chat/completions", ask).Status)
}

func TestAnApplicationChatsAsItself(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: apptest.NewProvider(t).Env()})
	chat, manage := p.Role(t, "ai.chat.read", "catalog.system.read"), p.Role(t, "catalog.system.manage")
	robot, other, mute := p.Application(t, chat, manage), p.Application(t, chat), p.Application(t, manage)
	ada := p.Person(t)
	require.Equal(t, http.StatusForbidden, mute.Call(t, http.MethodGet, "/v1/models", nil).Status, "it may not chat")
	require.Contains(t, chatModels(t, robot), "countersign")

	t.Log("its conversations are its own")
	said, first := completes(t, robot, "countersign", `script: text="One."`)
	require.Equal(t, "One.", said)
	named := apptest.Header{Name: "Countersign-Conversation", Value: first}
	_, same := completes(t, robot, "countersign", `script: text="Two."`, named)
	require.Equal(t, first, same)
	_, fresh := completes(t, other, "countersign", `script: text="Mine."`, named)
	require.NotEqual(t, first, fresh)
	for _, stranger := range []*apptest.Client{other, ada, p.Admin} {
		require.Equal(t, http.StatusNotFound, stranger.Call(t, http.MethodGet, "/api/ai/conversations/"+first, nil).Status)
	}
	require.Equal(t, http.StatusForbidden, robot.Call(t, http.MethodPost, "/api/ai/chat", map[string]any{
		"conversationId": first, "messageId": "m", "message": map[string]any{"text": "Hello"},
	}).Status, "the app's own chat is for people")

	t.Log("its calls are its own, by its own rights")
	_, _ = completes(t, other, "countersign", "script: "+createSystem)
	require.Equal(
		t,
		1,
		p.Count(
			t,
			`SELECT count(*) FROM ai_tool_calls WHERE principal_kind = 'application' AND principal_id = $1 AND status = 'refused' AND error_code = 'forbidden'`,
			other.ID,
		),
	)
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_proposals`))

	t.Log("a change is a card, whose words hold no token")
	said, _ = completes(t, robot, "countersign", "script: "+createSystem)
	require.Contains(t, said, "**Waiting for a decision:**")
	require.Contains(t, said, "a person who may decide about it")
	require.NotContains(t, said, "propose:")
	require.Equal(
		t,
		1,
		p.Count(
			t,
			`SELECT count(*) FROM ai_proposals WHERE principal_kind = 'application' AND principal_id = $1 AND NOT automatic AND status = 'proposed'`,
			robot.ID,
		),
	)
	require.Empty(t, names(t, p.Admin))
	require.Equal(
		t,
		p.Count(t, `SELECT count(*) FROM ai_turns`),
		p.Count(t, `SELECT count(*) FROM ai_turns WHERE permission_mode = 'approve'`),
	)
	require.Empty(t, inbox(t, ada), "who may not change systems sees no card")
	cards := inbox(t, p.Admin)
	require.Len(t, cards, 1)
	require.Contains(t, said, "/proposals?proposal="+cards[0].String())
	require.Equal(t, proposal.Applied, p.Admin.Apply(t, cards[0]).Status)
	require.Equal(t, []string{"Payments API"}, names(t, p.Admin))

	t.Log("where a second person is asked for, it is not whoever has made its token")
	setPolicy(t, p, "catalog.createSystem", map[string]any{"twoPerson": true})
	said, _ = completes(t, robot, "countersign", `script: tool=catalog.createSystem input={"name":"Ledger"}`)
	require.Contains(t, said, "another person has to review")
	card := proposalNamed(t, p, "Ledger")
	refused := p.Admin.Call(t, http.MethodPost, "/api/ai/proposals/apply", map[string]any{"token": p.Admin.Proposal(t, card).Token})
	require.GreaterOrEqual(t, refused.Status, http.StatusBadRequest, "%s", refused.Body)
	require.Equal(t, []string{"Payments API"}, names(t, p.Admin))

	t.Log("what it has is listed by its name, and can be deleted")
	var owners struct {
		People []struct {
			ID   uuid.UUID `json:"id"`
			Name string    `json:"name"`
		} `json:"people"`
	}
	raw := p.Admin.Get(t, "/api/ai/privacy/people", &owners)
	require.Contains(t, string(raw.Body), robot.ID.String())
	for _, owner := range owners.People {
		if owner.ID == robot.ID {
			require.True(t, strings.HasPrefix(owner.Name, "Application "), owner.Name)
		}
	}

	t.Log("it is gone with the next request once it is switched off")
	p.Admin.Patch(t, "/api/applications/"+robot.ID.String(), map[string]any{"disabled": true}, nil)
	require.Equal(t, http.StatusUnauthorized, robot.Call(t, http.MethodGet, "/v1/models", nil).Status)
}

// An application that has used up its budget is refused by it, whatever another one has left.
func TestAnApplicationChatsWithinItsOwnBudget(t *testing.T) {
	t.Parallel()
	env := apptest.NewProvider(t).Env()
	env["COUNTERSIGN_TOOL_BUDGET_CALLS"], env["COUNTERSIGN_TOOL_BUDGET_WINDOW"] = "1", "1h"
	p := apptest.Start(t, apptest.Options{Env: env})
	role := p.Role(t, "ai.chat.read")
	robot, other := p.Application(t, role), p.Application(t, role)
	for range 2 {
		_, _ = completes(t, robot, "countersign", `script: tool=ai.listDocs text="Done."`)
	}
	_, _ = completes(t, other, "countersign", `script: tool=ai.listDocs text="Done."`)
	counted := func(who uuid.UUID, status string) int {
		return p.Count(
			t,
			`SELECT count(*) FROM ai_tool_calls WHERE principal_kind = 'application' AND principal_id = $1 AND status = $2`,
			who,
			status,
		)
	}
	require.Equal(t, 1, counted(robot.ID, "executed"))
	require.Equal(t, 1, counted(robot.ID, "refused"))
	require.Equal(t, 1, counted(other.ID, "executed"))
}

func proposalNamed(t *testing.T, p *apptest.Product, name string) (id uuid.UUID) {
	t.Helper()
	p.Row(t, `SELECT id FROM ai_proposals WHERE payload->>'name' = $1`, []any{name}, &id)
	return id
}

// A program whose answers under way are as many as there may be is told to wait, and so is one that
// speaks where it is being answered and wants to stop nothing.
func TestProgramsAreToldToWaitForWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	env := provider.Env()
	env["COUNTERSIGN_MAX_RUNNING_TURNS"] = "1"
	p := apptest.Start(t, apptest.Options{Env: env})
	robot := p.Application(t, p.Role(t, "ai.chat.read"))
	_, chat := completes(t, robot, "countersign", `script: text="One."`)
	named := apptest.Header{Name: "Countersign-Conversation", Value: chat}
	body := map[string]any{"model": "countersign", "messages": []any{map[string]any{"role": "user", "content": "And two?"}}}
	pause := provider.Pause(apptest.Text("Two"))
	answered := make(chan int, 1)
	go func() {
		answer, _ := robot.Send(t.Context(), http.MethodPost, "/v1/chat/completions", body, named)
		answered <- answer.Status
	}()
	apptest.Eventually(t, "the answer is under way", func() bool {
		return p.Count(t, `SELECT count(*) FROM ai_turns WHERE status IN ('pending', 'running')`) == 1
	})
	refused := func(status int, kind string, headers ...apptest.Header) apptest.Answer {
		answer := robot.Call(t, http.MethodPost, "/v1/chat/completions", body, headers...)
		require.Equal(t, status, answer.Status, "%s", answer.Body)
		var said struct {
			Error struct{ Type, Message string }
		}
		answer.Decode(t, &said)
		require.Equal(t, kind, said.Error.Type, "%s", answer.Body)
		require.NotEmpty(t, said.Error.Message)
		return answer
	}
	require.NotEmpty(t, refused(http.StatusTooManyRequests, "rate_limit_error").Header.Get("Retry-After"))
	refused(http.StatusConflict, "invalid_request_error", named, apptest.Header{Name: "Countersign-While-Running", Value: "refuse"})
	pause.Resume()
	require.Equal(t, http.StatusOK, <-answered)
	require.Equal(t, 2, p.Count(t, `SELECT count(*) FROM ai_turns`))
}
