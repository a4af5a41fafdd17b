package app_test

import (
	"net/http"
	"strings"
)

// passwordLink is where an account has a password link.
func (s stage) passwordLink() string {
	path := s.user() + "/password-link"
	s.p.Admin.Post(s, path, nil, nil)
	return path
}

func (s stage) usesPasswordLink() request {
	var made struct{ Path string }
	s.p.Admin.Post(s, s.user()+"/password-link", nil, &made)
	_, token, _ := strings.Cut(made.Path, "#")
	return request{
		s.p.Anonymous(),
		http.MethodPost,
		"/api/auth/password-link",
		map[string]any{"token": token, "password": "battery staple horse"},
	}
}
