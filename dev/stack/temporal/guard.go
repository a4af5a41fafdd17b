package temporal

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// guard rejects requests for foreign host names, and writes from other web sites. The Web UI has no authentication, so
// a page whose name resolves to 127.0.0.1 (DNS rebinding) could otherwise read and terminate every workflow.
func guard(next http.Handler, hosts []string) http.Handler {
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(refuse(http.StatusForbidden, "This request came from another web site and was refused."))
	protected := protection.Handler(next)
	foreign := refuse(
		http.StatusMisdirectedRequest,
		"The Temporal Web UI does not answer to that name. Open it at localhost, or add the name to TEMPORAL_UI_HOSTS.",
	)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !ours(r.Host, hosts) {
			foreign.ServeHTTP(w, r)
			return
		}
		protected.ServeHTTP(w, r)
	})
}

func refuse(status int, why string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, why, status) })
}

// ours follows the rule of the product's package api/host.
func ours(header string, hosts []string) bool {
	if header == "" {
		return true // browsers send it always
	}
	name := bare(header)
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		return true
	}
	return name == "localhost" || strings.HasSuffix(name, ".localhost") ||
		name != "" && slices.ContainsFunc(hosts, func(h string) bool { return bare(h) == name })
}

func bare(header string) string {
	name := header
	if h, _, err := net.SplitHostPort(header); err == nil {
		name = h
	}
	return strings.TrimSuffix(strings.ToLower(strings.TrimSpace(name)), ".")
}
