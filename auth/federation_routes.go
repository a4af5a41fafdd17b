package auth

import (
	"context"
	"net/http"
	"net/url"

	"github.com/danielgtaylor/huma/v2"

	"countersign/internal/problem"
	"countersign/internal/rest"
)

// SignInWays are the sign-in methods beside a password.
type SignInWays struct {
	Provider *SignInProvider `json:"provider,omitempty" doc:"Absent when people sign in with passwords alone"`
}

// SignInProvider is an identity provider.
type SignInProvider struct {
	Name string `json:"name"`
}

const callbackPath = "/api/auth/oidc/callback"

// CallbackPath is the path to which an identity provider redirects browsers.
func CallbackPath() string { return callbackPath }

type beginInput struct {
	Origin Origin
	Next   string `query:"next" maxLength:"12000" doc:"The path of the app to go on to"`
}

type callbackInput struct {
	Origin Origin
	answer url.Values
}

// Resolve reads the query, whose parameters the provider chooses.
func (r *callbackInput) Resolve(ctx huma.Context) []error {
	at := ctx.URL()
	r.answer = at.Query()
	return r.Origin.Resolve(ctx)
}

var _ huma.Resolver = (*callbackInput)(nil)

type redirectOutput struct {
	Location  string        `header:"Location"`
	SetCookie []http.Cookie `header:"Set-Cookie"`
}

func (s *Sessions) federationRoutes(api huma.API) {
	huma.Register(api, rest.Op("get-sign-in-ways", http.MethodGet, "/api/auth/ways", "How people can sign in", rest.Public()),
		func(context.Context, *struct{}) (*rest.Body[SignInWays], error) {
			var ways SignInWays
			if s.federation.Provider != nil {
				ways.Provider = &SignInProvider{s.federation.Name}
			}
			return rest.With(ways, nil)
		})
	huma.Register(
		api,
		rest.Op(
			"begin-oidc-sign-in",
			http.MethodGet,
			"/api/auth/oidc/start",
			"Sign in at the identity provider",
			rest.Public(),
			rest.Status(http.StatusSeeOther),
			rest.Doc("For browsers: leads to the provider."),
		),
		func(ctx context.Context, in *beginInput) (*redirectOutput, error) {
			if s.federation.Provider == nil {
				return nil, notFederated()
			}
			attempt, address, err := s.federation.Provider.Begin(ctx)
			if err != nil {
				return s.back(localPath(in.Next), in.Origin, err)
			}
			attempt.Next = localPath(in.Next)
			now, err := s.db.Now(ctx)
			if err != nil {
				return nil, err
			}
			kept, err := s.attempts.seal(attempt, now)
			if err != nil {
				return nil, err
			}
			return &redirectOutput{address, []http.Cookie{s.attemptCookie(in.Origin, kept)}}, nil
		},
	)
	huma.Register(
		api,
		rest.Op(
			"finish-oidc-sign-in",
			http.MethodGet,
			callbackPath,
			"Come back from the identity provider",
			rest.Public(),
			rest.Status(http.StatusSeeOther),
			rest.Doc("For browsers: leads into the app, or to the sign-in page with the reason."),
		),
		func(ctx context.Context, in *callbackInput) (*redirectOutput, error) {
			if s.federation.Provider == nil {
				return nil, notFederated()
			}
			secure := s.transport.secure(in.Origin.tls, in.Origin.forwardedProto)
			signedIn, next, err := s.federate(ctx, s.transport.attempt(in.Origin.cookies, secure), in.Origin, in.answer)
			if err != nil {
				return s.back(next, in.Origin, err)
			}
			session := s.transport.cookie(secure, signedIn.Token, s.lifetime)
			return &redirectOutput{next, []http.Cookie{s.attemptCookie(in.Origin, ""), session}}, nil
		},
	)
}

// back redirects to the sign-in page with the reason of the refusal. Server faults are one.
func (s *Sessions) back(next string, o Origin, err error) (*redirectOutput, error) {
	why := whyOf(err)
	if why == "" {
		if problem.CodeOf(err) == problem.Internal {
			return nil, err
		}
		why = whyProvider
	}
	query := url.Values{"failed": {why}}
	if next != "/" {
		query.Set("next", next)
	}
	return &redirectOutput{"/sign-in?" + query.Encode(), []http.Cookie{s.attemptCookie(o, "")}}, nil
}

func (s *Sessions) attemptCookie(o Origin, value string) http.Cookie {
	secure := s.transport.secure(o.tls, o.forwardedProto)
	cookie := s.transport.cookie(secure, value, attemptLifetime)
	cookie.Name = attemptName(secure)
	return cookie
}

func attemptName(secure bool) string {
	if secure {
		return SecureAttemptCookie
	}
	return PlainAttemptCookie
}

// attempt reads the attempt cookie.
func (t transport) attempt(cookies string, secure bool) string {
	parsed, err := http.ParseCookie(cookies)
	if err != nil {
		return ""
	}
	for _, cookie := range parsed {
		if cookie.Name == attemptName(secure) {
			return cookie.Value
		}
	}
	return ""
}
