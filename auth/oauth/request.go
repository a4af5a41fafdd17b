package oauth

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"countersign/internal/principal"
	"countersign/internal/problem"
)

const (
	maxQueryBytes = 8 << 10
	maxStateBytes = 4 << 10
)

// request is a validated authorization request.
type request struct {
	clientID    string
	redirectURI string
	state       string
	challenge   string
	scopes      []string
}

// refusal is an OAuth error for a program.
type refusal struct {
	Code        string `json:"error"`
	Description string `json:"error_description,omitempty"`
}

// Codes of RFC 6749, 7009, 7591 and 8707.
const (
	invalidRequest     = "invalid_request"
	invalidGrant       = "invalid_grant"
	invalidClient      = "invalid_client"
	invalidScope       = "invalid_scope"
	invalidTarget      = "invalid_target"
	unsupportedGrant   = "unsupported_grant_type"
	unsupportedAnswer  = "unsupported_response_type"
	accessDenied       = "access_denied"
	invalidMetadata    = "invalid_client_metadata"
	invalidRedirectURI = "invalid_redirect_uri"
)

// wrapped encodes a query as one parameter of the consent page, so that the page passes it on unchanged.
func wrapped(query string) string { return "q" + base64.RawURLEncoding.EncodeToString([]byte(query)) }

func unwrapped(text string) (query string, ok bool) {
	rest, ok := strings.CutPrefix(text, "q")
	if !ok || len(rest) > base64.RawURLEncoding.EncodedLen(maxQueryBytes) {
		return "", false
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(rest)
	return string(raw), err == nil
}

// single parses parameters and refuses repeated ones (RFC 6749): they are ambiguous.
func single(query string) (map[string]string, bool) {
	if len(query) > maxQueryBytes {
		return nil, false
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, false
	}
	found := make(map[string]string, len(values))
	for name, all := range values {
		if len(all) != 1 {
			return nil, false
		}
		found[name] = all[0]
	}
	return found, true
}

// parseRequest parses the wrapped query of an authorization request. err is for errors before the redirect address is
// verified, which the program must not get; refused is for all others.
func parseRequest(text, resource string) (r request, refused *refusal, err error) {
	query, ok := unwrapped(text)
	var values map[string]string
	if ok {
		values, ok = single(query)
	}
	if !ok {
		return r, nil, problem.Errorf(problem.Invalid, "The program has sent you here with a request that cannot be read. Start again there.")
	}
	r = request{
		clientID:    values["client_id"],
		redirectURI: values["redirect_uri"],
		state:       values["state"],
		challenge:   values["code_challenge"],
	}
	if r.clientID == "" || r.redirectURI == "" {
		return r, nil, problem.Errorf(
			problem.Invalid,
			"The program has sent you here without saying who it is, or where to go afterwards. Start again there.",
		)
	}
	if len(r.state) > maxStateBytes || strings.ContainsFunc(r.state, func(c rune) bool { return c < ' ' || c > '~' }) {
		r.state = ""
		return r, &refusal{invalidRequest, "state must be printable ASCII of at most 4096 characters"}, nil
	}
	switch {
	case values["response_type"] != "code":
		return r, &refusal{unsupportedAnswer, "response_type must be code"}, nil
	case values["response_mode"] != "" && values["response_mode"] != "query":
		return r, &refusal{invalidRequest, "response_mode must be query"}, nil
	case values["request"] != "" || values["request_uri"] != "":
		return r, &refusal{invalidRequest, "request objects are not supported"}, nil
	case r.challenge == "" || values["code_challenge_method"] != "S256":
		return r, &refusal{invalidRequest, "PKCE is required: code_challenge with code_challenge_method=S256"}, nil
	case !isDigest(r.challenge):
		return r, &refusal{invalidRequest, "code_challenge is not a SHA-256 digest in base64url"}, nil
	case !namesResource(resource, values["resource"]):
		return r, &refusal{invalidTarget, "resource must be " + resource}, nil
	}
	r.scopes = requestedScopes(values["scope"])
	return r, nil, nil
}

// isDigest reports whether a text is 32 bytes in canonical unpadded base64url.
func isDigest(text string) bool {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return err == nil && len(raw) == 32
}

// namesResource reports whether a program means the resource: by its address, or by omission, as there is only one.
// Addresses that differ in a trailing slash, the case of the host or a default port are equal (RFC 3986, 6.2).
func namesResource(resource, said string) bool {
	return said == "" || canonical(said) == canonical(resource)
}

// canonical normalises an address so that equal ones compare equal; other texts are unchanged.
func canonical(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || strings.ContainsAny(address, "?#") {
		return address
	}
	scheme, host := strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if port, ok := map[string]string{"http": ":80", "https": ":443"}[scheme]; ok {
		host = strings.TrimSuffix(host, port)
	}
	return scheme + "://" + host + strings.TrimSuffix(u.EscapedPath(), "/")
}

// scopeOffline is the scope for refresh tokens, which are always issued.
const scopeOffline = "offline_access"

// requestedScopes returns the known scopes of a list, sorted. Unknown ones are ignored (RFC 6749, 3.3), and an empty
// result means the read scope. The write scope includes the read scope.
func requestedScopes(list string) []string {
	if slices.Contains(strings.Fields(list), principal.ScopeWrite) {
		return slices.Clone(scopes)
	}
	return []string{principal.ScopeRead}
}

// answer is the redirect address back to the program. It carries the issuer (RFC 9207), against mix-up attacks.
func (r request) answer(issuer string, parameters url.Values) string {
	if r.state != "" {
		parameters.Set("state", r.state)
	}
	parameters.Set("iss", issuer)
	return withQuery(r.redirectURI, parameters)
}

func (r request) refuse(issuer string, why refusal) string {
	return r.answer(issuer, url.Values{"error": {why.Code}, "error_description": {why.Description}})
}
