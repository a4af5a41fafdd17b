package api

import (
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"

	"countersign/api/openai"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/rest"
	"countersign/tool"
)

func secureHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("X-Frame-Options", "DENY")
		if isAPI(r.URL.Path) {
			h.Set("Cache-Control", "no-store")
		} else {
			h.Set("Content-Security-Policy", contentSecurityPolicy(r.URL.Path))
		}
		next.ServeHTTP(w, r)
	})
}

// editorPaths are the pages with a script editor.
var editorPaths = []string{"/scripts", "/health/editor", "/agents/editor"}

// contentSecurityPolicy allows the server's own content. Only the script editor's documents may have inline styles,
// with which it positions lines.
func contentSecurityPolicy(path string) string {
	const everywhere = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
	if slices.Contains(editorPaths, path) {
		return everywhere + "; style-src 'self' 'unsafe-inline'"
	}
	return everywhere
}

// requireTextQuery refuses a query that is no text: with a NUL, or not UTF-8. The database would refuse both, which
// would look like a fault.
func requireTextQuery(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isAPI(r.URL.Path) {
			for name, values := range r.URL.Query() {
				if slices.ContainsFunc(
					append(values, name),
					func(text string) bool { return !utf8.ValidString(text) || strings.ContainsRune(text, 0) },
				) {
					refuse(
						w,
						r,
						problem.Errorf(problem.Invalid, "The address holds what is no text: a NUL character, or bytes that are no UTF-8. Leave it out."),
					)
					return
				}
			}
		}
		next.ServeHTTP(w, r)
	})
}

// errRequestEnded answers a request that ended before it was authenticated.
var errRequestEnded error = problem.Errorf(
	problem.Unavailable,
	"The connection of this request has ended. Nothing was done; send it again.",
).After(
	time.Second,
)

// alertsPath begins the addresses of sources of alerts. Their senders have no account: the Authorization header holds the secret
// of the source, which its module checks.
const alertsPath = "/api/alerts/"

// authenticate puts the principal into the context. Health probes, static files and alerts skip it.
func authenticate(a Authenticator, log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isAPI(r.URL.Path) || r.URL.Path == "/api/openapi.json" || strings.HasPrefix(r.URL.Path, alertsPath) {
			next.ServeHTTP(w, r)
			return
		}
		p, err := a.Authenticate(r.Context(), r)
		if err != nil && r.Context().Err() != nil {
			// The client is usually gone. A kept-alive connection whose requests end early is closed, so that the
			// client opens another one.
			w.Header().Set("Connection", "close")
			refuse(w, r, errRequestEnded)
			return
		}
		if err != nil {
			if problem.CodeOf(err) == problem.Internal {
				log.Error("Authentication failed", "error", err)
			}
			refuse(w, r, err)
			return
		}
		if err := checkPerson(p, r.Header.Get(personHeader)); err != nil {
			refuse(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(principal.NewContext(r.Context(), p)))
	})
}

// personHeader names the user for whom a request is meant. Browsers send the cookie of the latest sign-in, even from a
// page that another user left open; that page's requests must not run as the new user.
const personHeader = "Countersign-Person"

// checkPerson refuses a request of p that is meant for another user; "" means any.
func checkPerson(p principal.Principal, meant string) error {
	if meant == "" || p.IsZero() || p.ID.String() == meant {
		return nil
	}
	return problem.Errorf(problem.Unauthorized, "Another user has signed in with this browser. Reload the page.")
}

// isAPI reports whether a path is answered with a principal, and not by a page.
func isAPI(path string) bool {
	return strings.HasPrefix(path, "/api/") || isMetrics(path) || isCompletion(path)
}

// isMetrics reports whether a path belongs to metrics for callers with rules. Those of the process at /metrics do not.
func isMetrics(path string) bool { return strings.HasPrefix(path, "/metrics/") }

// isCompletion reports whether a path belongs to the OpenAI protocol.
func isCompletion(path string) bool {
	return strings.HasPrefix(path, openai.Path) || path+"/" == openai.Path
}

// refuse writes an error in the form that the path uses.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	if isCompletion(r.URL.Path) {
		openai.WriteError(w, err)
		return
	}
	rest.WriteProblem(w, err)
}

// RequireSignIn is the refusal of an anonymous request.
func RequireSignIn() error {
	return problem.Errorf(problem.Unauthorized, "Sign in first: POST /api/auth/login, or send an API token as a bearer token.")
}

// enforceRules checks the access rules that an operation declares.
func enforceRules(gate *Gate) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		op := ctx.Operation()
		if rest.IsPublic(op) {
			next(ctx)
			return
		}
		p := principal.FromContext(ctx.Context())
		if p.IsZero() {
			writeProblem(ctx, RequireSignIn())
			return
		}
		if p.ReadOnly() && !rest.IsLook(op) && !gate.onlyReads(ctx) {
			writeProblem(ctx, tool.ReadOnly(op.Summary))
			return
		}
		if missing := p.Missing(rest.RulesOf(op)...); len(missing) > 0 {
			writeProblem(ctx, problem.MissingRule(op.Summary, missing...))
			return
		}
		next(ctx)
	}
}

func writeProblem(ctx huma.Context, err error) {
	rest.WriteProblem(humaecho.Unwrap(ctx).Response(), err)
}
