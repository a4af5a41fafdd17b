package notification

import (
	"context"

	"github.com/google/uuid"

	"countersign/tool"
	"countersign/tool/kit"
)

type notifySystemInput struct {
	SystemID uuid.UUID `json:"systemId" jsonschema:"description=The id of the system; ids come from catalog_listSystems."`
	Message  string    `json:"message" jsonschema:"minLength=1,maxLength=2000,description=The text for its subscribers."`
}

// Targets implements tool.Targeted.
func (in notifySystemInput) Targets() []tool.Target {
	return audienceOfTool(subscribedSystem, in.SystemID)
}

func notifySystemTool() tool.Tool {
	return kit.NewWrite(external(kit.Define(texts, "healthcheck.notifySystemSubscribers", tool.Mutate, Send)),
		func(ctx context.Context, c tool.Caller, in notifySystemInput) (kit.Preview[notifySystemInput], error) {
			name, message, effects, err := preview(ctx, c, subscribedSystem, "systemId", in.SystemID, in.Message)
			if err != nil {
				return kit.Preview[notifySystemInput]{}, err
			}
			in.Message = message
			p := kit.Preview[notifySystemInput]{
				Summary: "Send a message to the subscribers of the system " + name, Payload: in, Effects: effects,
				Labels: map[string]string{in.SystemID.String(): name},
			}
			p.Diff, err = kit.Diff(struct{}{}, map[string]any{"message": message})
			return p, err
		},
		func(in notifySystemInput) tool.Request {
			return kit.Post(systemMessages+"/"+in.SystemID.String(), NewMessage{in.Message})
		},
		newSentOutput)
}
