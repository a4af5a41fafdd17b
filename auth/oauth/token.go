package oauth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/auth"
	"countersign/auth/credential"
	"countersign/auth/oauth/oauthdb"
	"countersign/internal/principal"
	"countersign/internal/store"
)

// tokens is the response to a code or a refresh token.
type tokens struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int    `json:"expires_in"`
	RefreshToken string `json:"refresh_token"`
	Scope        string `json:"scope"`
}

// All errors of a code or a refresh token share a text, to reveal no valid parts.
var (
	badCode    = &refusal{invalidGrant, "The code is unknown, expired, used, or was not issued for this request. Ask for a new one"}
	badRefresh = &refusal{invalidGrant, "The refresh token is unknown, expired or revoked. Connect the program again"}
)

// badClient makes programs register again (RFC 6749, 5.2).
var badClient = refusal{invalidClient, "This server does not know the client_id. Register again, and connect again"}

// isKnown reports whether a client_id belongs to a program.
func (s *Server) isKnown(ctx context.Context, clientID string) (bool, error) {
	c, _, err := s.known(ctx, clientID)
	return c.id != uuid.Nil, err
}

// exchange redeems a code for tokens. The first use consumes the code, even with wrong parameters, so that verifiers
// cannot be guessed. Reuse revokes the resulting consent (RFC 6749, 4.1.2).
func (s *Server) exchange(ctx context.Context, in map[string]string) (out tokens, refused *refusal, err error) {
	hash, ok := parse(auth.CodePrefix, in["code"])
	if !ok {
		return tokens{}, badCode, nil
	}
	if !namesResource(s.resource, in["resource"]) {
		return tokens{}, &refusal{invalidTarget, "resource must be " + s.resource}, nil
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		q := oauthdb.New(s.db.Conn(ctx))
		// Ending a person's sign-ins deletes their codes under the same lock.
		if err := q.LockPersonOfCode(ctx, hash); err != nil {
			return fmt.Errorf("lock person: %w", err)
		}
		code, err := q.UseCode(ctx, hash)
		if store.NoRows(err) {
			refused = badCode
			return nil
		}
		if err != nil {
			return fmt.Errorf("use code: %w", err)
		}
		owner := principal.Principal{Kind: principal.User, ID: code.UserID, Name: code.UserName}
		if !code.Fresh {
			refused = badCode
			if code.ConsentID == nil {
				return nil
			}
			return s.endConsent(
				ctx,
				*code.ConsentID,
				code.Client,
				code.ClientName,
				owner,
				"A code came a second time, so the program was disconnected",
			)
		}
		if !code.Good || code.ClientID != in["client_id"] || code.RedirectUri != in["redirect_uri"] || code.Resource != s.resource ||
			!verifies(in["code_verifier"], code.Challenge) {
			refused = badCode
			return nil
		}
		consent := store.NewID()
		if err := s.consent(ctx, consent, code); err != nil {
			return err
		}
		if err := q.NoteConsentOfCode(ctx, oauthdb.NoteConsentOfCodeParams{ConsentID: consent, Hash: hash}); err != nil {
			return fmt.Errorf("note consent: %w", err)
		}
		if err := s.record(ctx, audit.Added, code.Client, code.ClientName, owner, "A program was connected", code.Scopes); err != nil {
			return err
		}
		out, err = s.issue(ctx, consent, code.Scopes, anyPair())
		return err
	})
	return out, refused, err
}

// consent stores the consent of a code. The least recently used consents make room for it.
func (s *Server) consent(ctx context.Context, id uuid.UUID, code oauthdb.UseCodeRow) error {
	q := oauthdb.New(s.db.Conn(ctx))
	if err := q.LockConsents(ctx, "countersign.oauth."+code.UserID.String()); err != nil {
		return fmt.Errorf("lock consents: %w", err)
	}
	if _, err := q.DeleteFurtherConsents(ctx, oauthdb.DeleteFurtherConsentsParams{UserID: code.UserID, Most: maxConsents - 1}); err != nil {
		return fmt.Errorf("make room for a consent: %w", err)
	}
	err := q.InsertConsent(ctx, oauthdb.InsertConsentParams{
		ID:              id,
		UserID:          code.UserID,
		Client:          code.Client,
		Scopes:          code.Scopes,
		Resource:        code.Resource,
		LifetimeSeconds: consentLifetime.Seconds(),
	})
	if err != nil {
		return fmt.Errorf("keep consent: %w", err)
	}
	return nil
}

// pair is an access token and its refresh token, with their hashes.
type pair struct {
	access, refresh         string
	accessHash, refreshHash []byte
}

func anyPair() (p pair) {
	p.access, p.accessHash = credential.New()
	p.refresh, p.refreshHash = credential.New()
	return p
}

// nextPair derives the pair that replaces a refresh token. It is not stored: any process can derive it from the token.
func (s *Server) nextPair(refresh string) (p pair) {
	p.access, p.accessHash = credential.Derive(s.key, "access", refresh)
	p.refresh, p.refreshHash = credential.Derive(s.key, "refresh", refresh)
	return p
}

func (p pair) tokens(granted []string, expiresIn float64) tokens {
	return tokens{
		AccessToken: auth.AccessPrefix + p.access, TokenType: "Bearer", ExpiresIn: int(expiresIn), RefreshToken: auth.RefreshPrefix + p.refresh,
		Scope: joined(granted),
	}
}

// issue stores a pair of tokens.
func (s *Server) issue(ctx context.Context, consent uuid.UUID, granted []string, made pair) (tokens, error) {
	q := oauthdb.New(s.db.Conn(ctx))
	for _, t := range []oauthdb.InsertTokenParams{
		{Hash: made.accessHash, ConsentID: consent, Kind: "access", LifetimeSeconds: accessLifetime.Seconds()},
		{Hash: made.refreshHash, ConsentID: consent, Kind: "refresh", LifetimeSeconds: consentLifetime.Seconds()},
	} {
		if err := q.InsertToken(ctx, t); err != nil {
			return tokens{}, fmt.Errorf("keep token: %w", err)
		}
	}
	return made.tokens(granted, accessLifetime.Seconds()), nil
}

// repeat is the response to a reused refresh token of a program that lost the response: it comes within the grace
// period, and the new tokens are unused. ok is false for a possible theft.
func (s *Server) repeat(ctx context.Context, consent *lockedConsent, refresh string) (out tokens, ok bool, err error) {
	made := s.nextPair(refresh)
	left, err := oauthdb.New(s.db.Conn(ctx)).UnusedTokens(ctx, oauthdb.UnusedTokensParams{
		AccessHash: made.accessHash, RefreshHash: made.refreshHash, ConsentID: consent.ID,
	})
	if store.NoRows(err) {
		return tokens{}, false, nil
	}
	if err != nil {
		return tokens{}, false, fmt.Errorf("find the tokens of a refresh: %w", err)
	}
	return made.tokens(consent.Scopes, left), true, nil
}

// refresh rotates a refresh token. Reuse means theft, with the thief or the victim first, so the consent ends for both
// (OAuth 2.1, 4.3.1), unless it is a repeat.
func (s *Server) refresh(ctx context.Context, in map[string]string) (out tokens, refused *refusal, err error) {
	hash, ok := parse(auth.RefreshPrefix, in["refresh_token"])
	if !ok {
		return tokens{}, badRefresh, nil
	}
	if !namesResource(s.resource, in["resource"]) {
		return tokens{}, &refusal{invalidTarget, "resource must be " + s.resource}, nil
	}
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		consent, err := s.lockConsent(ctx, hash, in["client_id"])
		if err != nil || consent == nil {
			refused = badRefresh
			return err
		}
		q := oauthdb.New(s.db.Conn(ctx))
		token, err := q.UseRefreshToken(ctx, oauthdb.UseRefreshTokenParams{Hash: hash, GraceSeconds: grace.Seconds()})
		stands := token.Live && consent.Good && consent.Resource == s.resource
		switch {
		case store.NoRows(err):
			refused = badRefresh
			return nil
		case err != nil:
			return fmt.Errorf("use refresh token: %w", err)
		case !token.Fresh:
			out, refused, err = s.reused(ctx, consent, in, token.Recent && stands)
			return err
		case !stands:
			refused = badRefresh
			return nil
		}
		if refused = otherScopes(in["scope"], consent.Scopes); refused != nil {
			return errRollback
		}
		out, err = s.renew(ctx, consent, in["refresh_token"])
		return err
	})
	if errors.Is(err, errRollback) {
		err = nil
	}
	return out, refused, err
}

// reused answers a used refresh token: a repeat with the same tokens, or the end of the consent.
func (s *Server) reused(
	ctx context.Context,
	consent *lockedConsent,
	in map[string]string,
	mayRepeat bool,
) (out tokens, refused *refusal, err error) {
	if mayRepeat && otherScopes(in["scope"], consent.Scopes) == nil {
		out, again, err := s.repeat(ctx, consent, in["refresh_token"])
		if again || err != nil {
			return out, nil, err
		}
	}
	return tokens{}, badRefresh, s.endConsent(
		ctx,
		consent.ID,
		consent.Client,
		consent.ClientName,
		consent.owner(),
		"A refresh token came a second time, so the program was disconnected",
	)
}

// renew replaces the tokens of a consent.
func (s *Server) renew(ctx context.Context, consent *lockedConsent, refresh string) (tokens, error) {
	q := oauthdb.New(s.db.Conn(ctx))
	if err := q.RenewConsent(ctx, oauthdb.RenewConsentParams{ID: consent.ID, LifetimeSeconds: consentLifetime.Seconds()}); err != nil {
		return tokens{}, fmt.Errorf("renew consent: %w", err)
	}
	out, err := s.issue(ctx, consent.ID, consent.Scopes, s.nextPair(refresh))
	if err != nil {
		return tokens{}, err
	}
	if err := q.DeleteFurtherAccessTokens(ctx, consent.ID); err != nil {
		return tokens{}, fmt.Errorf("delete old tokens: %w", err)
	}
	return out, nil
}

// errRollback rolls back a transaction with nothing to store.
var errRollback = errors.New("taken back")

// otherScopes refuses scopes other than the granted ones (RFC 6749, 6), as a consent has fixed scopes. The scope for
// refresh tokens is implied.
func otherScopes(list string, granted []string) *refusal {
	said := slices.DeleteFunc(strings.Fields(list), func(scope string) bool { return scope == scopeOffline })
	if len(said) == 0 {
		return nil
	}
	wanted := requestedScopes(list)
	beyond := slices.ContainsFunc(said, func(scope string) bool { return !slices.Contains(granted, scope) })
	if beyond || !slices.Equal(wanted, granted) {
		return &refusal{
			invalidScope,
			"A refresh token has the scopes that were granted: " + joined(granted) + ". Connect the program again to ask for others",
		}
	}
	return nil
}

// lockedConsent is a consent whose row is locked.
type lockedConsent struct{ oauthdb.LockConsentRow }

func (c lockedConsent) owner() principal.Principal {
	return principal.Principal{Kind: principal.User, ID: c.UserID, Name: c.UserName}
}

// lockConsent locks the consent of a token; nil when there is none, or it belongs to another program.
func (s *Server) lockConsent(ctx context.Context, hash []byte, clientID string) (*lockedConsent, error) {
	q := oauthdb.New(s.db.Conn(ctx))
	of, err := q.ConsentOfToken(ctx, hash)
	if store.NoRows(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find token: %w", err)
	}
	row, err := q.LockConsent(ctx, of.ConsentID)
	if store.NoRows(err) || err == nil && row.ClientID != clientID {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("lock consent: %w", err)
	}
	return &lockedConsent{row}, nil
}

// endConsent deletes a consent with its tokens.
func (s *Server) endConsent(ctx context.Context, consent, client uuid.UUID, name string, owner principal.Principal, summary string) error {
	n, err := oauthdb.New(s.db.Conn(ctx)).DeleteConsent(ctx, consent)
	if err != nil {
		return fmt.Errorf("end consent: %w", err)
	}
	if n == 0 {
		return nil
	}
	s.log.Info("Program disconnected", "program", client, "user", owner.ID, "why", summary)
	return s.record(ctx, audit.Withdrawn, client, name, owner, summary, nil)
}

// revoke revokes a token (RFC 7009): a refresh token with its consent, an access token alone. It does nothing for an
// invalid token, or one of another program.
func (s *Server) revoke(ctx context.Context, in map[string]string) error {
	hash, ok := parse(auth.RefreshPrefix, in["token"])
	if !ok {
		if hash, ok = parse(auth.AccessPrefix, in["token"]); !ok {
			return nil
		}
	}
	return s.db.InTx(ctx, func(ctx context.Context) error {
		consent, err := s.lockConsent(ctx, hash, in["client_id"])
		if err != nil || consent == nil {
			return err
		}
		if strings.HasPrefix(in["token"], auth.AccessPrefix) {
			if _, err := oauthdb.New(s.db.Conn(ctx)).DeleteToken(ctx, hash); err != nil {
				return fmt.Errorf("revoke token: %w", err)
			}
			return nil
		}
		return s.endConsent(ctx, consent.ID, consent.Client, consent.ClientName, consent.owner(), "A program has disconnected itself")
	})
}

func parse(prefix, text string) (hash []byte, ok bool) {
	rest, found := strings.CutPrefix(text, prefix)
	if !found {
		return nil, false
	}
	return credential.Parse(rest)
}

// verifies reports whether a verifier matches a challenge, by S256 of RFC 7636.
func verifies(verifier, challenge string) bool {
	if len(verifier) < 43 || len(verifier) > 128 || strings.ContainsFunc(verifier, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-._~", r)
	}) {
		return false
	}
	sum := sha256.Sum256([]byte(verifier))
	return subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(challenge)) == 1
}
