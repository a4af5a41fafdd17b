package auth

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"countersign/auth/authdb"
	"countersign/auth/credential"
	"countersign/internal/principal"
	"countersign/internal/problem"
)

// ResourcePath is the only path that access tokens of programs open. A token is bound to this address of this server
// (audience, RFC 8707); above all, it does not open the REST API.
const ResourcePath = "/mcp"

// resources derives the addresses by which programs know the server.
type resources struct{ url string }

// resource is the audience of access tokens, "" without a configured public address.
func (r resources) resource() string {
	if r.url == "" {
		return ""
	}
	return r.url + ResourcePath
}

func resourcesAt(address string) resources {
	u, err := url.Parse(strings.TrimRight(address, "/"))
	if err != nil || u.Host == "" {
		return resources{}
	}
	return resources{u.Scheme + "://" + strings.ToLower(u.Host)}
}

// Resource is the audience of access tokens (RFC 8707), such as https://ops.example.org/mcp.
func (a *Authenticator) Resource() string { return a.resources.resource() }

// Challenge is the WWW-Authenticate header of a refused request to the resource, by RFC 6750 and RFC 9728: nil asks for
// a token, problem.Unauthorized for another token, and a missing scope for one with that scope.
func (a *Authenticator) Challenge(refusal error) string {
	challenge := fmt.Sprintf(`Bearer resource_metadata="%s/.well-known/oauth-protected-resource%s", scope="%s %s"`,
		a.resources.url, ResourcePath, principal.ScopeRead, principal.ScopeWrite)
	switch {
	case refusal == nil:
		return challenge
	case problem.Is(refusal, problem.Unauthorized):
		return challenge + `, error="invalid_token"`
	case problem.As(refusal).Extra["missingScope"] != nil:
		return challenge + `, error="insufficient_scope"`
	}
	return challenge
}

// byAccess accepts the access token of a program while its consent stands. It opens the resource it was issued for,
// over the network only: in-process calls use delegated credentials.
func (a *Authenticator) byAccess(ctx context.Context, r *http.Request, token string) (principal.Principal, error) {
	hash, ok := credential.Parse(strings.TrimPrefix(token, AccessPrefix))
	if !ok {
		return principal.Principal{}, a.refuseToken(
			ctx,
			r,
			problem.Errorf(problem.Unauthorized, "The bearer token is not an access token of this server. Connect the program again."),
		)
	}
	f, err := a.find(ctx, keyOf(atConsent, nil, hash, ""))
	if err != nil {
		return principal.Principal{}, err
	}
	p := f.principal
	if p.IsZero() {
		return principal.Principal{}, a.refuseToken(
			ctx,
			r,
			problem.Errorf(problem.Unauthorized, "The access token is unknown, expired or revoked. Refresh it, or connect the program again."),
		)
	}
	if f.unused {
		if err := authdb.New(a.db.Conn(ctx)).UseAccessToken(ctx, hash); err != nil {
			return principal.Principal{}, fmt.Errorf("note that an access token was used: %w", err)
		}
	}
	if f.resource != a.Resource() || r.URL.Path != ResourcePath {
		return principal.Principal{}, a.refuseToken(
			ctx,
			r,
			problem.Errorf(
				problem.Unauthorized,
				"The access token is for %s and for no other address. Use an API token for the REST API.",
				f.resource,
			),
		)
	}
	if p.MustChangePassword {
		return principal.Principal{}, problem.Errorf(
			problem.Unauthorized,
			"The person behind this token has a password that an administrator set. They have to sign in and change it first.",
		)
	}
	if f.stale {
		if err := a.requireRecentSignIn(ctx, p); err != nil {
			return principal.Principal{}, err
		}
		err := authdb.New(a.db.Conn(ctx)).TouchConsent(ctx, authdb.TouchConsentParams{ID: p.SessionID, TouchSeconds: touchAfter.Seconds()})
		a.logTouch(ctx, err)
	}
	return p, nil
}
