package auth

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"countersign/auth/authdb"
	"countersign/auth/credential"
	"countersign/principal"
	"countersign/problem"
)

// ResourcePath is the one path whose requests programs with an access token can make. A token is for this address of this
// server (RFC 8707) and for no other; above all, it does not open the REST API.
const ResourcePath = "/mcp"

// resources knows the addresses by which programs know the server.
type resources struct{ url string }

// resource is the address that access tokens are for, "" when nobody has said where people reach the product.
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

// Resource is the address that access tokens are for (RFC 8707), such as https://ops.example.org/mcp.
func (a *Authenticator) Resource() string { return a.resources.resource() }

// Challenge is the header WWW-Authenticate of an answer that refuses a request to the resource, by RFC 6750 and RFC 9728: nil
// asks for a token, problem.Unauthorized for another one, and a refusal for want of a scope for one that has it.
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

// byAccess accepts the access token of a program while the consent behind it stands. It opens the resource that it was made
// for, over the network: what the process does in the person's name has a credential of its own.
func (a *Authenticator) byAccess(ctx context.Context, r *http.Request, token string) (principal.Principal, error) {
	hash, ok := credential.Parse(strings.TrimPrefix(token, AccessPrefix))
	if !ok {
		return principal.Principal{}, a.refuseToken(
			ctx,
			r,
			problem.Errorf(problem.Unauthorized, "The bearer token is not an access token of this server. Connect the program again."),
		)
	}
	f, err := a.find(ctx, soughtBy(atConsent, nil, hash, ""))
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
			"The person behind this token has a password that somebody else has set. They have to sign in and change it first.",
		)
	}
	if f.stale {
		if err := a.attended(ctx, p); err != nil {
			return principal.Principal{}, err
		}
		err := authdb.New(a.db.Conn(ctx)).TouchConsent(ctx, authdb.TouchConsentParams{ID: p.SessionID, TouchSeconds: touchAfter.Seconds()})
		a.logTouch(ctx, err)
	}
	return p, nil
}
