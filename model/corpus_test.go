package model_test

import (
	"errors"
	"flag"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model"
	"countersign/model/corpus"
)

func loadCorpus(t testing.TB) []corpus.Sample {
	t.Helper()
	samples, err := corpus.Load(os.DirFS("testdata/corpus"))
	require.NoError(t, err)
	return samples
}

// Samples are of many providers, and each says where it is from.
func TestTheCorpusIsLarge(t *testing.T) {
	t.Parallel()
	providers, names := map[string]bool{}, map[string]bool{}
	for _, s := range loadCorpus(t) {
		require.NotEmpty(t, s.Source, s.Name)
		require.False(t, names[s.Provider+s.Name], "%s: %s is there twice", s.Provider, s.Name)
		names[s.Provider+s.Name] = true
		providers[s.Provider] = true
	}
	require.GreaterOrEqual(t, len(names), 150)
	require.GreaterOrEqual(t, len(providers), 30)
}

// Nothing stands in the corpus that somebody only knows.
func TestEverySampleIsConfirmed(t *testing.T) {
	t.Parallel()
	recorded := 0
	for _, s := range loadCorpus(t) {
		if s.Recorded() {
			recorded++
			require.Empty(t, s.Confirmed, "%s: %s", s.Provider, s.Name)
			continue
		}
		require.Contains(t, []string{"report", "page", "clients", "standard"}, s.Confirmed, "%s: %s", s.Provider, s.Name)
	}
	require.GreaterOrEqual(t, recorded, 150)
}

var update = flag.Bool("update", false, "write the list of judged cases anew")

// The list of judged cases is that of the samples.
func TestTheListOfJudgedCases(t *testing.T) {
	t.Parallel()
	const file = "testdata/corpus/README.md"
	list := corpus.List(loadCorpus(t))
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(list), 0o600))
	}
	written, err := os.ReadFile(file)
	require.NoError(t, err, "go test ./model -run TestTheListOfJudgedCases -update writes it")
	require.Equal(t, string(written), list)
}

// Every sample is read as it was judged, however the network cuts it.
func TestTheCorpusIsReadRight(t *testing.T) {
	t.Parallel()
	for i, s := range loadCorpus(t) {
		t.Run(s.Provider+"/"+s.Name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(uint64(i), 7))
			readSample(t, s, s.Body)
			for range 3 {
				readSample(t, s, pieces(random, s.Body)...)
			}
		})
	}
}

// pieces cuts a body at random places.
func pieces(random *rand.Rand, body []byte) [][]byte {
	var cut [][]byte
	most := 1 + random.IntN(40)
	for len(body) > 0 {
		n := min(1+random.IntN(most), len(body))
		cut = append(cut, body[:n])
		body = body[n:]
	}
	return cut
}

// sent is a transport that answers with the pieces of a sample.
type sent struct {
	sample corpus.Sample
	pieces [][]byte
}

func (s sent) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: s.sample.Status, Header: s.sample.Header, Body: io.NopCloser(&piecewise{s.pieces}), Request: r}, nil
}

// piecewise gives one piece for each read.
type piecewise struct{ rest [][]byte }

func (p *piecewise) Read(into []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(into, p.rest[0])
	if p.rest[0] = p.rest[0][n:]; len(p.rest[0]) == 0 {
		p.rest = p.rest[1:]
	}
	return n, nil
}

func readSample(t *testing.T, s corpus.Sample, body ...[]byte) {
	t.Helper()
	client := model.New(model.Options{BaseURL: "http://model/v1", HTTPClient: &http.Client{Transport: sent{s, body}}})
	var said, thought strings.Builder
	response, err := client.Stream(t.Context(), hello, func(d model.Delta) {
		if d.Restart {
			said.Reset()
			thought.Reset()
		}
		said.WriteString(d.Text)
		thought.WriteString(d.Reasoning)
	})
	want := s.Reading
	require.Equal(t, want.Text, response.Text)
	require.Equal(t, want.Thoughts, response.Reasoning)
	require.Equal(t, response.Text, said.String(), "what was streamed adds up")
	require.Equal(t, response.Reasoning, thought.String(), "what was streamed adds up")
	require.Equal(t, want.Input, response.Usage.InputTokens, "input tokens")
	require.Equal(t, want.Output, response.Usage.OutputTokens, "output tokens")
	var calls []corpus.Call
	for i, c := range response.ToolCalls {
		id := c.ID
		if i < len(want.Calls) && want.Calls[i].ID == "" {
			require.True(t, strings.HasPrefix(id, "call_"), "an id of our own")
			id = ""
		}
		calls = append(calls, corpus.Call{ID: id, Name: c.Name, Arguments: c.Arguments})
	}
	require.Equal(t, want.Calls, calls)
	if want.Failure == "" {
		require.NoError(t, err)
		require.Equal(t, want.Finish, response.FinishReason)
		return
	}
	failure, ok := errors.AsType[*model.Error](err)
	require.True(t, ok, "no failure: %+v", response)
	require.Equal(t, want.Failure+" "+want.Reason, string(failure.Class)+" "+string(failure.Reason), failure.Message)
	require.Equal(t, want.Retryable, failure.Retryable())
	require.Equal(t, want.After, failure.RetryAfter)
	require.Contains(t, failure.Message, want.Says)
}
