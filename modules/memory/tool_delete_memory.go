package memory

import (
	"context"

	"github.com/google/uuid"

	"countersign/tool"
	"countersign/tool/kit"
)

type deleteMemoryInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the memory; it comes from ai_searchMemory."`
}

func deleteMemoryTool() tool.Tool {
	return kit.NewWrite(kit.Define(texts, "ai.deleteMemory", tool.Destructive, Read, Manage).AsPersonal().WithoutCascade(),
		func(ctx context.Context, c tool.Caller, in deleteMemoryInput) (kit.Preview[deleteMemoryInput], error) {
			var none kit.Preview[deleteMemoryInput]
			live, err := memoriesAPI.Load(ctx, c, in.ID, "id")
			if err != nil {
				return none, err
			}
			m := live.Record
			if err := m.changeable("delete"); err != nil {
				return none, err
			}
			summary := "Delete the memory " + quoted(m.RecallHint) + m.where()
			if !m.Own {
				summary += " by " + m.OwnerName
			}
			return kit.Preview[deleteMemoryInput]{
				Summary: summary, Payload: in, Revision: live.Revision, Labels: map[string]string{in.ID.String(): m.RecallHint},
			}, nil
		},
		func(in deleteMemoryInput) tool.Request { return kit.Delete(memoriesAPI.At(in.ID)) },
		kit.Gone)
}
