package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
)

const (
	// TokenPrefix starts API tokens, so that secret scanners and people recognise them.
	TokenPrefix = "csa_"
	// DelegatedPrefix starts the delegated credentials of turns.
	DelegatedPrefix = "csd_"
	// SecureCookie is the name of the session cookie over TLS. Its prefix makes browsers refuse one that came without
	// TLS, for a path, or from a sibling domain.
	SecureCookie = "__Host-countersign"
	// PlainCookie is its name without TLS.
	PlainCookie = "countersign_session"
	// SecureDeviceCookie and PlainDeviceCookie are the names of the cookie by which a device is known again at a sign-in. It
	// opens nothing: it only keeps the failures of others apart from those of its device.
	SecureDeviceCookie = "__Host-countersign-device"
	PlainDeviceCookie  = "countersign_device"

	secretBytes = 32
	// secretChars is the length of secretBytes in unpadded base64url.
	secretChars = 43
)

// newSecret is 256 random bits as text and their hash, the only part that is stored.
func newSecret() (text string, hash []byte) {
	raw := make([]byte, secretBytes)
	_, _ = rand.Read(raw)
	return base64.RawURLEncoding.EncodeToString(raw), hashSecret(raw)
}

func hashSecret(raw []byte) []byte {
	sum := sha256.Sum256(raw)
	return sum[:]
}

// parseSecret returns the hash of a text that newSecret could have made. The hash of 256 random bits can be looked up
// in an index: nothing about the secret can be learned from how long that takes.
func parseSecret(text string) (hash []byte, ok bool) {
	if len(text) != secretChars {
		return nil, false
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != secretBytes {
		return nil, false
	}
	return hashSecret(raw), true
}

// bearer is the bearer token of the Authorization header. Other schemes are not ours: a proxy in front may use them.
func bearer(r *http.Request) (token string, ok bool) {
	scheme, token, found := strings.Cut(r.Header.Get("Authorization"), " ")
	if !found || !strings.EqualFold(scheme, "Bearer") {
		return "", false
	}
	return strings.TrimSpace(token), true
}
