package app_test

import (
	"net/http"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/app/apptest"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/disposition"
	"countersign/tool/proposal"
)

type toolPolicy struct {
	ToolName      string `json:"toolName"`
	Effect        string `json:"effect"`
	Enabled       bool   `json:"enabled"`
	AlwaysConfirm bool   `json:"alwaysConfirm"`
	TwoPerson     bool   `json:"twoPerson"`
	Revision      int64  `json:"revision"`
	UpdatedBy     string `json:"updatedBy"`
}

func setPolicy(t *testing.T, p *apptest.Product, name string, change map[string]any) toolPolicy {
	t.Helper()
	var policy toolPolicy
	if change["twoPerson"] == true {
		// Most tests have no second person yet when they ask for one.
		change["anyway"] = true
	}
	p.Countersign(t, p.Admin.Patch(t, "/api/ai/policies/"+name, change, nil))
	p.Admin.Get(t, "/api/ai/policies/"+name, &policy)
	return policy
}

func offeredTools(t *testing.T, c *apptest.Client) []string {
	t.Helper()
	var offered struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	c.Get(t, "/api/ai/tools", &offered)
	names := make([]string, len(offered.Tools))
	for i, one := range offered.Tools {
		names[i] = one.Name
	}
	return names
}

// A tool that is switched off cannot be used from that moment on: in any process, on any way, under any name.
func TestAToolThatIsSwitchedOffCannotBeUsed(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	p := apptest.Start(t, apptest.Options{Env: provider.Env()})
	beside := apptest.Start(t, apptest.Options{Beside: p, Roles: app.Roles{API: true}})
	open := p.Admin.Propose(t, "catalog.createSystem", map[string]any{"name": "Open"})
	require.NotEmpty(t, open.Token)
	policy := setPolicy(t, p, "catalog.createSystem", map[string]any{"enabled": false})
	require.False(t, policy.Enabled)
	require.Equal(t, "Administrator", policy.UpdatedBy)
	setPolicy(t, p, "ai.listDocs", map[string]any{"enabled": false})

	for _, c := range []*apptest.Client{p.Admin, p.Admin.At(beside)} {
		require.NotContains(t, offeredTools(t, c), "catalog.createSystem")
		require.Contains(t, offeredTools(t, c), "catalog.updateSystem")
		for _, name := range []string{"catalog.createSystem", "catalog_createSystem"} {
			e := c.Refused(
				t,
				problem.Forbidden,
				http.MethodPost,
				"/api/ai/tools/"+name+"/propose",
				map[string]any{"input": map[string]any{"name": "x"}},
			)
			require.Contains(t, e.Detail, "switched this tool off")
		}
		c.Refused(t, problem.Forbidden, http.MethodPost, "/api/ai/tools/ai.listDocs/call", map[string]any{"input": map[string]any{}})
		e := c.Refused(t, problem.Forbidden, http.MethodPost, "/api/ai/proposals/apply", map[string]any{"token": open.Token})
		require.Contains(t, e.Detail, "switched catalog.createSystem off")
		card := c.Proposal(t, open.ProposalID)
		require.Empty(t, card.Token)
		require.Contains(t, card.Blocked, "switched catalog.createSystem off")
	}
	for _, name := range []string{"catalog.createSystem", "catalog_createSystem"} {
		turn := p.Admin.Conversation(t, nil).Perform(t, `tool=`+name+` input={"name":"Payments API"} text="Sorry."`)
		require.Contains(t, turn.ToolCalls()[0].ErrorText, "switched this tool off")
		requests := provider.Requests()
		for _, sent := range requests[len(requests)-1].Tools {
			require.NotEqual(t, "catalog_createSystem", sent.Function.Name)
		}
	}
	require.Empty(t, systems(t, p.Admin))
	require.Zero(
		t,
		p.Count(t, `SELECT count(*) FROM ai_tool_calls WHERE tool_name = 'catalog.createSystem' AND status NOT IN ('refused', 'proposed')`),
	)

	setPolicy(t, p, "catalog.createSystem", map[string]any{"enabled": true})
	require.Equal(t, proposal.Applied, p.Admin.Apply(t, open.ProposalID).Status)
}

func TestATurnInAutoModeAsksWhereTheAdministratorWantsIt(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	setPolicy(t, p, "catalog.createSystem", map[string]any{"alwaysConfirm": true})
	chat := p.Admin.Conversation(t, apptest.Settings{"permissionMode": "auto"})
	card := chat.Perform(t, createSystem).Card(t, "proposal")
	require.Contains(t, card.WhyConfirm, "An administrator wants a decision")
	require.Empty(t, systems(t, p.Admin))
	p.Admin.Apply(t, card.ProposalID)
	chat.Idle(t)

	setPolicy(t, p, "catalog.createSystem", map[string]any{"alwaysConfirm": false})
	apptest.Eventually(t, "the model acknowledges", func() bool { return len(chat.Messages(t)) == 3 })
	chat.Perform(t, `tool=catalog.createSystem input={"name":"Second"} text=hi`).Card(t, "applied")
}

func TestPoliciesAreSetByWhoMay(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	person := p.Person(t)
	for _, call := range [][2]string{{http.MethodGet, "/api/ai/policies"}, {http.MethodGet, "/api/ai/policies/ai.listDocs"}, {http.MethodPatch, "/api/ai/policies/ai.listDocs"}} {
		var body any
		if call[0] == http.MethodPatch {
			body = map[string]any{"enabled": false}
		}
		e := person.Refused(t, problem.Forbidden, call[0], call[1], body)
		require.Equal(t, []string{"ai.policy.manage"}, e.MissingRules)
	}
	keeper := p.Person(t, p.Role(t, "ai.policy.manage"))
	var list struct {
		Policies []toolPolicy `json:"policies"`
	}
	keeper.Get(t, "/api/ai/policies", &list)
	require.True(
		t,
		slices.IsSortedFunc(list.Policies, func(a, b toolPolicy) int { return slices.Compare([]byte(a.ToolName), []byte(b.ToolName)) }),
	)
	for _, policy := range list.Policies {
		require.True(t, policy.Enabled && !policy.TwoPerson && !policy.AlwaysConfirm && policy.Revision == 1, "%+v", policy)
	}

	// A change is based on what its author has seen.
	path := "/api/ai/policies/catalog.deleteSystem"
	first := keeper.Get(t, path, nil).Header.Get("ETag")
	require.Equal(t, `"1"`, first)
	based := func(etag string) apptest.Header { return apptest.Header{Name: "If-Match", Value: etag} }
	second := keeper.Patch(t, path, map[string]any{"twoPerson": true, "anyway": true}, nil, based(first)).Header.Get("ETag")
	require.Equal(t, `"2"`, second)
	keeper.Refused(t, problem.Precondition, http.MethodPatch, path, map[string]any{"enabled": false}, based(first))
	var policy toolPolicy
	keeper.Patch(t, path, map[string]any{"enabled": false}, &policy, based(second))
	require.True(t, policy.TwoPerson, "what is absent stays")

	keeper.Refused(t, problem.NotFound, http.MethodPatch, "/api/ai/policies/catalog.noSuchTool", map[string]any{"enabled": false})
	e := keeper.Refused(t, problem.Invalid, http.MethodPatch, "/api/ai/policies/ai.listDocs", map[string]any{"twoPerson": true})
	require.Equal(t, "twoPerson", e.Issues[0].Path)
	keeper.Refused(t, problem.Invalid, http.MethodPatch, path, map[string]any{"allowed": true})
}

// Whatever a tool of the product removes, there is no way in which that happens without a person's decision.
func TestNoToolThatRemovesIsAppliedAutomatically(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	var list struct {
		Policies []toolPolicy `json:"policies"`
	}
	p.Admin.Get(t, "/api/ai/policies", &list)
	removing, both := 0, []bool{false, true}
	for _, registered := range list.Policies {
		for _, kind := range []principal.Kind{principal.User, principal.Application, principal.Service} {
			for _, mode := range []disposition.Mode{disposition.Approve, disposition.Auto} {
				for bits := range 16 {
					d, _ := disposition.Decide(disposition.Call{
						Effect: tool.Effect(registered.Effect), Principal: kind, Mode: mode, Tainted: both[bits&1],
						Policy: disposition.Policy{Enabled: both[bits>>1&1], AlwaysConfirm: both[bits>>2&1], TwoPerson: both[bits>>3&1]},
					})
					if registered.Effect == "destructive" {
						require.Contains(t, []disposition.Disposition{disposition.Confirm, disposition.Refuse}, d, registered.ToolName)
					}
					require.True(t, d != disposition.Run || registered.Effect == "read", registered.ToolName)
				}
			}
		}
		// What is called a removal is declared as one.
		if regexp.MustCompile(`\.(delete|remove)[A-Z]`).MatchString(registered.ToolName) {
			require.Equal(t, "destructive", registered.Effect, registered.ToolName)
			removing++
		}
	}
	require.GreaterOrEqual(t, removing, 6)
}
