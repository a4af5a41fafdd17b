package model

import (
	"bytes"
	"encoding/json"
)

// withoutEcho returns the body of a refusal without the values that FastAPI and pydantic quote of the request, as "input".
// These are texts of people and tools, which would teach the client what no provider has said. Other bodies stay.
func withoutEcho(body []byte) []byte {
	var value any
	if json.Unmarshal(body, &value) != nil {
		// A body that was cut, as it quotes a long text.
		if at := bytes.Index(body, []byte(`"input":`)); at > 0 && bytes.Contains(body[:at], []byte(`"msg":`)) {
			return body[:at]
		}
		return body
	}
	if !dropEcho(value) {
		return body
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return body
	}
	return encoded
}

// dropEcho removes what is quoted beside a message and a place in the request, and reports whether there was something.
func dropEcho(value any) (dropped bool) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			dropped = dropEcho(item) || dropped
		}
	case map[string]any:
		_, hasMessage := v["msg"]
		_, hasPlace := v["loc"]
		if _, quotes := v["input"]; quotes && hasMessage && hasPlace {
			delete(v, "input")
			dropped = true
		}
		for _, item := range v {
			dropped = dropEcho(item) || dropped
		}
	}
	return dropped
}
