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

	"countersign/principal"
	"countersign/problem"
	"countersign/rest"
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

// contentSecurityPolicy allows what comes from the server itself. The script editor places its lines with inline styles,
// so its documents may have those, and no other document.
func contentSecurityPolicy(path string) string {
	const everywhere = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
	if slices.Contains(editorPaths, path) {
		return everywhere + "; style-src 'self' 'unsafe-inline'"
	}
	return everywhere
}

// legible refuses a query with what is no text: a NUL, or bytes that are no UTF-8. Databases refuse both, which would look like a fault.
func legible(next http.Handler) http.Handler {
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

// errEnded is told when a request has ended before it was known whose it is.
var errEnded error = problem.Errorf(
	problem.Unavailable,
	"The connection of this request has ended. Nothing was done; send it again.",
).After(
	time.Second,
)

// authenticate puts the principal into the context. Health and static files need none and skip the database.
func authenticate(a Authenticator, log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isAPI(r.URL.Path) || r.URL.Path == "/api/openapi.json" {
			next.ServeHTTP(w, r)
			return
		}
		p, err := a.Authenticate(r.Context(), r)
		if err != nil && r.Context().Err() != nil {
			// Mostly nobody hears this. But a connection may be kept on which every request has ended before it begins: the client
			// has to come by another one.
			w.Header().Set("Connection", "close")
			refuse(w, r, errEnded)
			return
		}
		if err != nil {
			if problem.CodeOf(err) == problem.Internal {
				log.Error("Authentication failed", "error", err)
			}
			refuse(w, r, err)
			return
		}
		if err := meantFor(p, r.Header.Get(personHeader)); err != nil {
			refuse(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(principal.NewContext(r.Context(), p)))
	})
}

// personHeader names whom a request is meant to act for. A browser sends the session of whoever signed in last, also from a page
// that somebody else has left open: what that page asks for must not be done in the other's name.
const personHeader = "Countersign-Person"

// meantFor refuses a request of p that is meant to act for somebody else; "" says nothing of that.
func meantFor(p principal.Principal, meant string) error {
	if meant == "" || p.IsZero() || p.ID.String() == meant {
		return nil
	}
	return problem.Errorf(problem.Unauthorized, "Somebody else has signed in with this browser by now. Load the page again.")
}

// isAPI reports whether a path is answered as somebody, and not by a page.
func isAPI(path string) bool {
	return strings.HasPrefix(path, "/api/") || isCompletion(path)
}

// isCompletion reports whether a path is one of the OpenAI protocol, or below where its paths are.
func isCompletion(path string) bool {
	return strings.HasPrefix(path, completionPath) || path+"/" == completionPath
}

// refuse refuses a request in the form of errors that its path has.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	if isCompletion(r.URL.Path) {
		writeCompletionError(w, err)
		return
	}
	rest.WriteProblem(w, err)
}

// RequireSignIn is the refusal of an operation that needs a principal.
func RequireSignIn() error {
	return problem.Errorf(problem.Unauthorized, "Sign in first: POST /api/auth/login, or send an API token as a bearer token.")
}

// enforceRules checks what an operation was declared with.
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
