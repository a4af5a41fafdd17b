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

// Me is the principal of the request, with its rights.
type Me struct {
	Kind  principal.Kind `json:"kind" enum:"user,application"`
	ID    uuid.UUID      `json:"id"`
	Name  string         `json:"name"`
	Email string         `json:"email,omitempty"`
	Rules []string       `json:"rules" nullable:"false" doc:"Access rules; * stands for all of them"`
	Teams []Named        `json:"teams" nullable:"false"`
	Roles []Named        `json:"roles" nullable:"false"`
	// MustChangePassword means that the API serves nothing else first.
	MustChangePassword bool `json:"mustChangePassword" doc:"Change the password first: everything else is refused with own_password"`
}

// describe adds the names of p's roles and teams.
func (d *Directory) describe(ctx context.Context, p principal.Principal) (Me, error) {
	teams, roles, err := d.Memberships(ctx, p)
	return Me{
		Kind:               p.Kind,
		ID:                 p.ID,
		Name:               p.Name,
		Email:              p.Email,
		Rules:              p.Rules,
		Teams:              teams,
		Roles:              roles,
		MustChangePassword: p.MustChangePassword,
	}, err
}

// Origin is the client of a request; huma fills it before the handler runs.
type Origin struct {
	remoteAddr, forwardedFor, forwardedProto, userAgent, cookies string
	tls                                                          bool
}

// Resolve reads the facts from the request.
func (o *Origin) Resolve(ctx huma.Context) []error {
	*o = Origin{
		remoteAddr: ctx.RemoteAddr(), tls: ctx.TLS() != nil, userAgent: ctx.Header("User-Agent"),
		cookies: ctx.Header("Cookie"),
	}
	// A proxy may add a header line to those of the client.
	header := http.Header{}
	ctx.EachHeader(header.Add)
	o.forwardedFor, o.forwardedProto = list(header, "X-Forwarded-For"), list(header, "X-Forwarded-Proto")
	return nil
}

var _ huma.Resolver = (*Origin)(nil)

func (s *Sessions) device(o Origin) Device {
	s.proxies.check(s.log, s.transport.trustProxy, o.remoteAddr, o.forwardedFor)
	return Device{
		Address: s.transport.client(o.remoteAddr, o.forwardedFor), UserAgent: o.userAgent,
		Shared: !s.transport.trustProxy && o.forwardedFor != "" && isPrivate(o.remoteAddr),
		named:  transport{trustProxy: true}.client(o.remoteAddr, o.forwardedFor),
		token:  s.transport.device(o.cookies, s.transport.secure(o.tls, o.forwardedProto)),
	}
}

type loginInput struct {
	Origin Origin
	Body   struct {
		Email    string `json:"email" maxLength:"254"`
		Password string `json:"password" maxLength:"256"`
	}
}

type loginOutput struct {
	SetCookie []http.Cookie `header:"Set-Cookie"`
	Body      struct {
		Principal Me `json:"principal"`
	}
}

type signedOut struct {
	SetCookie http.Cookie `header:"Set-Cookie"`
}

func (s *Sessions) routes(api huma.API, d *Directory) {
	huma.Register(api, rest.Op("login", http.MethodPost, "/api/auth/login", "Sign in", rest.Public(), rest.Status(http.StatusOK)),
		func(ctx context.Context, in *loginInput) (*loginOutput, error) {
			signedIn, me, err := s.login(ctx, d, in)
			if err != nil {
				return nil, err
			}
			secure := s.transport.secure(in.Origin.tls, in.Origin.forwardedProto)
			out := &loginOutput{SetCookie: []http.Cookie{s.transport.cookie(secure, signedIn.Token, s.lifetime)}}
			if signedIn.Device != "" {
				out.SetCookie = append(out.SetCookie, s.transport.deviceCookie(secure, signedIn.Device))
			}
			out.Body.Principal = me
			return out, nil
		})
	huma.Register(api, rest.Op("logout", http.MethodPost, "/api/auth/logout", "Sign out", rest.Public(), rest.Status(http.StatusNoContent)),
		func(ctx context.Context, in *struct{ Origin Origin }) (*signedOut, error) {
			if p, err := ByHand(ctx); err == nil {
				if _, err := s.Revoke(ctx, p, p.SessionID); err != nil {
					return nil, err
				}
			}
			secure := s.transport.secure(in.Origin.tls, in.Origin.forwardedProto)
			return &signedOut{s.transport.cookie(secure, "", 0)}, nil
		})
	huma.Register(api, rest.Op("get-me", http.MethodGet, "/api/me", "Who am I"),
		func(ctx context.Context, _ *struct{}) (*struct{ Body Me }, error) {
			me, err := d.describe(ctx, principal.FromContext(ctx))
			return &struct{ Body Me }{me}, err
		})
	s.deviceRoutes(api)
	s.chatTokenRoutes(api)
	s.federationRoutes(api)
}

func (s *Sessions) login(ctx context.Context, d *Directory, in *loginInput) (signedIn SignedIn, me Me, err error) {
	signedIn, err = s.Login(ctx, in.Body.Email, in.Body.Password, s.device(in.Origin))
	if err != nil {
		return SignedIn{}, Me{}, err
	}
	me, err = d.describe(ctx, signedIn.Principal)
	return signedIn, me, err
}

func (s *Sessions) deviceRoutes(api huma.API) {
	type changePasswordInput struct {
		Body struct {
			CurrentPassword string `json:"currentPassword" maxLength:"256"`
			NewPassword     string `json:"newPassword" minLength:"8" maxLength:"256"`
		}
	}
	// Passwords exclude idempotency keys, which would store a fast hash of the request.
	huma.Register(api, rest.Op("change-password", http.MethodPost, "/api/auth/password", "Change my password",
		rest.SelfIdempotent(), rest.Status(http.StatusNoContent), rest.Doc("Ends all other sessions.")),
		func(ctx context.Context, in *changePasswordInput) (*struct{}, error) {
			p, err := ByHand(ctx)
			if err != nil {
				return nil, err
			}
			return nil, s.ChangePassword(ctx, p, in.Body.CurrentPassword, in.Body.NewPassword)
		})

	type sessionList struct {
		Body struct {
			Sessions []Session `json:"sessions" nullable:"false"`
		}
	}
	huma.Register(api, rest.Op("list-sessions", http.MethodGet, "/api/auth/sessions", "List my sessions"),
		func(ctx context.Context, _ *struct{}) (*sessionList, error) {
			p, err := ByHand(ctx)
			if err != nil {
				return nil, err
			}
			sessions, err := s.List(ctx, p)
			out := &sessionList{}
			out.Body.Sessions = sessions
			return out, err
		})

	type revokedCount struct {
		Body struct {
			Revoked int64 `json:"revoked" doc:"How many sessions this call ended"`
		}
	}
	huma.Register(api, rest.Op("revoke-other-sessions", http.MethodDelete, "/api/auth/sessions", "End my other sessions"),
		func(ctx context.Context, _ *struct{}) (*revokedCount, error) {
			p, err := ByHand(ctx)
			if err != nil {
				return nil, err
			}
			n, err := s.RevokeOthers(ctx, p)
			out := &revokedCount{}
			out.Body.Revoked = n
			return out, err
		})
	huma.Register(api, rest.Op("revoke-session", http.MethodDelete, "/api/auth/sessions/{id}", "End one of my sessions"),
		func(ctx context.Context, in *rest.ByID) (*struct{}, error) {
			p, err := ByHand(ctx)
			if err != nil {
				return nil, err
			}
			done, err := s.Revoke(ctx, p, in.ID)
			if err == nil && !done {
				err = problem.Errorf(problem.NotFound, "None of your sessions has the id %s. List them to see what exists.", in.ID)
			}
			return nil, err
		})
}
