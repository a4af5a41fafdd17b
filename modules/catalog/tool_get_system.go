package catalog

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
)

type getSystemInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the system."`
}

type getSystemOutput struct {
	System fullSystem `json:"system"`
}

// fullSystem is a system with the ids that the tools that change it take.
type fullSystem struct {
	ID           uuid.UUID    `json:"id"`
	Name         string       `json:"name"`
	Description  string       `json:"description,omitempty"`
	Metadata     Record       `json:"metadata,omitempty"`
	Tags         []string     `json:"tags,omitempty"`
	Owners       []Owner      `json:"owners,omitempty"`
	Groups       []Reference  `json:"groups,omitempty"`
	Environments []Reference  `json:"environments,omitempty"`
	Contacts     []Contact    `json:"contacts,omitempty"`
	Links        []briefLink  `json:"links,omitempty"`
	Access       access.Level `json:"access,omitempty" jsonschema:"description=What the person you act for may do: viewer reads; editor changes; owner also deletes and sets the owner."`
}

type briefLink struct {
	ID    uuid.UUID `json:"id"`
	Label string    `json:"label,omitempty"`
	URL   string    `json:"url"`
}

func getSystemTool() tool.Tool {
	return kit.NewRead(
		kit.Define(texts, "catalog.getSystem", tool.Read, SystemRead).OrGrant(systemKind, access.View),
		func(ctx context.Context, c tool.Caller, in getSystemInput) (getSystemOutput, error) {
			live, err := systemsAPI.Load(ctx, c, in.ID, "id")
			if err != nil {
				return getSystemOutput{}, err
			}
			s := live.Record
			full := fullSystem{
				ID: s.ID, Name: s.Name, Description: s.Description, Metadata: s.Metadata, Tags: s.Tags, Owners: s.Owners,
				Groups: s.Groups, Environments: s.Environments, Contacts: s.Contacts, Access: s.Access,
			}
			for _, link := range s.Links {
				full.Links = append(full.Links, briefLink{ID: link.ID, Label: link.Label, URL: link.URL})
			}
			return getSystemOutput{System: full}, nil
		},
	)
}
