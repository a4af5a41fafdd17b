package rest

import (
	"encoding/json"
	"maps"
	"net/http"

	"countersign/problem"
)

// WriteProblem answers a request with err as a problem document; a host failure shows nothing of itself.
func WriteProblem(w http.ResponseWriter, err error) {
	e := problem.As(err)
	body, marshalErr := json.Marshal(e)
	if marshalErr != nil {
		body = []byte(`{"type":"about:blank","title":"Internal error","status":500,"detail":"Something went wrong on the server.","code":"internal"}`)
	}
	maps.Copy(w.Header(), e.GetHeaders())
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(e.GetStatus())
	_, _ = w.Write(body)
}
