package auth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"countersign/internal/problem"
	"countersign/internal/store/throttle"
)

// IdentityProvider authenticates people without a password here; package oidc implements it.
type IdentityProvider interface {
	// Begin starts an attempt and returns the provider's address for the browser.
	Begin(ctx context.Context) (Attempt, string, error)
	// Finish returns the authenticated identity, from the query of the redirect back at a moment; a *problem.Error
	// otherwise.
	Finish(ctx context.Context, a Attempt, answer url.Values, at time.Time) (Identity, error)
}

// Attempt is the state of a sign-in attempt, bound to one browser.
type Attempt struct {
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"`
	// Next is the path to open after the sign-in.
	Next string `json:"p"`
}

// Identity is a person's identity at a provider.
type Identity struct {
	Issuer  string
	Subject string
	Email   string
	// Verified is the provider's claim about the address: true, false, or nil when absent.
	Verified *bool
	Name     string
	Groups   []string
}

// Federation configures who may sign in at an identity provider and the resulting roles. The zero value is none.
type Federation struct {
	Provider IdentityProvider
	// Name is the label of the button: "Sign in with <name>".
	Name string
	// Groups are the groups of which a user needs one; any user of the provider when empty.
	Groups []string
	// Roles maps groups to names of roles. Other roles are assigned here.
	Roles map[string]string
	// LinkByEmail links the first sign-in with a verified address to the account with that address.
	LinkByEmail bool
}

const (
	// attemptLifetime bounds the time at the provider.
	attemptLifetime = 10 * time.Minute
	maxNextBytes    = 12 << 10
	// SecureAttemptCookie and PlainAttemptCookie are the names of the attempt cookie.
	SecureAttemptCookie = "__Host-countersign-attempt"
	PlainAttemptCookie  = "countersign_attempt"
)

// attempts stores attempts in signed cookies, so that an attempt cannot be moved to another browser (login CSRF). Times
// are those of the database, as the browser may come back to another process (clock skew).
type attempts struct{ key []byte }

type keptAttempt struct {
	Attempt

	Expires int64 `json:"e"`
}

func (k attempts) seal(a Attempt, now time.Time) (string, error) {
	raw, err := json.Marshal(keptAttempt{a, now.Add(attemptLifetime).Unix()})
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(append(k.sign(raw), raw...)), nil
}

func (k attempts) open(text string, now time.Time) (Attempt, bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) < sha256.Size || !hmac.Equal(raw[:sha256.Size], k.sign(raw[sha256.Size:])) {
		return Attempt{}, false
	}
	var kept keptAttempt
	if json.Unmarshal(raw[sha256.Size:], &kept) != nil || now.Unix() >= kept.Expires {
		return Attempt{}, false
	}
	return kept.Attempt, true
}

func (k attempts) sign(raw []byte) []byte {
	mac := hmac.New(sha256.New, k.key)
	_, _ = mac.Write([]byte("sign-in attempt\x00"))
	_, _ = mac.Write(raw)
	return mac.Sum(nil)
}

// localPath returns a path of this site, and "/" for everything else (open redirect protection).
func localPath(next string) string {
	if len(next) > maxNextBytes || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.HasPrefix(next, "/\\") ||
		strings.ContainsFunc(next, func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }) {
		return "/"
	}
	return next
}

// admits reports whether a user has one of the required groups.
func (f Federation) admits(groups []string) bool {
	return len(f.Groups) == 0 || slices.ContainsFunc(groups, func(g string) bool { return slices.Contains(f.Groups, g) })
}

// Reasons for a refused sign-in at the provider. The sign-in page has the texts.
const (
	whyStale    = "stale"    // another attempt, another browser, or too late
	whyDenied   = "denied"   // the provider did not sign them in
	whyProvider = "provider" // the provider did not answer, or not as it should
	whyGroup    = "group"    // they are in none of the groups
	whyEmail    = "email"    // no address, or one that is not theirs
	whyTaken    = "taken"    // an account here has the address
	whyDisabled = "disabled"
	whyWait     = "wait"
)

// refusedSignIn is a refusal with its reason.
func refusedSignIn(why, detail string) *problem.Error {
	return problem.Errorf(problem.Unauthorized, "%s", detail).With("why", why)
}

// Refused is the error for a sign-in that the provider refused; denied means that the user cancelled.
func Refused(denied bool, cause error) error {
	if denied {
		return refusedSignIn(whyDenied, "The identity provider did not sign you in.").WithCause(cause)
	}
	return refusedSignIn(
		whyProvider,
		"The identity provider did not answer as it should. Try again, and ask an administrator if it happens again.",
	).WithCause(
		cause,
	)
}

// Stale is the error for a redirect without a matching attempt of this browser.
func Stale() error {
	return refusedSignIn(whyStale, "This sign-in was started elsewhere, or has expired. Start again.")
}

func whyOf(err error) string {
	why, _ := problem.As(err).Extra["why"].(string)
	return why
}

// federatedFailure throttles failed sign-ins at the provider by client address.
func (g signInThrottle) federatedFailure(ctx context.Context, address string) (wait time.Duration, err error) {
	return g.throttle.Reserve(
		ctx,
		throttle.Rule{
			Name:         "sign-in/federated",
			FreeFailures: 30,
			FirstWait:    g.token.FirstWait,
			MaxWait:      time.Minute,
			Window:       g.token.Window,
		}.Bucket(
			address,
		),
	)
}
