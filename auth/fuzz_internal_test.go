package auth

import (
	"bytes"
	"encoding/base64"
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

// Whatever verifies says what Mint was told, however it was changed, in the form of a session and in that of a run.
func FuzzVerifyDelegation(f *testing.F) {
	d := &Delegator{key: bytes.Repeat([]byte("k"), 32)}
	turn := uuid.UUID{3}
	p := principal.Principal{Kind: principal.User, ID: uuid.UUID{1}, SessionID: uuid.UUID{2}}
	run := principal.Principal{Kind: principal.Application, ID: uuid.UUID{4}, SessionID: uuid.UUID{5}, Run: &principal.Run{
		ID: uuid.UUID{5}, Definition: principal.Definition{Kind: "test", ID: uuid.UUID{6}, Revision: 7},
	}}
	good, _ := delegated(d.Mint(p, turn, 15*time.Minute))
	ofRun, _ := delegated(d.Mint(run, turn, 15*time.Minute))
	// A signed statement of a run for a person, which Mint never writes.
	raw, _ := base64.RawURLEncoding.DecodeString(ofRun)
	raw[1] = 'u'
	person := base64.RawURLEncoding.EncodeToString(d.sign(raw[:runClaimsBytes:runClaimsBytes], raw[:runClaimsBytes]))
	for _, text := range []string{good, ofRun, person} {
		f.Add(text)
		f.Add(strings.Repeat("A", len(text)))
		f.Add(text[:len(text)-2] + "AA")
	}
	f.Add("")
	f.Add(good + ofRun[len(good):])
	f.Add(ofRun[:len(good)])
	f.Fuzz(func(t *testing.T, text string) {
		c, ok := d.verify(text)
		if text == good || text == ofRun {
			require.True(t, ok)
		}
		switch {
		case !ok:
		case c.run == nil:
			require.Equal(t, claims{kind: p.Kind, principal: p.ID, session: p.SessionID, turn: turn, expires: c.expires}, c)
			require.Len(t, text, len(good))
		default:
			require.Equal(t, claims{
				kind: run.Kind, principal: run.ID, session: run.SessionID, turn: turn, expires: c.expires,
				run: &runClaims{definition: run.Run.Definition.ID, revision: run.Run.Definition.Revision},
			}, c)
			require.Len(t, text, len(ofRun))
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
