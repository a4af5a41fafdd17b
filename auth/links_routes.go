package auth

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/problem"
	"countersign/internal/rest"
)

const linkPath = "/{id}/password-link"

func (l *Links) routes(api huma.API) {
	manage := rest.Rules(RuleUsersManage)
	huma.Register(api, rest.Op(
		"make-password-link",
		http.MethodPost,
		usersAPI.Path+linkPath,
		"Make a link by which a user sets a password",
		manage,
		rest.ShownOnce(),
		rest.Status(http.StatusOK),
		rest.Doc(
			"For people who hold all that the user holds. Takes the place of a link that was made before. It can be used "+
				"once, within a week by a user without a password and within a day by others.",
		),
	),
		func(ctx context.Context, in *struct {
			rest.ByID
			rest.IfMatch
		},
		) (*struct{ Body MadeLink }, error) {
			p, err := ByHand(ctx)
			if err != nil {
				return nil, err
			}
			made, err := l.Make(ctx, p, in.ID, in.Revision())
			return &struct{ Body MadeLink }{made}, err
		})
	huma.Register(api, rest.Op("revoke-password-link", http.MethodDelete, usersAPI.Path+linkPath,
		"Withdraw the link by which a user sets a password",
		rest.Tool("auth.revokePasswordLink", rest.Mutates), manage),
		func(ctx context.Context, in *rest.ByID) (*struct{}, error) {
			p, err := ByHand(ctx)
			if err != nil {
				return nil, err
			}
			done, err := l.Revoke(ctx, p, in.ID)
			if err == nil && !done {
				err = problem.Errorf(problem.NotFound, "There is no link that could be withdrawn.")
			}
			return nil, err
		})

	type lookInput struct {
		Origin Origin
		Body   struct {
			Token string `json:"token" maxLength:"200"`
		}
	}
	type useInput struct {
		Origin Origin
		Body   struct {
			Token    string `json:"token" maxLength:"200"`
			Password string `json:"password" minLength:"8" maxLength:"256"`
		}
	}
	// The token is in the body, because addresses are logged.
	huma.Register(api, rest.Op("look-at-password-link", http.MethodPost, "/api/auth/password-link/look", "Whose password a link sets",
		rest.Public(), rest.SelfIdempotent(), rest.Status(http.StatusOK)),
		func(ctx context.Context, in *lookInput) (*struct{ Body Linked }, error) {
			linked, err := l.Inspect(ctx, in.Body.Token, l.sessions.device(in.Origin))
			return &struct{ Body Linked }{linked}, err
		})
	huma.Register(api, rest.Op("use-password-link", http.MethodPost, "/api/auth/password-link", "Set a password with a link",
		rest.Public(), rest.SelfIdempotent(), rest.Status(http.StatusNoContent), rest.Doc("Uses the link up and ends all sessions of the user.")),
		func(ctx context.Context, in *useInput) (*struct{}, error) {
			return nil, l.Use(ctx, in.Body.Token, in.Body.Password, l.sessions.device(in.Origin))
		})
}
