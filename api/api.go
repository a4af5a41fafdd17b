// Package api is the product's REST API and serves the web app.
//
// A request passes, in order: panic and error mapping to RFC 9457 problem documents, security headers, cross-origin
// protection, authentication, then the operation's own checks (access rules, idempotency) and its handler. Modules
// declare their operations with package rest; New mounts them. The same handler serves the network and the tools, which
// re-enter it in process as their caller, so both pass the same checks.
package api

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"
	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/otel/trace"

	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/store"
)

// Authenticator identifies the caller of a request: a zero principal for an anonymous one, a *problem.Error for bad
// credentials.
type Authenticator interface {
	Authenticate(ctx context.Context, r *http.Request) (principal.Principal, error)
}

// Routes declares the operations of one part of the API.
type Routes interface {
	Routes(api huma.API)
}

// Streams are routes outside of huma, which describe themselves.
type Streams interface {
	Mount(e *echo.Echo)
	Describe(api huma.API)
}

// Open are Streams with routes that read no cookie and no session: they accept cross-site requests, which carry no
// authority of the page's reader. The routes are patterns of http.ServeMux.
type Open interface {
	Open() []string
}

// Options are the dependencies of a Server.
type Options struct {
	DB            *store.DB
	Log           *slog.Logger
	Authenticator Authenticator
	// IdempotencyKey is the HMAC key for request hashes, the same in every process.
	IdempotencyKey []byte
	// Modules declare their own operations.
	Modules []Routes
	// Streams mount handlers that write event streams, which huma operations cannot.
	Streams []Streams
	// Gate enforces tool policies on operations with the same effect; nil for none.
	Gate *Gate
	// MCP serves the Model Context Protocol at its path with its own authentication; nil leaves it out.
	MCP     http.Handler
	MCPPath string
	// Ready returns why the process cannot serve requests now, nil when it can.
	Ready func(ctx context.Context) error
	// Alive fails when the process should be replaced; nil disables the check.
	Alive func() error
	// Degraded returns which optional dependency is down, nil when none is.
	Degraded func(ctx context.Context) error
	// MetricsToken is the bearer token of GET /metrics; without one only near peers are served.
	MetricsToken string
	// Metrics serves GET /metrics; nil leaves it out.
	Metrics http.Handler
	// Web is the built web app; nil serves the API alone.
	Web fs.FS
	// Version is shown in the OpenAPI document.
	Version string
	// TrustedOrigins may make cross-origin requests, as scheme://host[:port].
	TrustedOrigins []string
	// TemporalUI is the address of the Temporal Web UI, whose page may ask for payloads to be decrypted.
	TemporalUI string
	// BodyTimeout bounds how far a request body may fall behind its minimum transfer rate; DefaultBodyTimeout when
	// zero.
	BodyTimeout time.Duration
	// Tracer begins the traces of requests; nil traces none.
	Tracer trace.Tracer
}

// Server is the API as an http.Handler.
type Server struct {
	handler http.Handler
	openAPI *huma.OpenAPI
	routes  []*echo.Route
}

// Routes are the served methods and paths, including those outside of the OpenAPI document.
func (s *Server) Routes() []*echo.Route { return s.routes }

// New builds the API.
func New(o Options) (*Server, error) {
	if o.Log == nil || o.Authenticator == nil || o.DB == nil {
		return nil, errors.New("api: DB, Log and Authenticator are required")
	}
	useProblems(o.Log)
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = writeEchoError(o.Log)

	e.Use(nameSpan, compressed())

	config := huma.DefaultConfig("Countersign", o.Version)
	config.OpenAPIPath, config.DocsPath, config.SchemasPath = "/api/openapi", "", ""
	config.CreateHooks = nil
	config.Formats = jsonFormats()
	names := newSchemaNames()
	config.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", names.name)
	describeWire(config.Components.Schemas)
	config.Info.Description = "Everything the web app does goes through this API. Errors are RFC 9457 problem documents."
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"session": {Type: "apiKey", In: "cookie", Name: "countersign_session"},
		"bearer":  {Type: "http", Scheme: "bearer"},
	}
	operations := humaecho.New(e, config)
	operations.UseMiddleware(noteOrigin(), enforceRules(o.Gate), requireTimestamps(config.Components.Schemas),
		honourIdempotencyKey(operations.OpenAPI(), o.DB, o.IdempotencyKey, o.Log))
	if o.Gate != nil {
		operations.UseMiddleware(o.Gate.enforce)
		o.Modules = append(slices.Clone(o.Modules), o.Gate)
	}
	for _, m := range o.Modules {
		names.declaring(m)
		m.Routes(operations)
	}
	for _, s := range o.Streams {
		names.declaring(s)
		s.Mount(e)
		s.Describe(operations)
	}
	describeIdempotencyKeys(operations.OpenAPI())
	if o.Gate != nil {
		tools, err := administration(operations.OpenAPI(), o.Gate.Sealer)
		if err != nil {
			return nil, err
		}
		if err := o.Gate.Registry.Add(tools...); err != nil {
			return nil, err
		}
		describeGate(operations.OpenAPI(), o.Gate.Registry)
	}
	mountHealth(e, o)
	if o.MCP != nil {
		e.Any(o.MCPPath, echo.WrapHandler(o.MCP))
	}
	if o.Web != nil {
		mountWeb(e, o.Web, o.MCPPath)
	}

	protection := http.NewCrossOriginProtection()
	for _, origin := range o.TrustedOrigins {
		if err := protection.AddTrustedOrigin(origin); err != nil {
			return nil, errors.New("api: trusted origin " + origin + " must look like https://host[:port]")
		}
	}
	for _, s := range o.Streams {
		if open, ok := s.(Open); ok {
			for _, pattern := range open.Open() {
				protection.AddInsecureBypassPattern(pattern)
			}
		}
	}
	refuse := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refuse(w, r, problem.Errorf(problem.Forbidden, "This request came from another web site and was refused."))
	})
	protection.SetDenyHandler(refuse)
	authenticated := fromHere(protection, o.MCPPath, refuse, authenticate(o.Authenticator, o.Log, requireOwnPassword(e)))
	guarded := allowTemporalUI(o.TemporalUI, authenticated, protection.Handler(authenticated))
	handler := traced(o.Tracer, o.MCPPath, recoverPanics(o.Log,
		limitWriteTime(writeTimeout, secureHeaders(requireTextQuery(limitBodyTime(cmp.Or(o.BodyTimeout, DefaultBodyTimeout), guarded))))))
	handler = withoutSlash(o.MCPPath, handler)
	return &Server{handler: handler, openAPI: operations.OpenAPI(), routes: e.Routes()}, nil
}

// fromHere refuses cross-site requests to a path, and to metrics, that the cross-origin protection passes as read-only.
func fromHere(protection *http.CrossOriginProtection, path string, refuse, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if (r.URL.Path == path || isMetrics(r.URL.Path)) && r.Method != http.MethodPost {
			write := *r
			write.Method = http.MethodPost
			if protection.Check(&write) != nil {
				refuse.ServeHTTP(w, r)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// ServeHTTP serves the API and the web app.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// OpenAPI is the document that GET /api/openapi.json serves.
func (s *Server) OpenAPI() *huma.OpenAPI { return s.openAPI }
