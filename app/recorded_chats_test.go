package app_test

import "net/http"

const chatTokens = "/api/auth/chat-tokens"

func (s stage) makesChatToken() request {
	return request{s.p.Person(s), http.MethodPost, chatTokens, map[string]any{"name": unique("Editor")}}
}

func (s stage) revokesChatToken() request {
	person := s.p.Person(s)
	var made struct{ ChatToken struct{ ID string } }
	person.Post(s, chatTokens, map[string]any{"name": unique("Editor")}, &made)
	return request{person, http.MethodDelete, chatTokens + "/" + made.ChatToken.ID, nil}
}
