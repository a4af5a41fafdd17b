package notification

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/problem"
	"countersign/tool"
	"countersign/tool/kit"
)

type testInput struct {
	ChannelID uuid.UUID `json:"channelId,omitzero" jsonschema:"description=The id of a channel of the person or of one that they manage; the e-mail address of the account when left out. The answer names the others."`
}

// Targets implements tool.Targeted.
func (in testInput) Targets() []tool.Target {
	if in.ChannelID == uuid.Nil {
		return nil
	}
	return []tool.Target{{Path: channelsPath + "/" + in.ChannelID.String()}}
}

// testTool sends a test message. The person whose channel it is decides about it.
func testTool() tool.Tool {
	d := external(kit.Define(texts, "notification.test", tool.Mutate, Own)).AsPersonal()
	return kit.NewWrite(d,
		func(ctx context.Context, c tool.Caller, in testInput) (kit.Preview[testInput], error) {
			found, others, err := chosenChannel(ctx, c, in)
			if err != nil {
				return kit.Preview[testInput]{}, err
			}
			p := kit.Preview[testInput]{
				Summary: "Send a test message to the channel " + found.Name, Payload: testInput{ChannelID: found.ID},
				Labels:  map[string]string{found.ID.String(): found.Name},
				Effects: []string{"One message is sent by " + kindNames[found.Kind] + ". A channel is tested once a minute."},
			}
			if len(others) > 0 {
				p.Effects = append(p.Effects, "Other channels: "+strings.Join(others, ", ")+".")
			}
			return p, nil
		},
		func(in testInput) tool.Request {
			return kit.Post(channelsPath+"/"+in.ChannelID.String()+"/test", nil)
		},
		func(r TestResult) TestResult { return r })
}

// chosenChannel finds the channel that an input names, and the names and ids of others of the caller.
func chosenChannel(ctx context.Context, c tool.Caller, in testInput) (found Channel, others []string, err error) {
	if in.ChannelID != uuid.Nil {
		_, err := c.Client.Get(ctx, channelsPath+"/"+in.ChannelID.String(), &found)
		if problem.Is(err, problem.NotFound) {
			return found, nil, invalid("channelId", "is no channel that you may see; leave it out to learn of yours")
		}
		return found, nil, err
	}
	var own channelList
	if _, err := c.Client.Get(ctx, channelsPath, &own); err != nil {
		return found, nil, err
	}
	for _, one := range own.Channels {
		if one.Account {
			found = one
		} else {
			others = append(others, one.Name+" ("+one.ID.String()+")")
		}
	}
	if found.ID == uuid.Nil {
		return found, nil, invalid("channelId", "must name a channel: the caller has no e-mail address of an account")
	}
	return found, others, nil
}
