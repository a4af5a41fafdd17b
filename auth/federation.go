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

	"countersign/problem"
	"countersign/store/throttle"
)

// IdentityProvider is where people sign in who have no password here; package oidc has one.
type IdentityProvider interface {
	// Begin is an attempt to sign in, and the address at the provider to which the browser goes.
	Begin(ctx context.Context) (Attempt, string, error)
	// Finish is who has signed in there, of the query with which the browser has come back at a moment; a *problem.Error when nobody has.
	Finish(ctx context.Context, a Attempt, answer url.Values, at time.Time) (Identity, error)
}

// Attempt is what a browser keeps of an attempt until it comes back. It is of no use to any other.
type Attempt struct {
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"`
	// Next is the path to go on to.
	Next string `json:"p"`
}

// Identity is who somebody is at a provider.
type Identity struct {
	Issuer  string
	Subject string
	Email   string
	// Verified says what the provider knows of the address: true, false, or nil when it says nothing.
	Verified *bool
	Name     string
	Groups   []string
}

// Federation says who may sign in at an identity provider and what they hold then. The zero value is none.
type Federation struct {
	Provider IdentityProvider
	// Name is what the button says: "Sign in with <name>".
	Name string
	// Groups are those of which one is needed; anybody whom the provider knows when empty.
	Groups []string
	// Roles are the names of roles by the groups that give them. Other roles are given here.
	Roles map[string]string
	// LinkByEmail lets the first sign-in of a verified address take the account here that has it.
	LinkByEmail bool
}

const (
	// attemptLifetime is how long a person may take at the provider.
	attemptLifetime = 10 * time.Minute
	maxNextBytes    = 12 << 10
	// SecureAttemptCookie and PlainAttemptCookie are the names of the cookie that keeps an attempt.
	SecureAttemptCookie = "__Host-countersign-attempt"
	PlainAttemptCookie  = "countersign_attempt"
)

// attempts keeps attempts in the browser, signed: nobody can hand one to somebody else's browser but by setting its
// cookie. Moments are those of the database, as the browser may come back to another process.
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

// localPath is a path of this site, and "/" for everything else: a link must not send a person elsewhere after they signed in.
func localPath(next string) string {
	if len(next) > maxNextBytes || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.HasPrefix(next, "/\\") ||
		strings.ContainsFunc(next, func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }) {
		return "/"
	}
	return next
}

// admits reports whether somebody has one of the groups that are needed.
func (f Federation) admits(groups []string) bool {
	return len(f.Groups) == 0 || slices.ContainsFunc(groups, func(g string) bool { return slices.Contains(f.Groups, g) })
}

// Why somebody who has come back from the provider is not signed in. The sign-in page knows the words.
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

// Refused is the error of a provider that has not signed somebody in; denied says that it was asked not to.
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

// Stale is the error of an answer that belongs to no attempt of this browser.
func Stale() error {
	return refusedSignIn(whyStale, "This sign-in was begun elsewhere, or too long ago. Begin again.")
}

func whyOf(err error) string {
	why, _ := problem.As(err).Extra["why"].(string)
	return why
}

// federated bounds sign-ins at the provider that come to nothing, by where they come from.
func (g guesses) federatedFailure(ctx context.Context, address string) (wait time.Duration, err error) {
	return g.throttle.Reserve(
		ctx,
		throttle.Rule{Name: "sign-in/federated", FreeFailures: 30, FirstWait: g.token.FirstWait, MaxWait: time.Minute, Window: g.token.Window}.Bucket(address),
	)
}
