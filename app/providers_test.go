package app_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/model/modeltest"
)

// allConversations names the variable that lets the journey have all of its conversations with every provider.
const allConversations = "COUNTERSIGN_TEST_ALL_CONVERSATIONS"

// atOnce are the requests that a first turn sends before anything is known: for the answer, and for the title beside it.
const atOnce = 2

// conversations are ten conversations of six turns. Each has tools, a card and a question; some have a model that writes
// what cannot be run, or that never comes to an end.
var conversations = [10][6]string{
	{"look", "card", "ask", "both", "decline", "talk"},
	{"ask", "look", "card", "rounds", "ask", "look"},
	{"card", "ask", "look", "look", "rounds", "card"},
	{"both", "decline", "ask", "card", "talk", "look"},
	{"rounds", "ask", "card", "ask", "look", "both"},
	{"unread", "card", "ask", "look", "unread", "talk"},
	{"ask", "endless", "card", "look", "both", "ask"},
	{"card", "card", "ask", "ask", "look", "rounds"},
	{"refused", "ask", "both", "card", "refused", "look"},
	{"said", "ask", "card", "unknown", "said", "decline"},
}

// scripts are what the model is told to do in a turn.
var scripts = map[string]string{
	"look":    `tool=ai.listDocs text="There are some."`,
	"both":    `tool=ai.searchDocs input={"query":"incident"} tool=ai.listDocs text="Two looks."`,
	"rounds":  `r1.tool=ai.listDocs r2.tool=ai.searchDocs r2.input={"query":"health check"} r3.tool=ai.listDocs text="Three looks."`,
	"said":    `r1.text="I look it up." r1.tool=ai.listDocs text="There are some."`,
	"ask":     `ask="Which one?" option="The first" option="The second"`,
	"card":    `tool=catalog.createSystem input={"name":"%s"}`,
	"decline": `tool=catalog.createSystem input={"name":"%s"}`,
	"refused": `tool=ai.getDoc input={"slug":"no-such-page"} text="There is none."`,
	"unread":  `tool=ai.searchDocs input={"query":"incident"} fault=malformed_args text="Once more."`,
	"unknown": `tool=ai.listDocs fault=unknown_tool text="Once more."`,
	"endless": `never_ends tool=ai.searchDocs input={"query":"round {round}"} text="That is all."`,
	"talk":    `text="You are welcome."`,
}

// TestNoProviderRefusesAConversation has conversations that change to another provider for two turns and come back, with
// providers that refuse what the real ones refuse. Two of the ten with each provider, unless it is told to have all.
func TestNoProviderRefusesAConversation(t *testing.T) { //nolint:tparallel // one group of conversations comes after the other
	t.Parallel()
	p := apptest.Start(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_TOOL_BUDGET_CALLS": "100000"}})
	providers := modeltest.All()
	servers, connections := make([]*modeltest.Server, len(providers)), make([]uuid.UUID, len(providers))
	for i, provider := range providers {
		servers[i], connections[i] = connectTo(t, p, provider)
	}
	_, elsewhere := connectTo(t, p, modeltest.Groq())

	// One conversation with each: what a refusal teaches is taught once.
	t.Run("lessons", func(t *testing.T) {
		for i, s := range servers {
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				converse(t, p, [6]string{"look", "card", "both", "ask", "look", "said"}, connections[i], elsewhere)
				lessons := map[string]int{}
				for _, refusal := range s.Refusals() {
					lessons[refusal.Rule]++
					require.LessOrEqual(t, lessons[refusal.Rule], atOnce, "%s refuses again: %s\n%.3000s", s.Name, refusal.Rule, refusal.Request)
				}
				t.Logf("%s has taught: %v", s.Name, slices.Sorted(maps.Keys(lessons)))
			})
		}
	})
	before := make([]int, len(servers))
	for i, s := range servers {
		before[i] = len(s.Refusals())
	}

	// It is known from then on, also to a process that is started later.
	p.Restart(t)
	for _, connection := range connections {
		p.Admin.Patch(t, "/api/ai/connections/"+connection.String(), map[string]any{"disableTopicalClassifier": false}, nil)
	}
	t.Run("conversations", func(t *testing.T) {
		for i, provider := range providers {
			for n, turns := range conversations {
				if os.Getenv(allConversations) == "" && n%5 != i%5 {
					continue
				}
				other := (i + n + 1) % len(providers)
				t.Run(fmt.Sprintf("%s, %d with %s", provider.Name, n, providers[other].Name), func(t *testing.T) {
					t.Parallel()
					converse(t, p, turns, connections[i], connections[other])
				})
			}
		}
	})
	for i, s := range servers {
		refusals := s.Refusals()
		for _, refusal := range refusals[before[i]:] {
			t.Errorf("%s refuses: %s\n%.3000s", s.Name, refusal.Rule, refusal.Request)
		}
		t.Logf("%s: %d requests", s.Name, len(s.Accepted())+len(refusals))
	}
}

// connectTo starts a provider and connects the product to it.
func connectTo(t *testing.T, p *apptest.Product, provider modeltest.Provider) (*modeltest.Server, uuid.UUID) {
	t.Helper()
	s := modeltest.Start(t, provider)
	var made struct {
		ID uuid.UUID `json:"id"`
	}
	p.Admin.Post(t, "/api/ai/connections", map[string]any{
		"name":                     provider.Name + " " + uuid.NewString()[:8],
		"baseUrl":                  s.BaseURL(),
		"apiKey":                   modeltest.Key,
		"defaultModel":             provider.Model,
		"contextWindowTokens":      200_000,
		"disableTopicalClassifier": true, // which would ask beside the first answer as well
	}, &made)
	return s, made.ID
}

// converse has a conversation that changes to another connection for two turns in the middle and comes back.
func converse(t *testing.T, p *apptest.Product, turns [6]string, connection, other uuid.UUID) {
	t.Helper()
	chat := p.Admin.Conversation(t, nil)
	for k, turn := range turns {
		if k == 2 || k == 3 {
			haveTurn(t, p, chat, other, turn)
			continue
		}
		haveTurn(t, p, chat, connection, turn)
	}
}

// haveTurn has one turn of a conversation, with the decision about its card.
func haveTurn(t *testing.T, p *apptest.Product, chat *apptest.Conversation, connection uuid.UUID, kind string) {
	t.Helper()
	script := scripts[kind]
	if strings.Contains(script, "%s") {
		script = fmt.Sprintf(script, "System "+uuid.NewString()[:8])
	}
	answer := chat.Send(t, apptest.Message{Text: apptest.Scripted(script).Text, Connection: connection}).Rest(t)
	require.Nil(t, answer.Metadata.Error, "%s: %+v", kind, answer.Metadata.Error)
	require.Equal(t, "done", answer.Metadata.Status, kind)
	switch kind {
	case "ask":
		require.Contains(t, encode(t, answer.Message), `"data-question"`)
		return
	case "card", "decline":
		card := answer.Card(t, "proposal")
		decision := "decline"
		if kind == "card" {
			decision = "apply"
			p.Admin.Apply(t, card.ProposalID)
		} else {
			p.Admin.Post(t, "/api/ai/proposals/"+card.ProposalID.String()+"/decline", nil, nil)
		}
		decided := chat.Decide(t, card.ProposalID, decision)
		require.Nil(t, decided.Metadata.Error, "%s: %+v", kind, decided.Metadata.Error)
		require.NotEmpty(t, decided.Text())
		return
	case "talk":
	default:
		require.NotEmpty(t, answer.ToolCalls(), kind)
	}
	require.NotEmpty(t, answer.Text(), kind)
}
