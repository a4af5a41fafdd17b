package auth

import (
	"net/http"
	"strings"
)

const (
	// TokenPrefix starts API tokens, so that secret scanners and people recognise them.
	TokenPrefix = "csa_"
	// DelegatedPrefix starts the delegated credentials of turns.
	DelegatedPrefix = "csd_"
	// AccessPrefix starts the access tokens of programs that people have connected.
	AccessPrefix = "cso_"
	// ChatTokenPrefix starts the tokens with which programs chat as a person.
	ChatTokenPrefix = "cst_"
	// RefreshPrefix and CodePrefix start what such programs exchange for tokens. Neither opens anything by itself.
	RefreshPrefix = "csr_"
	CodePrefix    = "csc_"
	// LinkPrefix starts the tokens of links by which people set a password.
	LinkPrefix = "csl_"
	// SecureCookie is the name of the session cookie over TLS. Its prefix makes browsers refuse one that came without
	// TLS, for a path, or from a sibling domain.
	SecureCookie = "__Host-countersign"
	// PlainCookie is its name without TLS.
	PlainCookie = "countersign_session"
	// SecureDeviceCookie and PlainDeviceCookie are the names of the cookie by which a device is known again at a sign-in. It
	// opens nothing: it only keeps the failures of others apart from those of its device.
	SecureDeviceCookie = "__Host-countersign-device"
	PlainDeviceCookie  = "countersign_device"
)

// bearer is the bearer token of the Authorization header. Other schemes are not ours: a proxy in front may use them.
func bearer(r *http.Request) (token string, ok bool) {
	scheme, token, found := strings.Cut(r.Header.Get("Authorization"), " ")
	if !found || !strings.EqualFold(scheme, "Bearer") {
		return "", false
	}
	return strings.TrimSpace(token), true
}
