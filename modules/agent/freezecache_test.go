package agent_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/api/apitest"
	"countersign/internal/problem"
	"countersign/modules/agent"
)

// unfinished is how far a freeze says it came.
func unfinished(t testing.TB, answer apitest.Answer) agent.Progress {
	t.Helper()
	require.Equal(t, http.StatusConflict, answer.Status, "%s", answer.Body)
	var document struct {
		Code, Error string
		Progress    agent.Progress
	}
	require.NoError(t, json.Unmarshal([]byte(answer.Body), &document))
	require.Equal(t, "freeze_unfinished", document.Error)
	require.Equal(t, string(problem.Busy), document.Code)
	return document.Progress
}

// A freeze that takes too long says how far it came and holds nobody up meanwhile; the next one does what is left.
func TestAFreezeThatTakesTooLongGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	a := newTuned(t, func(o *agent.Options) { o.FreezeTime = 5 * time.Second })
	a.agent(t, "helper")
	path := a.draft(t, "helper")
	for _, id := range []string{"a", "b", "c"} {
		a.ok(t, http.MethodPut, path+"/tools/"+id, tool("one "+id))
		list := []compactObject{}
		for i := range 3 {
			list = append(list, compactObject{"name": fmt.Sprint("example ", i), "args": compactObject{"tool": id, "n": i}})
		}
		a.ok(t, http.MethodPut, path+"/tools/"+id+"/examples", compactObject{"examples": list})
	}
	a.smoke.stall(func(trial agent.Trial) bool { return string(trial.Args) == `{"n":1,"tool":"b"}` })
	answers := make(chan apitest.Answer, 1)
	go func() { answers <- a.Do(t, "root", http.MethodPost, path+"/freeze", nil) }()
	<-a.smoke.stalled
	a.ok(t, http.MethodPatch, agents+"/helper", compactObject{"name": "Another name"})
	require.Equal(t, agent.Progress{Tools: 3, ToolsDone: 2, Examples: 9, ExamplesDone: 4}, unfinished(t, <-answers))
	require.Equal(t, agent.Draft, a.revision(t, path).State)
	require.Len(t, a.smoke.tried, 6)

	a.smoke.stall(nil)
	a.ok(t, http.MethodPost, path+"/freeze", nil)
	require.Len(t, a.smoke.tried, 3+9, "nothing was tried twice")
	require.Zero(t, a.Count(t, `SELECT count(*) FROM agent_trials`))
	require.True(t, apitest.Decode[agent.Frozen](t, a.ok(t, http.MethodPost, path+"/freeze", nil)).Idempotent)

	// What was written since is tried anew, and what was compiled is not compiled again.
	path = a.draft(t, "helper")
	a.ok(t, http.MethodPut, path+"/tools/a", tool("one a"))
	a.ok(t, http.MethodPut, path+"/tools/b", tool("one b"))
	a.smoke.stall(func(trial agent.Trial) bool { return trial.Tool == "b" })
	go func() { answers <- a.Do(t, "root", http.MethodPost, path+"/freeze", nil) }()
	<-a.smoke.stalled
	require.Equal(t, agent.Progress{Tools: 2, ToolsDone: 1}, unfinished(t, <-answers))
	a.smoke.stall(nil)
	a.ok(t, http.MethodPut, path+"/tools/a", tool("UNLOADABLE"))
	before := a.compiler.count()
	refused := report(t, a.Do(t, "root", http.MethodPost, path+"/freeze", nil).Refused(t, problem.Invalid))
	require.Equal(t, []string{"smoke_failed /tools/a"}, codes(refused.Errors))
	require.Equal(t, 1, a.compiler.count()-before)
	a.ok(t, http.MethodPut, path+"/tools/a", tool("another"))
	a.ok(t, http.MethodPost, path+"/freeze", nil)
}

// A compiler that takes long is no other: what it has made once is made, also where nothing but to look secrets up is left to do.
func TestAFreezeThatCompilesForLongGoesOn(t *testing.T) {
	t.Parallel()
	a := newTuned(t, func(o *agent.Options) { o.FreezeTime = 200 * time.Millisecond })
	a.secret(t, "TOKEN")
	a.agent(t, "helper")
	path := a.draft(t, "helper")
	a.ok(
		t,
		http.MethodPut,
		path+"/spec",
		spec(compactObject{"secrets": []compactObject{{"name": "TOKEN", "allowed_hosts": []string{"api.example.com"}}}}),
	)
	for i := range 3 {
		a.ok(t, http.MethodPut, fmt.Sprintf("%s/tools/t%d", path, i), tool(strings.Repeat("x", i+1)))
	}
	a.compiler.linger()
	var answer apitest.Answer
	for range 100 {
		if answer = a.Do(t, "root", http.MethodPost, path+"/freeze", nil); answer.Status == http.StatusOK {
			break
		}
		unfinished(t, answer)
	}
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
}
