// Package openai has the paths and errors of the OpenAI protocol.
package openai

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"

	"countersign/internal/problem"
	"countersign/internal/rest"
)

// Path is the path prefix of the OpenAI protocol, which chat tokens may use: see auth.ChatPath.
const Path = "/v1/"

// CompletionError is an error in the form of the protocol.
type CompletionError struct {
	Error CompletionFault `json:"error"`
}

// CompletionFault is the content of a CompletionError.
type CompletionFault struct {
	Message string  `json:"message" doc:"A full sentence that says what to do"`
	Type    string  `json:"type"`
	Param   *string `json:"param" nullable:"true"`
	Code    string  `json:"code" doc:"As in problem documents"`
}

// faultTypes map HTTP statuses to the protocol's error types.
var faultTypes = map[int]string{
	http.StatusUnauthorized:    "authentication_error",
	http.StatusForbidden:       "permission_error",
	http.StatusTooManyRequests: "rate_limit_error",
}

// ErrorOf returns e in the form of the protocol.
func ErrorOf(e *problem.Error, status int) CompletionError {
	fault := CompletionFault{Message: e.Detail, Type: "invalid_request_error", Code: string(e.Code)}
	if kind, ok := faultTypes[status]; ok {
		fault.Type = kind
	} else if status >= http.StatusInternalServerError {
		fault.Type = "server_error"
	}
	if len(e.Issues) > 0 {
		fault.Param = &e.Issues[0].Path
		if said := e.Issues[0]; !strings.Contains(e.Detail, said.Message) {
			fault.Message = strings.TrimSuffix(e.Detail, ".") + ": " + said.String() + "."
		}
	} else if param, ok := e.Extra["param"].(string); ok {
		fault.Param = &param
	}
	return CompletionError{fault}
}

// WriteError refuses a request to /v1. Invalid input gets 400 there, as clients of the protocol expect.
func WriteError(w http.ResponseWriter, err error) {
	e := rest.Problem(err)
	status := e.GetStatus()
	if e.Code == problem.Invalid {
		status = http.StatusBadRequest
	}
	raw, encodeErr := json.Marshal(ErrorOf(e, status))
	if encodeErr != nil {
		raw = []byte(`{"error":{"message":"The error cannot be told.","type":"server_error","param":null,"code":"internal"}}`)
	}
	maps.Copy(w.Header(), e.GetHeaders())
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(raw)
}
