package share_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/audit"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/modules/share"
	"countersign/tool"
	"countersign/tool/kit"
)

// The catalog, whose records are restricted, is no part of these tests.
var (
	auditedSystem = audit.Declare(audit.Type{ID: "catalog.system", Label: "System", Restricted: true})
	auditedGroup  = audit.Declare(audit.Type{ID: "catalog.group", Label: "Group", Restricted: true})
)

type object = map[string]any

// none has neither tools nor proposals.
type none struct{}

func (none) Fixed(string) (tool.Tool, bool) { return tool.Tool{}, false }
func (none) Visible(context.Context, principal.Principal, []uuid.UUID) (map[uuid.UUID]bool, error) {
	return nil, nil
}

type office struct {
	*apitest.Server
	module *share.Module
}

func newOffice(t *testing.T, kinds ...audit.Kind) *office {
	t.Helper()
	return newOfficeWith(t, none{}, kinds...)
}

func newOfficeWith(t *testing.T, tools share.Tools, kinds ...audit.Kind) *office {
	t.Helper()
	o := &office{Server: apitest.New(t)}
	o.module = share.New(share.Options{
		DB: o.DB, Tools: tools, Proposals: none{}, Kinds: func() []audit.Kind { return kinds }, Rules: func() []principal.Rule { return nil },
	})
	o.Mount(t, o.module)
	return o
}

// joins signs somebody in who has an account.
func (o *office) joins(t *testing.T, name string) principal.Principal {
	t.Helper()
	p := o.Person(name, share.ChatRead)
	o.Exec(t, `INSERT INTO users (id, email, name, password_hash) VALUES ($1, $2, $3, 'x')`, p.ID, name+"@example.com", name)
	return p
}

// begins makes a conversation with a message of each.
func (o *office) begins(t *testing.T, owner principal.Principal) uuid.UUID {
	t.Helper()
	id := uuid.New()
	o.Exec(t, `INSERT INTO ai_conversations (id, owner_id, title) VALUES ($1, $2, 'A chat')`, id, owner.ID)
	o.Exec(
		t,
		`INSERT INTO ai_messages (conversation_id, id, turn_id, role, content, parts, metadata) VALUES ($1, 'q', gen_random_uuid(), 'user', 'Hi', '[{"type":"text","text":"Hi"}]', '{}')`,
		id,
	)
	o.Exec(
		t,
		`INSERT INTO ai_messages (conversation_id, id, turn_id, role, content, parts, metadata, model_messages) VALUES ($1, 'a', gen_random_uuid(), 'assistant', 'Hello',
		'[{"type":"step-start"},{"type":"reasoning","text":"A thought"},{"type":"text","text":"Hello"},{"type":"data-unheard","data":{"x":"A thing"}}]', '{}', '[{"role":"assistant","content":"Hello"}]')`,
		id,
	)
	return id
}

func shares(id uuid.UUID) string { return "/api/ai/conversations/" + id.String() + "/shares" }

type answer struct {
	share.Reader
	Shared  bool `json:"shared"`
	Removed bool `json:"removed"`
}

func TestSharesConform(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	apitest.Conform(t, apitest.Subject{
		Server: o.Server, Module: o.module, Foreign: []string{share.ChatRead},
		Unpaged: map[string]string{
			"/api/ai/conversations/{id}/shares": "20 at most", "/api/ai/shared/{id}": "a conversation, of which 1,000 messages are shown at most",
		},
		Unrevised: map[string]string{"unshare-conversation": "a share never changes"},
	})
}

func TestAChatIsSharedOnceAndTakenBackOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ada, bob := o.joins(t, "ada"), o.joins(t, "bob")
	id := o.begins(t, ada)
	post := func() answer {
		return apitest.Decode[answer](t, o.Do(t, "ada", http.MethodPost, shares(id), object{"email": " BOB@example.com"}))
	}
	require.True(t, post().Shared)
	again := post()
	require.False(t, again.Shared)
	require.Equal(t, bob.ID, again.ID)

	read := "/api/ai/shared/" + id.String()
	raw := o.Do(t, "bob", http.MethodGet, read, nil)
	seen := apitest.Decode[share.Transcript](t, raw)
	require.Equal(t, []share.Piece{{Kind: "text", Text: "Hello"}}, seen.Messages[1].Pieces)
	for _, word := range []string{"A thought", "A thing"} {
		require.NotContains(t, raw.Body, word)
	}
	o.Exec(
		t,
		`UPDATE ai_messages SET parts = '[{"type":"dynamic-tool","toolName":"some.tool","input":{}},{"type":"text","text":"Hello"}]' WHERE id = 'a'`,
	)
	seen = apitest.Decode[share.Transcript](t, o.Do(t, "bob", http.MethodGet, read, nil))
	require.Len(t, seen.Messages, 1, "the question, and no answer of a tool that nobody knows")
	require.Equal(t, &share.Withheld{Reason: "rights", Messages: 1}, seen.Withheld)

	remove := func() bool {
		return apitest.Decode[answer](t, o.Do(t, "ada", http.MethodDelete, shares(id)+"/"+bob.ID.String(), nil)).Removed
	}
	require.True(t, remove())
	require.False(t, remove())
	o.Do(t, "bob", http.MethodGet, read, nil).Refused(t, problem.NotFound)
	require.Equal(
		t,
		2,
		o.Count(t, `SELECT count(*) FROM ai_audit_entries WHERE object_id = $1 AND subject_id = $2`, id.String(), bob.ID.String()),
		"each change, and no repeat",
	)
}

// own are the product's tools: the search for tools alone.
type own struct{ search tool.Tool }

func (o own) Fixed(name string) (tool.Tool, bool) {
	return o.search, name == o.search.Name || name == o.search.WireName()
}

// What a search for tools has found of those that others have made is for those who may use them, as the names and descriptions are.
func TestAnswersAfterASearchThatFoundToolsOfOthersAreWithheld(t *testing.T) {
	t.Parallel()
	search := kit.NewRead(
		tool.Definition{Name: "tools.search", Description: "Finds tools.", Effect: tool.Read, Result: tool.Result{Trusted: true}},
		func(context.Context, tool.Caller, struct{}) (struct{}, error) { return struct{}{}, nil },
	)
	o := newOfficeWith(t, own{search})
	ada := o.joins(t, "ada")
	o.joins(t, "bob")
	id := o.begins(t, ada)
	o.Do(t, "ada", http.MethodPost, shares(id), object{"email": "bob@example.com"})
	for output, shown := range map[string]bool{
		`{"tools":[{"name":"tools_search","does":"Finds tools."}],"note":"x"}`: true,
		`{"tools":[],"note":"x"}`: true,
		`{"tools":[{"name":"tools_search","does":"x"},{"name":"mcp_payroll_pay","does":"Pays."}],"note":"x"}`: false,
		`"cut off"`: false,
	} {
		o.Exec(t, `UPDATE ai_messages SET parts = jsonb_build_array(
			jsonb_build_object('type', 'dynamic-tool', 'toolName', 'tools.search', 'toolCallId', '1', 'state',
				'output-available', 'input', '{}'::jsonb, 'output', $1::jsonb),
			'{"type":"text","text":"Hello"}'::jsonb) WHERE id = 'a'`, output)
		seen := apitest.Decode[share.Transcript](t, o.Do(t, "bob", http.MethodGet, "/api/ai/shared/"+id.String(), nil))
		require.Equal(t, shown, len(seen.Messages) == 2, output)
	}
}

func TestSharesAreBoundedAndForPeople(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ada := o.joins(t, "ada")
	id := o.begins(t, ada)
	for n := range share.MaxPeople {
		o.Exec(
			t,
			`INSERT INTO users (id, email, name, password_hash) VALUES (gen_random_uuid(), $1, 'P', 'x')`,
			fmt.Sprintf("p%d@example.com", n),
		)
		require.True(
			t,
			apitest.Decode[answer](t, o.Do(t, "ada", http.MethodPost, shares(id), object{"email": fmt.Sprintf("p%d@example.com", n)})).Shared,
		)
	}
	o.joins(t, "bob")
	o.Do(t, "ada", http.MethodPost, shares(id), object{"email": "bob@example.com"}).Refused(t, problem.Conflict)
	o.Do(t, "bob", http.MethodGet, "/api/ai/shared/"+id.String(), nil).Refused(t, problem.NotFound)
	o.Do(t, "bob", http.MethodPost, shares(id), object{"email": "bob@example.com"}).Refused(t, problem.NotFound)
	for _, email := range []string{"", "ada@example.com", "who@example.com", "%@example.com"} {
		o.Do(t, "ada", http.MethodPost, shares(id), object{"email": email}).Refused(t, problem.Invalid)
	}

	program, inTurn, application := ada, ada, ada
	program.Client = &principal.Client{ID: "c", Scopes: []string{principal.ScopeRead, principal.ScopeWrite}}
	inTurn.TurnID = uuid.New()
	application.Kind = principal.Application
	for name, p := range map[string]principal.Principal{"program": program, "turn": inTurn, "application": application} {
		o.SignIn(name, p)
		for _, path := range []string{shares(id), "/api/ai/shared", "/api/ai/shared/" + id.String()} {
			o.Do(t, name, http.MethodGet, path, nil).Refused(t, problem.Forbidden)
		}
		o.Do(t, name, http.MethodPost, shares(id), object{"email": "bob@example.com"}).Refused(t, problem.Forbidden)
		o.Do(t, name, http.MethodDelete, shares(id)+"/"+ada.ID.String(), nil).Refused(t, problem.Forbidden)
	}
}

// Each refusal tells that an address is that of nobody, so tries count whatever key they come with.
func TestAddressesAreNotTriedWithoutEnd(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	id := o.begins(t, o.joins(t, "ada"))
	try := func() apitest.Answer {
		return o.Do(t, "ada", http.MethodPost, shares(id), object{"email": "who@example.com"}, "Idempotency-Key", uuid.NewString())
	}
	for range 30 {
		try().Refused(t, problem.Invalid)
	}
	try().Refused(t, problem.Throttled)
}

// A group can have been put together with more systems than a reader's sight is asked of. Then it is asked of none.
func TestAGroupOfVeryManyIsWithheldAtOnce(t *testing.T) {
	t.Parallel()
	asked := 0
	see := func(context.Context, string) error { asked++; return nil }
	o := newOffice(t, audit.Kind{Type: auditedSystem, See: see}, audit.Kind{Type: auditedGroup, See: see})
	ada, bob := o.joins(t, "ada"), o.joins(t, "bob")
	id, group := o.begins(t, ada), uuid.New()
	o.Do(t, "ada", http.MethodPost, shares(id), object{"email": "bob@example.com"})
	require.NoError(t, o.DB.InTx(principal.NewContext(t.Context(), bob), func(ctx context.Context) error {
		for range 501 {
			if err := audit.Record(ctx, o.DB, audit.Event{
				Action:  audit.Added,
				Object:  audit.Object("catalog.system", uuid.New(), ""),
				Subject: audit.Object("catalog.group", group, ""),
				Summary: "Put into a group",
				Actor:   ada,
			}); err != nil {
				return err
			}
		}
		return nil
	}))
	o.Exec(
		t,
		`UPDATE ai_messages SET parts = jsonb_build_array(jsonb_build_object('type', 'data-group', 'data', jsonb_build_object('id', $1::text))) WHERE id = 'a'`,
		group.String(),
	)
	seen := apitest.Decode[share.Transcript](t, o.Do(t, "bob", http.MethodGet, "/api/ai/shared/"+id.String(), nil))
	require.Equal(t, &share.Withheld{Reason: "rights", Messages: 1}, seen.Withheld)
	require.Zero(t, asked)
}
