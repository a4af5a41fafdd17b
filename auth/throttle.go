package auth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"net/netip"
	"strings"
	"time"

	"countersign/internal/problem"
	"countersign/internal/store/throttle"
)

// signInThrottle counts wrong passwords and tokens across processes (brute-force protection).
//
// Sign-ins on a known device of the account are counted by device only: attackers elsewhere cannot lock its owner out.
// All others are counted by client address and account together, so that attackers cannot lock users out from other
// addresses; and, with many more free attempts and short waits, by account and by address alone, against distributed
// guessing and password spraying. Every wait is bounded.
//
// Behind an undeclared proxy many people share an address, and any client can forge the header. So the claimed address
// has the limit of an address, and the proxy ten times as much, with waits of seconds.
type signInThrottle struct {
	throttle *throttle.Throttle
	// key hashes typed e-mail addresses before they are stored: they may be mistyped passwords.
	key                                                                       []byte
	device, pair, shared, account, address, named, proxy, change, token, link throttle.Rule
}

func newSignInThrottle(t *throttle.Throttle, o Throttle, key []byte) signInThrottle {
	rule := func(sort string, free int, most time.Duration) throttle.Rule {
		return throttle.Rule{Name: "sign-in/" + sort, FreeFailures: free, FirstWait: o.First, MaxWait: most, Window: o.Window}
	}
	pair := rule("pair", o.PerPair, 15*time.Minute)
	shared := pair
	shared.MaxWait = time.Minute
	return signInThrottle{
		throttle: t, key: key, pair: pair, shared: shared,
		device:  rule("device", o.PerPair, time.Minute),
		account: rule("account", o.PerAccount, time.Minute),
		address: rule("address", o.PerAddress, 30*time.Second),
		named:   rule("named", o.PerAddress, 30*time.Second),
		proxy:   rule("proxy", 10*o.PerAddress, 5*time.Second),
		change:  rule("change", o.PerPair, 15*time.Minute),
		token:   rule("token", o.PerPair, time.Minute),
		link:    rule("link", o.PerPair, time.Minute),
	}
}

// attempt is one sign-in attempt with the buckets of its failure. Success resets the first.
type attempt struct {
	known   bool
	buckets []throttle.Bucket
}

// signIn is an attempt for an account from a device; known means an earlier sign-in there.
func (g signInThrottle) signIn(email string, from Device, known bool) attempt {
	email = g.keyed(strings.ToLower(email))
	if known {
		return attempt{true, []throttle.Bucket{g.device.Bucket(email, string(from.token))}}
	}
	pair := g.pair
	if from.Shared {
		pair = g.shared
	}
	a := attempt{buckets: []throttle.Bucket{pair.Bucket(email, from.Address), g.account.Bucket(email)}}
	if from.Shared {
		a.buckets = append(a.buckets, g.named.Bucket(from.Address, from.named), g.proxy.Bucket(from.Address))
	} else {
		a.buckets = append(a.buckets, g.address.Bucket(from.Address))
	}
	return a
}

func (g signInThrottle) keyed(email string) string {
	mac := hmac.New(sha256.New, g.key)
	_, _ = mac.Write([]byte("sign-in\x00" + email))
	return string(mac.Sum(nil))
}

// check refuses an attempt that has to wait, without counting it.
func (g signInThrottle) check(ctx context.Context, a attempt) error {
	wait, err := g.throttle.Wait(ctx, a.buckets...)
	if err != nil || wait <= 0 {
		return err
	}
	return throttle.TooMany(wait, tooManySignIns)
}

// reserve counts an attempt, or refuses it with Throttled. The answer does not reveal whether the account exists.
func (g signInThrottle) reserve(ctx context.Context, a attempt) error {
	return g.throttle.Attempt(ctx, tooManySignIns, a.buckets...)
}

func (g signInThrottle) succeed(ctx context.Context, a attempt) error {
	return g.throttle.Succeed(ctx, a.buckets[0], a.buckets[1:]...)
}

const tooManySignIns = "Too many failed sign-ins. Wait %s and try again."

// refusedToken is the answer to an invalid token. Tokens have 256 random bits and cannot be guessed, so valid ones
// always pass, and repeated invalid ones wait.
func (g signInThrottle) refusedToken(ctx context.Context, address string, refusal *problem.Error) error {
	const tooMany = "Too many API tokens that are not valid came from your address. Wait %s and try again with a valid one."
	if err := g.throttle.Attempt(ctx, tooMany, g.token.Bucket(address)); err != nil {
		return err
	}
	return refusal
}

// isPrivate reports whether an address belongs to this machine or a private network, as a proxy's does.
func isPrivate(remoteAddr string) bool {
	address, err := netip.ParseAddrPort(remoteAddr)
	if err != nil {
		return false
	}
	a := address.Addr().Unmap()
	return a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast()
}
