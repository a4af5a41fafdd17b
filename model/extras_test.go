package model_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model"
)

// sentWith is the request that a client with these options makes.
func sentWith(t *testing.T, tune func(*model.Options)) (fields map[string]json.RawMessage, header http.Header) {
	t.Helper()
	client := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		if err := json.NewDecoder(r.Body).Decode(&fields); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, events(finish("stop"), done))
	}), func(o *model.Options) { o.APIKey = testKey }, tune)
	_, err := client.Stream(t.Context(), hello, nil)
	require.NoError(t, err)
	return fields, header
}

func TestAConnectionAddsItsMembersAndHeaders(t *testing.T) {
	t.Parallel()
	fields, header := sentWith(t, func(o *model.Options) {
		o.ReasoningEffort = "low"
		o.ExtraBody = json.RawMessage(`{"seed":9007199254740993,"provider":{"order":["a"]},"chat_template_kwargs":{"enable_thinking":false}}`)
		o.Headers = http.Header{"x-title": {"Operations"}, "User-Agent": {"mine"}}
	})
	require.JSONEq(t, `"low"`, string(fields["reasoning_effort"]))
	require.Equal(t, `9007199254740993`, string(fields["seed"]))
	require.JSONEq(t, `{"order":["a"]}`, string(fields["provider"]))
	require.JSONEq(t, `true`, string(fields["stream"]))
	require.Equal(t, "Operations", header.Get("X-Title"))
	require.Equal(t, "mine", header.Get("User-Agent"))
	require.Equal(t, "Bearer "+testKey, header.Get("Authorization"))
}

// A connection can replace nothing that the client sets itself, however its name is written.
func TestWhatTheClientSetsStays(t *testing.T) {
	t.Parallel()
	fields, header := sentWith(t, func(o *model.Options) {
		o.ExtraBody = json.RawMessage(
			`{"Messages":[],"me\u0073sages":[],"\u017ftream":false,"STREAM":false,"tools":[1],"n":5,"model":"x","top_p":0.5}`,
		)
		o.Headers = http.Header{
			"authorization": {"Bearer other"}, "Host": {"elsewhere"}, "Content-Type": {"text/plain"}, "Content-Length": {"1"},
			"Transfer-Encoding": {"gzip"}, "Connection": {"close"}, "Proxy-Authorization": {"Basic x"}, "Accept": {"text/plain"},
		}
	})
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	require.ElementsMatch(t, []string{"model", "messages", "stream", "stream_options", "top_p"}, names)
	require.JSONEq(t, `"`+hello.Model+`"`, string(fields["model"]))
	require.Equal(t, "Bearer "+testKey, header.Get("Authorization"))
	require.Equal(t, "application/json", header.Get("Content-Type"))
	require.Equal(t, "text/event-stream", header.Get("Accept"))
	require.Empty(t, header.Get("Proxy-Authorization"))
}

// The value of a header may be a key: no message shows it.
func TestNoMessageShowsTheValueOfAHeader(t *testing.T) {
	t.Parallel()
	const value = "gw-canary-55512345"
	client := serve(t, body(http.StatusBadRequest, "application/json", `{"error":{"message":"X-Gateway-Key `+value+` is not known"}}`),
		func(o *model.Options) { o.Headers = http.Header{"X-Gateway-Key": {value}} })
	_, err := client.Stream(t.Context(), hello, nil)
	failure, ok := errors.AsType[*model.Error](err)
	require.True(t, ok)
	require.NotContains(t, failure.Error(), value)
	require.Contains(t, failure.Message, "X-Gateway-Key")
}

// Providers quote the key in a header without the scheme or the name before it.
func TestNoMessageShowsAPartOfTheValueOfAHeader(t *testing.T) {
	t.Parallel()
	const secret = "canary-55512345"
	for _, value := range []string{"Bearer " + secret, "session=" + secret + "; path=/", `{"token":"` + secret + `"}`} {
		client := serve(t, body(http.StatusBadRequest, "application/json", `{"error":{"message":"The token `+secret+` has no Bearer."}}`),
			func(o *model.Options) { o.Headers = http.Header{"X-Gateway-Auth": {value}} })
		_, err := client.Stream(t.Context(), hello, nil)
		failure, ok := errors.AsType[*model.Error](err)
		require.True(t, ok)
		require.NotContains(t, failure.Error()+failure.Reported(), secret, value)
		require.Contains(t, failure.Message, "has no Bearer")
	}
}
