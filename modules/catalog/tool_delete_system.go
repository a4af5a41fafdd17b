package catalog

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/tool"
)

type deleteSystemInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the system."`
}

// Targets implements tool.Targeted.
func (in deleteSystemInput) Targets() []tool.Target {
	return []tool.Target{systemsAPI.Target(in.ID, access.Own)}
}

func deleteSystemTool() tool.Tool {
	return tool.NewWrite(tool.Define(texts, "catalog.deleteSystem", tool.Destructive, SystemManage).OrGrant(systemKind, access.Own),
		func(ctx context.Context, c tool.Caller, in deleteSystemInput) (tool.Preview[deleteSystemInput], error) {
			live, err := systemsAPI.LoadForChange(ctx, c, in.ID, "id", access.Own)
			if err != nil {
				return tool.Preview[deleteSystemInput]{}, err
			}
			return tool.Remove(live, in, describeDeletion(live.Record)), nil
		},
		func(in deleteSystemInput) tool.Request { return tool.Delete(systemsAPI.At(in.ID)) },
		tool.Gone)
}

// describeDeletion says what goes away with a system.
func describeDeletion(s System) string {
	var places, parts []string
	if n := len(s.Groups); n > 0 {
		places = append(places, count(n, "group", "groups"))
	}
	if n := len(s.Environments); n > 0 {
		places = append(places, count(n, "environment", "environments"))
	}
	if n := len(s.Contacts); n > 0 {
		parts = append(parts, count(n, "contact", "contacts"))
	}
	if n := len(s.Links); n > 0 {
		parts = append(parts, count(n, "link", "links"))
	}
	sentence := "Delete the system " + s.Name
	if len(places) > 0 {
		sentence += ", which is in " + strings.Join(places, " and ")
	}
	if len(parts) > 0 {
		sentence += ", with its " + strings.Join(parts, " and ")
	}
	return sentence
}
