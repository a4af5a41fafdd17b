// Package oauth is the product's authorization server: a person lets a program act for them at the one address that programs
// talk to (auth.ResourcePath), and takes it back.
//
// It is OAuth 2.1 with what MCP asks for and nothing else: the authorization code with PKCE S256, refresh tokens that are
// exchanged for the next one, no client secrets. A program is known by the address of its metadata document or registers
// itself; nobody has checked what it says about itself, and the consent page says so. What a person allows is a consent. It
// stands behind tokens as a session stands behind a cookie, and package auth judges it anew with each request.
//
// Codes and tokens are random, stored as SHA-256 hashes, and never part of a log or of an address, but for the code,
// which travels to the program in one as OAuth has it, lives for a minute and is worth nothing without the program's
// verifier. A code or a refresh token that comes a second time ends the consent: one of the two who hold it has stolen
// it. The one exception is a program that lost the answer: for a moment, and while nobody has used what was in it, it
// is told the same again.
package oauth

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"countersign/principal"
	"countersign/store"
	"countersign/store/throttle"
)

// Paths of the server. ConsentPath is a page of the web app, to which AuthorizePath leads.
const (
	AuthorizePath = "/oauth/authorize"
	ConsentPath   = "/oauth/consent"
	TokenPath     = "/oauth/token" //nolint:gosec // an address
	RevokePath    = "/oauth/revoke"
	RegisterPath  = "/oauth/register"

	serverMetadataPath   = "/.well-known/oauth-authorization-server"
	resourceMetadataPath = "/.well-known/oauth-protected-resource"
)

// How long things last. A consent that nobody uses for so long ends.
const (
	codeLifetime    = time.Minute
	accessLifetime  = time.Hour
	consentLifetime = 30 * 24 * time.Hour
	// grace is for how long a program that has lost the answer to a refresh can ask for it again.
	grace = 30 * time.Second
	// documentLifetime is for how long what a metadata document said is believed.
	documentLifetime = 10 * time.Minute
	// unusedLifetime is for how long a program is known that nobody has let do anything, and idleLifetime, from the last time
	// that somebody did, one whose consents have all ended. A program with a consent is known as long as that lasts.
	unusedLifetime = 30 * 24 * time.Hour
	idleLifetime   = 90 * 24 * time.Hour
)

// Bounds of what is kept, whoever asks however often.
const (
	maxConsents      = 50
	maxUnusedClients = 5000
)

// Options configure a Server.
type Options struct {
	DB  *store.DB
	Log *slog.Logger
	// Issuer is the address of the product, such as https://ops.example.org.
	Issuer string
	// Resource is the address that tokens are for, by auth.Authenticator.Resource.
	Resource string
	// Key makes a refresh token into the tokens that follow it; at least 32 bytes, the same in every process.
	Key []byte
	// Fetch reads metadata documents: the client of an egress.Guard, which follows no redirect.
	Fetch *http.Client
	// Trusts reports whether a program may decide for the people who have connected it; nil trusts none.
	Trusts func(ctx context.Context, program principal.Client) (bool, error)
	// Address is what a client is counted by, of the address of its connection and its header X-Forwarded-For.
	Address func(remoteAddr, forwardedFor string) string
	// First is the first wait of somebody who asks too often, a few seconds when zero.
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

// New makes it.
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

// scopes are what a person can let a program do, in this order.
var scopes = []string{principal.ScopeRead, principal.ScopeWrite}

// Rules are the access rules of this package.
func (*Server) Rules() []principal.Rule {
	return []principal.Rule{
		{ID: RuleManage, Description: "See and disconnect everybody's connected programs, and say whether programs may register themselves"},
	}
}

// RuleManage opens the connected programs of everybody.
const RuleManage = "oauth.program.manage"
