package auth

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/auth/authdb"
	"countersign/auth/credential"
	"countersign/auth/password"
	"countersign/internal/access"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/throttle"
)

// Session is a person's sign-in on one device.
type Session struct {
	ID         uuid.UUID `json:"id"`
	Current    bool      `json:"current" doc:"The session that makes this request"`
	UserAgent  string    `json:"userAgent"`
	Address    string    `json:"address"`
	CreatedAt  time.Time `json:"createdAt"`
	LastSeenAt time.Time `json:"lastSeenAt" doc:"Renewed at most once a minute"`
	ExpiresAt  time.Time `json:"expiresAt"`
}

// Sessions signs people in and out.
type Sessions struct {
	db             *store.DB
	log            *slog.Logger
	hasher         *password.Hasher
	authenticator  *Authenticator
	signInThrottle signInThrottle
	idle           time.Duration
	lifetime       time.Duration
	transport      transport
	// Limiters admit as many concurrent sign-ins as can be hashed concurrently. Known devices have their own, so that a
	// flood from unknown ones does not delay them. A waiting attempt is not yet counted, so simultaneous sign-ins of
	// many people do not throttle each other.
	known, unknown limiter
	proxies        proxyWarning
	federation     Federation
	attempts       attempts
	removed        access.OnRemoved
	// credentials is the path of the first administrator's credentials file, "" for none.
	credentials string
}

func newSessions(o Options, hasher *password.Hasher, authenticator *Authenticator, signInThrottle signInThrottle) *Sessions {
	atOnce := hasher.AtOnce()
	return &Sessions{
		db: o.DB, log: o.Log, hasher: hasher, authenticator: authenticator, signInThrottle: signInThrottle,
		idle: o.IdleTimeout, lifetime: o.Lifetime, transport: authenticator.transport,
		credentials: o.Credentials, federation: o.Federation, attempts: attempts{o.DelegationKey},
		// One hash is reserved for known devices.
		known: newLimiter(atOnce), unknown: newLimiter(max(atOnce-1, 1)),
	}
}

// Device is the client of a sign-in.
type Device struct {
	Address   string
	UserAgent string
	// Shared means that the address belongs to an undeclared proxy, and so to many people.
	Shared bool
	// named is the client address according to that proxy, which the client may have forged.
	named string
	// token is the hash of the device cookie; nil without one.
	token []byte
}

// SignedIn is the result of a sign-in: cookie texts, which are not stored, and the principal. Device is empty when the
// device keeps its cookie.
type SignedIn struct {
	Token     string
	Device    string
	Principal principal.Principal
}

// Login checks a password and starts a session. An unknown address and a wrong password give the same answer after the
// same work, against account enumeration.
func (s *Sessions) Login(ctx context.Context, email, plain string, from Device) (SignedIn, error) {
	email = clip(strings.TrimSpace(email), maxEmailBytes)
	a, err := s.attempt(ctx, email, from)
	if err != nil {
		return SignedIn{}, err
	}
	queue := &s.unknown
	if a.known {
		queue = &s.known
	}
	leave, err := queue.acquire(ctx)
	if err != nil {
		return SignedIn{}, err
	}
	defer leave()
	if err := s.signInThrottle.reserve(ctx, a); err != nil {
		return SignedIn{}, err
	}
	user, err := s.check(ctx, email, plain)
	if problem.Is(err, problem.Unauthorized) || problem.Is(err, problem.Forbidden) {
		if err := s.failed(ctx, user.ID, from); err != nil {
			return SignedIn{}, err
		}
		s.log.Warn("Sign-in failed", "address", from.Address)
	}
	if err != nil {
		return SignedIn{}, err
	}
	var in SignedIn
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.signInThrottle.succeed(ctx, a); err != nil {
			return err
		}
		var id uuid.UUID
		if in.Token, id, err = s.start(ctx, user, from); err != nil {
			return err
		}
		if in.Device, err = s.remember(ctx, user.ID, from); err != nil {
			return err
		}
		if in.Principal, _, err = s.authenticator.bySession(ctx, &id, nil, signIn); err != nil {
			return err
		}
		return s.record(ctx, in.Principal, audit.SignedIn, "Signed in with a password", nil, from.Address)
	})
	if err != nil {
		return SignedIn{}, err
	}
	s.log.Info("Signed in", "user", in.Principal.ID, "session", in.Principal.SessionID, "address", from.Address)
	s.renewHash(ctx, user, plain)
	return in, nil
}

// attempt admits a sign-in attempt. Throttled ones are refused before they take a hashing slot.
func (s *Sessions) attempt(ctx context.Context, email string, from Device) (attempt, error) {
	known, err := s.isKnown(ctx, email, from)
	if err != nil {
		return attempt{}, err
	}
	a := s.signInThrottle.signIn(email, from, known)
	return a, s.signInThrottle.check(ctx, a)
}

// check returns the user with this e-mail address and password.
func (s *Sessions) check(ctx context.Context, email, plain string) (authdb.UserForLoginRow, error) {
	user, err := authdb.New(s.db.Conn(ctx)).UserForLogin(ctx, email)
	matches := false
	switch {
	case store.NoRows(err) || !printableASCII(email) || err == nil && user.PasswordHash == "":
		if err := s.hasher.Reject(ctx, plain); err != nil {
			return user, err
		}
	case err != nil:
		return user, fmt.Errorf("find user: %w", err)
	default:
		if matches, err = s.hasher.Verify(ctx, user.PasswordHash, plain); err != nil {
			return user, fmt.Errorf("verify password of user %s: %w", user.ID, err)
		}
	}
	if !matches {
		return user, problem.Errorf(problem.Unauthorized, "The e-mail address or the password is wrong.")
	}
	if user.Disabled {
		return user, problem.Errorf(problem.Forbidden, "This account is disabled. Ask an administrator to enable it.")
	}
	return user, nil
}

// start creates a session unless the account was disabled or its password changed during the check.
func (s *Sessions) start(ctx context.Context, user authdb.UserForLoginRow, from Device) (token string, id uuid.UUID, err error) {
	token, hash := credential.New()
	q := authdb.New(s.db.Conn(ctx))
	if err := q.NoteSignIn(ctx, user.ID); err != nil {
		return "", uuid.Nil, fmt.Errorf("note sign-in: %w", err)
	}
	id, err = q.InsertSession(ctx, authdb.InsertSessionParams{
		ID: uuid.New(), TokenHash: hash, UserID: user.ID, PasswordHash: user.PasswordHash,
		Address: clip(from.Address, 100), UserAgent: clip(from.UserAgent, 300), LifetimeSeconds: s.lifetime.Seconds(),
	})
	if store.NoRows(err) {
		return "", uuid.Nil, problem.Errorf(problem.Unauthorized, "The account was changed meanwhile. Sign in again.")
	}
	if err != nil {
		return "", uuid.Nil, fmt.Errorf("start session: %w", err)
	}
	return token, id, nil
}

// renewHash replaces a hash with old parameters while the password is available. Its failure does not fail the sign-in.
func (s *Sessions) renewHash(ctx context.Context, user authdb.UserForLoginRow, plain string) {
	if !s.hasher.Outdated(user.PasswordHash) {
		return
	}
	hash, err := s.hasher.Hash(ctx, plain)
	if err == nil {
		err = authdb.New(s.db.Conn(ctx)).RehashPassword(ctx, authdb.RehashPasswordParams{ID: user.ID, NewHash: hash, OldHash: user.PasswordHash})
	}
	if err != nil {
		s.log.Warn("Password hash not renewed", "user", user.ID, "error", err)
	}
}

// ChangePassword sets the person's own password after checking the current one, and ends their other sessions.
func (s *Sessions) ChangePassword(ctx context.Context, p principal.Principal, current, next string) error {
	leave, err := s.known.acquire(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if issue := checkPassword(next, p.Email, p.Name); issue != nil {
		return problem.InvalidInput("The new password cannot be used.", *issue)
	}
	if next == current {
		return problem.InvalidInput("The new password cannot be used.", problem.Issue{Path: "newPassword", Message: "is the one you have"})
	}
	// Throttled separately, so that a stolen session cannot guess the password. It does not affect sign-ins.
	a := attempt{buckets: []throttle.Bucket{s.signInThrottle.change.Bucket(p.ID.String())}}
	if err := s.signInThrottle.reserve(ctx, a); err != nil {
		return err
	}
	user, err := s.check(ctx, p.Email, current)
	if problem.Is(err, problem.Unauthorized) {
		if err := s.failed(ctx, user.ID, Device{}); err != nil {
			return err
		}
		return problem.InvalidInput("The current password is wrong.", problem.Issue{Path: "currentPassword", Message: "is wrong"})
	}
	if err != nil {
		return err
	}
	hash, err := s.hasher.Hash(ctx, next)
	if err != nil {
		return err
	}
	return s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.signInThrottle.succeed(ctx, a); err != nil {
			return err
		}
		q := authdb.New(s.db.Conn(ctx))
		row, err := q.LockUser(ctx, user.ID)
		if store.NoRows(err) || err == nil && row.PasswordHash != user.PasswordHash {
			return problem.Errorf(problem.Conflict, "The account was changed meanwhile. Sign in again.")
		}
		if err != nil {
			return fmt.Errorf("lock user: %w", err)
		}
		err = q.UpdateUser(ctx, authdb.UpdateUserParams{ID: row.ID, Email: row.Email, Name: row.Name, Disabled: row.Disabled, PasswordHash: hash})
		if err != nil {
			return fmt.Errorf("change password: %w", err)
		}
		if err := s.endOthers(ctx, p); err != nil {
			return err
		}
		s.db.AfterCommit(ctx, func() { s.forgetCredentials(row.Email) })
		var fields audit.Fields
		fields.Mention("password", true)
		return s.record(
			ctx,
			p,
			audit.Changed,
			"Changed their own password, which ended their other sessions and disconnected their programs",
			fields,
			"",
		)
	})
}

// endOthers ends all that opens a person's account but the session in which they changed their password.
func (s *Sessions) endOthers(ctx context.Context, p principal.Principal) error {
	q := authdb.New(s.db.Conn(ctx))
	if _, err := q.DeleteSessionsByUser(ctx, authdb.DeleteSessionsByUserParams{UserID: p.ID, Keep: p.SessionID}); err != nil {
		return fmt.Errorf("end other sessions: %w", err)
	}
	if _, err := q.DeleteConsentsByUser(ctx, p.ID); err != nil {
		return fmt.Errorf("disconnect programs: %w", err)
	}
	if err := q.DeletePasswordLinksOf(ctx, p.ID); err != nil {
		return fmt.Errorf("withdraw password links: %w", err)
	}
	return s.removed.Notify(ctx, access.SignIns, p.ID)
}

// List returns the live sessions of a person, the most recently used first.
func (s *Sessions) List(ctx context.Context, p principal.Principal) ([]Session, error) {
	rows, err := authdb.New(s.db.Conn(ctx)).SessionsByUser(ctx, authdb.SessionsByUserParams{UserID: p.ID, IdleSeconds: s.idle.Seconds()})
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	sessions := make([]Session, 0, len(rows))
	for _, r := range rows {
		sessions = append(sessions, Session{
			ID: r.ID, Current: r.ID == p.SessionID, UserAgent: r.UserAgent, Address: r.Address,
			CreatedAt: r.CreatedAt, LastSeenAt: r.LastSeenAt, ExpiresAt: r.ExpiresAt,
		})
	}
	return sessions, nil
}

// Revoke ends one of the person's sessions and reports whether this call did.
func (s *Sessions) Revoke(ctx context.Context, p principal.Principal, id uuid.UUID) (bool, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (bool, error) {
		n, err := authdb.New(s.db.Conn(ctx)).DeleteSession(ctx, authdb.DeleteSessionParams{ID: id, UserID: p.ID, Kind: signIn})
		if err != nil {
			return false, fmt.Errorf("end session: %w", err)
		}
		if n == 0 {
			return false, nil
		}
		summary := "Ended another session of theirs"
		if id == p.SessionID {
			summary = "Signed out"
		}
		return true, s.record(ctx, p, audit.SignedOut, summary, nil, "")
	})
}

// RevokeOthers ends all of the person's sessions except the current one, and returns their number.
func (s *Sessions) RevokeOthers(ctx context.Context, p principal.Principal) (int64, error) {
	return store.InTx(ctx, s.db, func(ctx context.Context) (int64, error) {
		q := authdb.New(s.db.Conn(ctx))
		// Under the lock, a token that another session is creating either exists by now or is not created.
		if _, err := q.LockUser(ctx, p.ID); err != nil && !store.NoRows(err) {
			return 0, fmt.Errorf("lock user: %w", err)
		}
		n, err := q.DeleteSessionsByUser(ctx, authdb.DeleteSessionsByUserParams{UserID: p.ID, Keep: p.SessionID})
		if err != nil {
			return 0, fmt.Errorf("end other sessions: %w", err)
		}
		if err := s.removed.Notify(ctx, access.SignIns, p.ID); err != nil {
			return 0, err
		}
		if n == 0 {
			return 0, nil
		}
		return n, s.record(ctx, p, audit.SignedOut, fmt.Sprintf("Ended %d other sessions of theirs", n), nil, "")
	})
}
