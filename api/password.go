package api

import (
	"net/http"

	"countersign/principal"
	"countersign/problem"
)

// requireOwnPassword serves a person whose password somebody else has seen only what it takes to change it.
func requireOwnPassword(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if principal.FromContext(r.Context()).MustChangePassword && !beforeOwnPassword(r) {
			refuse(
				w,
				r,
				problem.Errorf(problem.OwnPassword, "Change your password first: POST /api/auth/password. The one you have was set by somebody else."),
			)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// beforeOwnPassword reports the requests that the page for the new password makes. Signing in again is one of them.
func beforeOwnPassword(r *http.Request) bool {
	switch r.Method + " " + r.URL.Path {
	case "GET /api/me", "GET /api/settings", "POST /api/auth/password", "POST /api/auth/login", "POST /api/auth/logout":
		return true
	}
	return false
}
