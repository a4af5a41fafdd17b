package catalog

import (
	"context"
	_ "embed"
	"net/http"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/problem"
	"countersign/tool"
)

//go:embed tool_add_system_contact.md
var addSystemContactText string

type addSystemContactInput struct {
	SystemID uuid.UUID   `json:"systemId" jsonschema:"description=The id of the system."`
	Type     ContactType `json:"type" jsonschema:"enum=user,enum=mailbox"`
	Label    string      `json:"label,omitempty" jsonschema:"maxLength=120,description=What the contact is for; such as on-call."`
	UserID   *uuid.UUID  `json:"userId,omitempty" jsonschema:"description=The user; for type user only."`
	Email    string      `json:"email,omitempty" jsonschema:"maxLength=254,description=The address; for type mailbox only."`
}

type contactOutput struct {
	Contact Contact `json:"contact"`
}

func addSystemContactTool() tool.Tool {
	return tool.NewWriteFunc(tool.Definition{
		Name: "catalog.addSystemContact", Description: addSystemContactText, Effect: tool.Mutate, Rules: []string{SystemManage},
	}, func(ctx context.Context, c tool.Caller, in addSystemContactInput) (tool.Preview[addSystemContactInput], error) {
		var none tool.Preview[addSystemContactInput]
		live, etag, err := systemToChange(ctx, c, in.SystemID, "systemId", access.Edit)
		if err != nil {
			return none, err
		}
		var v validation
		contact := v.contact(NewContact{Type: in.Type, Label: in.Label, UserID: in.UserID, Email: in.Email})
		if err := v.Err(); err != nil {
			return none, err
		}
		in.Label, in.Email = contact.Label, contact.Email
		for _, other := range live.Contacts {
			if sameContact(other, contact) {
				return none, unchanged("the system %s has this contact already.", live.Name)
			}
		}
		who, err := contactName(ctx, c, contact)
		if err != nil {
			return none, err
		}
		summary := "Add " + who + " as a contact of the system " + live.Name
		if contact.Label != "" {
			summary += " (" + contact.Label + ")"
		}
		diff, err := tool.Diff(struct{}{}, map[string]any{"contact": map[string]any{"type": contact.Type, "who": who, "label": contact.Label}})
		return tool.Preview[addSystemContactInput]{Summary: summary, Payload: in, Diff: diff, Revision: etag}, err
	}, func(ctx context.Context, c tool.Caller, in addSystemContactInput) (contactOutput, error) {
		var out contactOutput
		body := NewContact{Type: in.Type, Label: in.Label, UserID: in.UserID, Email: in.Email}
		_, err := c.Client.Do(ctx, http.MethodPost, systemsPath+"/"+in.SystemID.String()+"/contacts", body, &out.Contact)
		return out, err
	})
}

func sameContact(have Contact, add NewContact) bool {
	if add.UserID != nil {
		return have.UserID != nil && *have.UserID == *add.UserID
	}
	return have.UserID == nil && have.Email == add.Email
}

// contactName is how a person would call the contact. Not everybody may look users up; then applying checks the id.
func contactName(ctx context.Context, c tool.Caller, contact NewContact) (string, error) {
	if contact.UserID == nil {
		return contact.Email, nil
	}
	user, _, err := read[Reference](ctx, c, usersPath, *contact.UserID, "userId")
	if problem.Is(err, problem.Forbidden) {
		return "the user " + contact.UserID.String(), nil
	}
	return user.Name, err
}
