package app_test

import (
	"strconv"
	"strings"
	"testing"

	"countersign/app/apptest/declaredtest"
)

// fixtures make what examples of declared operations need and no single request makes.
func fixtures(t *testing.T) declaredtest.Fixtures {
	t.Helper()
	at := func(s *declaredtest.Scope) stage { return stage{t, s.Product} }
	return declaredtest.Fixtures{
		"password token": func(s *declaredtest.Scope) string {
			var made struct{ Path string }
			s.Product.Admin.Post(s, "/api/users/"+s.ID("user")+"/password-link", nil, &made)
			_, token, _ := strings.Cut(made.Path, "#")
			return token
		},
		"other session":        otherSession,
		"request of a program": func(s *declaredtest.Scope) string { return at(s).program().asks() },
		"connected program":    func(s *declaredtest.Scope) string { return at(s).program().connect() },
		"program":              func(s *declaredtest.Scope) string { return at(s).program().row() },
		"hash of tool echo":    describedTool,
		"mcp server signed in": func(s *declaredtest.Scope) string {
			id := s.ID("mcp server")
			s.Product.Exec(s, `UPDATE mcp_servers SET auth = 'oauth' WHERE id = $1`, id)
			s.Product.Exec(s, `INSERT INTO mcp_sign_ins (server_id, state) VALUES ($1, 'again')`, id)
			return id
		},
		"tainted conversation": func(s *declaredtest.Scope) string {
			id := s.ID("conversation")
			s.Product.Exec(s, `INSERT INTO ai_taints (conversation_id, kind) VALUES ($1, 'earlier')`, id)
			return id
		},
		"withheld conversation": func(s *declaredtest.Scope) string {
			id := s.ID("conversation")
			s.Product.Exec(s, `INSERT INTO ai_withheld_content (conversation_id, connection_id, content_key) VALUES ($1, $1, 'part')`, id)
			return id
		},
		"subscriber":    declaredtest.Subscriber,
		"answered turn": func(s *declaredtest.Scope) string { return at(s).answered().String() },
		"running model check": func(s *declaredtest.Scope) string {
			release := make(chan struct{}) // it must not end by itself before it is stopped
			connection := checkable(t, s.Product, silent(release))
			s.Cleanup(func() { close(release) })
			return at(s).made(checksPath, map[string]any{"connectionId": connection})
		},
		"job target": func(s *declaredtest.Scope) string {
			return strconv.Itoa(s.Product.Count(s, `SELECT id FROM check_targets WHERE check_id = $1`, s.ID("job")))
		},
		"parked event": func(s *declaredtest.Scope) string { return idOf(at(s).parked()) },
	}
}

// otherSession is another session of the person.
func otherSession(s *declaredtest.Scope) string {
	person := s.Person()
	person.SignInAgain(s, s.Product)
	var list struct {
		Sessions []struct {
			ID      string `json:"id"`
			Current bool   `json:"current"`
		} `json:"sessions"`
	}
	person.Get(s, "/api/auth/sessions", &list)
	for _, session := range list.Sessions {
		if !session.Current {
			return session.ID
		}
	}
	s.Fatal("there is no other session")
	return ""
}

// describedTool is the hash of a tool that the server has described.
func describedTool(s *declaredtest.Scope) string {
	hash := strings.Repeat("ab", 32)
	s.Product.Exec(s, `INSERT INTO mcp_tools (server_id, name, tool_id, seen, seen_hash)
		VALUES ($1, 'echo', 'echo', '{"name": "echo", "inputSchema": {"type": "object"}}', $2)`, s.ID("mcp server"), hash)
	return hash
}
