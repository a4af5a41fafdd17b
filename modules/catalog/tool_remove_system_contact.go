package catalog

import (
	"context"
	_ "embed"
	"slices"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/problem"
	"countersign/tool"
)

//go:embed tool_remove_system_contact.md
var removeSystemContactText string

type removeSystemContactInput struct {
	SystemID  uuid.UUID `json:"systemId" jsonschema:"description=The id of the system."`
	ContactID uuid.UUID `json:"contactId" jsonschema:"description=The id of the contact as catalog_getSystem shows it."`
}

func removeSystemContactTool() tool.Tool {
	return tool.NewWriteFunc(tool.Definition{
		Name: "catalog.removeSystemContact", Description: removeSystemContactText, Effect: tool.Destructive, Rules: []string{SystemManage},
	}, func(ctx context.Context, c tool.Caller, in removeSystemContactInput) (tool.Preview[removeSystemContactInput], error) {
		var none tool.Preview[removeSystemContactInput]
		live, etag, err := systemToChange(ctx, c, in.SystemID, "systemId", access.Edit)
		if err != nil {
			return none, err
		}
		i := slices.IndexFunc(live.Contacts, func(contact Contact) bool { return contact.ID == in.ContactID })
		if i < 0 {
			return none, problem.InvalidInput("The system "+live.Name+" has no such contact. Read it with catalog_getSystem to see its contacts.",
				problem.Issue{Path: "contactId", Message: "names no contact of this system"})
		}
		contact := live.Contacts[i]
		who := contact.Email
		if contact.Type == UserContact {
			who = contact.UserName
		}
		if who == "" {
			who = "a user who is gone"
		}
		diff, err := tool.Diff(map[string]any{"contact": map[string]any{"type": contact.Type, "who": who, "label": contact.Label}}, struct{}{})
		return tool.Preview[removeSystemContactInput]{
			Summary: "Remove " + who + " from the contacts of the system " + live.Name, Payload: in, Diff: diff, Revision: etag,
		}, err
	}, func(ctx context.Context, c tool.Caller, in removeSystemContactInput) (deleted, error) {
		return remove(ctx, c, systemsPath+"/"+in.SystemID.String()+"/contacts/"+in.ContactID.String())
	})
}
