package oauth

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"countersign/internal/egress"
	"countersign/internal/problem"
	"countersign/internal/text"
	"countersign/internal/text/strictjson"
)

const (
	maxDocumentBytes = 16 << 10
	maxRedirectURIs  = 20
)

// metadata is a program's self-description: in its document (draft-ietf-oauth-client-id-metadata-document), or at
// registration (RFC 7591). Unused members are omitted.
type metadata struct {
	ClientID     string   `json:"client_id"`
	Name         string   `json:"client_name"`
	RedirectURIs []string `json:"redirect_uris"`
	AuthMethod   string   `json:"token_endpoint_auth_method"`
	GrantTypes   []string `json:"grant_types"`
	Secret       string   `json:"client_secret"`
}

// documentProblem returns why an address cannot be a metadata document's, "" when it can: https with a name and a path,
// in canonical form.
func documentProblem(clientID string) string {
	u, err := url.Parse(clientID)
	switch {
	case len(clientID) > maxClientID || err != nil || u.Scheme != "https" || u.Opaque != "":
		return "is not an https address of at most 500 characters"
	case u.User != nil || strings.ContainsAny(clientID, "#@\\"):
		return "holds a user name, a fragment or a backslash"
	case u.Path == "" || u.Path == "/":
		return "has no path"
	case slices.ContainsFunc(strings.Split(u.EscapedPath(), "/"), func(part string) bool {
		plain, err := url.PathUnescape(part)
		return err != nil || plain == "." || plain == ".."
	}):
		return "has dots for a part of its path"
	case !publicHost(u.Hostname()):
		return "has no public host name"
	}
	target, err := egress.ParseTarget(clientID)
	if err != nil || target.URL.String() != clientID {
		return "is not in its normal form"
	}
	return ""
}

// read fetches the metadata document at an address, through the SSRF guard: public addresses only, no redirects, no
// cookies. The document must name its exact address as client_id, so that it cannot impersonate another program.
func (s *Server) read(ctx context.Context, clientID string) (metadata, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, clientID, nil)
	if err != nil {
		return metadata{}, documentRefused("its address is not valid", err)
	}
	request.Header.Set("Accept", "application/json")
	response, err := s.fetch.Do(request)
	if err != nil {
		if refusal, ok := errors.AsType[*problem.Error](err); ok && errors.Is(err, egress.ErrRefused) {
			return metadata{}, documentRefused("this server may not reach it", refusal)
		}
		if ctx.Err() != nil {
			return metadata{}, ctx.Err()
		}
		return metadata{}, documentRefused("it does not answer", err)
	}
	defer func() { _ = response.Body.Close() }()
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if response.StatusCode != http.StatusOK || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return metadata{}, documentRefused("it is no JSON document", nil)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxDocumentBytes+1))
	if err != nil {
		return metadata{}, documentRefused("it breaks off", err)
	}
	m, why := parseMetadata(body)
	if why == "" {
		why = m.checkDocument(clientID)
	}
	if why != "" {
		return metadata{}, documentRefused(why, nil)
	}
	return m, nil
}

func documentRefused(why string, cause error) error {
	e := problem.Errorf(
		problem.Invalid,
		"The program that sent you here cannot be looked up: of its metadata document, %s. Tell its developers.",
		why,
	)
	if cause != nil {
		return e.WithCause(cause)
	}
	return e
}

// parseMetadata parses a self-description; why is the problem with it, "" for none.
func parseMetadata(body []byte) (m metadata, why string) {
	if len(body) > maxDocumentBytes {
		return metadata{}, "it is larger than 16 KiB"
	}
	if err := strictjson.CheckFolded(body); err != nil {
		return metadata{}, "it is not one JSON value that everybody reads alike: " + err.Error()
	}
	if err := strictjson.Unmarshal(body, &m); err != nil {
		return metadata{}, "its members are not of the types that RFC 7591 has"
	}
	if len(m.RedirectURIs) == 0 || len(m.RedirectURIs) > maxRedirectURIs {
		return metadata{}, "it has to name 1 to 20 redirect_uris"
	}
	for _, address := range m.RedirectURIs {
		if why := redirectProblem(address); why != "" {
			return metadata{}, "one of its redirect_uris " + why
		}
	}
	if m.GrantTypes != nil && !slices.Contains(m.GrantTypes, "authorization_code") {
		return metadata{}, "its grant_types have to hold authorization_code"
	}
	if m.Name = text.Shown(m.Name, maxClientName); m.Name == "" {
		m.Name = hostOf(m.RedirectURIs[0])
	}
	return m, ""
}

func (m metadata) checkDocument(clientID string) string {
	switch {
	case m.ClientID != clientID:
		return "its client_id is not its own address"
	case m.AuthMethod != "" && m.AuthMethod != "none":
		return "its token_endpoint_auth_method is not none"
	case m.Secret != "":
		return "it holds a client_secret"
	}
	return ""
}
