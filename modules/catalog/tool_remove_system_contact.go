package catalog

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

type removeSystemContactInput struct {
	SystemID  uuid.UUID `json:"systemId" jsonschema:"description=The id of the system."`
	ContactID uuid.UUID `json:"contactId" jsonschema:"description=The id of the contact as catalog_getSystem shows it."`
}

// Targets implements tool.Targeted.
func (in removeSystemContactInput) Targets() []tool.Target {
	return []tool.Target{systemsAPI.Target(in.SystemID, access.Edit)}
}

func removeSystemContactTool() tool.Tool {
	return kit.NewWrite(
		kit.Define(texts, "catalog.removeSystemContact", tool.Destructive, SystemManage).OrGrant(systemKind, access.Edit).WithoutCascade().
			WithInverse(kit.Restorer("catalog.addSystemContact")),
		func(ctx context.Context, c tool.Caller, in removeSystemContactInput) (kit.Preview[removeSystemContactInput], error) {
			var none kit.Preview[removeSystemContactInput]
			live, err := systemsAPI.LoadForChange(ctx, c, in.SystemID, "systemId", access.Edit)
			if err != nil {
				return none, err
			}
			i := slices.IndexFunc(live.Record.Contacts, func(contact Contact) bool { return contact.ID == in.ContactID })
			if i < 0 {
				return none, problem.InvalidInput("The system "+live.Name+" has no such contact. Read it with catalog_getSystem to see its contacts.",
					problem.Issue{Path: "contactId", Message: "names no contact of this system"})
			}
			contact := live.Record.Contacts[i]
			who := contact.Email + contact.Address
			if contact.Type == UserContact {
				who = contact.UserName
			}
			if who == "" {
				who = "a user who is gone"
			}
			diff, err := kit.Diff(map[string]any{"contact": map[string]any{"type": contact.Type, "who": who, "label": contact.Label}}, struct{}{})
			summary := "Remove " + who + " from the contacts of the system " + live.Name
			preview := kit.Preview[removeSystemContactInput]{Summary: summary, Payload: in, Diff: diff, Revision: live.Revision}
			if again, ok := formerContact(contact); ok {
				preview.Before = addSystemContactInput{SystemID: in.SystemID, NewContact: again}
			}
			return preview, err
		},
		func(in removeSystemContactInput) tool.Request {
			return kit.Delete(systemsAPI.At(in.SystemID, "contacts", in.ContactID.String()))
		},
		kit.Gone,
	)
}
