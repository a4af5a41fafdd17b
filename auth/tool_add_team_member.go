package auth

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
)

type addTeamMemberInput struct {
	ID     uuid.UUID `json:"id"`
	UserID uuid.UUID `json:"userId"`
}

// Targets implements tool.Targeted.
func (in addTeamMemberInput) Targets() []tool.Target {
	return []tool.Target{teamsAPI.Target(in.ID, access.View)}
}

func addTeamMemberTool() tool.Tool {
	return tool.NewWrite(
		guarded[addTeamMemberInput](tool.Define(texts, "auth.addTeamMember", tool.Mutate, RuleTeamsManage, RuleTeamsRead).WithCascade(), nil),
		func(ctx context.Context, c tool.Caller, in addTeamMemberInput) (tool.Preview[addTeamMemberInput], error) {
			var none tool.Preview[addTeamMemberInput]
			team, etag, err := read[Team](ctx, c, teamsAPI.At(in.ID))
			if err != nil {
				return none, err
			}
			for _, m := range team.Members {
				if m.ID == in.UserID {
					return none, tool.Unchanged("%s is a member of the team %s already.", m.Name, team.Name)
				}
			}
			who := "the user " + in.UserID.String()
			if user, _, err := read[User](ctx, c, usersAPI.At(in.UserID)); err == nil {
				who = user.Name + " (" + user.Email + ")"
			}
			diff, err := tool.Diff(struct{}{}, map[string]any{"member": who})
			return tool.Preview[addTeamMemberInput]{
				Summary: "Add " + who + " to the team " + team.Name, Payload: in, Diff: diff, Revision: etag,
				Effects: []string{"What the team owns or may change, its new member owns or may change too."},
			}, err
		},
		func(in addTeamMemberInput) tool.Request {
			return tool.Put(teamsAPI.At(in.ID, "members", in.UserID.String()), nil)
		},
		tool.Gone,
	)
}
