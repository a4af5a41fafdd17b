package notification

import (
	"context"

	"github.com/google/uuid"

	"countersign/tool"
	"countersign/tool/kit"
)

type notifyGroupInput struct {
	GroupID uuid.UUID `json:"groupId" jsonschema:"description=The id of the group; ids come from catalog_listGroups."`
	Message string    `json:"message" jsonschema:"minLength=1,maxLength=2000,description=The text for its subscribers."`
}

// Targets implements tool.Targeted.
func (in notifyGroupInput) Targets() []tool.Target {
	return audienceOfTool(subscribedGroup, in.GroupID)
}

func notifyGroupTool() tool.Tool {
	return kit.NewWrite(external(kit.Define(texts, "healthcheck.notifyGroupSubscribers", tool.Mutate, Send)),
		func(ctx context.Context, c tool.Caller, in notifyGroupInput) (kit.Preview[notifyGroupInput], error) {
			name, message, effects, err := preview(ctx, c, subscribedGroup, "groupId", in.GroupID, in.Message)
			if err != nil {
				return kit.Preview[notifyGroupInput]{}, err
			}
			in.Message = message
			p := kit.Preview[notifyGroupInput]{
				Summary: "Send a message to the subscribers of the group " + name, Payload: in, Effects: effects,
				Labels: map[string]string{in.GroupID.String(): name},
			}
			p.Diff, err = kit.Diff(struct{}{}, map[string]any{"message": message})
			return p, err
		},
		func(in notifyGroupInput) tool.Request {
			return kit.Post(groupMessages+"/"+in.GroupID.String(), NewMessage{in.Message})
		},
		newSentOutput)
}
