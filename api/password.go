package api

import (
	"net/http"

	"countersign/internal/principal"
	"countersign/internal/problem"
)

// requireOwnPassword limits a person with a temporary password to the requests that change it.
func requireOwnPassword(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if principal.FromContext(r.Context()).MustChangePassword && !beforeOwnPassword(r) {
			refuse(
				w,
				r,
				problem.Errorf(problem.OwnPassword, "Change your password first: POST /api/auth/password. An administrator set your current one."),
			)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// beforeOwnPassword reports the requests of the page for the new password, signing in again included.
func beforeOwnPassword(r *http.Request) bool {
	switch r.Method + " " + r.URL.Path {
	case "GET /api/me", "GET /api/settings", "POST /api/auth/password", "POST /api/auth/login", "POST /api/auth/logout":
		return true
	}
	return false
}
