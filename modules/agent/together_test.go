package agent_test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/modules/agent"
)

// at runs something at the same time, n times.
func at(n int, do func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

// Writes of different tools at the same time all land; each is a version of its own.
func TestWritesOfDifferentToolsAllLand(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.agent(t, "helper")
	path := a.draft(t, "helper")
	before := a.revision(t, path).Revision
	at(12, func(i int) {
		answer := a.Do(t, "root", http.MethodPut, fmt.Sprintf("%s/tools/t%d", path, i), tool(fmt.Sprint("source ", i)))
		require.Equal(t, http.StatusOK, answer.Status, answer.Body)
	})
	got := a.bundle(t, path)
	require.Len(t, got.Bundle.Tools, 12)
	require.Equal(t, before+12, got.Revision)
	for _, tool := range got.Bundle.Tools {
		require.Equal(t, "source "+tool.ID[1:], tool.Source)
	}
}

// Of writes that are based on the same version one lands, whatever they write; the others are told so.
func TestOneOfManyWritesOfAVersionLands(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.agent(t, "helper")
	path := a.draft(t, "helper")
	tag := a.ok(t, http.MethodGet, path, nil).Header.Get("ETag")
	var landed, late atomic.Int32
	at(10, func(i int) {
		where, body := fmt.Sprintf("%s/tools/t%d", path, i), any(tool("one"))
		switch i % 3 {
		case 1:
			where, body = path+"/agent_md", compactObject{"content": fmt.Sprint("text ", i)}
		case 2:
			where, body = path+"/spec", spec(compactObject{"limits": compactObject{"timeout_ms": 500 + i}})
		}
		switch answer := a.Do(t, "root", http.MethodPut, where, body, "If-Match", tag); answer.Status {
		case http.StatusOK:
			landed.Add(1)
		case http.StatusPreconditionFailed:
			late.Add(1)
		default:
			t.Errorf("%d %s", answer.Status, answer.Body)
		}
	})
	require.EqualValues(t, 1, landed.Load())
	require.EqualValues(t, 9, late.Load())
}

// What changed while a tool was compiled counts: the state, the version, and the rights of who writes.
func TestWhatChangesDuringACompileIsSeen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile func(a *app, path string)
		based     bool
		status    int
	}{
		"frozen": {func(a *app, _ string) {
			a.Exec(t, `UPDATE agent_revisions SET state = 'ready', bundle_sha256 = repeat('a', 64)`)
		}, false, http.StatusConflict},
		"deleted":        {func(a *app, path string) { a.ok(t, http.MethodDelete, path, nil) }, false, http.StatusNotFound},
		"written":        {func(a *app, path string) { a.ok(t, http.MethodPut, path+"/agent_md", compactObject{"content": "x"}) }, true, http.StatusPreconditionFailed},
		"written by all": {func(a *app, path string) { a.ok(t, http.MethodPut, path+"/agent_md", compactObject{"content": "x"}) }, false, http.StatusOK},
		"taken away": {func(a *app, _ string) {
			p := a.Principal("root")
			p.Rules = []string{agent.Read}
			a.Exec(t, `DELETE FROM relation_tuples`)
			a.SignIn("root", p)
		}, false, http.StatusOK}, // who signed in keeps the rules of that request
		"closed": {func(a *app, _ string) {
			a.Exec(t, `DELETE FROM relation_tuples`)
			a.Exec(t, `INSERT INTO relation_tuples (object_type, object_id, relation, subject_type, subject_id) SELECT 'agent.agent', id, 'private', 'public', '00000000-0000-0000-0000-000000000000' FROM agents`)
			a.Exec(t, `INSERT INTO relation_tuples (object_type, object_id, relation, subject_type, subject_id) SELECT 'agent.agent', id, 'owner', 'user', gen_random_uuid() FROM agents`)
		}, false, http.StatusNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t)
			a.agent(t, "helper")
			path := a.draft(t, "helper")
			var headers []string
			if c.based {
				headers = []string{"If-Match", a.ok(t, http.MethodGet, path, nil).Header.Get("ETag")}
			}
			a.compiler.whenCompiling(func(string) { c.meanwhile(a, path) })
			answer := a.Do(t, "root", http.MethodPut, path+"/tools/echo", tool("one"), headers...)
			require.Equal(t, c.status, answer.Status, answer.Body)
			require.Equal(t, c.status == http.StatusOK, a.Count(t, `SELECT count(*) FROM agent_tools`) == 1)
		})
	}
}

// A freeze seals what it has compiled: when the draft is written meanwhile it begins anew, and with If-Match it is refused.
func TestAFreezeSealsWhatItHasSeen(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.agent(t, "helper")
	path := a.draft(t, "helper")
	a.ok(t, http.MethodPut, path+"/tools/echo", tool("one"))
	var once sync.Once
	write := func(string) {
		once.Do(func() { a.ok(t, http.MethodPut, path+"/agent_md", compactObject{"content": "Written meanwhile."}) })
	}
	tag := a.ok(t, http.MethodGet, path, nil).Header.Get("ETag")
	a.compiler.whenCompiling(write)
	a.Do(t, "root", http.MethodPost, path+"/freeze", nil, "If-Match", tag).Refused(t, problem.Precondition)
	once = sync.Once{}
	a.ok(t, http.MethodPut, path+"/agent_md", compactObject{"content": "Before."})
	frozen := apitest.Decode[agent.Frozen](t, a.ok(t, http.MethodPost, path+"/freeze", nil))
	require.Equal(t, "Written meanwhile.", a.bundle(t, path).Bundle.AgentMD)
	sealed := apitest.Decode[agent.Manifest](t, a.ok(t, http.MethodGet, path+"/manifest", nil))
	require.Equal(t, frozen.BundleSHA256, sealed.BundleSHA256)
	require.Equal(t, "agent.md", sealed.Files[0].Path)
	require.Equal(t, len("Written meanwhile."), sealed.Files[0].Size)

	// Somebody who never stops writing is not waited for.
	busy := a.draft(t, "helper")
	a.compiler.whenCompiling(nil)
	a.ok(t, http.MethodPut, busy+"/tools/echo", tool("one"))
	n := 0
	a.compiler.whenCompiling(func(string) {
		n++
		a.ok(t, http.MethodPut, busy+"/agent_md", compactObject{"content": fmt.Sprint(n)})
	})
	a.Do(t, "root", http.MethodPost, busy+"/freeze", nil).Refused(t, problem.Busy)
	require.Equal(t, agent.Draft, a.revision(t, busy).State)
}

// Many who freeze get one hash, and one of them has sealed it.
func TestManyFreezesAreOne(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.agent(t, "helper")
	path := a.draft(t, "helper")
	a.ok(t, http.MethodPut, path+"/tools/echo", tool("one"))
	var first atomic.Int32
	var hashes sync.Map
	at(6, func(int) {
		frozen := apitest.Decode[agent.Frozen](t, a.Do(t, "root", http.MethodPost, path+"/freeze", nil))
		hashes.Store(frozen.BundleSHA256, true)
		if !frozen.Idempotent {
			first.Add(1)
		}
	})
	require.EqualValues(t, 1, first.Load())
	n := 0
	hashes.Range(func(any, any) bool { n++; return true })
	require.Equal(t, 1, n)
}

// Whoever promotes at the same time: one revision is live in the end, and never two.
func TestOneRevisionIsLive(t *testing.T) {
	t.Parallel()
	a := newApp(t)
	a.agent(t, "helper")
	paths := make([]string, 4)
	for i := range paths {
		paths[i] = a.frozen(t, "helper", fmt.Sprint("source ", i))
	}
	at(16, func(i int) {
		answer := a.Do(t, "root", http.MethodPost, paths[i%4]+"/promote", nil)
		require.Equal(t, http.StatusOK, answer.Status, answer.Body)
		require.LessOrEqual(t, a.Count(t, `SELECT count(*) FROM agent_revisions WHERE state = 'live'`), 1)
	})
	require.Equal(t, 1, a.Count(t, `SELECT count(*) FROM agent_revisions WHERE state = 'live'`))
	require.Equal(t, 3, a.Count(t, `SELECT count(*) FROM agent_revisions WHERE state = 'archived'`))
}
