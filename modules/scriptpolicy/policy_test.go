package scriptpolicy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/modules/scriptpolicy"
	"countersign/sandbox"
)

func TestAFreshInstallationHasAPolicyWithoutNetwork(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	policy, downgraded := a.Effective(t.Context())
	require.False(t, downgraded)
	require.Equal(t, scriptpolicy.Off, policy.Network)
	require.Nil(t, scriptpolicy.Fetcher(policy, nil))
	require.Equal(t, 30*time.Second, policy.Test.Sandbox().Timeout)
	require.Equal(t, sandbox.DefaultLimits(), policy.Test.Sandbox())
	require.Equal(t, policy.Run.Sandbox(), policy.Run.Sandbox().Within(sandbox.MaxLimits()), "no limit exceeds what no job exceeds")
}

func TestAPolicyIsSetWithItsRevisionAndKeptOnRecord(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	got := a.Do(t, "ada", http.MethodGet, path, nil)
	require.Equal(t, `"1"`, got.Header.Get("ETag"))
	before := apitest.Decode[scriptpolicy.Stored](t, got)
	require.Empty(t, before.UpdatedBy)

	wanted := open(scriptpolicy.Allowlist, "API.example.com.", "api.example.com", "10.1.2.3/16:8080")
	saved := apitest.Decode[scriptpolicy.Stored](t, a.Do(t, "ada", http.MethodPut, path, wanted, "If-Match", `"1"`))
	require.Equal(t, []string{"api.example.com", "10.1.0.0/16:8080"}, saved.Allow, "canonical, each once")
	require.Equal(t, "ada", saved.UpdatedBy)
	require.EqualValues(t, 2, saved.Revision)
	policy, downgraded := a.Effective(t.Context())
	require.False(t, downgraded)
	require.Equal(t, saved.Policy, policy, "the process that changed it uses it at once")
	require.Equal(
		t,
		sandbox.Limits{Timeout: 5 * time.Second, Memory: 32 << 20, Output: 4096, Result: 8192, HostCalls: 7, HostBytes: 2048},
		policy.Test.Sandbox(),
	)

	a.Do(t, "bob", http.MethodPut, path, open(scriptpolicy.Public), "If-Match", `"1"`).Refused(t, problem.Precondition)
	apitest.Decode[scriptpolicy.Stored](t, a.Do(t, "bob", http.MethodPut, path, open(scriptpolicy.Public), "If-Match", `"2"`))
	changes := apitest.Decode[struct{ Changes []scriptpolicy.PolicyChange }](t, a.Do(t, "ada", http.MethodGet, path+"/changes", nil)).Changes
	require.Len(t, changes, 2)
	require.Equal(t, []string{"bob", "ada"}, []string{changes[0].ActorName, changes[1].ActorName})
	require.Equal(t, saved.Policy, *changes[0].Before)
	require.Equal(t, scriptpolicy.Public, changes[0].After.Network)
	require.Equal(t, before.Policy, *changes[1].Before)

	for _, statement := range []string{"UPDATE script_policy_changes SET revision = 1", "DELETE FROM script_policy_changes", "TRUNCATE script_policy_changes"} {
		_, err := a.DB.Conn(t.Context()).Exec(t.Context(), statement)
		require.ErrorContains(t, err, "stay on record", statement)
	}
	for _, call := range []struct{ method, path string }{{http.MethodGet, path}, {http.MethodPut, path}, {http.MethodGet, path + "/changes"}} {
		var body any
		if call.method == http.MethodPut {
			body = open(scriptpolicy.Public)
		}
		require.Equal(
			t,
			[]string{scriptpolicy.Manage},
			a.Do(t, "nobody", call.method, call.path, body).Refused(t, problem.Forbidden).MissingRules,
		)
	}
}

func TestEverythingWrongWithAPolicyIsNamed(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	ctx := principal.NewContext(t.Context(), a.Principal("ada"))
	for name, c := range map[string]struct {
		change func(*scriptpolicy.Policy)
		path   string
	}{
		"network":       {func(p *scriptpolicy.Policy) { p.Network = "on" }, "network"},
		"no entry":      {func(p *scriptpolicy.Policy) { p.Network, p.Allow = scriptpolicy.Allowlist, nil }, "allow"},
		"bad entry":     {func(p *scriptpolicy.Policy) { p.Allow = []string{"ok.example.com", "http://x"} }, "allow[1]"},
		"metadata":      {func(p *scriptpolicy.Policy) { p.Allow = []string{"169.254.169.254"} }, "allow[0]"},
		"many":          {func(p *scriptpolicy.Policy) { p.Allow = make([]string, 201) }, "allow"},
		"zero timeout":  {func(p *scriptpolicy.Policy) { p.Test.TimeoutMs = 0 }, "test.timeoutMs"},
		"long timeout":  {func(p *scriptpolicy.Policy) { p.Run.TimeoutMs = 300_001 }, "run.timeoutMs"},
		"small memory":  {func(p *scriptpolicy.Policy) { p.Run.MemoryBytes = 1 }, "run.memoryBytes"},
		"large memory":  {func(p *scriptpolicy.Policy) { p.Run.MemoryBytes = 129 << 20 }, "run.memoryBytes"},
		"zero calls":    {func(p *scriptpolicy.Policy) { p.Run.HostCalls = 0 }, "run.hostCalls"},
		"negative size": {func(p *scriptpolicy.Policy) { p.Test.ResultBytes = -1 }, "test.resultBytes"},
	} {
		policy := open(scriptpolicy.Public)
		c.change(&policy)
		_, err := a.Set(ctx, policy, nil)
		require.True(t, problem.Is(err, problem.Invalid), name)
		require.Equal(t, c.path, problem.As(err).Issues[0].Path, name)
		require.Equal(t, problem.Invalid, a.Do(t, "ada", http.MethodPut, path, policy).Refused(t, problem.Invalid).Code, name)
	}
	stored, err := a.Get(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, stored.Revision, "nothing was stored")
}

func TestWithoutAUsablePolicyScriptsGetTheLeast(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	ctx := principal.NewContext(t.Context(), a.Principal("ada"))
	_, err := a.Set(ctx, open(scriptpolicy.Public), nil)
	require.NoError(t, err)
	for name, statement := range map[string]string{
		"no document":    `UPDATE script_policy SET document = '{}'`,
		"not an object":  `UPDATE script_policy SET document = '"public"'`,
		"network":        `UPDATE script_policy SET document = jsonb_set(document, '{network}', '"everything"')`,
		"bad entry":      `UPDATE script_policy SET document = jsonb_set(document, '{allow}', '["http://x"]')`,
		"no limit":       `UPDATE script_policy SET document = document #- '{test,timeoutMs}'`,
		"wide limit":     `UPDATE script_policy SET document = jsonb_set(document, '{run,memoryBytes}', '999999999')`,
		"unknown member": `UPDATE script_policy SET document = document || '{"paranoid": true}'`,
		"missing":        `DELETE FROM script_policy`,
	} {
		_, err := a.Set(ctx, open(scriptpolicy.Public), nil)
		require.NoError(t, err)
		policy, downgraded := a.Effective(t.Context())
		require.False(t, downgraded, name)
		require.Equal(t, scriptpolicy.Public, policy.Network)

		a.Exec(t, statement)
		a.Forget()
		policy, downgraded = a.Effective(t.Context())
		require.True(t, downgraded, name)
		require.Equal(t, scriptpolicy.Tightest(), policy, name)
		require.Nil(t, scriptpolicy.Fetcher(policy, nil), name)
		stored := apitest.Decode[scriptpolicy.Stored](t, a.Do(t, "ada", http.MethodGet, path, nil))
		require.True(t, stored.Downgraded, name)
		require.Equal(t, scriptpolicy.Tightest(), stored.Policy, name)
	}
	// The last one has deleted it; what is set now continues the revisions that people have seen.
	before := apitest.Decode[struct{ Changes []scriptpolicy.PolicyChange }](t, a.Do(t, "ada", http.MethodGet, path+"/changes", nil)).Changes
	saved, err := a.Set(ctx, open(scriptpolicy.Off), nil)
	require.NoError(t, err)
	require.Equal(t, before[0].Revision+1, saved.Revision)
}

func TestADatabaseThatIsAwayClosesTheNetwork(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	_, err := a.Set(principal.NewContext(t.Context(), a.Principal("ada")), open(scriptpolicy.Public), nil)
	require.NoError(t, err)
	a.Exec(t, "ALTER TABLE script_policy RENAME TO script_policy_away")
	a.Forget()
	policy, downgraded := a.Effective(t.Context())
	require.True(t, downgraded)
	require.Equal(t, scriptpolicy.Tightest(), policy)
	a.Exec(t, "ALTER TABLE script_policy_away RENAME TO script_policy")
	policy, downgraded = a.Effective(t.Context())
	require.False(t, downgraded, "a failure is not kept")
	require.Equal(t, scriptpolicy.Public, policy.Network)
}

func TestACallerThatLeavesDoesNotSpoilThePolicyOfOthers(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	policy, downgraded := a.Effective(gone)
	if downgraded {
		require.Equal(t, scriptpolicy.Tightest(), policy)
	}
	_, downgraded = a.Effective(t.Context())
	require.False(t, downgraded)
}

func TestAnotherProcessSeesAChangeWithinASecond(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	other := scriptpolicy.New(scriptpolicy.Options{DB: a.DB})
	policy, _ := other.Effective(t.Context())
	require.Equal(t, scriptpolicy.Off, policy.Network)
	_, err := a.Set(principal.NewContext(t.Context(), a.Principal("ada")), open(scriptpolicy.Public), nil)
	require.NoError(t, err)
	changed := time.Now()
	require.Eventually(t, func() bool {
		asked := time.Now()
		policy, downgraded := other.Effective(t.Context())
		seen := !downgraded && policy.Network == scriptpolicy.Public
		require.True(t, seen || asked.Sub(changed) < time.Second, "whoever asks a second later is told of it")
		return seen
	}, time.Minute, 10*time.Millisecond)
}

func TestConcurrentChangesAndReadsStayConsistent(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	ctx := principal.NewContext(t.Context(), a.Principal("ada"))
	const writers = 8
	var wg sync.WaitGroup
	results := make(chan error, writers)
	for i := range writers {
		wg.Go(func() {
			policy := open(scriptpolicy.Allowlist, fmt.Sprintf("h%d.example.com", i))
			_, err := a.Set(ctx, policy, new(int64(1)))
			results <- err
		})
		wg.Go(func() {
			for range 20 {
				if policy, downgraded := a.Effective(t.Context()); downgraded || policy.Network == scriptpolicy.Public {
					results <- fmt.Errorf("downgraded %v, %v", downgraded, policy.Network)
				}
			}
		})
	}
	wg.Wait()
	close(results)
	won := 0
	for err := range results {
		if err == nil {
			won++
			continue
		}
		require.True(t, problem.Is(err, problem.Precondition), "%v", err)
	}
	require.Equal(t, 1, won, "one writer per revision")
	policy, _ := a.Effective(t.Context())
	stored, err := a.Get(t.Context())
	require.NoError(t, err)
	require.Equal(t, stored.Policy, policy)
}

func TestAStoredPolicyReadsBackAsItIs(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	saved, err := a.Set(
		principal.NewContext(t.Context(), a.Principal("ada")),
		open(scriptpolicy.Allowlist, "*.example.com:443", "fd12::/48", "[::1]:8080"),
		nil,
	)
	require.NoError(t, err)
	document, err := json.Marshal(saved.Policy)
	require.NoError(t, err)
	require.JSONEq(t, `["*.example.com:443", "fd12::/48", "[::1]:8080"]`, string(mustField(t, document, "allow")))
}

func mustField(t *testing.T, document []byte, name string) json.RawMessage {
	t.Helper()
	var members map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(document, &members))
	return members[name]
}
