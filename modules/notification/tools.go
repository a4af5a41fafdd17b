package notification

import (
	"context"
	"embed"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/problem"
	"countersign/internal/text"
	"countersign/modules/notification/channel"
	"countersign/tool"
	"countersign/tool/kit"
)

//go:embed tool_*.md
var texts embed.FS

// Tools are the tools of the module.
func (m *Module) Tools() []tool.Tool {
	return []tool.Tool{notifySystemTool(), notifyGroupTool(), testTool()}
}

// sentOutput is how many people a message reaches.
type sentOutput struct {
	ID        uuid.UUID    `json:"id"`
	People    int          `json:"people" jsonschema:"description=People whom it reaches."`
	Unreached int          `json:"unreached,omitempty" jsonschema:"description=Subscribers without a channel for it."`
	Channels  []ChannelUse `json:"channels,omitempty" jsonschema:"description=How many of each kind of channel."`
}

func newSentOutput(m SentMessage) sentOutput {
	return sentOutput{m.ID, m.Audience.People, m.Audience.Unreached, m.Audience.Channels}
}

// audienceOfTool is the target of a message: those read it who may write to the subscribers of what it is about.
func audienceOfTool(kind string, id uuid.UUID) []tool.Target {
	return []tool.Target{{Path: audiencePath + "/" + kind + "/" + id.String(), Level: access.View}}
}

// external marks a write that sends something, which nothing takes back.
func external(d tool.Definition) tool.Definition {
	d.Impact.External = true
	return d
}

// preview checks a message and says how many people it reaches, never who they are.
func preview(ctx context.Context, c tool.Caller, kind, field string, id uuid.UUID, message string) (
	name, checked string, effects []string, err error,
) {
	var v problem.Issues
	checked = text.Required(&v, "message", text.Lines(&v, "message", message, maxMessage))
	var a Audience
	_, err = c.Client.Get(ctx, audiencePath+"/"+kind+"/"+id.String(), &a)
	if problem.Is(err, problem.NotFound) {
		v.Report(field, "is no %s that you may see", kind)
		err = nil
	}
	if err == nil {
		err = v.Err()
	}
	if err != nil {
		return "", "", nil, err
	}
	if a.People == 0 {
		return "", "", nil, kit.Unchanged("nobody whom a message would reach subscribes to the %s %s.", kind, a.Name)
	}
	return a.Name, checked, reach(a), nil
}

func reach(a Audience) []string {
	uses := make([]string, len(a.Channels))
	for i, u := range a.Channels {
		uses[i] = fmt.Sprintf("%d by %s", u.Count, kindNames[u.Kind])
	}
	effects := []string{fmt.Sprintf("It goes to %s: %s.", counted(a.People, "person", "people"), strings.Join(uses, ", "))}
	if a.Unreached > 0 {
		effects = append(effects, fmt.Sprintf("%s not reached: no channel for such messages.",
			counted(a.Unreached, "subscriber is", "subscribers are")))
	}
	return append(effects, "A message that was sent cannot be taken back.")
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// kindNames are the names of kinds of channels in sentences.
var kindNames = map[channel.Kind]string{
	channel.Email: "e-mail", channel.Webhook: "webhook", channel.Slack: "Slack", channel.Teams: "Microsoft Teams",
	channel.Discord: "Discord", channel.Ntfy: "ntfy", channel.Push: "web push",
}
