package assistant_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/chat/assistant"
	"countersign/model"
	"countersign/model/corpus"
)

// sample answers as a provider once did.
type sample corpus.Sample

func (s sample) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: s.Status, Header: s.Header, Body: io.NopCloser(bytes.NewReader(s.Body)), Request: r}, nil
}

// What a person reads first about a failure blames neither the key for a quota nor the model for a privacy rule.
func TestTheLeadOfEveryFailureIsRight(t *testing.T) {
	t.Parallel()
	samples, err := corpus.Load(os.DirFS("../../model/testdata/corpus"))
	require.NoError(t, err)
	checked := 0
	for _, s := range samples {
		if s.Reading.Lead == "" {
			continue
		}
		checked++
		client := model.New(model.Options{BaseURL: "http://model/v1", HTTPClient: &http.Client{Transport: sample(s)}})
		_, err := client.Stream(t.Context(), model.Request{Model: "m", Messages: []model.Message{{Role: model.RoleUser, Content: "Hello"}}}, nil)
		failure, ok := errors.AsType[*model.Error](err)
		require.True(t, ok, "%s: %s", s.Provider, s.Name)
		_, text := assistant.Explain(failure)
		lead := s.Reading.Lead
		if failure.Class == model.RateLimited && failure.RetryAfter > assistant.MaxWait {
			lead = strings.Replace(lead, " still limits requests after several attempts", " limits requests", 1) // it is asked once
		}
		require.Contains(t, text, lead+`: "`, "%s: %s", s.Provider, s.Name)
	}
	require.Greater(t, checked, 100)
}
