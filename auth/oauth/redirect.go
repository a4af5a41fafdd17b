package oauth

import (
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

const maxRedirectBytes = 500

// privateScheme matches a custom URL scheme of a native app. RFC 8252 wants a reversed domain name; the editors below
// use other ones.
var (
	privateScheme = regexp.MustCompile(`^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+$`)
	editorSchemes = []string{"cursor", "vscode", "vscode-insiders", "vscodium", "windsurf", "zed"}
)

// redirectProblem returns why an address cannot receive codes, "" when it can: https, http on loopback, or a custom
// scheme of a native app. Addresses that browsers parse differently are refused.
func redirectProblem(raw string) string {
	if raw == "" || len(raw) > maxRedirectBytes {
		return "must have 1 to 500 characters"
	}
	if strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`\"<>^{|}`+"`", r) }) {
		return "must consist of the characters of an address"
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Scheme == "" || u.Opaque != "":
		return "must be an absolute address, such as https://client.example.org/callback"
	case strings.Contains(raw, "#"):
		return "must have no fragment"
	case u.User != nil || strings.Contains(strings.SplitN(raw, "?", 2)[0], "@"):
		return "must hold no user name"
	case !strings.HasPrefix(raw, u.Scheme+":"):
		return "must have its scheme in lower case"
	case u.Host != "" && !strings.HasPrefix(raw, u.Scheme+"://"+u.Host):
		return "must have its host as it is, without percent-encoding and without a zone"
	case !plainQuery(u.RawQuery):
		return "must have a query without code, state, iss and error"
	}
	switch {
	case u.Scheme == "https" && u.Hostname() != "":
		return ""
	case u.Scheme == "http" && isLoopback(u.Hostname()):
		return ""
	case u.Scheme == "http":
		return "must be https, or http on the person's own machine: 127.0.0.1, [::1] or localhost"
	case privateScheme.MatchString(u.Scheme) || slices.Contains(editorSchemes, u.Scheme):
		return ""
	}
	return "must be https, http on 127.0.0.1, [::1] or localhost, or a private scheme with a dot, such as org.example.client:/callback"
}

// plainQuery reports whether a query lacks the parameters of the response.
func plainQuery(query string) bool {
	values, err := url.ParseQuery(query)
	return err == nil && !slices.ContainsFunc([]string{"code", "state", "iss", "error", "error_description"}, values.Has)
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback() && !a.Is4In6() && a.Zone() == ""
}

// allows reports whether an address may receive a program's codes: exactly one of its registered addresses. On loopback
// the port is free, as native apps listen on any port (RFC 8252, 7.3).
func allows(named []string, address string) bool {
	if redirectProblem(address) != "" {
		return false
	}
	if slices.Contains(named, address) {
		return true
	}
	portless, loopback := withoutPort(address)
	return loopback && slices.ContainsFunc(named, func(one string) bool {
		other, ok := withoutPort(one)
		return ok && other == portless
	})
}

func withoutPort(address string) (portless string, loopback bool) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || !isLoopback(u.Hostname()) {
		return "", false
	}
	rest := strings.TrimPrefix(address, "http://"+u.Host)
	return "http://" + u.Hostname() + rest, len(rest) < len(address)
}

// hostOf is the destination of an address, for people.
func hostOf(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return ""
	case u.Scheme == "https":
		return u.Host
	case u.Scheme == "http":
		return "this computer"
	}
	return "a program on this computer (" + u.Scheme + ")"
}

// withQuery adds parameters to an address.
func withQuery(address string, parameters url.Values) string {
	joint := "?"
	if strings.Contains(address, "?") {
		joint = "&"
	}
	return address + joint + parameters.Encode()
}

// publicHost reports whether a host can be that of a metadata document.
func publicHost(host string) bool {
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err != nil && net.ParseIP(host) == nil && strings.Contains(host, ".")
}
