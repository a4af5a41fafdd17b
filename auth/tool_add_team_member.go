package auth

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/tool"
	"countersign/tool/kit"
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
	return kit.NewWrite(
		guarded[addTeamMemberInput](kit.Define(texts, "auth.addTeamMember", tool.Mutate, RuleTeamsManage, RuleTeamsRead).WithCascade(), nil),
		func(ctx context.Context, c tool.Caller, in addTeamMemberInput) (kit.Preview[addTeamMemberInput], error) {
			var none kit.Preview[addTeamMemberInput]
			team, etag, err := read[Team](ctx, c, teamsAPI.At(in.ID))
			if err != nil {
				return none, err
			}
			for _, m := range team.Members {
				if m.ID == in.UserID {
					return none, kit.Unchanged("%s is a member of the team %s already.", m.Name, team.Name)
				}
			}
			who := "the user " + in.UserID.String()
			if user, _, err := read[User](ctx, c, usersAPI.At(in.UserID)); err == nil {
				who = user.Name + " (" + user.Email + ")"
			}
			diff, err := kit.Diff(struct{}{}, map[string]any{"member": who})
			return kit.Preview[addTeamMemberInput]{
				Summary: "Add " + who + " to the team " + team.Name, Payload: in, Diff: diff, Revision: etag,
				Effects: []string{"What the team owns or may change, its new member owns or may change too."},
			}, err
		},
		func(in addTeamMemberInput) tool.Request {
			return kit.Put(teamsAPI.At(in.ID, "members", in.UserID.String()), nil)
		},
		kit.Gone,
	)
}
