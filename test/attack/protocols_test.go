package attack_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/tool"
)

// inChatsOnly are tools that make sense in a conversation alone.
var inChatsOnly = []string{"ai_askOperator", "tools_search"}

// overMCP lists the tools of whoever holds the token, page by page.
func overMCP(t *testing.T, p *apptest.Product, token string) (names []string) {
	t.Helper()
	cursor := ""
	for {
		answer := asProgram(t, p, token, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":`+encode(cursor)+`}}`)
		require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
		body := answer.Body
		if _, framed, ok := bytes.Cut(body, []byte("data: ")); ok {
			body, _, _ = bytes.Cut(framed, []byte("\n"))
		}
		var page struct {
			Result struct {
				Tools      []struct{ Name string } `json:"tools"`
				NextCursor string                  `json:"nextCursor"`
			} `json:"result"`
		}
		require.NoError(t, json.Unmarshal(body, &page), "%s", body)
		for _, one := range page.Result.Tools {
			names = append(names, one.Name)
		}
		if cursor = page.Result.NextCursor; cursor == "" {
			return names
		}
	}
}

// Whoever somebody is, and whichever protocol their program speaks: what can be called is the same, and a program that
// may read is offered what reads of it.
func TestEveryProtocolOffersAPersonTheSame(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	f := build(t, provider.Env())
	people := map[string]*apptest.Client{}
	for _, who := range []string{"admin", "user", "victim", "editor", "operator", "countersigner"} {
		people[who] = f.people[who]
	}
	for i, rule := range f.rules(t) {
		if long() || i%6 == 0 {
			people["only "+rule] = f.Person(t, f.Role(t, rule))
		}
	}
	program := registers(t, f.Product)
	inTheChat := func(send func()) (names []string) {
		before := len(provider.Requests())
		send()
		requests := provider.Requests()
		require.Greater(t, len(requests), before)
		for _, one := range requests[len(requests)-1].Tools {
			names = append(names, one.Function.Name)
		}
		return names
	}
	for who, person := range people {
		var list struct {
			Tools []struct {
				Name   string      `json:"name"`
				Effect tool.Effect `json:"effect"`
			} `json:"tools"`
		}
		person.Get(t, "/api/ai/tools", &list)
		every, reads := []string{"proposal_wait"}, []string{"proposal_wait"}
		for _, one := range list.Tools {
			name := tool.WireNameOf(one.Name)
			every = append(every, name)
			// A script without a network only computes.
			if one.Effect == tool.Read || strings.HasSuffix(one.Name, ".testScript") {
				reads = append(reads, name)
			}
		}
		require.ElementsMatch(t, every, overMCP(t, f.Product, program.lets(t, f.Product, person, "countersign:write").access), "%s over MCP", who)
		require.ElementsMatch(
			t,
			reads,
			overMCP(t, f.Product, program.lets(t, f.Product, person, "countersign:read").access),
			"%s over MCP, to read",
			who,
		)
		chat := person.Conversation(t, nil)
		offered := map[string][]string{
			"in a chat": inTheChat(func() { chat.Perform(t, `text="Hello."`) }),
			"at /v1": inTheChat(func() {
				f.Bearer(person.ID, chatToken(t, person)).Post(t, "/v1/chat/completions", map[string]any{
					"model": "countersign", "messages": []any{map[string]any{"role": "user", "content": `script: text="Hello."`}},
				}, nil)
			}),
			"in an agents' page": inTheChat(func() {
				person.Post(t, "/api/ai/agui", map[string]any{
					"threadId": "t", "runId": "r", "messages": []any{map[string]any{"id": "m", "role": "user", "content": `script: text="Hello."`}},
				}, nil)
			}),
		}
		for where, names := range offered {
			more := slices.DeleteFunc(
				slices.Clone(names),
				func(name string) bool { return slices.Contains(every, name) || slices.Contains(inChatsOnly, name) },
			)
			require.Empty(t, more, "%s %s", who, where)
			if slices.Contains(names, "tools_search") {
				continue // the others are found
			}
			missing := slices.DeleteFunc(
				slices.Clone(every),
				func(name string) bool { return slices.Contains(names, name) || strings.HasPrefix(name, "proposal_") },
			)
			require.Empty(t, missing, "%s %s", who, where)
		}
	}
}
