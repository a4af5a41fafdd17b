package auth

import (
	"context"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/auth/authdb"
	"countersign/auth/credential"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
	"countersign/internal/store/throttle"
)

// A password link sets the password of one account, once. A person who may set that password creates the link and hands
// it over, as the product sends no mail; so nobody else learns the password.
//
// The token has an id, by which the link is found, and 256 random bits, of which only the hash is stored and which are
// compared in constant time. A link ends when it is used or replaced, when the account is disabled or its password or
// address changes, and when its issuer loses the right to create it.
const (
	// InviteLifetime is for accounts without a password, ResetLifetime for others.
	InviteLifetime = 7 * 24 * time.Hour
	ResetLifetime  = 24 * time.Hour
)

// LinkKind is the purpose of a password link.
type LinkKind string

const (
	// Invite is for an account without a password, Reset for one with a password.
	Invite LinkKind = "invite"
	Reset  LinkKind = "reset"
)

// PasswordLink is a usable link. Its token was shown to the issuer only and is not stored.
type PasswordLink struct {
	Kind      LinkKind  `json:"kind" enum:"invite,reset"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// MadeLink is a new link with its token.
type MadeLink struct {
	PasswordLink
	Path string `json:"path" doc:"The page of the web app with the token behind #, which browsers send nowhere. Shown this once; only a hash is stored"`
}

// Linked is the account of a link.
type Linked struct {
	PasswordLink
	Name  string `json:"name"`
	Email string `json:"email"`
}

// Links creates and redeems password links.
type Links struct {
	db        *store.DB
	log       *slog.Logger
	directory *Directory
	sessions  *Sessions
}

// linkToken is the text of a link: its prefix, the id in hexadecimal, and the secret.
func linkToken(id uuid.UUID, secret string) string {
	return LinkPrefix + hex.EncodeToString(id[:]) + secret
}

const idChars = 2 * len(uuid.UUID{})

func parseLinkToken(token string) (id uuid.UUID, hash []byte, ok bool) {
	rest, found := strings.CutPrefix(token, LinkPrefix)
	if !found || len(rest) != idChars+credential.Chars || strings.ToLower(rest[:idChars]) != rest[:idChars] {
		return uuid.Nil, nil, false
	}
	if _, err := hex.Decode(id[:], []byte(rest[:idChars])); err != nil {
		return uuid.Nil, nil, false
	}
	hash, ok = credential.Parse(rest[idChars:])
	return id, hash, ok
}

// Make creates the link of an account and replaces an earlier one. The actor must have the right to set the account's
// password.
func (l *Links) Make(ctx context.Context, actor principal.Principal, userID uuid.UUID, based *int64) (made MadeLink, err error) {
	err = l.db.InTx(ctx, func(ctx context.Context) error {
		row, err := l.directory.lockUser(ctx, actor, userID, based)
		if err != nil {
			return err
		}
		switch {
		case actor.ID == userID:
			return problem.Errorf(problem.Forbidden, "You change your own password with the one that you have: under your account.")
		case row.Disabled:
			return problem.Errorf(problem.Conflict, "This account is disabled. Enable it first.")
		}
		if err := l.directory.withinUser(ctx, actor, userID, "change how this account signs in"); err != nil {
			return err
		}
		kind, lifetime, summary := Reset, ResetLifetime, "A link was made with which they can set another password"
		if row.PasswordHash == "" {
			kind, lifetime, summary = Invite, InviteLifetime, "A link was made with which they can set their first password"
		}
		secret, hash := credential.New()
		id := uuid.New()
		expires, err := authdb.New(l.db.Conn(ctx)).PutPasswordLink(ctx, authdb.PutPasswordLinkParams{
			UserID: userID, ID: id, SecretHash: hash, Kind: string(kind), IssuerID: actor.ID, LifetimeSeconds: lifetime.Seconds(),
		})
		if err != nil {
			return fmt.Errorf("keep password link: %w", err)
		}
		made = MadeLink{PasswordLink{Kind: kind, ExpiresAt: expires}, "/" + string(kind) + "#" + linkToken(id, secret)}
		var fields audit.Fields
		fields.Mention("passwordLink", true)
		return l.directory.record(ctx, actor, audit.Changed, audit.Object(typeUser, userID, row.Name), summary, fields)
	})
	return made, err
}

// Revoke ends the link of an account and reports whether this call did.
func (l *Links) Revoke(ctx context.Context, actor principal.Principal, userID uuid.UUID) (done bool, err error) {
	err = l.db.InTx(ctx, func(ctx context.Context) error {
		row, err := l.directory.lockUser(ctx, actor, userID, nil)
		if err != nil {
			return err
		}
		n, err := authdb.New(l.db.Conn(ctx)).DeletePasswordLink(ctx, userID)
		if err != nil {
			return fmt.Errorf("delete password link: %w", err)
		}
		if done = n > 0; !done {
			return nil
		}
		var fields audit.Fields
		fields.Mention("passwordLink", true)
		return l.directory.record(
			ctx,
			actor,
			audit.Changed,
			audit.Object(typeUser, userID, row.Name),
			"The link with which they could set a password was withdrawn",
			fields,
		)
	})
	return done, err
}

// Inspect returns the account of a token, without redeeming it.
func (l *Links) Inspect(ctx context.Context, token string, from Device) (Linked, error) {
	a, err := l.attempt(ctx, from)
	if err != nil {
		return Linked{}, err
	}
	row, err := l.find(ctx, token)
	if err != nil {
		return Linked{}, l.refused(ctx, err, from)
	}
	err = l.sessions.signInThrottle.succeed(ctx, a)
	return Linked{PasswordLink{LinkKind(row.Kind), row.ExpiresAt}, row.Name, row.Email}, err
}

// Use sets the password of the token's account, which redeems the token and ends all sessions of the account.
func (l *Links) Use(ctx context.Context, token, plain string, from Device) error {
	leave, err := l.sessions.unknown.acquire(ctx)
	if err != nil {
		return err
	}
	defer leave()
	a, err := l.attempt(ctx, from)
	if err != nil {
		return err
	}
	// Only holders of a valid link may cause the cost of hashing.
	found, err := l.find(ctx, token)
	if err != nil {
		return l.refused(ctx, err, from)
	}
	if issue := checkPassword(plain, found.Email, found.Name); issue != nil {
		if err := l.sessions.signInThrottle.succeed(ctx, a); err != nil {
			return err
		}
		return problem.InvalidInput("The password cannot be used.", *issue)
	}
	hash, err := l.sessions.hasher.Hash(ctx, plain)
	if err != nil {
		return err
	}
	var user uuid.UUID
	err = l.db.InTx(ctx, func(ctx context.Context) error {
		if err := l.sessions.signInThrottle.succeed(ctx, a); err != nil {
			return err
		}
		user, err = l.setPassword(ctx, token, hash, from)
		return err
	})
	if problem.Is(err, problem.NotFound) {
		return l.refused(ctx, err, from)
	}
	if err == nil {
		l.log.Info("Password set with a link", "user", user, "address", from.Address)
	}
	return err
}

// setPassword stores the password, in the transaction of ctx. Concurrent uses of a link are serialised.
func (l *Links) setPassword(ctx context.Context, token, hash string, from Device) (uuid.UUID, error) {
	row, err := l.find(ctx, token)
	if err != nil {
		return uuid.Nil, err
	}
	q := authdb.New(l.db.Conn(ctx))
	user, err := q.LockUser(ctx, row.UserID)
	if store.NoRows(err) {
		return uuid.Nil, noLink()
	}
	if err != nil {
		return uuid.Nil, fmt.Errorf("lock user: %w", err)
	}
	// The link may have ended while this waited for the lock.
	if row, err = l.find(ctx, token); err != nil {
		return uuid.Nil, err
	}
	err = q.UpdateUser(
		ctx,
		authdb.UpdateUserParams{ID: user.ID, Email: user.Email, Name: user.Name, Disabled: user.Disabled, PasswordHash: hash},
	)
	if err != nil {
		return uuid.Nil, fmt.Errorf("set password: %w", err)
	}
	if err := l.directory.endSignIns(ctx, user.ID); err != nil {
		return uuid.Nil, err
	}
	l.db.AfterCommit(ctx, func() { l.sessions.forgetCredentials(user.Email) })
	summary := "Set a new password with a link, which ended their sessions and disconnected their programs"
	if LinkKind(row.Kind) == Invite {
		summary = "Set their first password with a link"
	}
	var fields audit.Fields
	fields.Mention("password", true)
	p := principal.Principal{Kind: principal.User, ID: user.ID, Name: user.Name, Email: user.Email}
	return user.ID, l.sessions.record(ctx, p, audit.Changed, summary, fields, from.Address)
}

// find returns the link of a token if it is valid and its issuer still has the right to create it. The refusal gives no
// reason, as the caller is anonymous.
func (l *Links) find(ctx context.Context, token string) (row authdb.PasswordLinkRow, err error) {
	id, hash, ok := parseLinkToken(token)
	if !ok {
		return row, noLink()
	}
	q := authdb.New(l.db.Conn(ctx))
	row, err = q.PasswordLink(ctx, id)
	if err != nil && !store.NoRows(err) {
		return row, fmt.Errorf("find password link: %w", err)
	}
	if err != nil || subtle.ConstantTimeCompare(row.SecretHash, hash) != 1 {
		return authdb.PasswordLinkRow{}, noLink()
	}
	may, err := l.stillMay(ctx, row.IssuerID, row.UserID)
	if err == nil && !may {
		err = noLink()
	}
	return row, err
}

// stillMay reports whether a user could create the link of an account now: rights of either may have changed.
func (l *Links) stillMay(ctx context.Context, issuerID, userID uuid.UUID) (bool, error) {
	q := authdb.New(l.db.Conn(ctx))
	row, err := q.PersonWithRights(ctx, authdb.PersonWithRightsParams{ID: issuerID, DefaultRole: UsersRole})
	if store.NoRows(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("find who made a link: %w", err)
	}
	issuer := principal.Principal{Kind: principal.User, ID: row.ID, Name: row.Name, Email: row.Email, Rules: row.Rules, TeamIDs: row.TeamIds}
	rules, err := q.RulesByUser(ctx, userID)
	if err != nil {
		return false, fmt.Errorf("find rules of user: %w", err)
	}
	if len(issuer.Missing(append(rules, RuleUsersManage)...)) > 0 {
		return false, nil
	}
	err = l.directory.withinUser(ctx, issuer, userID, "change how this account signs in")
	if problem.Is(err, problem.Forbidden) {
		return false, nil
	}
	return err == nil, err
}

func noLink() error {
	return problem.Errorf(
		problem.NotFound,
		"This link is no longer valid: it was used or revoked, replaced by a newer one, or has expired. Ask an administrator for another.",
	)
}

// attempt throttles uses of tokens by client address. Tokens cannot be guessed, so only repeated invalid ones wait.
func (l *Links) attempt(ctx context.Context, from Device) (attempt, error) {
	g := l.sessions.signInThrottle
	a := attempt{buckets: []throttle.Bucket{g.link.Bucket(from.Address)}}
	return a, g.throttle.Attempt(ctx, "Too many links that are not good came from your address. Wait %s and try again.", a.buckets...)
}

// refused records an invalid token in the audit log.
func (l *Links) refused(ctx context.Context, refusal error, from Device) error {
	if !problem.Is(refusal, problem.NotFound) {
		return refusal
	}
	err := l.db.InTx(ctx, func(ctx context.Context) error {
		return refusals{l.db}.note(ctx, audit.SignInFailed, nil, from.Address, 1)
	})
	if err != nil {
		return err
	}
	l.log.Warn("Password link refused", "address", from.Address)
	return refusal
}
