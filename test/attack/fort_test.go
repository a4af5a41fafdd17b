// Package attack tries to get around what people may do, over HTTP, chat and stream, as people of every role. Each
// attempt says what must not happen; whether it has happened is looked up in the database, in the log and in everything
// that came back.
//
// COUNTERSIGN_ATTACK=long (make attack) tries every operation as every person; otherwise a part of them.
package attack_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/app/apptest/declaredtest"
	"countersign/tool/proposal"
)

// long reports whether everything is tried.
func long() bool { return os.Getenv("COUNTERSIGN_ATTACK") == "long" }

// fort is an installation with people of every role, and with things that only some of them may reach.
type fort struct {
	*apptest.Product
	// people are clients by who they are: "anonymous", "user", "victim", the id of the one rule that a person holds, …
	people map[string]*apptest.Client
	// ids are what paths are made of: {system} is ids["system"].
	ids map[string]string
	// canaries are words that stand in one thing each, by what it is.
	canaries map[string]string
	tokens   map[string]string
	declared *declaredtest.Declarations
}

// World is a snapshot without what an attempt leaves behind by itself: what was refused, and when an application was used.
func (f *fort) World(t *testing.T) apptest.World {
	t.Helper()
	return f.Product.World(t, "auth_refusals", "applications.last_used_at")
}

// rules are all access rules of the product.
func (f *fort) rules(t *testing.T) []string {
	t.Helper()
	var list struct {
		Rules []struct {
			ID string `json:"id"`
		} `json:"rules"`
	}
	f.Admin.Get(t, "/api/access-rules", &list)
	require.NotEmpty(t, list.Rules)
	ids := make([]string, len(list.Rules))
	for i, r := range list.Rules {
		ids[i] = r.ID
	}
	return ids
}

// build makes the installation. env adds to its environment.
func build(t *testing.T, env map[string]string) *fort {
	t.Helper()
	f := &fort{
		Product: apptest.Start(t, apptest.Options{Env: env}),
		people:  map[string]*apptest.Client{}, ids: map[string]string{}, canaries: map[string]string{}, tokens: map[string]string{},
		declared: declaredtest.Load(t),
	}
	f.settle(t)
	f.furnish(t)
	f.confide(t)
	f.complete(t)
	return f
}

// complete makes the declared records that locks are about and the fort does not have.
func (f *fort) complete(t *testing.T) {
	t.Helper()
	scope := f.declared.NewScope(t, f.Product, declaredtest.Fixtures{"subscriber": declaredtest.Subscriber})
	for _, operation := range f.declared.Locked() {
		l := f.declared.Operations[operation].Lock
		for _, name := range declaredtest.Placeholders(l.Path + encode(l.Body)) {
			if _, is := f.ids[name]; !is {
				f.ids[name] = scope.ID(name)
			}
		}
	}
}

// settle makes the people.
func (f *fort) settle(t *testing.T) {
	t.Helper()
	f.people["admin"] = f.Admin
	f.people["anonymous"] = f.Anonymous()
	for _, who := range []string{"user", "victim", "editor", "gone", "spare"} {
		f.people[who] = f.Person(t)
		f.ids[who] = f.people[who].ID.String()
	}
	f.ids["spare address"] = f.people["spare"].Email
	f.people["second"] = f.Person(t, uuid.MustParse(f.Column(t, `SELECT id::text FROM roles WHERE '*' = ANY (rules)`)[0]))
	f.people["operator"] = f.Person(t, f.Role(t, "catalog.system.manage", "catalog.group.manage", "catalog.environment.manage"))
	f.people["countersigner"] = f.Person(t, f.Role(t, "catalog.system.manage", "catalog.group.manage", "ai.proposal.manage"))
	f.people["application"] = f.Application(
		t,
		f.Role(t, "catalog.system.manage", "catalog.group.manage", "catalog.environment.manage", "ai.chat.read"),
	)
	f.people["powerless application"] = f.Application(t)
	again := f.people["gone"].SignInAgain(t, f.Product)
	again.Delete(t, "/api/auth/sessions")
	f.ids["role"] = f.Role(t, "catalog.group.manage").String()
	f.ids["application"] = f.people["powerless application"].ID.String()
	if long() {
		for _, rule := range f.rules(t) {
			f.people[rule] = f.Person(t, f.Role(t, rule))
		}
		return
	}
	for _, rule := range []string{"auth.users.manage", "auth.teams.manage", "ai.proposal.manage", "vault.secret.read", "ai.connection.read"} {
		f.people[rule] = f.Person(t, f.Role(t, rule))
	}
}

// canary is a word that stands nowhere else.
func (f *fort) canary(of string) string {
	word := "canary" + strings.ReplaceAll(uuid.NewString(), "-", "")[:16]
	f.canaries[of] = word
	return word
}

// made makes a record as somebody and keeps its id.
func (f *fort) made(t *testing.T, as, name, path string, body any) string {
	t.Helper()
	var answer struct {
		ID string `json:"id"`
	}
	f.people[as].Post(t, path, body, &answer)
	require.NotEmpty(t, answer.ID, "%s %s", name, path)
	f.ids[name] = answer.ID
	return answer.ID
}

// furnish makes what the installation consists of.
func (f *fort) furnish(t *testing.T) {
	t.Helper()
	f.made(t, "admin", "team", "/api/teams", map[string]any{"name": "Reliability"})
	f.made(t, "admin", "other team", "/api/teams", map[string]any{"name": "Holders of grants"})
	f.made(
		t,
		"admin",
		"environment",
		"/api/catalog/environments",
		map[string]any{"name": "Production", "fields": map[string]any{"region": "eu"}},
	)
	f.made(t, "admin", "group", "/api/catalog/groups", map[string]any{"name": "Shop"})
	f.made(t, "admin", "system", "/api/catalog/systems", map[string]any{"name": "Payments API", "ownerTeamId": f.ids["team"]})
	f.made(t, "admin", "other system", "/api/catalog/systems", map[string]any{"name": "Orders API"})
	f.made(
		t,
		"admin",
		"contact",
		"/api/catalog/systems/"+f.ids["system"]+"/contacts",
		map[string]any{"type": "mailbox", "email": "payments@example.com", "label": "On call"},
	)
	f.made(
		t,
		"admin",
		"link",
		"/api/catalog/systems/"+f.ids["system"]+"/links",
		map[string]any{"label": "Runbook", "url": "https://example.com/runbook"},
	)
	f.Admin.Call(t, http.MethodPut, "/api/catalog/groups/"+f.ids["group"]+"/systems/"+f.ids["system"], nil)
	f.grant(t, "catalog.system", f.ids["other system"], false, "user", f.ids["editor"], "editor")

	f.made(t, "admin", "hidden system", "/api/catalog/systems", map[string]any{
		"name": "Hidden " + f.canary(
			"hidden system",
		),
		"description": f.canary("hidden description"),
		"metadata":    map[string]any{"k": f.canary("hidden metadata")},
	})
	f.made(
		t,
		"admin",
		"hidden link",
		"/api/catalog/systems/"+f.ids["hidden system"]+"/links",
		map[string]any{"label": f.canary("hidden link"), "url": "https://example.com/"},
	)
	f.made(t, "admin", "hidden group", "/api/catalog/groups", map[string]any{"name": "Hidden " + f.canary("hidden group")})
	f.Admin.Call(t, http.MethodPut, "/api/catalog/groups/"+f.ids["group"]+"/systems/"+f.ids["hidden system"], nil)
	f.grant(t, "catalog.group", f.ids["hidden group"], true, "user", f.ids["victim"], "owner")

	door := map[string]any{
		"name":            "Front",
		"strategyId":      "healthcheck-http.http",
		"config":          map[string]any{},
		"intervalSeconds": 3600,
		"collectors": []any{
			map[string]any{"collectorId": "healthcheck-http.request", "config": map[string]any{"url": "http://127.0.0.1:9/"}},
		},
		"assignToSystemId": f.ids["system"],
	}
	f.made(t, "admin", "check", "/api/healthcheck/checks", door)
	// The hidden check runs for a system that all see, and one that nobody else sees.
	door["name"], door["description"] = "Hidden "+f.canary("hidden check"), f.canary("hidden check description")
	f.made(t, "admin", "hidden check", "/api/healthcheck/checks", door)
	for _, check := range []string{"check", "hidden check"} {
		answer := f.Admin.Call(t, http.MethodPut, "/api/healthcheck/checks/"+f.ids[check]+"/systems/"+f.ids["hidden system"], map[string]any{})
		require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	}
	f.grant(t, "catalog.system", f.ids["hidden system"], true, "user", f.ids["victim"], "owner")
	f.grant(t, "healthcheck.healthcheck", f.ids["hidden check"], true, "user", f.ids["victim"], "owner")
	f.made(t, "admin", "job", "/api/healthcheck/checks", map[string]any{
		"name": "Job", "strategyId": "healthcheck-heartbeat.heartbeat", "config": map[string]any{}, "intervalSeconds": 3600,
		"collectors": []any{map[string]any{"collectorId": "healthcheck-heartbeat.beat"}}, "assignToSystemId": f.ids["system"],
	})
	f.Exec(t, `INSERT INTO event_consumers (name, seen) VALUES ('gone', 0)`)
	for _, name := range []string{"parked event", "other parked event"} {
		f.ids[name] = f.Column(t, `WITH e AS (INSERT INTO events (type, subject, payload) VALUES ('healthcheck.system_healthy', 'system:' || gen_random_uuid(), '{}') RETURNING *)
			INSERT INTO event_retries (consumer, event_id, lane, subject, attempts, error, due_at, dead_at)
			SELECT 'gone', id, event_lane(subject), subject, 10, 'No.', now(), now() FROM e RETURNING event_id::text`)[0]
	}
	for name, of := range map[string][2]string{"job target": {"job", "system"}, "target": {"check", "system"}, "hidden target": {"hidden check", "hidden system"}, "hidden place": {"check", "hidden system"}} {
		f.ids[name] = f.Column(t, `SELECT id::text FROM check_targets WHERE check_id = $1::uuid AND system_id = $2::uuid`, f.ids[of[0]], f.ids[of[1]])[0]
	}

	f.made(t, "admin", "agent", "/api/agents", map[string]any{"slug": "helper", "name": "Helper", "private": false})
	for _, draft := range []string{"draft", "spare draft"} {
		f.made(t, "admin", draft, "/api/agents/helper/revisions", map[string]any{})
	}
	f.made(
		t,
		"admin",
		"hidden agent",
		"/api/agents",
		map[string]any{"slug": "hidden", "name": f.canary("hidden agent"), "description": f.canary("hidden agent description")},
	)
	f.made(t, "admin", "hidden draft", "/api/agents/hidden/revisions", map[string]any{})
	answer := f.Admin.Call(t, http.MethodPut, "/api/agents/hidden/revisions/1/agent_md", map[string]any{"content": f.canary("hidden text")})
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	f.grant(t, "agent.agent", f.ids["hidden agent"], true, "user", f.ids["victim"], "owner")

	f.Admin.Post(t, "/api/secrets", map[string]any{"name": "DEPLOY_KEY", "value": f.canary("secret value")}, nil)
	f.made(t, "admin", "connection", "/api/ai/connections", map[string]any{
		"name": "Spare", "baseUrl": "http://127.0.0.1:9/v1", "defaultModel": "m", "apiKey": f.canary("api key"),
	})
	f.made(
		t,
		"admin",
		"mcp server",
		"/api/mcp/servers",
		map[string]any{"slug": "tickets", "name": "Tickets", "address": "https://9.9.9.9/mcp", "enabled": false},
	)
	f.made(t, "admin", "model check", "/api/ai/model-checks", map[string]any{"connectionId": f.ids["connection"]})
	f.Admin.Post(t, "/api/ai/model-checks/"+f.ids["model check"]+"/stop", nil, nil)
	f.made(
		t,
		"user",
		"skill",
		"/api/ai/skills",
		map[string]any{"name": "triage", "description": "How to triage", "systemPrompt": "Look first.", "targets": []string{"chat"}},
	)
}

func (f *fort) grant(t *testing.T, objectType, id string, private bool, subjectType, subject, relation string) {
	t.Helper()
	answer := f.Admin.Call(t, http.MethodPut, "/api/grants/"+objectType+"/"+id, map[string]any{
		"private": private, "grants": []any{map[string]any{"subjectType": subjectType, "subjectId": subject, "relation": relation}},
	})
	require.Less(t, answer.Status, 300, "%s", answer.Body)
}

// confide makes what is only the victim's.
func (f *fort) confide(t *testing.T) {
	t.Helper()
	victim := f.people["victim"]
	f.made(t, "victim", "conversation", "/api/ai/conversations", map[string]any{"title": f.canary("title")})
	chat := &apptest.Conversation{ID: uuid.MustParse(f.ids["conversation"])}
	turn := chat.As(victim).Perform(t, `text="`+f.canary("answer")+`"`)
	f.ids["turn"] = turn.Metadata.TurnID.String()
	said := victim.Call(
		t,
		http.MethodPut,
		"/api/ai/turns/"+f.ids["turn"]+"/feedback",
		map[string]any{"verdict": "down", "comment": f.canary("comment")},
	)
	require.Equal(t, http.StatusOK, said.Status, "%s", said.Body)
	f.made(
		t,
		"victim",
		"memory",
		"/api/ai/memories",
		map[string]any{"scope": "user", "recallHint": f.canary("hint"), "content": f.canary("memory")},
	)
	card := victim.Propose(
		t,
		"ai.saveMemory",
		map[string]any{"scope": "user", "recallHint": "Proposed " + f.canary("proposed hint"), "content": f.canary("proposed memory")},
	)
	f.ids["proposal"], f.tokens["proposal"] = card.ProposalID.String(), card.Token
	card = victim.Propose(
		t,
		"catalog.updateSystem",
		map[string]any{"id": f.ids["hidden system"], "description": f.canary("proposed description")},
	)
	f.ids["hidden proposal"], f.tokens["hidden proposal"] = card.ProposalID.String(), card.Token
	f.ids["session"] = f.sessionOf(t, victim)
	var made struct {
		ChatToken struct {
			ID uuid.UUID `json:"id"`
		} `json:"chatToken"`
	}
	victim.Post(t, "/api/auth/chat-tokens", map[string]any{"name": "Editor"}, &made)
	f.ids["chat token"] = made.ChatToken.ID.String()
}

// sessionOf is the id of a client's own session.
func (f *fort) sessionOf(t *testing.T, c *apptest.Client) string {
	t.Helper()
	ids := f.Column(t, `SELECT id::text FROM sessions WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1`, c.ID)
	require.Len(t, ids, 1)
	return ids[0]
}

// fill puts ids into a path: /api/teams/{team} and /api/users/{victim}.
func (f *fort) fill(text string) string {
	for name, id := range f.ids {
		text = strings.ReplaceAll(text, "{"+name+"}", id)
	}
	return text
}

// attempt is a request that somebody must not get through with.
type attempt struct {
	name         string
	by           string
	method, path string
	body         any
	headers      []apptest.Header
	// status are the answers that are right; every refusal of a client when there are none.
	status []int
	// sees are the canaries that whoever tries may see, by what they are.
	sees []string
}

// refuses makes the attempt and requires that it is refused in words, tells nothing and changes nothing.
func (f *fort) refuses(t *testing.T, a attempt) apptest.Answer {
	t.Helper()
	before := f.World(t)
	answer := f.try(t, a)
	f.unchanged(t, before, a.name)
	return answer
}

// try makes the attempt and requires that its answer is right.
func (f *fort) try(t *testing.T, a attempt) apptest.Answer {
	t.Helper()
	client, known := f.people[a.by]
	require.True(t, known, "nobody is called %s", a.by)
	what := fmt.Sprintf("%s: %s as %s", a.name, f.fill(a.path), a.by)
	answer := client.Call(t, a.method, f.fill(a.path), a.body, a.headers...)
	if len(a.status) > 0 {
		require.Contains(t, a.status, answer.Status, "%s: %s", what, answer.Body)
	} else {
		require.GreaterOrEqual(t, answer.Status, 400, "%s: %s", what, answer.Body)
		require.Less(t, answer.Status, 500, "%s: %s", what, answer.Body)
		if strings.HasPrefix(a.path, "/v1/") {
			require.Regexp(t, `^\{"error":\{"message":"[A-Z]`, string(answer.Body), what)
		} else {
			answer.Problem(t)
		}
	}
	f.silent(t, what, answer, a.sees...)
	return answer
}

// silent requires that an answer has no canary in it but those that may be seen.
func (f *fort) silent(t *testing.T, what string, answer apptest.Answer, sees ...string) {
	t.Helper()
	told := string(answer.Body) + fmt.Sprint(answer.Header)
	for of, canary := range f.canaries {
		if !slices.Contains(sees, of) {
			require.NotContains(t, told, canary, "%s tells the %s", what, of)
		}
	}
}

func (f *fort) unchanged(t *testing.T, before apptest.World, what string) {
	t.Helper()
	after := f.World(t)
	require.Empty(t, after.Minus(before), "%s: something has come or changed", what)
	require.Empty(t, before.Minus(after), "%s: something has gone or changed", what)
}

// sound requires that nothing went wrong inside while it was attacked, and that no secret is in the log.
func (f *fort) sound(t *testing.T) {
	t.Helper()
	log := f.Log.String()
	for line := range strings.Lines(log) {
		if strings.Contains(line, "Proposal was altered in the database") {
			continue // whatWasAlteredIsNotApplied has done that
		}
		require.NotContains(t, line, `"level":"ERROR"`)
		require.NotRegexp(t, `"status":5\d\d`, line)
	}
	for _, of := range []string{"secret value", "api key", "memory", "answer"} {
		require.NotContains(t, log, f.canaries[of], "the log tells the %s", of)
	}
}

// open are the statuses of a proposal by its name in ids.
func (f *fort) status(t *testing.T, name string) proposal.Status {
	t.Helper()
	return proposal.Status(f.Column(t, `SELECT status FROM ai_proposals WHERE id = $1::uuid`, f.ids[name])[0])
}
