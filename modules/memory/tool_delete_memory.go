package memory

import (
	"context"
	_ "embed"
	"net/http"

	"github.com/google/uuid"

	"countersign/tool"
)

//go:embed tool_delete_memory.md
var deleteMemoryText string

type deleteMemoryInput struct {
	ID uuid.UUID `json:"id" jsonschema:"description=The id of the memory; it comes from ai_searchMemory."`
}

type deleteMemoryOutput struct {
	Deleted bool `json:"deleted"`
}

func deleteMemoryTool() tool.Tool {
	return tool.NewWriteFunc(tool.Definition{
		Name: "ai.deleteMemory", Description: deleteMemoryText, Effect: tool.Destructive, Rules: []string{Read, Manage},
	}, func(ctx context.Context, c tool.Caller, in deleteMemoryInput) (tool.Preview[deleteMemoryInput], error) {
		var none tool.Preview[deleteMemoryInput]
		live, etag, err := read(ctx, c, in.ID, "id")
		if err != nil {
			return none, err
		}
		if err := live.changeable("delete"); err != nil {
			return none, err
		}
		summary := "Delete the memory " + quoted(live.RecallHint) + live.where()
		if !live.Own {
			summary += " by " + live.OwnerName
		}
		return tool.Preview[deleteMemoryInput]{Summary: summary, Payload: in, Revision: etag}, nil
	}, func(ctx context.Context, c tool.Caller, in deleteMemoryInput) (deleteMemoryOutput, error) {
		_, err := c.Client.Do(ctx, http.MethodDelete, path+"/"+in.ID.String(), nil, nil)
		return deleteMemoryOutput{Deleted: err == nil}, err
	})
}
