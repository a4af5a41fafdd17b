package tool_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

var drawer = access.Kind{
	Noun:       "drawer",
	Plural:     "shelves",
	ObjectType: "shop.drawer",
	Read:       "shop.drawer.read",
	Manage:     "shop.drawer.manage",
}

func holder(level access.Level, rules ...string) principal.Principal {
	return principal.Principal{Kind: principal.User, ID: uuid.New(), Rules: rules, Grants: map[string]string{drawer.ObjectType: string(level)}}
}

func TestAGrantStandsInForTheRuleOfItsKind(t *testing.T) {
	t.Parallel()
	tools := map[string]tool.Tool{}
	for name, d := range map[string]tool.Definition{
		"see":    tool.Definition{Rules: []string{drawer.Read}}.OrGrant(drawer, access.View),
		"change": tool.Definition{Rules: []string{drawer.Manage, "shop.box.read"}}.OrGrant(drawer, access.Edit),
		"remove": tool.Definition{Rules: []string{drawer.Manage}}.OrGrant(drawer, access.Own),
		"create": {Rules: []string{drawer.Manage}},
	} {
		tools[name] = tool.Tool{Definition: d}
	}
	for _, c := range []struct {
		who  principal.Principal
		open []string
	}{
		{holder(access.None), nil},
		{holder(access.View), []string{"see"}},
		{holder(access.Edit), []string{"see"}},
		{holder(access.Edit, "shop.box.read"), []string{"see", "change"}},
		{holder(access.Own, "shop.box.read"), []string{"see", "change", "remove"}},
		{holder(access.None, drawer.Manage), []string{"remove", "create"}},
		{holder("private"), nil},
	} {
		for name, one := range tools {
			err := one.Authorize(c.who)
			if contains(c.open, name) {
				require.NoError(t, err, "%s %+v", name, c.who)
				continue
			}
			require.Equal(t, problem.Forbidden, problem.CodeOf(err), "%s %+v", name, c.who)
			require.NotEmpty(t, problem.As(err).MissingRules)
		}
	}
	service := holder(access.Own, principal.Admin)
	service.Kind = principal.Service
	require.Error(t, tools["see"].Authorize(service))
}

func contains(list []string, one string) bool {
	return slices.Contains(list, one)
}

type aboutADrawer struct {
	ID uuid.UUID `json:"id"`
}

func (in aboutADrawer) Targets() []tool.Target {
	return []tool.Target{{Path: "/api/shelves/" + in.ID.String(), Level: access.Edit}}
}

func TestAWriteSaysWhatItsProposalsAreAbout(t *testing.T) {
	t.Parallel()
	id := uuid.New()
	about := kit.NewWriteFunc(tool.Definition{},
		func(context.Context, tool.Caller, aboutADrawer) (kit.Preview[aboutADrawer], error) {
			return kit.Preview[aboutADrawer]{}, nil
		},
		func(context.Context, tool.Caller, aboutADrawer) (struct{}, error) { return struct{}{}, nil })
	targets, err := about.Access.Targets(json.RawMessage(`{"id":"` + id.String() + `"}`))
	require.NoError(t, err)
	require.Equal(t, []tool.Target{{Path: "/api/shelves/" + id.String(), Level: access.Edit}}, targets)
	_, err = about.Access.Targets(json.RawMessage(`{"id":7}`))
	require.Error(t, err)

	silent := kit.NewWriteFunc(tool.Definition{},
		func(context.Context, tool.Caller, struct{}) (kit.Preview[struct{}], error) {
			return kit.Preview[struct{}]{}, nil
		},
		func(context.Context, tool.Caller, struct{}) (struct{}, error) { return struct{}{}, nil })
	require.Nil(t, silent.Access.Targets)
}
