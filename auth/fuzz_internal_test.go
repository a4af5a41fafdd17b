package auth

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/auth/credential"
	"countersign/internal/principal"
)

// Whatever verifies says what Mint was told, however it was changed.
func FuzzVerifyDelegation(f *testing.F) {
	d := &Delegator{key: bytes.Repeat([]byte("k"), 32)}
	p := principal.Principal{Kind: principal.User, ID: uuid.UUID{1}, SessionID: uuid.UUID{2}}
	turn := uuid.UUID{3}
	good, _ := delegated(d.Mint(p, turn, 15*time.Minute))
	f.Add(good)
	f.Add("")
	f.Add(strings.Repeat("A", len(good)))
	f.Add(good[:len(good)-2] + "AA")
	f.Fuzz(func(t *testing.T, text string) {
		c, ok := d.verify(text)
		if text == good {
			require.True(t, ok)
		}
		if ok {
			require.Equal(t, claims{kind: p.Kind, principal: p.ID, session: p.SessionID, turn: turn, expires: c.expires}, c)
			require.Len(t, text, len(good))
		}
	})
}

func FuzzSessionCookie(f *testing.F) {
	f.Add(PlainCookie+"="+strings.Repeat("A", credential.Chars), false)
	f.Add(SecureCookie+"="+strings.Repeat("A", credential.Chars), true)
	f.Add("a=b; "+PlainCookie+"=\"x\"; "+PlainCookie+"=", false)
	f.Add("=;;;,", false)
	f.Fuzz(func(t *testing.T, header string, secure bool) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Cookie", header)
		hash, ok := transport{secureCookie: secure}.session(r)
		require.Equal(t, ok, hash != nil)
		if ok && secure {
			require.Contains(t, header, SecureCookie)
		}
	})
}

// Whatever a client sends, it falls into a bucket of its own address, prefix or "unknown".
func FuzzClientAddress(f *testing.F) {
	f.Add("203.0.113.9:4711", "198.51.100.7, 10.0.0.1")
	f.Add("[2001:db8::1%eth0]:1", "")
	f.Add("[::ffff:203.0.113.9]:1", ",")
	f.Add("@", "::1")
	f.Add("127.0.0.1", "[::1]:80")
	f.Fuzz(func(t *testing.T, remote, forwarded string) {
		for _, trust := range []bool{false, true} {
			got := transport{trustProxy: trust}.client(remote, forwarded)
			_, notAddress := netip.ParseAddr(got)
			_, notPrefix := netip.ParsePrefix(got)
			require.True(t, got == "unknown" || notAddress == nil || notPrefix == nil, got)
		}
		require.Equal(t, transport{}.client(remote, ""), transport{}.client(remote, forwarded))
	})
}

func FuzzInput(f *testing.F) {
	f.Add("ada@example.org")
	f.Add("\"a b\"@example.org")
	f.Add("a@b\x00")
	f.Add("Ada <ada@example.org>")
	f.Add("a\u202e@example.org")
	f.Fuzz(func(t *testing.T, text string) {
		var v validation
		email := v.email(text)
		name := v.name("name", text)
		description := v.text("description", text)
		if v.Err() == nil {
			require.NotContains(t, email+name+description, "\x00", "the database refuses it")
			require.LessOrEqual(t, len(email), maxEmailBytes)
			require.NotEmpty(t, name)
		}
		require.NotContains(t, clip(text, 10), "\x00")
		require.LessOrEqual(t, len(clip(text, 10)), 10)
	})
}
