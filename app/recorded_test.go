package app_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/app/apptest/declaredtest"
)

func (s stage) system() string      { return s.named("/api/catalog/systems") }
func (s stage) group() string       { return s.named("/api/catalog/groups") }
func (s stage) environment() string { return s.named("/api/catalog/environments") }
func idOf(path string) string       { return path[strings.LastIndexByte(path, '/')+1:] }

// mutating are the methods of the operations of the product that are not reads, by id.
func mutating(t *testing.T, p *apptest.Product) map[string]string {
	t.Helper()
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
		} `json:"paths"`
	}
	p.Admin.Get(t, "/api/openapi.json", &document)
	methods := map[string]string{}
	for _, operations := range document.Paths {
		for method, op := range operations {
			if method != "get" && method != "head" {
				methods[op.OperationID] = strings.ToUpper(method)
			}
		}
	}
	return methods
}

func TestEveryChangeLeavesAnEntry(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	known, methods := declaredtest.Load(t), mutating(t, p)
	require.Greater(t, len(methods), 150)
	// What others do waits from then on.
	const last = "require-second-person"
	ids := slices.DeleteFunc(slices.Sorted(maps.Keys(methods)), func(id string) bool { return id == last })
	recorded := 0
	for _, id := range append(ids, last) {
		operation, ok := known.Operations[id]
		require.True(
			t,
			ok,
			id+": this operation is in no "+declaredtest.File+": give an example of the change, or a reason why it leaves no entry",
		)
		if operation.Change == nil {
			continue
		}
		r := known.NewScope(t, p, fixtures(t)).Prepare(methods[id], *operation.Change)
		before := p.Count(t, `SELECT count(*) FROM ai_audit_entries WHERE version = 2 AND operation = $1`, id)
		answer := r.Send(t)
		require.Less(t, answer.Status, 300, "%s: %s", id, answer.Body)
		require.Greater(
			t,
			p.Count(t, `SELECT count(*) FROM ai_audit_entries WHERE version = 2 AND operation = $1`, id),
			before,
			"%s leaves no entry",
			id,
		)
		recorded++
	}
	require.Greater(t, recorded, 110)
	for id := range known.Operations {
		require.Contains(t, methods, id, "a declaration of what is no operation")
	}
	for _, word := range []string{"correct horse", "battery staple", "sk-"} {
		require.Zero(t, p.Count(t, `SELECT count(*) FROM ai_audit_entries e LEFT JOIN ai_audit_personal a ON a.entry_id = e.id
			WHERE strpos(concat_ws(' ', e.summary, e.fields, e.object_name, e.subject_name, a.data), $1) > 0`, word), "an entry holds a credential")
	}
	status, printed := p.Command(t, "audit", "verify")
	require.Zero(t, status, printed)
}

// restless are tables that change with what is going on, beside the bookkeeping and what checks and consumers write.
var restless = []string{"script_tests", "ai_model_check_outcomes", "notify_settings"}

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
		if slices.Contains(restless, table) || apptest.Bookkeeping(table) || apptest.Scheduled(table) {
			continue
		}
		row, where := "t::text", ""
		switch table {
		case "notify_channels":
			// Every account gets the channel of its address with its first notification.
			where = " WHERE NOT is_account"
		case "sessions", "applications":
			row = "t.id::text"
		case "ai_connections":
			// What is learned of a provider while something asks it.
			row = "(to_jsonb(t) - '{lessons,asked_windows,cut_sent_tokens,cut_read_tokens,cut_noticed_at}'::text[])::text"
		case "ai_model_checks":
			row = "t.id || (t.status = 'stopped')::text"
		}
		var sum *string
		query := `SELECT count(*) || ' ' || md5(string_agg(` + row + `, ',' ORDER BY ` + row + `)) FROM ` + table + ` t` + where
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
	known, methods, prepared := declaredtest.Load(t), mutating(t, p), map[string]declaredtest.Prepared{}
	for id, operation := range known.Operations {
		if operation.Change != nil {
			prepared[id] = known.NewScope(t, p, fixtures(t)).Prepare(methods[id], *operation.Change)
		}
	}
	require.Greater(t, len(prepared), 110)
	p.Exec(t, `CREATE FUNCTION refuse_entry() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no entries today'; END $$`)
	p.Exec(
		t,
		`CREATE TRIGGER refuse_entries BEFORE INSERT ON ai_audit_entries FOR EACH ROW WHEN (NEW.version = 2) EXECUTE FUNCTION refuse_entry()`,
	)
	before := content(t, p)
	require.Greater(t, len(before), 20)
	for _, id := range slices.Sorted(maps.Keys(prepared)) {
		r := prepared[id]
		answer := r.Send(t)
		require.GreaterOrEqual(t, answer.Status, 500, "%s: %s", id, answer.Body)
		require.Equal(t, before, content(t, p), "%s has changed something", id)
	}
	p.Exec(t, `DROP TRIGGER refuse_entries ON ai_audit_entries`)
	entries := p.Count(t, `SELECT count(*) FROM ai_audit_entries WHERE version = 2`)
	for _, id := range []string{"update-system", "delete-system", "update-team", "delete-role", "update-skill", "delete-secret", "update-connection"} {
		r := prepared[id]
		answer := r.As.Call(t, r.Method, r.Path, r.Body, apptest.Header{Name: "If-Match", Value: `"99"`})
		require.Equal(t, http.StatusPreconditionFailed, answer.Status, id)
	}
	require.Equal(
		t,
		entries,
		p.Count(t, `SELECT count(*) FROM ai_audit_entries WHERE version = 2`),
		"what is refused leaves no entry of a change",
	)
}
