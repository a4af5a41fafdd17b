package auth

import (
	"net/http"
	"strings"
)

const (
	// TokenPrefix begins API tokens, so that secret scanners and people recognise them.
	TokenPrefix = "csa_"
	// DelegatedPrefix begins the delegated credentials of turns.
	DelegatedPrefix = "csd_"
	// AccessPrefix begins the access tokens of connected programs.
	AccessPrefix = "cso_"
	// ChatTokenPrefix begins chat tokens.
	ChatTokenPrefix = "cst_"
	// RefreshPrefix and CodePrefix begin what programs exchange for tokens. Neither opens anything by itself.
	RefreshPrefix = "csr_"
	CodePrefix    = "csc_"
	// LinkPrefix begins the tokens of password links.
	LinkPrefix = "csl_"
	// SecureCookie is the name of the session cookie over TLS. Browsers refuse its prefix without TLS, for a path, or
	// from a sibling domain.
	SecureCookie = "__Host-countersign"
	// PlainCookie is the name of the session cookie without TLS.
	PlainCookie = "countersign_session"
	// SecureDeviceCookie and PlainDeviceCookie are the names of the device cookie. It authorizes nothing: it only
	// separates the throttling of a known device.
	SecureDeviceCookie = "__Host-countersign-device"
	PlainDeviceCookie  = "countersign_device"
)

// bearer returns the bearer token of the Authorization header. Other schemes are ignored, as a proxy may use them.
func bearer(r *http.Request) (token string, ok bool) {
	scheme, token, found := strings.Cut(r.Header.Get("Authorization"), " ")
	if !found || !strings.EqualFold(scheme, "Bearer") {
		return "", false
	}
	return strings.TrimSpace(token), true
}
