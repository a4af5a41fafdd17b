package auth

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
)

func (d *Directory) userRoutes(api huma.API) {
	manage := rest.Rules(RuleUsersManage)
	type userList struct {
		Body struct {
			Users []User `json:"users" nullable:"false"`
			Total int64  `json:"total" doc:"How many users match, on all pages, at most 1,000"`
			More  bool   `json:"more,omitempty" doc:"More match than that"`
			rest.Next
		}
	}
	huma.Register(api, rest.Op("list-users", http.MethodGet, "/api/users", "List users", manage),
		func(ctx context.Context, in *UserFilter) (*userList, error) {
			users, next, total, err := d.Users(ctx, *in)
			out := &userList{}
			out.Body.Users, out.Body.Next = users, next
			out.Body.Total, out.Body.More = min(total, MaxTotal), total > MaxTotal
			return out, err
		})
	huma.Register(api, rest.Op("get-user", http.MethodGet, "/api/users/{id}", "Get a user", manage),
		func(ctx context.Context, in *rest.ByID) (*rest.Record[User], error) {
			user, err := d.User(ctx, in.ID)
			return rest.Answer(user, user.Revision, err)
		})
	huma.Register(api, rest.Op("create-user", http.MethodPost, "/api/users", "Create a user", manage),
		func(ctx context.Context, in *struct{ Body NewUser }) (*rest.Record[User], error) {
			p, err := outsideTurn(ctx, createUserTool)
			if err != nil {
				return nil, err
			}
			user, err := d.CreateUser(ctx, p, in.Body)
			return rest.Answer(user, user.Revision, err)
		})
	huma.Register(api, rest.Op("update-user", http.MethodPatch, "/api/users/{id}", "Change a user", manage),
		func(ctx context.Context, in *change[UserChange]) (*rest.Record[User], error) {
			p, err := outsideTurn(ctx, updateUserTool)
			if err != nil {
				return nil, err
			}
			user, err := d.UpdateUser(ctx, p, in.ID, in.Body, in.Revision())
			return rest.Answer(user, user.Revision, err)
		})
	huma.Register(api, rest.Op("delete-user", http.MethodDelete, "/api/users/{id}", "Delete a user", manage), remove(d.DeleteUser))
}

// Tool identities of operations that a turn's credential may use only to apply a decided proposal of theirs.
const (
	createUserTool        = "auth.createUser"
	updateUserTool        = "auth.updateUser"
	createApplicationTool = "auth.createApplication"
	replaceTokenTool      = "auth.replaceApplicationToken" //nolint:gosec // a name of an operation
)

func (d *Directory) roleRoutes(api huma.API) {
	manage := rest.Rules(RuleRolesManage)
	type roleList struct {
		Body struct {
			Roles []ListedRole `json:"roles" nullable:"false"`
		}
	}
	type ruleList struct {
		Body struct {
			Rules []Rule `json:"rules" nullable:"false"`
		}
	}
	seesRoles := func(ctx context.Context) error {
		return requireAny(ctx, "see roles", RuleRolesManage, RuleUsersManage, RuleApplicationsManage)
	}
	huma.Register(api, rest.Op("list-access-rules", http.MethodGet, "/api/access-rules", "List access rules",
		rest.Doc("Needs one of auth.roles.manage, auth.users.manage and auth.applications.manage.")),
		func(ctx context.Context, _ *struct{}) (*ruleList, error) {
			out := &ruleList{}
			out.Body.Rules = d.AccessRules()
			return out, seesRoles(ctx)
		})
	huma.Register(api, rest.Op("list-roles", http.MethodGet, "/api/roles", "List roles",
		rest.Doc("Needs one of auth.roles.manage, auth.users.manage and auth.applications.manage.")),
		func(ctx context.Context, _ *struct{}) (*roleList, error) {
			if err := seesRoles(ctx); err != nil {
				return nil, err
			}
			roles, err := d.Roles(ctx)
			out := &roleList{}
			out.Body.Roles = roles
			return out, err
		})
	huma.Register(api, rest.Op("get-role", http.MethodGet, "/api/roles/{id}", "Get a role", manage),
		func(ctx context.Context, in *rest.ByID) (*rest.Record[Role], error) {
			role, err := d.Role(ctx, in.ID)
			return rest.Answer(role, role.Revision, err)
		})
	huma.Register(api, rest.Op("create-role", http.MethodPost, "/api/roles", "Create a role",
		rest.Tool("auth.createRole", rest.Mutates), manage),
		func(ctx context.Context, in *struct{ Body NewRole }) (*rest.Record[Role], error) {
			role, err := d.CreateRole(ctx, principal.FromContext(ctx), in.Body)
			return rest.Answer(role, role.Revision, err)
		})
	huma.Register(api, rest.Op("update-role", http.MethodPatch, "/api/roles/{id}", "Change a role", manage),
		func(ctx context.Context, in *change[RoleChange]) (*rest.Record[Role], error) {
			role, err := d.UpdateRole(ctx, principal.FromContext(ctx), in.ID, in.Body, in.Revision())
			return rest.Answer(role, role.Revision, err)
		})
	huma.Register(api, rest.Op("delete-role", http.MethodDelete, "/api/roles/{id}", "Delete a role", manage), remove(d.DeleteRole))
}

func (d *Directory) applicationRoutes(api huma.API) {
	manage := rest.Rules(RuleApplicationsManage)
	type applicationList struct {
		Body struct {
			Applications []Application `json:"applications" nullable:"false"`
		}
	}
	type applicationToken struct {
		rest.ETag
		Body struct {
			Application Application `json:"application"`
			Token       string      `json:"token" doc:"Shown this once; only its hash is stored"`
		}
	}
	present := func(a Application, token string, err error) (*applicationToken, error) {
		out := &applicationToken{ETag: rest.Tag(a.Revision)}
		out.Body.Application, out.Body.Token = a, token
		return out, err
	}
	huma.Register(api, rest.Op("list-applications", http.MethodGet, "/api/applications", "List applications", manage),
		func(ctx context.Context, _ *struct{}) (*applicationList, error) {
			applications, err := d.Applications(ctx)
			out := &applicationList{}
			out.Body.Applications = applications
			return out, err
		})
	huma.Register(api, rest.Op("get-application", http.MethodGet, "/api/applications/{id}", "Get an application", manage),
		func(ctx context.Context, in *rest.ByID) (*rest.Record[Application], error) {
			a, err := d.Application(ctx, in.ID)
			return rest.Answer(a, a.Revision, err)
		})
	huma.Register(api, rest.Op("create-application", http.MethodPost, "/api/applications", "Create an application",
		rest.Tool("auth.createApplication", rest.Mutates), manage, rest.ShownOnce(),
		rest.Doc("Made by a proposal, it has no token that was shown: replace its token to get one.")),
		func(ctx context.Context, in *struct{ Body NewApplication }) (*applicationToken, error) {
			p, err := outsideTurn(ctx, createApplicationTool)
			if err != nil {
				return nil, err
			}
			return present(d.CreateApplication(ctx, p, in.Body))
		})
	huma.Register(
		api,
		rest.Op("replace-application-token", http.MethodPost, "/api/applications/{id}/token", "Replace the token of an application",
			rest.Tool(replaceTokenTool, rest.Mutates, rest.Direct()),
			manage, rest.ShownOnce(), rest.Status(http.StatusOK), rest.Doc("Revokes the old token.")),
		func(ctx context.Context, in *change[TokenReplacement]) (*applicationToken, error) {
			p, err := outsideTurn(ctx, replaceTokenTool)
			if err != nil {
				return nil, err
			}
			return present(d.ReplaceToken(ctx, p, in.ID, in.Body, in.Revision()))
		},
	)
	huma.Register(api, rest.Op("update-application", http.MethodPatch, "/api/applications/{id}", "Change an application",
		rest.Tool("auth.updateApplication", rest.Mutates), manage),
		func(ctx context.Context, in *change[ApplicationChange]) (*rest.Record[Application], error) {
			a, err := d.UpdateApplication(ctx, principal.FromContext(ctx), in.ID, in.Body, in.Revision())
			return rest.Answer(a, a.Revision, err)
		})
	huma.Register(api, rest.Op("delete-application", http.MethodDelete, "/api/applications/{id}", "Delete an application",
		rest.Tool("auth.deleteApplication", rest.Destroys), manage), remove(d.DeleteApplication))
}

func (d *Directory) teamRoutes(api huma.API) {
	read, manage := rest.Rules(RuleTeamsRead), rest.Rules(RuleTeamsManage)
	type teamList struct {
		Body struct {
			Teams []Team `json:"teams" nullable:"false"`
		}
	}
	huma.Register(api, rest.Op("list-teams", http.MethodGet, "/api/teams", "List teams", read),
		func(ctx context.Context, _ *struct{}) (*teamList, error) {
			teams, err := d.Teams(ctx)
			out := &teamList{}
			out.Body.Teams = teams
			return out, err
		})
	huma.Register(api, rest.Op("get-team", http.MethodGet, "/api/teams/{id}", "Get a team with its members", read),
		func(ctx context.Context, in *rest.ByID) (*rest.Record[Team], error) {
			team, err := d.Team(ctx, in.ID)
			return rest.Answer(team, team.Revision, err)
		})
	huma.Register(api, rest.Op("create-team", http.MethodPost, "/api/teams", "Create a team",
		rest.Tool("auth.createTeam", rest.Mutates), manage),
		func(ctx context.Context, in *struct{ Body NewTeam }) (*rest.Record[Team], error) {
			team, err := d.CreateTeam(ctx, in.Body)
			return rest.Answer(team, team.Revision, err)
		})
	huma.Register(api, rest.Op("update-team", http.MethodPatch, "/api/teams/{id}", "Change a team",
		rest.Tool("auth.updateTeam", rest.Mutates), manage),
		func(ctx context.Context, in *change[TeamChange]) (*rest.Record[Team], error) {
			team, err := d.UpdateTeam(ctx, in.ID, in.Body, in.Revision())
			return rest.Answer(team, team.Revision, err)
		})
	huma.Register(api, rest.Op("delete-team", http.MethodDelete, "/api/teams/{id}", "Delete a team",
		rest.Tool("auth.deleteTeam", rest.Destroys), manage,
		rest.Doc("Refused while the team owns anything.")),
		remove(func(ctx context.Context, _ principal.Principal, id uuid.UUID, based *int64) error {
			return d.DeleteTeam(ctx, id, based)
		}))

	type membership struct {
		ID     uuid.UUID `path:"id" format:"uuid"`
		UserID uuid.UUID `path:"userId" format:"uuid"`
		rest.IfMatch
	}
	huma.Register(api, rest.Op("add-team-member", http.MethodPut, "/api/teams/{id}/members/{userId}", "Add a user to a team", manage),
		func(ctx context.Context, in *membership) (*struct{}, error) {
			_, err := d.AddMember(ctx, in.ID, in.UserID, in.Revision())
			return nil, err
		})
	huma.Register(api, rest.Op("remove-team-member", http.MethodDelete, "/api/teams/{id}/members/{userId}", "Remove a user from a team",
		rest.Tool("auth.removeTeamMember", rest.Destroys), manage),
		func(ctx context.Context, in *membership) (*struct{}, error) {
			done, err := d.RemoveMember(ctx, in.ID, in.UserID, in.Revision())
			if err == nil && !done {
				err = problem.Errorf(problem.NotFound, "The user is not a member of the team. Get the team to see its members.")
			}
			return nil, err
		})
}

func (g *Grants) routes(api huma.API) {
	type object struct {
		ObjectType string    `path:"objectType" maxLength:"100" doc:"Such as catalog.system"`
		ObjectID   uuid.UUID `path:"objectId" format:"uuid"`
	}
	answer := func(access Access, err error) (*rest.Record[Access], error) {
		return rest.Answer(access, access.revision(), err)
	}
	huma.Register(
		api,
		rest.Op("get-grants", http.MethodGet, "/api/grants/{objectType}/{objectId}", "Get the grants of an object", rest.Rules(RuleTeamsRead),
			rest.Doc("For objects that you see; with auth.teams.manage, for every object. The ETag is that of the grants and not of the object.")),
		func(ctx context.Context, in *object) (*rest.Record[Access], error) {
			return answer(g.shown(ctx, in.ObjectType, in.ObjectID))
		},
	)
	huma.Register(api, rest.Op(
		"set-grants",
		http.MethodPut,
		"/api/grants/{objectType}/{objectId}",
		"Replace the grants of an object",
		rest.Doc(
			"The revision of the object "+
				"rises. Needs "+RuleTeamsManage+", or for an agent or an MCP server to be its owner. Nobody gives more than they "+
				"hold. What is private has an owner: a change that would leave it without one is a conflict.",
		),
	),
		func(ctx context.Context, in *struct {
			ObjectType string    `path:"objectType" maxLength:"100" doc:"Such as catalog.system"`
			ObjectID   uuid.UUID `path:"objectId" format:"uuid"`
			rest.IfMatch
			Body Access
		},
		) (*rest.Record[Access], error) {
			return answer(g.replace(ctx, in.ObjectType, in.ObjectID, in.Body, in.Revision()))
		})
	huma.Register(api, rest.Op("delete-grants", http.MethodDelete, "/api/grants/{objectType}/{objectId}", "Delete the grants of an object",
		rest.Doc("As replacing them by none.")),
		func(ctx context.Context, in *struct {
			ObjectType string    `path:"objectType" maxLength:"100" doc:"Such as catalog.system"`
			ObjectID   uuid.UUID `path:"objectId" format:"uuid"`
			rest.IfMatch
		},
		) (*struct{}, error) {
			_, err := g.replace(ctx, in.ObjectType, in.ObjectID, Access{}, in.Revision())
			return nil, err
		})
}
