package app_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/app/apptest"
	"countersign/app/module"
	"countersign/auth"
	"countersign/chat/headless"
	"countersign/chat/turn"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/model/demo"
	"countersign/modules/inspector"
	"countersign/tool/disposition"
	"countersign/tool/proposal"
	"countersign/workflows"
)

// running is a product whose parts that execute definitions are the test.
type running struct {
	*apptest.Product

	services module.Services
}

// Rules implements module.Rules: r is a module that opens runs.
func (*running) Rules() []principal.Rule { return nil }

// startRunning starts a product in which the test opens runs.
func startRunning(t *testing.T, o apptest.Options) *running {
	t.Helper()
	r := &running{}
	o.Modules = append(o.Modules, func(s module.Services) any {
		r.services = s
		return r
	})
	r.Product = apptest.Start(t, o)
	return r
}

// run is an open run of an application.
type run struct {
	*running

	id          uuid.UUID
	application *apptest.Client
	definition  principal.Definition
	author      uuid.UUID
}

// open opens a run of an application with these rules.
func (r *running) open(t *testing.T, policy disposition.RunPolicy, tokenCap int64, rules ...string) run {
	t.Helper()
	return r.openAs(t, r.Application(t, r.Role(t, rules...)), policy, tokenCap)
}

func (r *running) openAs(t *testing.T, application *apptest.Client, policy disposition.RunPolicy, tokenCap int64) run {
	t.Helper()
	one := run{
		running: r, id: uuid.New(), application: application,
		definition: principal.Definition{Kind: "test", ID: uuid.New(), Revision: 3},
		author:     uuid.New(),
	}
	opened, err := r.services.Runs.Open(t.Context(), auth.NewRun{
		ID: one.id, Application: application.ID, Definition: one.definition, Author: one.author, Policy: policy, TokenCap: tokenCap,
	})
	require.NoError(t, err)
	require.True(t, opened)
	return one
}

// turnOfRun is what became of a turn of a run.
type turnOfRun struct {
	id, conversation uuid.UUID
	status, code     string
	text             string
}

// begin starts a turn, with directives for the scripted model.
func (r run) begin(t *testing.T, directives string, taints ...disposition.Taint) turn.Turn {
	t.Helper()
	m := apptest.Scripted(directives)
	begun, created, err := r.services.Headless.Start(t.Context(), headless.Request{
		Run: r.id, Key: uuid.NewString(), Text: m.Text, Model: demo.Scripted, Taints: taints,
	})
	require.NoError(t, err)
	require.True(t, created)
	return begun
}

// ended waits for the end of a turn.
func (r run) ended(t *testing.T, begun turn.Turn) turnOfRun {
	t.Helper()
	done := turnOfRun{id: begun.ID, conversation: begun.ConversationID}
	apptest.Eventually(t, "the turn has ended", func() bool {
		r.Row(t, `SELECT status, coalesce(error_code, '') FROM ai_turns WHERE id = $1`, []any{begun.ID}, &done.status, &done.code)
		return turn.Status(done.status).Final()
	})
	r.Row(t, `SELECT content FROM ai_messages WHERE turn_id = $1 AND role = 'assistant'`, []any{begun.ID}, &done.text)
	return done
}

func (r run) perform(t *testing.T, directives string, taints ...disposition.Taint) turnOfRun {
	t.Helper()
	return r.ended(t, r.begin(t, directives, taints...))
}

// call is the audit row of a turn's only tool call: its status, error and transport.
func (r run) call(t *testing.T, id uuid.UUID) (id2 uuid.UUID, line string) {
	t.Helper()
	r.Row(t, `SELECT id, concat_ws(' ', status, error_code, transport, principal_kind) FROM ai_tool_calls WHERE turn_id = $1`,
		[]any{id}, &id2, &line)
	return id2, line
}

const systemRead, systemManage, chatRead = "catalog.system.read", "catalog.system.manage", "ai.chat.read"

// A turn without a person reads and answers as the application, on the workflow of chats.
func TestAHeadlessTurnReadsAsTheApplication(t *testing.T) {
	t.Parallel()
	p := startRunning(t, apptest.Options{})
	p.Admin.Post(t, "/api/catalog/systems", map[string]any{"name": "Payments"}, nil)
	r := p.open(t, disposition.RunPolicy{}, 0, systemRead)
	begun := r.begin(t, `tool=catalog.listSystems rounds=1 text="Looked."`)
	done := r.ended(t, begun)
	require.Equal(t, "done", done.status, done)
	require.Contains(t, done.text, "Looked.")
	_, line := r.call(t, done.id)
	require.Equal(t, "executed automation application", line)
	require.Contains(t, p.Column(t, `SELECT result::text FROM turn_steps WHERE turn_id = $1 AND call = 1`, done.id)[0], "Payments")
	p.AwaitWorkflow(t, workflows.TurnID(done.id))
	apptest.Eventually(t, "its only run is listed", func() bool {
		return slices.Equal(p.Runs(t, workflows.TurnID(done.id)), []string{"Completed"})
	})

	// A repeat with the same key finds the turn; another text under it is refused.
	request := headless.Request{Run: r.id, Key: "step", Text: "script: text=Once.", Model: demo.Scripted}
	first, created, err := p.services.Headless.Start(t.Context(), request)
	require.NoError(t, err)
	require.True(t, created)
	again, created, err := p.services.Headless.Start(t.Context(), request)
	require.NoError(t, err)
	require.False(t, created)
	require.Equal(t, first.ID, again.ID)
	request.Text = "script: text=Another."
	_, _, err = p.services.Headless.Start(t.Context(), request)
	require.True(t, problem.Is(err, problem.KeyReused), "%v", err)
	r.ended(t, first)

	// Rights are those of now.
	p.Exec(t, `UPDATE roles SET rules = '{}' WHERE id IN (SELECT role_id FROM application_roles WHERE application_id = $1)`, r.application.ID)
	done = r.perform(t, `tool=catalog.listSystems rounds=1 text="Tried."`)
	require.Equal(t, "done", done.status)
	require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE turn_id = $1`, done.id), "it is not offered any more")
}

// Nothing is changed beyond the policy: proposals go to people, named tools are applied, nothing is ever removed.
func TestChangesOfARunFollowItsPolicy(t *testing.T) {
	t.Parallel()
	p := startRunning(t, apptest.Options{})
	create := `tool=catalog.createSystem input={"name":"Made"} rounds=1 text=Done.`

	// The zero policy: not offered, and refused when called all the same.
	reads := p.open(t, disposition.RunPolicy{}, 0, systemRead, systemManage)
	done := reads.perform(t, create)
	_, line := reads.call(t, done.id)
	require.Equal(t, "refused forbidden automation application", line)

	proposes := p.open(t, disposition.RunPolicy{Propose: true}, 0, systemRead, systemManage, chatRead)
	done = proposes.perform(t, create)
	require.Equal(t, "done", done.status)
	id, line := proposes.call(t, done.id)
	require.Equal(t, "proposed automation application", line)
	require.Empty(t, names(t, p.Admin))

	// The application itself does not see its run's proposal, and cannot decide; neither can another application.
	robot := proposes.application
	robot.Refused(t, problem.NotFound, http.MethodGet, "/api/ai/proposals/"+id.String(), nil)
	require.Empty(t, listed(t, robot))
	manager := p.Application(t, p.Role(t, systemRead, systemManage, chatRead, proposal.ManageRule))
	card := manager.Proposal(t, id)
	require.Empty(t, card.Token)
	require.Contains(t, card.Blocked, "a person decides")
	manager.Refused(t, problem.Forbidden, http.MethodPost, "/api/ai/proposals/"+id.String()+"/decline", map[string]any{})

	// A person decides, with their own rights, and no turn acknowledges it.
	card = p.Admin.Apply(t, id)
	require.Equal(t, proposal.Applied, card.Status, card.Error)
	require.Equal(t, []string{"Made"}, names(t, p.Admin))
	p.AwaitWorkflow(t, workflows.ProposalID(id))
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM ai_turns WHERE conversation_id = $1`, done.conversation))
	require.Equal(t, []string{"automation"}, p.Column(t,
		`SELECT transport FROM ai_audit_entries WHERE proposal_id = $1 AND object_type = 'catalog.system'`, id))
	require.Equal(t, []string{proposes.id.String()}, p.Column(t, `SELECT DISTINCT cause ->> 'run' FROM events WHERE type LIKE 'ai.%'`))

	applies := p.open(t, disposition.RunPolicy{Apply: []string{"catalog.createSystem"}}, 0, systemRead, systemManage)
	done = applies.perform(t, `tool=catalog.createSystem input={"name":"Applied"} rounds=1 text=Done.`)
	require.Equal(t, "done", done.status, done)
	_, line = applies.call(t, done.id)
	require.Equal(t, "applied automation application", line)
	require.ElementsMatch(t, []string{"Made", "Applied"}, names(t, p.Admin))
	require.Equal(t, []string{"automation " + applies.id.String()}, p.Column(t,
		`SELECT transport || ' ' || session_id FROM ai_audit_entries WHERE turn_id = $1 AND object_type = 'catalog.system'`, done.id))

	// A tool that is not named is not applied, and none that removes something is offered, whatever is named.
	var system struct {
		Systems []struct{ ID uuid.UUID } `json:"systems"`
	}
	p.Admin.Get(t, "/api/catalog/systems", &system)
	deletes := p.open(t, disposition.RunPolicy{Propose: true, Apply: []string{"catalog.deleteSystem"}}, 0, systemRead, systemManage)
	done = deletes.perform(t, `tool=catalog.deleteSystem input={"id":"`+system.Systems[0].ID.String()+`"} rounds=1 text=Done.`)
	_, line = deletes.call(t, done.id)
	require.Equal(t, "refused forbidden automation application", line)
	require.Len(t, names(t, p.Admin), 2)
}

// listed are the proposals in the list of a client.
func listed(t *testing.T, c *apptest.Client) []proposal.Card {
	t.Helper()
	var list struct {
		Proposals []proposal.Card `json:"proposals"`
	}
	c.Get(t, "/api/ai/proposals", &list)
	return list.Proposals
}

// Content that one run has read turns its own changes into proposals, in all of its turns, and those of no other run.
func TestTaintIsThatOfTheRun(t *testing.T) {
	t.Parallel()
	p := startRunning(t, apptest.Options{Env: map[string]string{"COUNTERSIGN_EGRESS_ALLOW": "127.0.0.0/8"}})
	policy := disposition.RunPolicy{Apply: []string{"catalog.createSystem"}}
	tainted := p.open(t, policy, 0, systemRead, systemManage, chatRead)
	clean := p.openAs(t, tainted.application, policy, 0)
	probed := tainted.perform(t, `tool=ai.probeUrl input={"url":"`+page(t, hostilePage)+`"} rounds=1 text=Read.`)
	_, line := tainted.call(t, probed.id)
	require.Equal(t, "executed automation application", line)

	done := tainted.perform(t, `tool=catalog.createSystem input={"name":"Asked"} rounds=1 text=Done.`)
	require.NotEqual(t, probed.conversation, done.conversation)
	id, line := tainted.call(t, done.id)
	require.Equal(t, "proposed automation application", line)
	require.Contains(t, p.Admin.Proposal(t, id).WhyConfirm, "content from outside")

	done = clean.perform(t, `tool=catalog.createSystem input={"name":"Clean"} rounds=1 text=Done.`)
	_, line = clean.call(t, done.id)
	require.Equal(t, "applied automation application", line)
	require.Equal(t, []string{"Clean"}, names(t, p.Admin))

	// Content in the request of a step taints the run as well.
	told := p.openAs(t, tainted.application, policy, 0)
	done = told.perform(t, `tool=catalog.createSystem input={"name":"Told"} rounds=1 text=Done.`,
		disposition.Taint{Kind: disposition.ToolTaint, Source: "payload of a webhook"})
	_, line = told.call(t, done.id)
	require.Equal(t, "proposed automation application", line)
}

// The cap of a run bounds its calls together, beside those of other runs of its application.
func TestTheTokensOfARunAreCapped(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := startRunning(t, apptest.Options{Env: provider.Env()})
	r := p.open(t, disposition.RunPolicy{}, 60_000, systemRead)
	other := p.openAs(t, r.application, disposition.RunPolicy{}, 60_000)
	provider.Answer(apptest.EventsUsing(59_000, 10, apptest.Text("That was a lot.")))
	require.Equal(t, "done", r.perform(t, "text=unreachable").status)
	require.Equal(t, []string{"59010"}, p.Column(t, `SELECT sum(tokens)::text FROM ai_spend WHERE run_id = $1`, r.id))

	done := r.perform(t, "text=unreachable")
	require.Equal(t, "failed", done.status)
	require.Equal(t, string(problem.Spend), done.code)
	require.Contains(t, done.text, "59010 of its 60000 tokens")
	require.Len(t, provider.Requests(), 1)
	require.Equal(t, "done", other.perform(t, "text=Fine.").status, "the cap is each run's own")
	require.Equal(t, []string{"application t"}, p.Column(t,
		`SELECT DISTINCT concat_ws(' ', principal_kind, unattended) FROM ai_spend WHERE principal_id = $1`, r.application.ID))
}

// A run whose cap leaves no room for a reply to thoughts reads that the cap is the cause.
func TestARunThatStarvesAnAnswerIsNamed(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := startRunning(t, apptest.Options{Env: provider.Env()})
	application := p.Application(t, p.Role(t, systemRead))
	thoughts := `{"reasoning_content":"` + strings.Repeat("hm ", 200) + `"}`

	roomy := p.openAs(t, application, disposition.RunPolicy{}, 10_000_000)
	provider.Answer(apptest.Events("stop", thoughts, apptest.Text("Fine.")))
	require.Equal(t, "done", roomy.perform(t, "text=unreachable").status)
	var needed int64
	p.Row(t, `SELECT reserved FROM ai_spend WHERE run_id = $1`, []any{roomy.id}, &needed)

	// With room for a part of the thoughts, no request is made twice.
	tight := p.openAs(t, application, disposition.RunPolicy{}, needed-4_000)
	provider.Answer(apptest.Events("length", thoughts))
	failed := tight.perform(t, "text=unreachable")
	require.Equal(t, string(problem.ModelFailed), failed.code)
	require.Contains(t, failed.text, "The token budget of the run has no room for a longer reply")
	require.NotContains(t, failed.text, "spend cap of the connection")
	require.Len(t, provider.Requests(), 2)

	// With room for all of them and no more, a longer reply is refused.
	exact := p.openAs(t, application, disposition.RunPolicy{}, needed+1_000)
	provider.Answer(apptest.Events("length", thoughts))
	failed = exact.perform(t, "text=unreachable")
	require.Equal(t, string(problem.Spend), failed.code)
	require.Contains(t, failed.text, "thought until the end of its reply")
	require.Contains(t, failed.text, "This run has used")
	require.Len(t, provider.Requests(), 3)
}

// A run whose application, revision or self is revoked does nothing from then on, in the middle of a turn too.
func TestARevokedRunStopsInMidTurn(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := startRunning(t, apptest.Options{Env: provider.Env()})
	for what, revoke := range map[string]func(r run) error{
		"the run is ended": func(r run) error {
			_, err := p.services.Runs.End(t.Context(), r.id)
			return err
		},
		"the revision is revoked": func(r run) error {
			_, err := p.services.Runs.RevokeRevision(t.Context(), r.definition.ID, r.definition.Revision)
			return err
		},
		"the application is disabled": func(r run) error {
			_, err := p.DB.Conn(t.Context()).Exec(t.Context(),
				`UPDATE applications SET disabled = true WHERE id = $1`, r.application.ID)
			return err
		},
		"the application is deleted": func(r run) error {
			_, err := p.DB.Conn(t.Context()).Exec(t.Context(), `DELETE FROM applications WHERE id = $1`, r.application.ID)
			return err
		},
	} {
		r := p.open(t, disposition.RunPolicy{Apply: []string{"catalog.createSystem"}}, 0, systemRead, systemManage)
		calls := apptest.Events("tool_calls", apptest.ToolCall("one", "catalog_createSystem", `{"name":"Evil"}`))
		var revoked error
		provider.Answer(func(w http.ResponseWriter, request *http.Request) {
			revoked = revoke(r)
			calls(w, request)
		})
		before := len(provider.Requests())
		done := r.perform(t, "text=unreachable")
		require.NoError(t, revoked, what)
		require.Equal(t, "failed", done.status, what)
		require.Equal(t, string(problem.Unauthorized), done.code, what)
		require.Contains(t, done.text, "has ended", what)
		require.Len(t, provider.Requests(), before+1, what)
		require.Empty(t, p.Column(t, `SELECT status FROM ai_tool_calls WHERE turn_id = $1 AND status IN ('executed', 'applied', 'proposed')`,
			done.id), what)
		require.Empty(t, names(t, p.Admin), what)

		_, _, err := p.services.Headless.Start(t.Context(), headless.Request{Run: r.id, Key: "next", Text: "Hello"})
		require.True(t, problem.Is(err, problem.Unauthorized), "%s: %v", what, err)
	}
	require.Empty(t, p.BrokenRuns(t))
}

// The token of an application is not that of its runs: it is replaced, and expires, while a run goes on.
func TestATokenIsReplacedInMidRun(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := startRunning(t, apptest.Options{Env: provider.Env()})
	r := p.open(t, disposition.RunPolicy{Apply: []string{"catalog.createSystem"}}, 0, systemRead, systemManage)
	calls := apptest.Events("tool_calls", apptest.ToolCall("one", "catalog_createSystem", `{"name":"Made"}`))
	var replaced sync.Once
	provider.Answer(func(w http.ResponseWriter, request *http.Request) {
		replaced.Do(func() {
			p.Admin.Post(t, "/api/applications/"+r.application.ID.String()+"/token", map[string]any{}, nil)
		})
		calls(w, request)
	})
	done := r.perform(t, "text=Done.")
	require.Equal(t, "done", done.status, done)
	_, line := r.call(t, done.id)
	require.Equal(t, "applied automation application", line)
	r.application.Refused(t, problem.Unauthorized, http.MethodGet, "/api/me", nil)

	p.Exec(t, `UPDATE applications SET expires_at = now() - interval '1 hour' WHERE id = $1`, r.application.ID)
	done = r.perform(t, `tool=catalog.listSystems rounds=1 text="Looked."`)
	_, line = r.call(t, done.id)
	require.Equal(t, "executed automation application", line)
}

// A worker is killed in the middle of a turn of a run; another one goes on with it.
func TestAKilledWorkerLosesNoHeadlessTurn(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	env := provider.Env()
	p := startRunning(t, apptest.Options{Roles: app.Roles{API: true}, Env: env})
	worker := p.Spawn(t, "worker", env)
	r := p.open(t, disposition.RunPolicy{Apply: []string{"catalog.createSystem"}}, 0, systemRead, systemManage)
	asked := make(chan struct{})
	provider.Answer(func(_ http.ResponseWriter, request *http.Request) {
		close(asked)
		<-request.Context().Done()
	})
	provider.Answer(apptest.Events("tool_calls", apptest.ToolCall("one", "catalog_createSystem", `{"name":"Made"}`)))
	begun := r.begin(t, "text=Done.")
	<-asked
	p.Spawn(t, "worker", env)
	worker.Kill()
	done := r.ended(t, begun)
	require.Equal(t, "done", done.status, done)
	require.Contains(t, done.text, "Done.")
	require.Equal(t, []string{"Made"}, names(t, p.Admin))
	_, line := r.call(t, done.id)
	require.Equal(t, "applied automation application", line)
	p.AwaitWorkflow(t, workflows.TurnID(done.id))
	require.Empty(t, p.BrokenRuns(t))
}

// The conversation of a run is in no list of anybody: not the administrator's, not a person's with all rules, not that of
// the application itself.
func TestConversationsOfRunsAreHidden(t *testing.T) {
	t.Parallel()
	p := startRunning(t, apptest.Options{})
	r := p.open(t, disposition.RunPolicy{}, 0, systemRead, chatRead)
	done := r.perform(t, `text="The word is zanzibar."`)
	require.Contains(t, done.text, "zanzibar")
	var document struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Content map[string]any `json:"content"`
			} `json:"responses"`
		} `json:"paths"`
	}
	p.Admin.Get(t, "/api/openapi.json", &document)
	reads := 0
	for who, c := range map[string]*apptest.Client{
		"administrator": p.Admin, "person": p.Person(t), "application": r.application,
		"other application": p.Application(t, p.Role(t, chatRead)),
	} {
		hidden := func(method, path string, body any) apptest.Answer {
			answer := c.Call(t, method, path, body)
			require.NotContains(t, string(answer.Body), done.conversation.String(), "%s: %s %s", who, method, path)
			require.NotContains(t, strings.ToLower(string(answer.Body)), "zanzibar", "%s: %s %s", who, method, path)
			return answer
		}
		for path, operations := range document.Paths {
			read, ok := operations["get"]
			if _, streams := read.Responses["200"].Content["text/event-stream"]; !ok || streams || strings.Contains(path, "{") {
				continue
			}
			hidden(http.MethodGet, path, nil)
			reads++
		}
		hidden(http.MethodGet, "/api/ai/conversations/search?q=zanzibar", nil)
		// Whatever takes the id of a conversation knows none with this one.
		for path, operations := range document.Paths {
			if !strings.HasPrefix(path, "/api/ai/conversations/{id}") && !strings.HasPrefix(path, "/api/ai/chat/{id}") &&
				!strings.HasPrefix(path, "/api/ai/shared/{id}") {
				continue
			}
			path = strings.ReplaceAll(path, "{id}", done.conversation.String())
			for method := range operations {
				require.GreaterOrEqual(t, c.Call(t, strings.ToUpper(method), path, map[string]any{}).Status, 400, "%s: %s %s", who, method, path)
			}
		}
		require.GreaterOrEqual(t, c.Call(t, http.MethodPost, "/api/ai/chat", map[string]any{
			"conversationId": done.conversation, "messageId": uuid.NewString(), "message": "Hello",
		}).Status, 400, who)
	}
	require.Greater(t, reads, 100)
	require.Equal(t, 1, p.Count(t, `SELECT count(*) FROM ai_conversations WHERE id = $1 AND archived_at IS NULL`, done.conversation))

	// Holders of the rule about everybody's turns see that it ran, and no word of it.
	var report inspector.Report
	p.Admin.Get(t, "/api/ai/turns/"+done.id.String(), &report)
	require.False(t, report.Readable)
	require.Nil(t, report.ConversationID)
	require.Equal(t, "application", report.Person.Kind)
	require.Equal(t, r.application.ID, report.Person.ID)
	r.application.Refused(t, problem.NotFound, http.MethodGet, "/api/ai/turns/"+done.id.String(), nil)
	p.Person(t).Refused(t, problem.NotFound, http.MethodGet, "/api/ai/turns/"+done.id.String(), nil)
}
