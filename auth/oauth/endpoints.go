package oauth

import (
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"
)

const maxFormBytes = 16 << 10

// Mount serves the endpoints for programs. They read no cookie and no session, so cross-site requests are safe: tools
// that run in a browser need them.
func (s *Server) Mount(e *echo.Echo) {
	for path, serve := range map[string]http.HandlerFunc{
		serverMetadataPath:                       s.serveServerMetadata,
		resourceMetadataPath:                     s.serveResourceMetadata,
		resourceMetadataPath + resourceSuffix(s): s.serveResourceMetadata,
	} {
		e.GET(path, echo.WrapHandler(open(http.MethodGet, serve)))
		e.OPTIONS(path, echo.WrapHandler(open(http.MethodGet, serve)))
	}
	e.GET(AuthorizePath, echo.WrapHandler(http.HandlerFunc(serveAuthorize)))
	// All other well-known addresses answer 404, and never a page of the web app. Metadata at an address with the
	// resource's path would belong to another issuer (RFC 8414, 3.3).
	e.GET("/.well-known/*", func(c echo.Context) error {
		c.Response().Header().Set("Access-Control-Allow-Origin", "*")
		return echo.ErrNotFound
	})
	e.OPTIONS("/.well-known/*", echo.WrapHandler(open(http.MethodGet, nil)))
	for path, serve := range map[string]http.HandlerFunc{
		TokenPath: s.serveToken, RevokePath: s.serveRevocation, RegisterPath: s.serveRegistration,
	} {
		e.POST(path, echo.WrapHandler(open(http.MethodPost, serve)))
		e.OPTIONS(path, echo.WrapHandler(open(http.MethodPost, serve)))
	}
	e.GET(RegisterPath+"/:client", func(c echo.Context) error {
		s.serveManaged(c.Response(), c.Request(), c.Param("client"))
		return nil
	})
	e.DELETE(RegisterPath+"/:client", func(c echo.Context) error {
		s.serveManaged(c.Response(), c.Request(), c.Param("client"))
		return nil
	})
}

// Describe implements api.Streams: the routes are standard, and the server metadata describes them.
func (*Server) Describe(huma.API) {}

// Open are the routes that accept cross-site requests.
func (*Server) Open() []string {
	return []string{"POST " + TokenPath, "POST " + RevokePath, "POST " + RegisterPath}
}

// serveAuthorize redirects the browser to the consent page. It looks nothing up, as the user may be anonymous.
func serveAuthorize(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if len(r.URL.RawQuery) > maxQueryBytes {
		refuse(w, refusal{invalidRequest, "The request is longer than 8 KiB"})
		return
	}
	//nolint:gosec // a page of this site; the query is a parameter of it
	http.Redirect(
		w,
		r,
		ConsentPath+"?request="+wrapped(r.URL.RawQuery),
		http.StatusSeeOther,
	)
}

func open(method string, next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Cache-Control", "no-store")
		if r.Method == http.MethodOptions {
			h.Set("Access-Control-Allow-Methods", method)
			h.Set("Access-Control-Allow-Headers", "Content-Type, MCP-Protocol-Version")
			h.Set("Access-Control-Max-Age", "86400")
			w.WriteHeader(http.StatusNoContent)
			return
		}
		next(w, r)
	})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// refuse writes an error in the form of RFC 6749.
func refuse(w http.ResponseWriter, why refusal) {
	status := http.StatusBadRequest
	if why.Code == invalidClient {
		status = http.StatusUnauthorized
	}
	writeJSON(w, status, why)
}

// refuseClient is refuse with the authentication scheme that the program tried (RFC 6749, 5.2).
func refuseClient(w http.ResponseWriter, r *http.Request, why refusal) {
	scheme, _, tried := strings.Cut(r.Header.Get("Authorization"), " ")
	if tried && strings.EqualFold(scheme, "Basic") && why.Code == invalidClient {
		w.Header().Set("WWW-Authenticate", `Basic realm="countersign"`)
	}
	refuse(w, why)
}

func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() == nil {
		s.log.Error("Request of a program failed", "path", r.URL.Path, "error", err)
	}
	writeJSON(w, http.StatusInternalServerError, refusal{"server_error", "Something went wrong on the server. Try again"})
}

// wait tells a program to retry later.
func wait(w http.ResponseWriter, how time.Duration) {
	seconds := int((max(how, time.Second) + time.Second - 1) / time.Second)
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	writeJSON(
		w,
		http.StatusTooManyRequests,
		refusal{"temporarily_unavailable", "Too many requests came from your address. Wait " + strconv.Itoa(seconds) + " seconds"},
	)
}

func (s *Server) addressOf(r *http.Request) string {
	return s.address(r.RemoteAddr, strings.Join(r.Header.Values("X-Forwarded-For"), ","))
}

// form reads the parameters of a request from its body only: proxies log addresses.
func form(r *http.Request) (map[string]string, *refusal) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/x-www-form-urlencoded" {
		return nil, &refusal{invalidRequest, "The body must be application/x-www-form-urlencoded"}
	}
	if r.URL.RawQuery != "" {
		return nil, &refusal{invalidRequest, "Parameters belong into the body"}
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxFormBytes+1))
	if err != nil || len(body) > maxFormBytes {
		return nil, &refusal{invalidRequest, "The body cannot be read, or is larger than 16 KiB"}
	}
	values, ok := single(string(body))
	if !ok {
		return nil, &refusal{invalidRequest, "The body is no form, or has a parameter twice"}
	}
	return values, nil
}

func (s *Server) serveToken(w http.ResponseWriter, r *http.Request) {
	in, refused := form(r)
	if refused == nil && in["client_id"] == "" {
		// A client that tries HTTP Basic first must not lose its code.
		refused = &refusal{invalidClient, "client_id is missing: this server knows programs by client_id in the body, without a secret"}
	}
	if refused != nil {
		refuseClient(w, r, *refused)
		return
	}
	known, err := s.isKnown(r.Context(), in["client_id"])
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if !known {
		s.refuseToken(w, r, badClient)
		return
	}
	var answer func(context.Context, map[string]string) (tokens, *refusal, error)
	switch in["grant_type"] {
	case "authorization_code":
		answer = s.exchange
	case "refresh_token":
		answer = s.refresh
	default:
		refuse(w, refusal{unsupportedGrant, "grant_type must be authorization_code or refresh_token"})
		return
	}
	var out tokens
	out, refused, err = answer(r.Context(), in)
	switch {
	case err != nil:
		s.fail(w, r, err)
	case refused != nil:
		s.refuseToken(w, r, *refused)
	default:
		writeJSON(w, http.StatusOK, out)
	}
}

// refuseToken throttles invalid codes and tokens by client address.
func (s *Server) refuseToken(w http.ResponseWriter, r *http.Request, why refusal) {
	address := s.addressOf(r)
	s.log.Warn("Code or refresh token refused", "address", address, "error", why.Code)
	pause, err := s.limits.badToken(r.Context(), address)
	switch {
	case err != nil:
		s.fail(w, r, err)
	case pause > 0:
		wait(w, pause)
	default:
		refuseClient(w, r, why)
	}
}

func (s *Server) serveRevocation(w http.ResponseWriter, r *http.Request) {
	in, refused := form(r)
	switch {
	case refused != nil:
		refuse(w, *refused)
		return
	case in["client_id"] == "":
		refuseClient(w, r, refusal{invalidClient, "client_id is missing"})
		return
	case in["token"] == "":
		refuse(w, refusal{invalidRequest, "token is missing"})
		return
	}
	known, err := s.isKnown(r.Context(), in["client_id"])
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if !known {
		refuseClient(w, r, badClient)
		return
	}
	if err := s.revoke(r.Context(), in); err != nil {
		s.fail(w, r, err)
		return
	}
	w.WriteHeader(http.StatusOK)
}
