package catalog

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

type addSystemContactInput struct {
	SystemID uuid.UUID `json:"systemId" jsonschema:"description=The id of the system."`
	NewContact
}

// Targets implements tool.Targeted.
func (in addSystemContactInput) Targets() []tool.Target {
	return []tool.Target{systemsAPI.Target(in.SystemID, access.Edit)}
}

type contactOutput struct {
	Contact Contact `json:"contact"`
}

func addSystemContactTool() tool.Tool {
	return kit.NewWrite(kit.Define(texts, "catalog.addSystemContact", tool.Mutate, SystemManage).OrGrant(systemKind, access.Edit).
		WithInverse(kit.PartRemover("catalog.removeSystemContact", "systemId", "contactId", "contact")),
		func(ctx context.Context, c tool.Caller, in addSystemContactInput) (kit.Preview[addSystemContactInput], error) {
			var none kit.Preview[addSystemContactInput]
			live, err := systemsAPI.LoadForChange(ctx, c, in.SystemID, "systemId", access.Edit)
			if err != nil {
				return none, err
			}
			var v validation
			in.NewContact = v.contact(in.NewContact)
			if err := v.Err(); err != nil {
				return none, err
			}
			for _, other := range live.Record.Contacts {
				if sameContact(other, in.NewContact) {
					return none, kit.Unchanged("the system %s has this contact already.", live.Name)
				}
			}
			who, err := contactName(ctx, c, in.NewContact)
			if err != nil {
				return none, err
			}
			summary := "Add " + who + " as a contact of the system " + live.Name
			if in.Label != "" {
				summary += " (" + in.Label + ")"
			}
			diff, err := kit.Diff(struct{}{}, map[string]any{"contact": map[string]any{"type": in.Type, "who": who, "label": in.Label}})
			return kit.Preview[addSystemContactInput]{Summary: summary, Payload: in, Diff: diff, Revision: live.Revision}, err
		},
		func(in addSystemContactInput) tool.Request {
			return kit.Post(systemsAPI.At(in.SystemID, "contacts"), in.NewContact)
		},
		func(added Contact) contactOutput { return contactOutput{Contact: added} })
}

func sameContact(have Contact, add NewContact) bool {
	if add.UserID != nil {
		return have.UserID != nil && *have.UserID == *add.UserID
	}
	return have.UserID == nil && have.Email+have.Address == *add.address()
}

// contactName returns the display name of the contact. Without the right to look users up, applying checks the id.
func contactName(ctx context.Context, c tool.Caller, contact NewContact) (string, error) {
	if contact.UserID == nil {
		return *contact.address(), nil
	}
	user, err := usersAPI.Load(ctx, c, *contact.UserID, "userId")
	if problem.Is(err, problem.Forbidden) {
		return "the user " + contact.UserID.String(), nil
	}
	return user.Name, err
}
