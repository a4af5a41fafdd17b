// Package auth is authentication and authorization: users who sign in, applications with API tokens, roles with access
// rules, teams, and grants on single objects.
//
// The Authenticator turns the credential of a request (session cookie, API token, or delegated credential of a turn)
// into a principal with one query, so revoked rights end with the next request. Sessions signs people in and out and
// throttles password guessing across processes. Directory manages users, roles, applications and teams; it prevents
// privilege escalation and keeps an administrator. Links are single-use password links. Grants decides what a principal
// may do with one object. Delegator mints the credential with which a turn's tool calls re-enter the API as their
// caller: it is bound to the turn and the session or run, lives for a minute, and is useless outside of the process. Runs
// are the runs in which applications act without a token. Only SHA-256 hashes of session ids and API tokens are stored.
package auth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"time"

	"github.com/google/uuid"

	"countersign/auth/authdb"
	"countersign/auth/password"
	"countersign/internal/store"
	"countersign/internal/store/batching"
	"countersign/internal/store/throttle"
)

// Ids of the two built-in roles. AdminRole holds every rule; UsersRole is held by every user.
var (
	AdminRole = uuid.MustParse("00000000-0000-4000-8000-0000000000ad")
	UsersRole = uuid.MustParse("00000000-0000-4000-8000-0000000000d0")
)

// touchAfter is the age of a last-seen time at which a request renews it.
const touchAfter = time.Minute

// Options configure an Auth. Zero durations, counts and costs mean the defaults.
type Options struct {
	DB  *store.DB
	Log *slog.Logger
	// Rules are the access rules of all modules, including this package's (see Rules).
	Rules *Registry
	// DelegationKey signs delegated credentials and keys the hashes of sign-in names; at least 32 bytes, the same in
	// every process.
	DelegationKey []byte
	// Sealer encrypts passwords in proposals.
	Sealer Sealer
	// Password is the cost of new password hashes.
	Password password.Params
	// IdleTimeout ends an unused session (12 h), Lifetime every session (7 days).
	IdleTimeout time.Duration
	Lifetime    time.Duration
	Throttle    Throttle
	// SecureCookie states that people reach the product over TLS even when a request does not show it.
	SecureCookie bool
	// TrustProxy states that a reverse proxy overwrites X-Forwarded-For and X-Forwarded-Proto. Without one, any client
	// could forge its address.
	TrustProxy bool
	// Proxies are the addresses of those proxies; every address counts as one when empty.
	Proxies []netip.Prefix
	// URL is the public address of the product. Access tokens of programs are for its ResourcePath.
	URL string
	// Federation configures sign-in at an identity provider.
	Federation Federation
	// Credentials is the path of the file that Bootstrap writes. It is deleted when its password is changed.
	Credentials string
}

// Throttle bounds failed sign-ins before exponentially growing waits.
type Throttle struct {
	// PerPair (10) is for an account from one client address, and for a known device of the account; PerAccount (100)
	// for an account from anywhere; PerAddress (100) for all accounts from one client address.
	PerPair    int
	PerAccount int
	PerAddress int
	// First (2 s) is the first wait for an account from one client address; each further one doubles.
	First time.Duration
	// Window (1 h) is how long failures are remembered after the last one.
	Window time.Duration
}

// Auth holds the parts of this package.
type Auth struct {
	Authenticator *Authenticator
	Delegator     *Delegator
	Directory     *Directory
	Grants        *Grants
	Sessions      *Sessions
	Links         *Links
	Runs          *Runs

	sealer Sealer
}

// New constructs the parts.
func New(o Options) (*Auth, error) {
	if o.DB == nil || o.Log == nil || o.Rules == nil {
		return nil, errors.New("auth: DB, Log and Rules are required")
	}
	if len(o.DelegationKey) < 32 {
		return nil, errors.New("auth: the delegation key must have at least 32 bytes")
	}
	setDefault(&o.IdleTimeout, 12*time.Hour)
	setDefault(&o.Lifetime, 7*24*time.Hour)
	setDefault(&o.Throttle.PerPair, 10)
	setDefault(&o.Throttle.PerAccount, 100)
	setDefault(&o.Throttle.PerAddress, 100)
	setDefault(&o.Throttle.First, 2*time.Second)
	setDefault(&o.Throttle.Window, time.Hour)
	signInThrottle := newSignInThrottle(throttle.New(o.DB), o.Throttle, o.DelegationKey)
	hasher := password.NewHasher(o.Password)
	delegator := &Delegator{key: o.DelegationKey}
	grants := &Grants{db: o.DB}
	authenticator := &Authenticator{
		db: o.DB, log: o.Log, delegator: delegator, grants: grants, idle: o.IdleTimeout,
		provider: o.Lifetime, signInThrottle: signInThrottle,
		transport: transport{secureCookie: o.SecureCookie, trustProxy: o.TrustProxy, proxies: o.Proxies},
		resources: resourcesAt(o.URL),
		refused:   &refusedTokens{refusals: refusals{o.DB}, log: o.Log},
	}
	authenticator.lookups = batching.New(maxLookups, authenticator.lookupBatch)
	directory := &Directory{db: o.DB, rules: o.Rules, hasher: hasher}
	sessions := newSessions(o, hasher, authenticator, signInThrottle)
	return &Auth{
		Authenticator: authenticator,
		Delegator:     delegator,
		Directory:     directory,
		Grants:        grants,
		Sessions:      sessions,
		Links:         &Links{db: o.DB, log: o.Log, directory: directory, sessions: sessions},
		Runs:          &Runs{db: o.DB, authenticator: authenticator},
		sealer:        o.Sealer,
	}, nil
}

// Sweep deletes dead sessions, expired links, unused devices and old failures, and returns the number of rows. Any
// process may call it at any time; a few times an hour is enough.
func (a *Auth) Sweep(ctx context.Context) (int64, error) {
	q := authdb.New(a.Sessions.db.Conn(ctx))
	sessions, err := store.InTx(ctx, a.Sessions.db, a.Sessions.endDead)
	if err != nil {
		return 0, err
	}
	devices, err := q.DeleteOldDevices(ctx, deviceLifetime.Seconds())
	if err != nil {
		return sessions, fmt.Errorf("delete old devices: %w", err)
	}
	links, err := q.DeleteOldPasswordLinks(ctx)
	if err != nil {
		return sessions + devices, fmt.Errorf("delete old password links: %w", err)
	}
	failures, err := a.Sessions.signInThrottle.throttle.Sweep(ctx)
	return sessions + devices + links + failures, err
}

func setDefault[T comparable](value *T, standard T) {
	var zero T
	if *value == zero {
		*value = standard
	}
}
