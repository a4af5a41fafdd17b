package mcpserver

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"countersign/internal/egress"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/text"
	"countersign/modules/mcpserver/mcpserverdb"
)

// validation checks an input and returns values in their stored form.
type validation struct {
	problem.Issues

	m *Module
}

// lookupTimeout bounds the DNS lookup when an address is saved. Each dial checks again.
const lookupTimeout = 2 * time.Second

func (v *validation) name(value string) string {
	return text.Required(&v.Issues, "name", text.Line(&v.Issues, "name", value, MaxName))
}

// address refuses an address that can never be dialled. A failed DNS lookup is no reason.
func (v *validation) address(ctx context.Context, value string) string {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	value = strings.TrimSpace(value)
	target, err := v.m.target(ctx, value)
	if err != nil && !errors.Is(err, egress.ErrUnreachable) {
		v.Report("address", "%s", problem.As(err).Detail)
		return value
	}
	return target.URL.String()
}

// target parses the address of a server and checks that it may be dialled: https, or http to a target that an
// operator has opened. The error is a *problem.Error.
func (m *Module) target(ctx context.Context, address string) (egress.Target, error) {
	target, err := egress.ParseTarget(address)
	switch {
	case err != nil:
		return target, problem.As(err)
	case target.URL.RawQuery != "" || target.URL.ForceQuery || strings.Contains(address, "#"):
		return target, problem.InvalidInput(
			"The address of an MCP server has no query and no fragment: a credential is a secret that is sent in a header.",
		)
	}
	return target, m.permit(ctx, address)
}

// permit checks an address with the SSRF guard: https, or http to a target that an operator has opened. The error is
// a *problem.Error.
func (m *Module) permit(ctx context.Context, address string) error {
	target, err := m.Guard.Check(ctx, address)
	if err != nil {
		return problem.As(err)
	}
	if target.URL.Scheme == "http" {
		if _, err := m.Public.Check(ctx, address); !errors.Is(err, egress.ErrRefused) {
			return problem.InvalidInput(
				"The address has to begin with https://. Only towards targets that an operator has opened with " +
					"COUNTERSIGN_EGRESS_ALLOW is http:// possible.",
			)
		}
	}
	return nil
}

// reservedHeaders are headers that cannot carry a secret: those of the transport and of the protocol.
var reservedHeaders = []string{
	"Accept",
	"Accept-Encoding",
	"Connection",
	"Content-Length",
	"Content-Type",
	"Expect",
	"Host",
	"Keep-Alive",
	"Last-Event-Id",
	"Origin",
	"Proxy-Authorization",
	"Proxy-Connection",
	"Te",
	"Trailer",
	"Transfer-Encoding",
	"Upgrade",
	"User-Agent",
}

var headerName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]*$`)

// header checks the name of the credential's header.
func (v *validation) header(value string) string {
	name := http.CanonicalHeaderKey(strings.TrimSpace(value))
	switch {
	case !headerName.MatchString(name) || len(name) > maxHeader:
		v.Report("header", "must be the name of a header, of letters, digits and hyphens, at most %d", maxHeader)
	case slices.Contains(reservedHeaders, name) || strings.HasPrefix(name, "Mcp-"):
		v.Report("header", "is one that the protocol writes by itself")
	}
	return name
}

// credential completes the authentication settings: fields that the method does not use become empty.
func (v *validation) credential(row *mcpserverdb.McpServer) {
	if Auth(row.Auth) != OAuth {
		row.ClientID, row.Issuer, row.Scopes = "", "", ""
	}
	switch Auth(row.Auth) {
	case NoAuth:
		row.Header, row.Secret = "", ""
		return
	case Bearer:
		row.Header = ""
	case Header:
		row.Header = v.header(row.Header)
	case OAuth:
		row.Header = ""
		v.client(row)
		return
	default:
		v.Report("auth", "must be none, bearer, header or oauth")
	}
	if row.Secret == "" {
		v.Report("secret", "must name a secret of the vault")
	}
}

// client checks the optional OAuth settings. A secret goes to the one authorization server that the administrator
// names: the MCP server cannot choose where secrets go.
func (v *validation) client(row *mcpserverdb.McpServer) {
	row.ClientID, row.Issuer, row.Scopes = strings.TrimSpace(
		row.ClientID,
	), strings.TrimSpace(
		row.Issuer,
	), strings.Join(
		strings.Fields(row.Scopes),
		" ",
	)
	if strings.ContainsFunc(row.ClientID, func(r rune) bool { return r < ' ' || r > '~' }) {
		v.Report("clientId", "must be of printable ASCII characters")
	}
	if strings.ContainsFunc(row.Scopes, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) {
		v.Report("scopes", "must be words of printable ASCII characters")
	}
	if row.Issuer != "" {
		if target, err := egress.ParseTarget(row.Issuer); err != nil || target.URL.RawQuery != "" {
			v.Report("issuer", "must be an address such as https://sign-in.example.com, without a query")
		}
	}
	if row.Secret == "" {
		return
	}
	if row.ClientID == "" {
		v.Report("clientId", "must be there, as the secret is that of a client")
	}
	if row.Issuer == "" {
		v.Report("issuer", "must be there, as the secret goes to this authorization server alone")
	}
}

// secretRead is the vault's rule for naming a secret and for deciding where one is sent.
const secretRead = "vault.secret.read"

// permitSecret checks that the caller may have this secret sent.
func (m *Module) permitSecret(ctx context.Context, name string) error {
	if name == "" {
		return nil
	}
	if missing := principal.FromContext(ctx).Missing(secretRead); len(missing) > 0 {
		return problem.MissingRule("have a secret sent to an MCP server", missing...)
	}
	err := m.Secrets.Exist(ctx, []string{name})
	if problem.Is(err, problem.Conflict) {
		detail := problem.As(err).Detail
		return problem.InvalidInput(detail, problem.Issue{Path: "secret", Message: detail})
	}
	return err
}
