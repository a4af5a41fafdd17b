package agent_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/modules/agent"
)

// Whoever writes sources that take long waits for themselves: others' are compiled meanwhile, and what is too much is refused.
func TestWhoCompilesMuchWaitsForThemselves(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.Person("slow", agent.Manage)
	a.Person("other", agent.Manage)
	a.agent(t, "helper")
	path := a.draft(t, "helper")
	release := make(chan struct{})
	var running, most int
	var mu sync.Mutex
	a.compiler.whenCompiling(func(id string) {
		if id[0] != 's' {
			return
		}
		mu.Lock()
		running++
		most = max(most, running)
		mu.Unlock()
		<-release
		mu.Lock()
		running--
		mu.Unlock()
	})
	answers := make(chan apitest.Answer, 40)
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			answers <- a.Do(t, "slow", http.MethodPut, fmt.Sprintf("%s/tools/slow%d", path, n), tool("one"))
		})
	}
	for range 4 { // those for which there is no place are told so at once
		refused := (<-answers).Refused(t, problem.Throttled)
		require.Positive(t, refused.RetryAfter)
	}
	require.Equal(t, http.StatusOK, a.Do(t, "other", http.MethodPut, path+"/tools/quick", tool("one")).Status)
	close(release)
	all.Wait()
	close(answers)
	for answer := range answers {
		require.Equal(t, http.StatusOK, answer.Status, answer.Body)
	}
	require.Equal(t, 1, most, "one after the other")
	require.Len(t, a.bundle(t, path).Bundle.Tools, 17)
}

// Requests with an Idempotency-Key hold a connection while they are compiled, so only a few of them are.
func TestCompilesLeaveConnections(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.agent(t, "helper")
	path := a.draft(t, "helper")
	release := make(chan struct{})
	answers := make(chan apitest.Answer, 8)
	var all sync.WaitGroup
	entered := make(chan struct{}, 8)
	a.compiler.whenCompiling(func(id string) {
		if id[0] == 's' {
			entered <- struct{}{}
			<-release
		}
	})
	a.Person("author0", agent.Manage)
	for n := range 3 {
		all.Go(func() {
			answers <- a.Do(t, "author0", http.MethodPut, fmt.Sprintf("%s/tools/slow%d", path, n), tool("one"),
				"Idempotency-Key", fmt.Sprint("key", n))
		})
	}
	refused := (<-answers).Refused(t, problem.Throttled)
	require.Contains(t, refused.Detail, "of your tools", "one author has two of the four")
	<-entered
	for n := range 4 {
		n += 3
		a.Person(fmt.Sprint("author", n), agent.Manage)
		all.Go(func() {
			answers <- a.Do(t, fmt.Sprint("author", n), http.MethodPut, fmt.Sprintf("%s/tools/slow%d", path, n), tool("one"), "Idempotency-Key", fmt.Sprint("key", n))
		})
	}
	for range 2 {
		(<-answers).Refused(t, problem.Throttled)
	}
	a.ok(t, http.MethodPut, path+"/tools/quick", tool("one"))
	close(release)
	all.Wait()
	again := a.Do(t, "author0", http.MethodPut, path+"/tools/slow0", tool("one"), "Idempotency-Key", "key0")
	require.Equal(t, http.StatusOK, again.Status, again.Body)
}

// Who gives up waiting leaves the line.
func TestWhoGivesUpLeavesTheLine(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.agent(t, "helper")
	path := a.draft(t, "helper")
	entered, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	a.compiler.whenCompiling(func(string) { once.Do(func() { close(entered); <-release }) })
	var first sync.WaitGroup
	first.Go(func() { a.ok(t, http.MethodPut, path+"/tools/first", tool("one")) })
	<-entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 40 {
		require.GreaterOrEqual(t, a.DoIn(ctx, t, "root", http.MethodPut, path+"/tools/gone", tool("one")).Status, 400)
	}
	close(release)
	first.Wait()
	a.ok(t, http.MethodPut, path+"/tools/next", tool("one"))
}

// What was sealed is what goes live: a bundle that was altered in the database does not.
func TestAnAlteredBundleDoesNotGoLive(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"source":       `UPDATE agent_tools SET source = 'other'`,
		"compiled":     `UPDATE agent_tools SET compiled_js = 'other'`,
		"capabilities": `UPDATE agent_tools SET capabilities = '{}'`,
		"effect":       `UPDATE agent_tools SET effect = 'read'`,
		"spec":         `UPDATE agent_revisions SET spec = '{"tools":{"echo":{"read_with_secrets":true}}}'`,
		"text":         `UPDATE agent_revisions SET agent_md = 'other'`,
		"a tool less":  `DELETE FROM agent_tools`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t)
			a.agent(t, "helper")
			path := a.frozen(t, "helper", "one")
			a.Exec(t, sql)
			e := a.Do(t, "root", http.MethodPost, path+"/promote", nil).Refused(t, problem.Conflict)
			require.Equal(t, "bundle_altered", e.Extra["error"])
			require.Equal(t, agent.Ready, a.revision(t, path).State)
		})
	}
}

// Revisions come in pages, the newest first, and by their state.
func TestRevisionsComeInPages(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.agent(t, "helper")
	for range 3 {
		a.draft(t, "helper")
	}
	a.frozen(t, "helper", "one")
	var numbers []int
	type page struct {
		Revisions  []agent.Revision `json:"revisions"`
		NextCursor string           `json:"nextCursor"`
	}
	for cursor := ""; ; {
		got := apitest.Decode[page](t, a.ok(t, http.MethodGet, agents+"/helper/revisions?limit=3&cursor="+cursor, nil))
		for _, r := range got.Revisions {
			numbers = append(numbers, r.Number)
			require.Equal(t, "root", r.CreatedBy.Name)
		}
		if cursor = got.NextCursor; cursor == "" {
			break
		}
	}
	require.Equal(t, []int{4, 3, 2, 1}, numbers)
	ready := apitest.Decode[page](t, a.ok(t, http.MethodGet, agents+"/helper/revisions?state=ready", nil))
	require.Len(t, ready.Revisions, 1)
	a.Do(t, "root", http.MethodGet, agents+"/helper/revisions?cursor=eA", nil).Refused(t, problem.Invalid)
	a.ok(t, http.MethodDelete, agents+"/helper/revisions/3", nil)
	require.Equal(
		t,
		5,
		apitest.Decode[agent.Revision](t, a.ok(t, http.MethodPost, agents+"/helper/revisions", compactObject{})).Number,
		"a number is used once",
	)
}
