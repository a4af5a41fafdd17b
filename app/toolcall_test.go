package app_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/modules/agent"
	"countersign/tool/proposal"
)

// A call over REST is a write of whoever makes it, as the others of the API are. What an author wants approved no program does alone.
func TestACallOfAToolOverRESTIsAWriteLikeOthers(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	s := stage{t, p}
	created := newAgent()
	created["private"] = false
	path := "/api/agents/" + s.made("/api/agents", created)
	var found agent.Agent
	p.Admin.Get(t, path, &found)
	goes := func(spec map[string]any) {
		t.Helper()
		draft := path + "/revisions/" + s.made(path+"/revisions", map[string]any{})
		s.put(draft+"/spec", map[string]any{"spec": map[string]any{"tools": spec, "limits": map[string]any{"timeout_ms": 20_000}}})
		s.put(draft+"/tools/one", newTool())
		apptest.Eventually(t, "it is frozen", func() bool { return p.Admin.Call(t, http.MethodPost, draft+"/freeze", nil).Status < 300 })
		p.Admin.Post(t, draft+"/promote", nil, nil)
	}
	robot := p.Application(t, p.Role(t, "agent.agent.read", "ai.chat.read"))
	call, args := path+"/tools/one/call", map[string]any{"args": map[string]any{}}
	runs := func(c *apptest.Client) {
		t.Helper()
		var out agent.Called
		c.Post(t, call, args, &out)
		require.True(t, out.OK, "%+v", out.Error)
	}

	goes(map[string]any{})
	runs(p.Admin)
	runs(robot)
	name := "agent." + found.Slug + ".one"
	require.Equal(t, proposal.Proposed, robot.Propose(t, name, map[string]any{}).Status, "what is called as a tool is proposed")
	setPolicy(t, p, name, map[string]any{"alwaysConfirm": true})
	runs(p.Admin)
	waits(t, robot, http.MethodPost, call, args)
	setPolicy(t, p, name, map[string]any{"alwaysConfirm": false})
	runs(robot)

	goes(map[string]any{"one": map[string]any{"requires_approval": true}})
	runs(p.Admin)
	w := waits(t, robot, http.MethodPost, call, args)
	require.Contains(t, w.Detail, "a person's decision")
	require.Equal(t, proposal.Applied, p.Admin.Apply(t, w.ProposalID).Status)
}
