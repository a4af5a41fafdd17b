package auth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"net/netip"
	"strings"
	"time"

	"countersign/problem"
	"countersign/store/throttle"
)

// guesses counts wrong passwords and tokens, for all processes together.
//
// A person who signs in on a device that is known for the account is counted by that device alone: whatever others do, the
// right password is let in there. Everybody else is counted by client address and account together, so that nobody can
// lock somebody else out from another address; and, with many more free tries and short waits, by the account and by the
// address alone, against those who guess from many addresses or at many accounts. Every wait is bounded.
//
// Behind a proxy that nobody has declared many people have one address, and one person can write whatever address they
// like into the header. So the address that it names has the limit of an address, and that of the proxy ten times as much,
// with waits of seconds.
type guesses struct {
	throttle *throttle.Throttle
	// key keeps what was typed as an e-mail address from being found out by who copies the database: it may be a password.
	key                                                                       []byte
	device, pair, shared, account, address, named, proxy, change, token, link throttle.Rule
}

func newGuesses(t *throttle.Throttle, o Throttle, key []byte) guesses {
	rule := func(sort string, free int, most time.Duration) throttle.Rule {
		return throttle.Rule{Name: "sign-in/" + sort, FreeFailures: free, FirstWait: o.First, MaxWait: most, Window: o.Window}
	}
	pair := rule("pair", o.PerPair, 15*time.Minute)
	shared := pair
	shared.MaxWait = time.Minute
	return guesses{
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

// attempt is one attempt to sign in: what its failure is counted by. Its success forgives the first.
type attempt struct {
	known   bool
	buckets []throttle.Bucket
}

// signIn is an attempt for an account from a device. known says that somebody has signed in to the account there before.
func (g guesses) signIn(email string, from Device, known bool) attempt {
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

func (g guesses) keyed(email string) string {
	mac := hmac.New(sha256.New, g.key)
	_, _ = mac.Write([]byte("sign-in\x00" + email))
	return string(mac.Sum(nil))
}

// check refuses an attempt that has to wait, without counting it.
func (g guesses) check(ctx context.Context, a attempt) error {
	wait, err := g.throttle.Wait(ctx, a.buckets...)
	if err != nil || wait <= 0 {
		return err
	}
	return throttle.TooMany(wait, tooManySignIns)
}

// reserve counts an attempt, or refuses it with Throttled. The answer is the same whether or not there is such an account.
func (g guesses) reserve(ctx context.Context, a attempt) error {
	return g.throttle.Attempt(ctx, tooManySignIns, a.buckets...)
}

func (g guesses) succeed(ctx context.Context, a attempt) error {
	return g.throttle.Succeed(ctx, a.buckets[0], a.buckets[1:]...)
}

const tooManySignIns = "Too many failed sign-ins. Wait %s and try again."

// refusedToken is the answer to a token that is not valid. A token has 256 random bits and is not guessed, so those that are
// valid are let through however many of their neighbours are not; who sends others again and again is told to wait.
func (g guesses) refusedToken(ctx context.Context, address string, refusal *problem.Error) error {
	const tooMany = "Too many API tokens that are not valid came from your address. Wait %s and try again with a valid one."
	if err := g.throttle.Attempt(ctx, tooMany, g.token.Bucket(address)); err != nil {
		return err
	}
	return refusal
}

// isPrivate reports whether an address is one of this machine or of the operator's own network, where a proxy stands.
func isPrivate(remoteAddr string) bool {
	address, err := netip.ParseAddrPort(remoteAddr)
	if err != nil {
		return false
	}
	a := address.Addr().Unmap()
	return a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast()
}
