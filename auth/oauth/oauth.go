// Package oauth is the product's authorization server: a person lets a program act for them at the resource
// (auth.ResourcePath), and can revoke that.
//
// It implements OAuth 2.1 as far as MCP requires it: the authorization code grant with PKCE S256, rotating refresh
// tokens, no client secrets. A program is known by the address of its metadata document or registers itself; its
// self-description is unverified, and the consent page says so. A person's consent stands behind tokens as a session
// stands behind a cookie, and package auth checks it at each request.
//
// Codes and tokens are random, stored as SHA-256 hashes, and never part of a log or an address. Only the code travels
// in an address, as OAuth requires; it lives for a minute and is useless without the program's verifier. Reuse of a
// code or a refresh token ends the consent, because one of its two holders has stolen it. The exception is a program
// that lost the response: within a short grace period, and while the new tokens are unused, it gets the same response
// again.
package oauth

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"countersign/internal/principal"
	"countersign/internal/store"
	"countersign/internal/store/throttle"
)

// Paths of the server. ConsentPath is a page of the web app, to which AuthorizePath redirects.
const (
	AuthorizePath = "/oauth/authorize"
	ConsentPath   = "/oauth/consent"
	TokenPath     = "/oauth/token" //nolint:gosec // an address
	RevokePath    = "/oauth/revoke"
	RegisterPath  = "/oauth/register"

	serverMetadataPath   = "/.well-known/oauth-authorization-server"
	resourceMetadataPath = "/.well-known/oauth-protected-resource"
)

// Lifetimes. A consent ends after this time without use.
const (
	codeLifetime    = time.Minute
	accessLifetime  = time.Hour
	consentLifetime = 30 * 24 * time.Hour
	// grace is the time in which a program that lost the response can repeat a refresh.
	grace = 30 * time.Second
	// documentLifetime is the cache time of a metadata document.
	documentLifetime = 10 * time.Minute
	// unusedLifetime is how long a program without a consent stays registered, and idleLifetime how long after its last
	// consent has ended. A program with a consent stays as long as that.
	unusedLifetime = 30 * 24 * time.Hour
	idleLifetime   = 90 * 24 * time.Hour
)

// Bounds of stored rows.
const (
	maxConsents      = 50
	maxUnusedClients = 5000
)

// Options configure a Server.
type Options struct {
	DB  *store.DB
	Log *slog.Logger
	// Issuer is the public address of the product, such as https://ops.example.org.
	Issuer string
	// Resource is the audience of tokens, from auth.Authenticator.Resource.
	Resource string
	// Key derives the next tokens from a refresh token; at least 32 bytes, the same in every process.
	Key []byte
	// Fetch fetches metadata documents: the client of an egress.Guard, which follows no redirect.
	Fetch *http.Client
	// Trusts reports whether a program may decide for its people; nil trusts none.
	Trusts func(ctx context.Context, program principal.Client) (bool, error)
	// Address is the throttling key of a client, from its connection's address and X-Forwarded-For header.
	Address func(remoteAddr, forwardedFor string) string
	// First is the first wait at a rate limit, a few seconds when zero.
	First time.Duration
}

// Server is the authorization server.
type Server struct {
	db       *store.DB
	log      *slog.Logger
	issuer   string
	resource string
	key      []byte
	fetch    *http.Client
	trusts   func(ctx context.Context, program principal.Client) (bool, error)
	address  func(remoteAddr, forwardedFor string) string
	limits   limits
}

// New constructs a Server.
func New(o Options) (*Server, error) {
	if o.DB == nil || o.Log == nil || o.Fetch == nil || o.Address == nil || len(o.Key) < 32 {
		return nil, errors.New("oauth: DB, Log, Fetch, Address and a Key of 32 bytes are required")
	}
	return &Server{
		db: o.DB, log: o.Log, issuer: strings.TrimRight(o.Issuer, "/"), resource: o.Resource, key: o.Key, fetch: o.Fetch, trusts: o.Trusts,
		address: o.Address,
		limits:  newLimits(throttle.New(o.DB), o.First),
	}, nil
}

// scopes are the grantable scopes in order.
var scopes = []string{principal.ScopeRead, principal.ScopeWrite}

// Rules are the access rules of this package.
func (*Server) Rules() []principal.Rule {
	return []principal.Rule{
		{ID: RuleManage, Description: "See and disconnect everybody's connected programs, and say whether programs may register themselves"},
	}
}

// RuleManage allows managing everyone's connected programs.
const RuleManage = "oauth.program.manage"
