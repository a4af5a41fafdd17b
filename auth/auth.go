// Package auth knows who may do what: users who sign in, applications with API tokens, roles that hold access rules,
// teams, and grants on single objects.
//
// The Authenticator turns the credential of a request (session cookie, API token, or the delegated credential of a
// turn) into a principal with one query, so what an administrator takes away is gone with the next request. Sessions
// signs people in and out and throttles guessing over all processes. Directory manages users, roles, applications and
// teams; nobody can hand out more than they hold, and there is always an administrator. Grants answers what a
// principal may do with one object. Delegator mints the credential with which a turn's tool calls re-enter the API as
// the person who asked: it is bound to the turn and to the person's session, lives for a minute, and is worthless
// outside of the process. Only SHA-256 hashes of session ids and API tokens are stored.
package auth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"countersign/auth/authdb"
	"countersign/auth/password"
	"countersign/store"
)

// The ids of the two roles that always exist. AdminRole holds every rule; UsersRole is held by every user.
var (
	AdminRole = uuid.MustParse("00000000-0000-4000-8000-0000000000ad")
	UsersRole = uuid.MustParse("00000000-0000-4000-8000-0000000000d0")
)

// touchAfter is how old a last-seen time may get before a request renews it.
const touchAfter = time.Minute

// Options configure an Auth. Zero durations, counts and costs mean the defaults.
type Options struct {
	DB  *store.DB
	Log *slog.Logger
	// Rules are the access rules of every module, this package's own (see Rules) included.
	Rules *Registry
	// DelegationKey signs delegated credentials; at least 32 bytes, the same in every process.
	DelegationKey []byte
	// Password are the costs of new password hashes.
	Password password.Params
	// IdleTimeout ends a session that nobody uses (12 h), Lifetime every session (7 days).
	IdleTimeout time.Duration
	Lifetime    time.Duration
	Throttle    Throttle
	// SecureCookie says that people reach the product over TLS even when a request does not show it.
	SecureCookie bool
	// TrustProxy says that a reverse proxy in front overwrites X-Forwarded-For and X-Forwarded-Proto. Without one,
	// any client could choose its address.
	TrustProxy bool
	// Credentials is the path of the file that Bootstrap writes. It is removed when its password is changed.
	Credentials string
}

// Throttle bounds failed sign-ins in a sliding window.
type Throttle struct {
	// PerEmail (10) and PerAddress (50) are failures in Window (15 min).
	PerEmail   int
	PerAddress int
	Window     time.Duration
}

// Auth holds the parts of this package, ready to be handed to their users.
type Auth struct {
	Authenticator *Authenticator
	Delegator     *Delegator
	Directory     *Directory
	Grants        *Grants
	Sessions      *Sessions
}

// New makes the parts.
func New(o Options) (*Auth, error) {
	if o.DB == nil || o.Log == nil || o.Rules == nil {
		return nil, errors.New("auth: DB, Log and Rules are required")
	}
	if len(o.DelegationKey) < 32 {
		return nil, errors.New("auth: the delegation key must have at least 32 bytes")
	}
	setDefault(&o.IdleTimeout, 12*time.Hour)
	setDefault(&o.Lifetime, 7*24*time.Hour)
	setDefault(&o.Throttle.PerEmail, 10)
	setDefault(&o.Throttle.PerAddress, 50)
	setDefault(&o.Throttle.Window, 15*time.Minute)
	hasher := password.NewHasher(o.Password)
	delegator := &Delegator{key: o.DelegationKey}
	grants := &Grants{db: o.DB}
	authenticator := &Authenticator{
		db: o.DB, log: o.Log, delegator: delegator, grants: grants, idle: o.IdleTimeout,
		transport: transport{secureCookie: o.SecureCookie, trustProxy: o.TrustProxy},
	}
	return &Auth{
		Authenticator: authenticator,
		Delegator:     delegator,
		Directory:     &Directory{db: o.DB, rules: o.Rules, hasher: hasher},
		Grants:        grants,
		Sessions:      newSessions(o, hasher, authenticator),
	}, nil
}

// Sweep deletes dead sessions and old sign-in attempts and reports how many rows. Any process may call it at any
// time, a few times an hour is enough.
func (a *Auth) Sweep(ctx context.Context) (int64, error) {
	q := authdb.New(a.Sessions.db.Conn(ctx))
	sessions, err := q.DeleteDeadSessions(ctx, a.Sessions.idle.Seconds())
	if err != nil {
		return 0, fmt.Errorf("delete dead sessions: %w", err)
	}
	attempts, err := q.DeleteOldAttempts(ctx, a.Sessions.throttle.limits.Window.Seconds())
	if err != nil {
		return sessions, fmt.Errorf("delete old sign-in attempts: %w", err)
	}
	return sessions + attempts, nil
}

func setDefault[T comparable](value *T, standard T) {
	var zero T
	if *value == zero {
		*value = standard
	}
}
