package agent_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/auth"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/secret"
	"countersign/modules/agent"
	"countersign/modules/vault"
	"countersign/script/typescript"
	"countersign/tool/budget"
)

type compactObject = map[string]any

// app is the API with agents, the vault and the people module.
type app struct {
	*apitest.Server
	auth     *auth.Auth
	module   *agent.Module
	compiler *compiler
	smoke    *smoke
	runs     *runs
	minter   *minter
}

// grants are those of the people module, for people whom it does not know.
type grants struct {
	*auth.Grants
	a *app
}

// Begin implements agent.Grants.
func (g grants) Begin(ctx context.Context, id uuid.UUID, p principal.Principal, private bool) error {
	const insert = `INSERT INTO relation_tuples (object_type, object_id, relation, subject_type, subject_id) VALUES ('agent.agent', $1, $2, $3, $4)`
	if _, err := g.a.DB.Conn(ctx).Exec(ctx, insert, id, access.Own, p.Kind, p.ID); err != nil || !private {
		return err
	}
	_, err := g.a.DB.Conn(ctx).Exec(ctx, insert, id, access.Private, "public", uuid.Nil)
	return err
}

// compiler compiles a language of the tests: every ref("NAME") is a reference to a secret, DYNAMIC one to any, WRONG in line n
// an error in that line, ODD a warning.
type compiler struct {
	mu sync.Mutex
	id string
	// before runs when a source is compiled, without a lock.
	before func(id string)
	// lingers makes each source take until the time of who has it compiled is over, and be compiled then.
	lingers bool
	calls   int
}

var refPattern = regexp.MustCompile(`ref\("([^"]*)"\)`)

// CompileTool implements agent.Compiler.
func (c *compiler) CompileTool(ctx context.Context, s typescript.ToolSource) (typescript.CompiledTool, error) {
	c.mu.Lock()
	before, lingers, id := c.before, c.lingers, c.id
	c.calls++
	c.mu.Unlock()
	if before != nil {
		before(s.ID)
	}
	if lingers {
		<-ctx.Done()
	}
	out := typescript.CompiledTool{Compiler: id, Checked: true, JS: id + "\n" + s.Source, SourceMap: []byte(`{"version":3}`)}
	out.Capabilities.Actions = []string{"default"}
	for i, line := range strings.Split(s.Source, "\n") {
		for _, found := range refPattern.FindAllStringSubmatch(line, -1) {
			out.Capabilities.SecretRefs = append(out.Capabilities.SecretRefs, found[1])
		}
		out.Capabilities.DynamicSecretRefs = out.Capabilities.DynamicSecretRefs || strings.Contains(line, "DYNAMIC")
		d := typescript.ToolDiagnostic{Line: i + 1, Column: 1, EndLine: i + 1, EndColumn: 6}
		if strings.Contains(line, "WRONG") {
			d.Code, d.Severity, d.Message, d.Hint = "syntax", typescript.Error, "is wrong", "Write it right."
			out.Diagnostics, out.JS = append(out.Diagnostics, d), ""
		}
		if strings.Contains(line, "ODD") {
			d.Code, d.Severity, d.Message = "odd", typescript.Warning, "is odd"
			out.Diagnostics = append(out.Diagnostics, d)
		}
	}
	return out, nil
}

func (c *compiler) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls
}

func (c *compiler) whenCompiling(do func(id string)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.before = do
}

func (c *compiler) linger() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lingers = true
}

// smoke loads what does not say UNLOADABLE, and answers the arguments.
type smoke struct {
	mu    sync.Mutex
	tried []agent.Trial
	// stalls says of a trial that it takes as long as it may; stalled is sent to when it begins.
	stalls  func(agent.Trial) bool
	stalled chan struct{}
}

// stall sets what stalls.
func (s *smoke) stall(which func(agent.Trial) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stalls = which
}

// Try implements agent.Smoke.
func (s *smoke) Try(ctx context.Context, trial agent.Trial) (agent.Outcome, error) {
	s.mu.Lock()
	stalls := s.stalls
	s.mu.Unlock()
	if stalls != nil && stalls(trial) {
		s.stalled <- struct{}{}
		<-ctx.Done()
		return agent.Outcome{}, ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tried = append(s.tried, trial)
	if strings.Contains(trial.JS, "UNLOADABLE") {
		return agent.Outcome{Code: "tool_invoke_failed", Message: "it throws", Line: 1}, nil
	}
	if strings.Contains(trial.JS, "FAILING") && trial.Action != "" {
		return agent.Outcome{Code: "tool_invoke_failed", Message: "no", Line: 2}, nil
	}
	return agent.Outcome{OK: true, Result: trial.Args}, nil
}

// newApp makes the product with the compiler of the tests, or with another one.
func newApp(t testing.TB, other ...agent.Compiler) *app {
	t.Helper()
	return newTuned(t, func(*agent.Options) {}, other...)
}

func newTuned(t testing.TB, tune func(*agent.Options), other ...agent.Compiler) *app {
	t.Helper()
	a := &app{
		Server:   apitest.New(t),
		compiler: &compiler{id: "test 1"},
		smoke:    &smoke{stalled: make(chan struct{}, 10)},
		runs:     &runs{},
		minter:   &minter{},
	}
	a.runs.a = a
	rules, err := auth.NewRegistry(new(auth.Auth).Rules(), new(agent.Module).Rules(), new(vault.Module).Rules())
	require.NoError(t, err)
	a.auth, err = auth.New(auth.Options{DB: a.DB, Log: slog.New(slog.DiscardHandler), Rules: rules, DelegationKey: make([]byte, 32)})
	require.NoError(t, err)
	keys, err := secret.New()
	require.NoError(t, err)
	secrets, err := vault.New(vault.Options{DB: a.DB, Sealer: keys, Names: a})
	require.NoError(t, err)
	o := agent.Options{
		DB:           a.DB,
		Compiler:     a.compiler,
		CompilerID:   "test 1",
		Grants:       grants{a.auth.Grants, a},
		Secrets:      secrets,
		Names:        a,
		Smoke:        a.smoke,
		Runs:         a.runs,
		Placeholders: a.minter,
		Calls:        budget.New(a.DB, budget.Limits{Calls: 10_000, Window: time.Hour}),
	}
	for _, c := range other {
		o.Compiler, o.CompilerID = c, typescript.ToolCompiler()
	}
	tune(&o)
	a.module = agent.New(o)
	a.auth.Grants.Bind(a.module)
	a.Mount(t, a.module, secrets, a.auth)
	a.Person("root", principal.Admin)
	return a
}

const agents = "/api/agents"

// agent makes an agent that is open to everybody with a rule.
func (a *app) agent(t testing.TB, slug string, more ...compactObject) agent.Agent {
	t.Helper()
	body := compactObject{"slug": slug, "name": "Agent " + slug, "private": false}
	for _, m := range more {
		maps.Copy(body, m)
	}
	return apitest.Decode[agent.Agent](t, a.Do(t, "root", http.MethodPost, agents, body))
}

// draft makes a draft and returns its path.
func (a *app) draft(t testing.TB, slug string) string {
	t.Helper()
	r := apitest.Decode[agent.Revision](t, a.Do(t, "root", http.MethodPost, agents+"/"+slug+"/revisions", compactObject{}))
	return fmt.Sprintf("%s/%s/revisions/%d", agents, slug, r.Number)
}

func (a *app) ok(t testing.TB, method, path string, body any, headers ...string) apitest.Answer {
	t.Helper()
	answer := a.Do(t, "root", method, path, body, headers...)
	require.Less(t, answer.Status, 300, "%s %s: %s", method, path, answer.Body)
	return answer
}

func (a *app) bundle(t testing.TB, path string) agent.BundleOf {
	t.Helper()
	return apitest.Decode[agent.BundleOf](t, a.Do(t, "root", http.MethodGet, path+"/bundle", nil))
}

func (a *app) revision(t testing.TB, path string) agent.Revision {
	t.Helper()
	return apitest.Decode[agent.Revision](t, a.Do(t, "root", http.MethodGet, path, nil))
}

// secret puts a secret into the vault.
func (a *app) secret(t testing.TB, name string) {
	t.Helper()
	a.ok(t, http.MethodPost, "/api/secrets", compactObject{"name": name, "value": "a-value-of-" + name})
}

// frozen makes a revision with one tool and freezes it.
func (a *app) frozen(t testing.TB, slug, source string) string {
	t.Helper()
	path := a.draft(t, slug)
	a.ok(t, http.MethodPut, path+"/tools/echo", tool(source))
	a.ok(t, http.MethodPost, path+"/freeze", nil)
	return path
}

func tool(source string, more ...compactObject) compactObject {
	body := compactObject{"description": "Answers what it is told.", "args_schema": compactObject{"type": "object"}, "source": source}
	for _, m := range more {
		maps.Copy(body, m)
	}
	return body
}

func spec(members compactObject) compactObject { return compactObject{"spec": members} }

// rows are all rows of agents, to compare what was before and after.
func (a *app) rows(t testing.TB) string {
	t.Helper()
	h := sha256.New()
	for _, table := range []string{"agents", "agent_revisions", "agent_tools", "agent_skills", "ai_audit_entries"} {
		var all string
		err := a.DB.Conn(
			t.Context(),
		).QueryRow(
			t.Context(),
			`SELECT coalesce(string_agg(r::text, E'\n' ORDER BY r::text), '') FROM `+table+` r`,
		).Scan(
			&all,
		)
		require.NoError(t, err, table)
		_, _ = fmt.Fprintln(h, table, all)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// as is a context in which somebody acts.
func (a *app) as(t testing.TB, who string) context.Context {
	t.Helper()
	return principal.NewContext(t.Context(), a.Principal(who))
}

func (a *app) text(t testing.TB, sql string) string {
	t.Helper()
	var text string
	require.NoError(t, a.DB.Conn(t.Context()).QueryRow(t.Context(), sql).Scan(&text))
	return text
}
