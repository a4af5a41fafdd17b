package kit_test

import (
	"io"
	"net/http"

	"countersign/tool"
)

type noInput struct{}

type noteInput struct {
	Text string `json:"text" jsonschema:"minLength=1"`
}

type noteOutput struct {
	Text string `json:"text"`
}

func client(handler http.HandlerFunc) *tool.Client {
	router := &tool.Router{}
	router.Bind(handler)
	return &tool.Client{Router: router, Credential: "turn-credential", IdempotencyKey: "call-1", IfMatch: `"7"`}
}

func answerWith(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}
