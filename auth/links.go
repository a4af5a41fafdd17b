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

	"countersign/auth/authdb"
	"countersign/auth/credential"
	"countersign/principal"
	"countersign/problem"
	"countersign/store"
	"countersign/store/throttle"
	"countersign/tool/audit"
)

// A password link lets one person set the password of one account, once. Whoever may set that password makes it and hands it
// over, as the product sends no mail; so nobody else ever knows the password.
//
// The token has an id, by which the link is found, and 256 random bits, of which only the hash is kept and which are compared
// in constant time. A link ends when it is used, when a newer one is made, when the account is disabled or its password or
// address becomes another, and when whoever made it could not make it any more.
const (
	// InviteLifetime is for how long somebody who has no password yet can choose one, ResetLifetime for how long others can.
	InviteLifetime = 7 * 24 * time.Hour
	ResetLifetime  = 24 * time.Hour
)

// LinkKind is what a password link is for.
type LinkKind string

const (
	// Invite is for an account that has no password yet, Reset for one that has.
	Invite LinkKind = "invite"
	Reset  LinkKind = "reset"
)

// PasswordLink is a link that can still be used. What opens it was shown to whoever made it and is not kept.
type PasswordLink struct {
	Kind      LinkKind  `json:"kind" enum:"invite,reset"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// MadeLink is a link that was just made.
type MadeLink struct {
	PasswordLink
	Path string `json:"path" doc:"The page of the web app with the token behind #, which browsers send nowhere. Shown this once; only a hash is stored"`
}

// Linked is whose password a link sets.
type Linked struct {
	PasswordLink
	Name  string `json:"name"`
	Email string `json:"email"`
}

// Links makes password links and lets people use them.
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

// Make makes the link of an account, in place of one that was there. Who may is who may set its password.
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

// Look says whose password a token sets, without using it up.
func (l *Links) Look(ctx context.Context, token string, from Device) (Linked, error) {
	a, err := l.attempt(ctx, from)
	if err != nil {
		return Linked{}, err
	}
	row, err := l.find(ctx, token)
	if err != nil {
		return Linked{}, l.refused(ctx, err, from)
	}
	err = l.sessions.guesses.succeed(ctx, a)
	return Linked{PasswordLink{LinkKind(row.Kind), row.ExpiresAt}, row.Name, row.Email}, err
}

// Use sets the password of the account of a token, which is used up by that, and ends all of its sessions.
func (l *Links) Use(ctx context.Context, token, plain string, from Device) error {
	leave, err := l.sessions.unknown.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	a, err := l.attempt(ctx, from)
	if err != nil {
		return err
	}
	// Work is done for those alone who have a link.
	found, err := l.find(ctx, token)
	if err != nil {
		return l.refused(ctx, err, from)
	}
	if issue := checkPassword(plain, found.Email, found.Name); issue != nil {
		if err := l.sessions.guesses.succeed(ctx, a); err != nil {
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
		if err := l.sessions.guesses.succeed(ctx, a); err != nil {
			return err
		}
		user, err = l.set(ctx, token, hash, from)
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

// set writes the password, in the transaction of ctx. Of two who have the same link one comes first.
func (l *Links) set(ctx context.Context, token, hash string, from Device) (uuid.UUID, error) {
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
	// It may have ended while this waited for the account.
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

// find is the link of a token, as far as it stands and whoever made it could make it still. Why there is none is not said:
// whoever asks may have no business with the account.
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

// stillMay reports whether somebody could make the link of an account now: they, or the account, may have other rights since.
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
		"This link is not good any more: it was used or withdrawn, a newer one was made, or its time is over. Ask an administrator for another.",
	)
}

// attempt counts somebody who comes with a token, by where they come from. The token is not guessed; who sends others again and
// again is told to wait.
func (l *Links) attempt(ctx context.Context, from Device) (attempt, error) {
	g := l.sessions.guesses
	a := attempt{buckets: []throttle.Bucket{g.link.Bucket(from.Address)}}
	return a, g.throttle.Attempt(ctx, "Too many links that are not good came from your address. Wait %s and try again.", a.buckets...)
}

// refused keeps a record of a token that opens nothing.
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
