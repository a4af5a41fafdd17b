package httprequest_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/egress"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/internal/store/exactlyonce"
	"countersign/internal/store/quota"
	"countersign/modules/httprequest"
	"countersign/tool/budget"
)

const path = "/api/http-requests"

type object = map[string]any

// value is that of the secret API_TOKEN. It has to be escaped wherever it stands.
const value = `s3cr3t/"va lue"+&=\é`

// app is the module with an agent of the test, whose secrets are pinned to a server of the test.
type app struct {
	*apitest.Server
	*httprequest.Module
	*agent

	vault  map[string]string
	target *target
}

// agent is the one agent: its revision that is live, and who may use it.
type agent struct {
	id, live uuid.UUID
	pins     map[string][]string
	closed   map[uuid.UUID]bool
}

// Pins implements httprequest.Agents.
func (a *agent) Pins(ctx context.Context, id, revision uuid.UUID) (string, map[string][]string, error) {
	if id != a.id || revision != a.live || a.closed[principal.FromContext(ctx).ID] {
		return "", nil, problem.Errorf(problem.NotFound, "There is no such agent.")
	}
	return "Billing", a.pins, nil
}

// Use implements httprequest.Secrets.
func (a *app) Use(_ context.Context, _ principal.Principal, names []string, _ string) (map[string]secret.Value, error) {
	values := map[string]secret.Value{}
	for _, name := range names {
		values[name] = secret.NewValue(a.vault[name])
	}
	return values, nil
}

// target is what requests go to. It keeps what it was sent.
type target struct {
	*httptest.Server

	mu     sync.Mutex
	sent   []sent
	answer http.HandlerFunc
}

type sent struct {
	method, uri, body string
	header            http.Header
}

func newTarget(t *testing.T) *target {
	t.Helper()
	x := &target{answer: func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"ok":true}`) }}
	x.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		x.mu.Lock()
		x.sent = append(x.sent, sent{r.Method, r.RequestURI, string(body), r.Header})
		answer := x.answer
		x.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(x.Close)
	return x
}

func (x *target) requests() []sent {
	x.mu.Lock()
	defer x.mu.Unlock()
	return append([]sent{}, x.sent...)
}

func (x *target) answers(f http.HandlerFunc) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.answer = f
}

func newApp(t *testing.T) *app {
	t.Helper()
	policy, err := egress.ParsePolicy("127.0.0.1,localhost")
	require.NoError(t, err)
	a := &app{Server: apitest.New(t), target: newTarget(t), vault: map[string]string{"API_TOKEN": value, "OTHER": "other-value"}}
	a.agent = &agent{id: uuid.New(), live: uuid.New(), closed: map[uuid.UUID]bool{}}
	a.pins = map[string][]string{"API_TOKEN": {a.target.URL}, "OTHER": {"api.example.com"}}
	a.Module = httprequest.New(httprequest.Options{
		DB:    a.DB,
		Log:   slog.New(slog.NewTextHandler(&a.Log, nil)),
		Guard: egress.New(egress.Options{Policy: policy}),
		Calls: budget.New(
			a.DB,
			budget.Limits{Calls: 1_000, Window: time.Hour},
		),
		Quota:   quota.New(a.DB),
		Most:    5,
		Once:    exactlyonce.New(a.DB),
		Agents:  a.agent,
		Secrets: a,
		Expire:  time.Hour,
	})
	a.Mount(t, a.Module)
	a.Person("ada", httprequest.Send)
	a.Person("bob", httprequest.Send)
	a.Person("eve")
	return a
}

// mint gives a run of ada's a placeholder for a secret.
func (a *app) mint(t *testing.T, name string) string {
	t.Helper()
	made, err := a.Mint(
		t.Context(),
		httprequest.Run{Principal: a.Principal("ada"), Agent: a.id, Revision: a.live, Tool: "refund"},
		[]string{name},
	)
	require.NoError(t, err)
	require.Regexp(t, `^nonce_[0-9a-f]{32}$`, made[name])
	return made[name]
}

func (a *app) send(t *testing.T, as string, request object, headers ...string) apitest.Answer {
	t.Helper()
	return a.Do(t, as, http.MethodPost, path, request, headers...)
}

// holds requires that nothing which the product has kept or said has the value in it.
func (a *app) hides(t *testing.T, texts ...string) {
	t.Helper()
	ctx := t.Context()
	var all strings.Builder
	for _, table := range []string{"secret_placeholders", "http_requests", "ai_tool_calls", "ai_audit_entries", "held_places"} {
		rows, err := a.DB.Conn(ctx).Query(ctx, "SELECT row_to_json(t)::text FROM "+table+" t")
		require.NoError(t, err)
		for rows.Next() {
			var text string
			require.NoError(t, rows.Scan(&text))
			all.WriteString(text)
		}
		require.NoError(t, rows.Err())
	}
	for _, text := range append(texts, all.String(), a.Log.String()) {
		require.NotContains(t, text, "s3cr3t")
		require.NotContains(t, text, "t3rc3s")
	}
}
