package catalog

import (
	"context"
	_ "embed"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/tool"
)

//go:embed tool_add_system_to_group.md
var addSystemToGroupText string

type memberInput struct {
	GroupID  uuid.UUID `json:"groupId" jsonschema:"description=The id of the group."`
	SystemID uuid.UUID `json:"systemId" jsonschema:"description=The id of the system."`
}

func (in memberInput) path() string {
	return groupsPath + "/" + in.GroupID.String() + "/systems/" + in.SystemID.String()
}

type memberOutput struct {
	Changed bool `json:"changed" jsonschema:"description=Whether this call changed anything."`
}

func addSystemToGroupTool() tool.Tool {
	return tool.NewWriteFunc(tool.Definition{
		Name: "catalog.addSystemToGroup", Description: addSystemToGroupText, Effect: tool.Mutate, Rules: []string{GroupManage, SystemRead},
	}, func(ctx context.Context, c tool.Caller, in memberInput) (tool.Preview[memberInput], error) {
		m, err := readMembership(ctx, c, in)
		if err != nil {
			return tool.Preview[memberInput]{}, err
		}
		if m.member {
			return tool.Preview[memberInput]{}, unchanged("the system %s is in the group %s already.", m.system.Name, m.group.Name)
		}
		diff, err := tool.Diff(struct{}{}, map[string]any{"systems": nameSet([]string{m.system.Name})})
		return tool.Preview[memberInput]{
			Summary: "Put the system " + m.system.Name + " into the group " + m.group.Name, Payload: in, Diff: diff, Revision: m.etag,
		}, err
	}, func(ctx context.Context, c tool.Caller, in memberInput) (memberOutput, error) {
		var out memberOutput
		_, err := c.Client.Do(ctx, http.MethodPut, in.path(), nil, &out)
		return out, err
	})
}

// groupAndSystem are the two records of a membership; etag is the revision of the group, which a change belongs to.
type groupAndSystem struct {
	group  Group
	system System
	etag   string
	member bool
}

func readMembership(ctx context.Context, c tool.Caller, in memberInput) (groupAndSystem, error) {
	var m groupAndSystem
	var v validation
	var err error
	m.group, m.etag, err = read[Group](ctx, c, groupsPath, in.GroupID, "groupId")
	if err := v.Absorb(err); err != nil {
		return m, err
	}
	m.system, _, err = read[System](ctx, c, systemsPath, in.SystemID, "systemId")
	if err := v.Absorb(err); err != nil {
		return m, err
	}
	if err := v.Err(); err != nil {
		return m, err
	}
	m.member = slices.Contains(m.group.SystemIDs, in.SystemID)
	return m, mayChange(groupKind, m.group.Name, m.group.Access, access.Edit)
}
