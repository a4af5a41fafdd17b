package auth

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"countersign/auth/credential"
)

// transport interprets the network path of requests.
type transport struct {
	secureCookie bool
	trustProxy   bool
	// proxies are the trusted proxies; all addresses when empty.
	proxies []netip.Prefix
}

// believes reports whether the client headers of a request come from a trusted proxy.
func (t transport) believes(remoteAddr string) bool {
	if !t.trustProxy || len(t.proxies) == 0 {
		return t.trustProxy
	}
	from, err := netip.ParseAddrPort(remoteAddr)
	addr := from.Addr().Unmap().WithZone("")
	return err == nil && slices.ContainsFunc(t.proxies, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// secure reports whether the person's browser speaks TLS.
func (t transport) secure(tls bool, forwardedProto string) bool {
	return t.secureCookie || tls || t.trustProxy && strings.EqualFold(lastOf(forwardedProto), "https")
}

// client is the address for throttling. An IPv6 client is its whole /64.
func (t transport) client(remoteAddr, forwardedFor string) string {
	host := remoteAddr
	if forwarded := lastOf(forwardedFor); forwarded != "" && t.believes(remoteAddr) {
		host = forwarded
	}
	if withPort, err := netip.ParseAddrPort(host); err == nil {
		host = withPort.Addr().String()
	}
	address, err := netip.ParseAddr(host)
	if err != nil {
		return "unknown"
	}
	address = address.Unmap().WithZone("")
	if address.Is6() {
		prefix, _ := address.Prefix(64)
		return prefix.String()
	}
	return address.String()
}

// lastOf is the last entry of a list header: that of the nearest proxy.
func lastOf(header string) string {
	return strings.TrimSpace(header[strings.LastIndexByte(header, ',')+1:])
}

// list joins the lines of a list header.
func list(header http.Header, name string) string { return strings.Join(header.Values(name), ",") }

// session reads the session cookie. Over TLS only the name that other sites and plain HTTP cannot set is accepted.
func (t transport) session(r *http.Request) (hash []byte, ok bool) {
	cookie, err := r.Cookie(t.cookieName(t.secure(r.TLS != nil, list(r.Header, "X-Forwarded-Proto"))))
	if err != nil {
		return nil, false
	}
	return credential.Parse(cookie.Value)
}

func (t transport) cookieName(secure bool) string {
	if secure {
		return SecureCookie
	}
	return PlainCookie
}

func (t transport) cookie(secure bool, value string, lifetime time.Duration) http.Cookie {
	cookie := http.Cookie{
		Name: t.cookieName(secure), Value: value, Path: "/", HttpOnly: true, Secure: secure,
		SameSite: http.SameSiteLaxMode, MaxAge: int(lifetime.Seconds()),
	}
	if value == "" {
		cookie.MaxAge = -1
	}
	return cookie
}

// device reads the device cookie.
func (t transport) device(cookies string, secure bool) (hash []byte) {
	parsed, err := http.ParseCookie(cookies)
	if err != nil {
		return nil
	}
	for _, cookie := range parsed {
		if cookie.Name == t.deviceName(secure) {
			hash, _ = credential.Parse(cookie.Value)
			return hash
		}
	}
	return nil
}

func (t transport) deviceName(secure bool) string {
	if secure {
		return SecureDeviceCookie
	}
	return PlainDeviceCookie
}

func (t transport) deviceCookie(secure bool, value string) http.Cookie {
	cookie := t.cookie(secure, value, deviceLifetime)
	cookie.Name = t.deviceName(secure)
	return cookie
}
