package model

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// extras are the members of a chat request that come from the connection and not from the caller. members are encoded,
// with a comma before each.
type extras struct {
	stream  bool
	effort  string
	members []byte
}

// ownMembers are those that the client sets itself, that would change what it has to decode, or that would let an
// answer cost a multiple.
var ownMembers = []string{
	"model", "messages", "tools", "tool_choice", "functions", "function_call", "stream", "stream_options", "max_tokens",
	"max_completion_tokens", "n", "best_of", "user", "prompt_cache_key", "reasoning_effort", "response_format", "stop", "prompt", "input",
}

// OwnsMember reports whether the client sets a member of chat requests itself. Servers compare names as loosely as
// encoding/json does.
func OwnsMember(name string) bool {
	return slices.ContainsFunc(ownMembers, func(own string) bool { return strings.EqualFold(own, strings.TrimSpace(name)) })
}

// membersOf encodes the members of an object that a request may add, each with a comma before it. Anything but an
// object has none.
func membersOf(object json.RawMessage) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return nil
	}
	maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool { return OwnsMember(name) })
	if len(members) == 0 {
		return nil
	}
	encoded, err := json.Marshal(members)
	if err != nil {
		return nil
	}
	return append([]byte{','}, bytes.TrimSuffix(encoded[1:], []byte{'}'})...)
}

// ownHeaders are those of the client and of HTTP itself, in lower case. Every Content- header and every Proxy- header is
// one as well.
var ownHeaders = []string{
	"authorization", "host", "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "http2-settings", "expect",
	"accept", "accept-encoding", "idempotency-key", "traceparent", "tracestate",
}

// OwnsHeader reports whether the client, or HTTP itself, sets a header.
func OwnsHeader(name string) bool {
	name = strings.ToLower(strings.TrimSpace(name))
	return slices.Contains(ownHeaders, name) || strings.HasPrefix(name, "content-") || strings.HasPrefix(name, "proxy-")
}

func ownHeadersRemoved(headers http.Header) http.Header {
	kept := http.Header{}
	for name, values := range headers {
		if !OwnsHeader(name) {
			kept[http.CanonicalHeaderKey(name)] = values
		}
	}
	return kept
}

// shortestPart is the length from which a part of a header's value is redacted by itself. Shorter ones are mostly words,
// such as Bearer.
const shortestPart = 8

// secretsOf lists the texts that no message may show: the key, and values of headers, which may be keys as well. Providers
// quote a key without what stands around it in the header, such as Bearer, the name of a cookie or quotes.
func secretsOf(key string, headers http.Header) []string {
	secrets := []string{strings.TrimSpace(key)}
	for _, value := range slices.Concat(slices.Collect(maps.Values(headers))...) {
		secrets = append(secrets, strings.TrimSpace(value))
		for _, part := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" ;,=:\"'{}()", r) }) {
			if len(part) >= shortestPart {
				secrets = append(secrets, part)
			}
		}
	}
	secrets = slices.DeleteFunc(secrets, func(secret string) bool { return len(secret) < shortestSecret })
	// A secret can be a part of another.
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	return secrets
}
