package app_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
)

// request is an example of a mutating operation, ready to be sent.
type request struct {
	as           *apptest.Client
	method, path string
	body         any
}

// send makes the request, with the revision that the operation needs.
func (r request) send(t *testing.T) apptest.Answer {
	t.Helper()
	var headers []apptest.Header
	if record, ok := strings.CutSuffix(r.path, "/confirmed"); ok {
		headers = append(headers, apptest.Header{Name: "If-Match", Value: r.as.Get(t, record, nil).Header.Get("ETag")})
	}
	return r.as.Call(t, r.method, r.path, r.body, headers...)
}

// unrecorded are the mutating operations that leave no entry of a change, with the reason.
var unrecorded = map[string]string{
	"create-chat-completion":  "as chat, for clients of the OpenAI protocol",
	"run-agent":               "as chat, for agent user interfaces",
	"chat":                    "a message is kept in the person's own conversation; what is done for it is on record as calls and changes",
	"create-response":         "as chat, for clients of the OpenAI protocol",
	"cancel-response":         "it ends an answer of one's own and changes nothing else",
	"stop-chat":               "it ends an answer of one's own and changes nothing else",
	"call-tool":               "the row of the call is the entry, by a trigger of the database",
	"propose-tool":            "the row of the call is the entry, by a trigger of the database",
	"propose-again":           "the same",
	"propose-undo":            "the same",
	"apply-proposal":          "the row of the call is the entry, and the change that is carried out has one too",
	"decline-proposal":        "the row of the call is the entry, by a trigger of the database",
	"apply-plan":              "the rows of the calls are the entries, and the changes that are carried out have some too",
	"decline-plan":            "the rows of the calls are the entries, by a trigger of the database",
	"look-at-password-link":   "it reads",
	"decode-payloads":         "it turns what it is given and keeps nothing",
	"encode-payloads":         "it turns what it is given and keeps nothing",
	"probe-url":               "it reads",
	"ask-authorization":       "it reads",
	"validate-check":          "it reads",
	"preview-import":          "it reads",
	"send-heartbeat":          "a job says how it fares, for which its own row and the runs of its check are kept",
	"send-failed-heartbeat":   "the same",
	"test-check":              "the row of the call is the entry, by a trigger of the database",
	"preview-check-draft":     "it reads",
	"check-agent-tool":        "it reads",
	"validate-agent-revision": "it reads",
	"call-agent-tool":         "the row of the call is the entry, by a trigger of the database; the history of the agent has one too",
	"send-http-request":       "the row of the call is the entry, by a trigger of the database",
	"call-mcp-tool":           "the row of the call is the entry, by a trigger of the database",
	"refresh-mcp-server":      "it asks the server, and has an entry where that says something new, which is off until somebody accepts it",
	"start-mcp-sign-in":       "it asks the server, and keeps for ten minutes that a person may come back from there",
	"finish-mcp-sign-in":      "it needs an authorization server; TestCountersignSignsInAtAnother looks at its entry",
	"preview-http-request":    "it reads", "ask-provider-models": "it asks the provider, and keeps nothing",
	"test-connection": "it asks the provider, and keeps what its server says of itself: no setting",
}

func (s stage) system() string      { return s.named("/api/catalog/systems") }
func (s stage) group() string       { return s.named("/api/catalog/groups") }
func (s stage) environment() string { return s.named("/api/catalog/environments") }
func (s stage) team() string        { return s.named("/api/teams") }

func (s stage) connection() string {
	return "/api/ai/connections/" + s.made("/api/ai/connections", newConnection())
}

func newConnection() map[string]any {
	return map[string]any{
		"name":         unique("Connection"),
		"baseUrl":      "https://models.example.com/v1",
		"defaultModel": "m",
		"apiKey":       "sk-" + uuid.NewString(),
	}
}

func (s stage) conversation() string {
	return "/api/ai/conversations/" + s.made("/api/ai/conversations", map[string]any{})
}

func idOf(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// examples makes, for each operation, something that it changes.
func examples() map[string]func(s stage) request {
	type r = request
	admin := func(method string, body any, path func(s stage) string) func(s stage) request {
		return func(s stage) request { return r{s.p.Admin, method, path(s), body} }
	}
	at := func(path string) func(stage) string { return func(stage) string { return path } }
	post, put, patch, remove := http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete
	name := map[string]any{"name": unique("Other")}
	renamed := func(path func(s stage) string) func(s stage) request {
		return func(s stage) request { return r{s.p.Admin, patch, path(s), map[string]any{"name": unique("Renamed")}} }
	}
	part := func(kind string, body map[string]any) func(s stage) string {
		return func(s stage) string {
			system := s.system()
			return system + "/" + kind + "/" + s.made(system+"/"+kind, body)
		}
	}
	mailbox := map[string]any{"type": "mailbox", "email": "oncall@example.com"}
	link := map[string]any{"url": "https://example.com/runbook"}
	limits := map[string]any{
		"timeoutMs":   1000,
		"memoryBytes": 33554432,
		"outputBytes": 4096,
		"resultBytes": 4096,
		"hostCalls":   5,
		"hostBytes":   4096,
	}
	grants := func(s stage) string {
		path := "/api/grants/catalog.system/" + idOf(s.system())
		s.put(
			path,
			map[string]any{
				"private": false,
				"grants":  []any{map[string]any{"subjectType": "team", "subjectId": idOf(s.team()), "relation": "viewer"}},
			},
		)
		return path
	}
	script := map[string]any{"context": "automation-action-script", "source": "export default () => 1", "checkTypes": false}
	check := map[string]any{"context": "healthcheck-script", "source": "export default () => ({ok: true})", "checkTypes": false}
	return map[string]func(s stage) request{
		"create-system":            admin(post, name, at("/api/catalog/systems")),
		"update-system":            renamed(stage.system),
		"delete-system":            admin(remove, nil, stage.system),
		"add-system-contact":       admin(post, mailbox, func(s stage) string { return s.system() + "/contacts" }),
		"add-system-link":          admin(post, link, func(s stage) string { return s.system() + "/links" }),
		"create-group":             admin(post, name, at("/api/catalog/groups")),
		"update-group":             renamed(stage.group),
		"delete-group":             admin(remove, nil, stage.group),
		"create-environment":       admin(post, name, at("/api/catalog/environments")),
		"update-environment":       renamed(stage.environment),
		"delete-environment":       admin(remove, nil, stage.environment),
		"remove-system-link":       admin(remove, nil, part("links", link)),
		"create-team":              admin(post, name, at("/api/teams")),
		"update-team":              renamed(stage.team),
		"delete-team":              admin(remove, nil, stage.team),
		"update-user":              renamed(stage.user),
		"delete-user":              admin(remove, nil, stage.user),
		"make-password-link":       admin(post, nil, func(s stage) string { return s.user() + "/password-link" }),
		"revoke-password-link":     admin(remove, nil, stage.passwordLink),
		"use-password-link":        stage.usesPasswordLink,
		"update-role":              renamed(stage.role),
		"delete-role":              admin(remove, nil, stage.role),
		"create-application":       admin(post, name, at("/api/applications")),
		"update-application":       renamed(stage.application),
		"decide-authorization":     stage.letProgram,
		"disconnect-program":       stage.disconnectProgram,
		"set-program-registration": stage.setRegistration,
		"set-mcp-policy":           stage.trustProgram,
		"make-chat-token":          stage.makesChatToken,
		"revoke-chat-token":        stage.revokesChatToken,
		"delete-application":       admin(remove, nil, stage.application),
		"update-skill":             renamed(stage.skill),
		"delete-skill":             admin(remove, nil, stage.skill),
		"update-connection":        renamed(stage.connection),
		"create-mcp-server":        admin(post, newMCPServer(), at("/api/mcp/servers")),
		"update-mcp-server":        renamed(stage.mcpServer),
		"delete-mcp-server":        admin(remove, nil, stage.mcpServer),
		"set-mcp-server-tools":     stage.toolsOfMCPServer,
		"end-mcp-sign-in":          stage.signInAtMCPServer,
		"delete-connection":        admin(remove, nil, stage.connection),
		"delete-memory":            admin(remove, nil, stage.memory),
		"delete-secret":            admin(remove, nil, stage.secret),
		"delete-grants":            admin(remove, nil, grants),
		"update-conversation":      admin(patch, map[string]any{"permissionMode": "auto"}, stage.conversation),
		"archive-conversation": admin(post, nil, func(s stage) string {
			return s.conversation() + "/archive"
		}),
		"restore-conversation": admin(post, nil, func(s stage) string {
			path := s.conversation()
			s.p.Admin.Post(s, path+"/archive", nil, nil)
			return path + "/restore"
		}),
		"create-conversation":       admin(post, map[string]any{}, at("/api/ai/conversations")),
		"replace-application-token": admin(post, map[string]any{}, func(s stage) string { return s.application() + "/token" }),
		"remove-system-contact":     admin(remove, nil, part("contacts", mailbox)),
		"create-role":               admin(post, map[string]any{"name": unique("Role"), "rules": []string{}}, at("/api/roles")),
		"create-user": admin(post, map[string]any{"email": uuid.NewString() + "@example.com", "name": "New", "password": "correct horse battery"},
			at("/api/users")),
		"create-skill":      admin(post, newSkill(), at("/api/ai/skills")),
		"create-connection": admin(post, newConnection(), at("/api/ai/connections")),
		"set-default-connection": func(s stage) request {
			return r{s.p.Admin, http.MethodPut, s.connection() + "/default", nil}
		},
		"confirm-connection": func(s stage) request {
			return r{s.p.Admin, http.MethodPut, s.connection() + "/confirmed", nil}
		},
		"start-model-check": func(s stage) request {
			return r{s.p.Admin, post, "/api/ai/model-checks", map[string]any{"connectionId": idOf(s.connection())}}
		},
		"stop-model-check": func(s stage) request {
			release := make(chan struct{}) // it must not end by itself before it is stopped
			connection := checkable(s.T, s.p, silent(release))
			s.Cleanup(func() { close(release) })
			return r{s.p.Admin, post, checksPath + "/" + s.made(checksPath, map[string]any{"connectionId": connection}) + "/stop", nil}
		},
		"create-check":     admin(post, newCheck(), at("/api/healthcheck/checks")),
		"update-check":     renamed(stage.check),
		"delete-check":     admin(remove, nil, stage.check),
		"set-check-paused": admin(put, map[string]any{"paused": true}, func(s stage) string { return s.check() + "/paused" }),
		"assign-check": func(s stage) request {
			return r{s.p.Admin, put, s.check() + "/systems/" + idOf(s.system()), map[string]any{}}
		},
		"unassign-check": func(s stage) request {
			check, system := s.assigned()
			return r{s.p.Admin, remove, check + "/systems/" + system, nil}
		},
		"run-check-now": func(s stage) request {
			check, system := s.assigned()
			return r{s.p.Admin, post, check + "/run-now", map[string]any{"systemId": system}}
		},
		"create-agent":          admin(post, newAgent(), at("/api/agents")),
		"update-agent":          renamed(stage.agent),
		"delete-agent":          admin(remove, nil, stage.agent),
		"create-agent-revision": admin(post, map[string]any{}, func(s stage) string { return s.agent() + "/revisions" }),
		"delete-agent-revision": admin(remove, nil, stage.draft),
		"put-agent-md": admin(
			put,
			map[string]any{"content": "Another text."},
			func(s stage) string { return s.draft() + "/agent_md" },
		),
		"put-agent-spec": admin(
			put,
			map[string]any{"spec": map[string]any{"limits": map[string]any{"timeout_ms": 500}}},
			func(s stage) string { return s.draft() + "/spec" },
		),
		"put-agent-bundle": admin(
			put,
			map[string]any{"agent_md": "Another text.", "spec": map[string]any{}, "tools": []any{}},
			func(s stage) string { return s.draft() + "/bundle" },
		),
		"put-agent-skill": admin(
			put,
			map[string]any{"description": "Two.", "content": "Two."},
			func(s stage) string { return s.draft() + "/skills/two" },
		),
		"delete-agent-skill": admin(remove, nil, func(s stage) string { return s.draft() + "/skills/one" }),
		"put-agent-tool":     admin(put, newTool(), func(s stage) string { return s.draft() + "/tools/two" }),
		"delete-agent-tool":  admin(remove, nil, func(s stage) string { return s.draft() + "/tools/one" }),
		"dry-run-agent-tool": admin(
			post,
			map[string]any{"args": map[string]any{}},
			func(s stage) string { return s.draft() + "/tools/one/dry_run" },
		),
		"put-agent-tool-examples": admin(put, newExamples(), func(s stage) string { return s.draft() + "/tools/one/examples" }),
		"run-agent-tool-examples": func(s stage) request {
			path := s.draft() + "/tools/one/examples"
			s.put(path, newExamples())
			return r{s.p.Admin, post, path + "/run", nil}
		},
		"clone-agent-revision": func(s stage) request {
			return r{s.p.Admin, post, s.draft() + "/clone_from", map[string]any{"source_revision_id": idOf(s.draft())}}
		},
		"freeze-agent-revision":  admin(post, nil, func(s stage) string { return s.draft() + "/freeze" }),
		"promote-agent-revision": admin(post, nil, func(s stage) string { return s.frozen() + "/promote" }),
		"archive-agent-revision": admin(post, nil, func(s stage) string { return s.frozen() + "/archive" }),
		"save-memory":            admin(post, newMemory(), at("/api/ai/memories")),
		"update-memory":          admin(patch, map[string]any{"content": "Another thing."}, stage.memory),
		"set-memory-always-inject": admin(
			put,
			map[string]any{"alwaysInject": true},
			func(s stage) string { return s.memory() + "/always-inject" },
		),
		"create-secret": admin(post, map[string]any{"name": "MADE_HERE", "value": "correct horse"}, at("/api/secrets")),
		"update-secret": admin(patch, map[string]any{"value": "battery staple"}, stage.secret),
		"set-script-policy": admin(
			put,
			map[string]any{"network": "off", "allow": []string{}, "test": limits, "run": limits},
			at("/api/script-policy"),
		),
		"update-policy": admin(patch, map[string]any{"alwaysConfirm": true}, at("/api/ai/policies/catalog.updateSystem")),
		"require-second-person": admin(
			post,
			map[string]any{"tools": []any{map[string]any{"tool": "catalog.deleteEnvironment", "revision": 1}}, "anyway": true},
			at("/api/ai/policies/second-person"),
		),
		"set-retention":           admin(put, map[string]any{"enabled": false, "archivedDays": 77, "idleDays": nil}, at("/api/ai/retention")),
		"test-automation-script":  admin(post, script, at("/api/automation/script-tests")),
		"test-healthcheck-script": admin(post, check, at("/api/healthcheck/script-tests")),
		"set-system-environments": func(s stage) request {
			return r{s.p.Admin, put, s.system() + "/environments", map[string]any{"environmentIds": []string{idOf(s.environment())}}}
		},
		"set-system-owner": func(s stage) request {
			return r{s.p.Admin, put, s.system() + "/owner", map[string]any{"teamId": idOf(s.team())}}
		},
		"add-group-member": func(s stage) request {
			return r{s.p.Admin, put, s.group() + "/systems/" + idOf(s.system()), nil}
		},
		"remove-group-member": func(s stage) request {
			path := s.group() + "/systems/" + idOf(s.system())
			s.put(path, nil)
			return r{s.p.Admin, remove, path, nil}
		},
		"add-team-member": func(s stage) request {
			return r{s.p.Admin, put, s.team() + "/members/" + idOf(s.user()), nil}
		},
		"remove-team-member": func(s stage) request {
			path := s.team() + "/members/" + idOf(s.user())
			s.put(path, nil)
			return r{s.p.Admin, remove, path, nil}
		},
		"set-grants": func(s stage) request {
			return r{s.p.Admin, put, grants(s), map[string]any{"private": true, "grants": []any{
				map[string]any{"subjectType": "user", "subjectId": s.p.Admin.ID, "relation": "owner"},
			}}}
		},
		"accept-outside-content": func(s stage) request {
			path := s.conversation()
			s.p.Exec(s, `INSERT INTO ai_taints (conversation_id, kind) VALUES ($1, 'earlier')`, idOf(path))
			return r{s.p.Admin, post, path + "/outside/accept", map[string]any{"through": 1 << 40}}
		},
		"request-erasure": func(s stage) request {
			person := s.p.Person(s)
			return r{s.p.Admin, post, "/api/ai/privacy/erasures", map[string]any{"personId": person.ID, "email": person.Email}}
		},
		"login": func(s stage) request {
			return r{s.p.Anonymous(), post, "/api/auth/login", s.p.Person(s).Credentials}
		},
		"import-checks":             stage.importOfChecks,
		"replace-heartbeat-address": stage.otherAddress,
		"set-check-retention":       admin(put, map[string]any{"rawDays": 3, "hourlyDays": 8, "dailyDays": 40}, at("/api/healthcheck/retention")),
		"retry-parked-event":        func(s stage) request { return r{s.p.Admin, post, s.parked() + "/retry", nil} },
		"skip-parked-event":         func(s stage) request { return r{s.p.Admin, post, s.parked() + "/skip", nil} },
		"logout":                    func(s stage) request { return r{s.p.Person(s), post, "/api/auth/logout", nil} },
		"change-password": func(s stage) request {
			person := s.p.Person(s)
			return r{person, post, "/api/auth/password", map[string]any{"currentPassword": person.Password, "newPassword": "battery staple horse"}}
		},
		"revoke-other-sessions": func(s stage) request {
			person := s.p.Person(s)
			person.SignInAgain(s, s.p)
			return r{person, remove, "/api/auth/sessions", nil}
		},
		"revoke-session": func(s stage) request {
			person := s.p.Person(s)
			person.SignInAgain(s, s.p)
			var list struct {
				Sessions []struct {
					ID      string `json:"id"`
					Current bool   `json:"current"`
				} `json:"sessions"`
			}
			person.Get(s, "/api/auth/sessions", &list)
			for _, session := range list.Sessions {
				if !session.Current {
					return r{person, remove, "/api/auth/sessions/" + session.ID, nil}
				}
			}
			s.Fatal("there is no other session")
			return r{}
		},
	}
}

// mutating are the operations of the product that are not reads, by id.
func mutating(t *testing.T, p *apptest.Product) []string {
	t.Helper()
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
		} `json:"paths"`
	}
	p.Admin.Get(t, "/api/openapi.json", &document)
	var ids []string
	for _, operations := range document.Paths {
		for method, op := range operations {
			if method != "get" && method != "head" {
				ids = append(ids, op.OperationID)
			}
		}
	}
	slices.Sort(ids)
	return ids
}

func TestEveryChangeLeavesAnEntry(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	s, known := stage{t, p}, withAnswers(examples())
	operations := mutating(t, p)
	require.Greater(t, len(operations), 50)
	// What others do waits from then on.
	const last = "require-second-person"
	operations = append(slices.DeleteFunc(operations, func(id string) bool { return id == last }), last)
	for _, id := range operations {
		if _, excused := unrecorded[id]; excused {
			require.NotContains(t, known, id)
			continue
		}
		require.NotNil(t, known[id], id+": this operation has no example: give one in examples(), or a reason in unrecorded")
		r := known[id](s)
		before := p.Count(t, `SELECT count(*) FROM ai_audit_entries WHERE version = 2 AND operation = $1`, id)
		answer := r.send(t)
		require.Less(t, answer.Status, 300, "%s: %s", id, answer.Body)
		require.Greater(
			t,
			p.Count(t, `SELECT count(*) FROM ai_audit_entries WHERE version = 2 AND operation = $1`, id),
			before,
			"%s leaves no entry",
			id,
		)
	}
	for id := range maps.Keys(known) {
		require.Contains(t, operations, id, "an example of what is no operation")
	}
	for id := range maps.Keys(unrecorded) {
		require.Contains(t, operations, id, "a reason for what is no operation")
	}
	for _, word := range []string{"correct horse", "battery staple", "sk-"} {
		require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_audit_entries e LEFT JOIN ai_audit_personal a ON a.entry_id = e.id
			WHERE strpos(concat_ws(' ', e.summary, e.fields, e.object_name, e.subject_name, a.data), $1) > 0`, word), "an entry holds a credential")
	}
	status, printed := p.Command(t, "audit", "verify")
	require.Zero(t, status, printed)
}

// restless are tables that change without a change by anybody: who holds a lease, what the chain has linked, when a session
// was last seen, which attempts are counted.
var restless = []string{
	"ai_audit_links",
	"ai_audit_state",
	"event_cursors",
	"throttled_failures",
	"chore_runs",
	"sweeps",
	"leases",
	"goose_db_version",
	"idempotency_keys",
	"script_tests",
	"ai_model_check_outcomes",
	"ai_spend",
	"ai_spend_hours",
	"ai_spend_buckets", // of the check that is running
	"held_places",
	"turn_followers",
	"feed_events",
	"feed_state",
	"known_devices", // of what is going on, and of who has signed in
}

// content is a fingerprint of each table that holds what people work with.
func content(t *testing.T, p *apptest.Product) map[string]string {
	t.Helper()
	rows, err := p.DB.Conn(t.Context()).Query(t.Context(), `SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`)
	require.NoError(t, err)
	var tables []string
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		tables = append(tables, name)
	}
	require.NoError(t, rows.Err())
	prints := map[string]string{}
	for _, table := range tables {
		if slices.Contains(restless, table) || apptest.Scheduled(table) {
			continue
		}
		row := "t::text"
		switch table {
		case "sessions", "applications":
			row = "t.id::text"
		case "ai_connections":
			// What is learned of a provider while something asks it.
			row = "(to_jsonb(t) - '{lessons,asked_windows,cut_sent_tokens,cut_read_tokens,cut_noticed_at}'::text[])::text"
		case "ai_model_checks":
			row = "t.id || (t.status = 'stopped')::text"
		}
		var sum *string
		query := `SELECT count(*) || ' ' || md5(string_agg(` + row + `, ',' ORDER BY ` + row + `)) FROM ` + table + ` t`
		require.NoError(t, p.DB.Conn(t.Context()).QueryRow(t.Context(), query).Scan(&sum), table)
		if sum != nil {
			prints[table] = *sum
		}
	}
	return prints
}

// A change whose entry cannot be written does not happen.
func TestNoChangeWithoutItsEntry(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	s, prepared := stage{t, p}, map[string]request{}
	for id, example := range examples() {
		prepared[id] = example(s)
	}
	p.Exec(t, `CREATE FUNCTION refuse_entry() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no entries today'; END $$`)
	p.Exec(
		t,
		`CREATE TRIGGER refuse_entries BEFORE INSERT ON ai_audit_entries FOR EACH ROW WHEN (NEW.version = 2) EXECUTE FUNCTION refuse_entry()`,
	)
	before := content(t, p)
	require.Greater(t, len(before), 20)
	for _, id := range slices.Sorted(maps.Keys(prepared)) {
		r := prepared[id]
		answer := r.send(t)
		require.GreaterOrEqual(t, answer.Status, 500, "%s: %s", id, answer.Body)
		require.Equal(t, before, content(t, p), "%s has changed something", id)
	}
	p.Exec(t, `DROP TRIGGER refuse_entries ON ai_audit_entries`)
	entries := p.Count(t, `SELECT count(*) FROM ai_audit_entries WHERE version = 2`)
	for _, id := range []string{"update-system", "delete-system", "update-team", "delete-role", "update-skill", "delete-secret", "update-connection"} {
		r := prepared[id]
		answer := r.as.Call(t, r.method, r.path, r.body, apptest.Header{Name: "If-Match", Value: `"99"`})
		require.Equal(t, http.StatusPreconditionFailed, answer.Status, id)
	}
	require.Equal(
		t,
		entries,
		p.Count(t, `SELECT count(*) FROM ai_audit_entries WHERE version = 2`),
		"what is refused leaves no entry of a change",
	)
}
