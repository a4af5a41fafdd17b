package strategy

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"countersign/check"
)

// proxyServers begin the Server header of answers that proxies make by themselves. In answers that they pass on, it is
// that of the server behind them.
var proxyServers = []string{"squid", "tinyproxy", "privoxy", "mitmproxy", "zscaler"}

// passedOn returns how many proxies and gateways say that they passed an answer on (RFC 9110, section 7.6.3). The proxy
// of the check is at most one of them.
func passedOn(header http.Header) int {
	n := 0
	for _, value := range header.Values("Via") {
		n += strings.Count(value, ",") + 1
	}
	return n
}

// ownAnswer reports whether a proxy shows that it made an answer by itself, and why: an error of RFC 9209 or of Squid. An
// answer that says nothing of it can come from either.
func ownAnswer(answer *http.Response) (own bool, why string) {
	header := answer.Header
	// Each proxy appends itself, so the last member is that of the nearest one.
	members := strings.Split(strings.Join(header.Values("Proxy-Status"), ","), ",")
	if _, parameter, found := strings.Cut(members[len(members)-1], ";"); found {
		for one := range strings.SplitSeq(parameter, ";") {
			if name, value, _ := strings.Cut(strings.TrimSpace(one), "="); name == "error" {
				return true, value
			}
		}
	}
	if passedOn(header) > 1 {
		return false, ""
	}
	if squid := header.Get("X-Squid-Error"); squid != "" {
		return true, squid
	}
	if answer.StatusCode == http.StatusProxyAuthRequired {
		return true, ""
	}
	server := strings.ToLower(header.Get("Server"))
	return answer.StatusCode >= 400 &&
		slices.ContainsFunc(proxyServers, func(name string) bool { return strings.HasPrefix(server, name) }), ""
}

// proxyRefusal is the failure of a proxy that answered by itself.
func proxyRefusal(status int, why string) error {
	says := "it answered with status " + itoa(status)
	if why = brief(clip(why, 100)); why != "" {
		says += " (" + why + ")"
	}
	switch status {
	case http.StatusProxyAuthRequired:
		return check.Fail(check.NotAdmitted, "The proxy does not take the user and password of this check, or asks for them.")
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusUnavailableForLegalReasons:
		return check.Fail(check.NotAdmitted, "The proxy does not let this check through: "+says+".")
	default:
		return check.Fail(check.Unreachable, "The proxy did not reach the server: "+says+".")
	}
}

// proxyAnswered explains a proxy's refusal of a CONNECT.
func proxyAnswered(ctx context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
	if answer.StatusCode == http.StatusOK {
		exchangeOf(ctx).tunnelled()
		return nil
	}
	_, why := ownAnswer(answer)
	return proxyRefusal(answer.StatusCode, why)
}

// mayBeProxy reports whether a proxy for plain HTTP could have made an answer of this status by itself.
func mayBeProxy(status int) bool {
	switch status {
	case http.StatusForbidden, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	default:
		return false
	}
}

// gatewayFailure explains an answer to a plain request through a proxy that is, or could be, the proxy's own; nil for any
// other. Where nobody can know, assertions about the status decide, except about that of a gateway.
func gatewayFailure(run check.Run, answer *http.Response) error {
	own, why := ownAnswer(answer)
	status := answer.StatusCode
	switch {
	case own:
		return proxyRefusal(status, why)
	case status == http.StatusBadGateway, status == http.StatusGatewayTimeout:
		return check.Fail(
			check.Unreachable,
			"The answer has status "+itoa(status)+", which could come from the proxy: it may not have reached the server.",
		)
	case status == http.StatusForbidden && !run.Asserted("statusCode", "statusText", "success"):
		return check.Fail(
			check.NotAdmitted,
			"The answer has status 403, which could come from the proxy: it may not have let this check through.",
		)
	default:
		return nil
	}
}
