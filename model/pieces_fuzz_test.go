package model_test

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/model"
	"countersign/model/corpus"
)

// However the network cuts a body, it is read the same: lines and their ends, tags of thoughts, compression.
func FuzzPieces(f *testing.F) {
	for _, s := range loadCorpus(f) {
		f.Add(s.Body, uint64(len(s.Body)))
	}
	for _, body := range []string{
		"data: {}\r\rdata: [DONE]\r", "data: {\"choices\":\ndata: []}\r\n\n\r", "\x1f\x8b", "\x1f\x8b\x08\x00\x00", "\uFEFF\rerror: x\r\n",
		events(delta(`"content":"<thi"`), delta(`"content":"nk>a</"`), delta(`"content":"thinkb</think> \n"`), delta(`"content":"c"`)),
		events(delta(`"content":" <"`), delta(`"refusal":"no"`)), events(delta(`"content":[{"type":"thinking","thinking":[[["deep"]]]}]`)),
	} {
		f.Add([]byte(body), uint64(7))
	}
	f.Fuzz(func(t *testing.T, body []byte, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 1))
		whole, failure := readPieces(t, body)
		cut, cutFailure := readPieces(t, pieces(random, body)...)
		require.Equal(t, model.ClassOf(failure), model.ClassOf(cutFailure))
		for i := range cut.ToolCalls {
			require.Less(t, i, len(whole.ToolCalls))
			cut.ToolCalls[i].ID = whole.ToolCalls[i].ID // those of our own making are random
		}
		require.Equal(t, whole, cut)
	})
}

// readPieces reads a body that comes in pieces, and checks what a reader of the stream relies on.
func readPieces(t *testing.T, body ...[]byte) (model.Response, error) {
	t.Helper()
	sample := corpus.Sample{Status: http.StatusOK, Header: http.Header{}}
	client := model.New(
		model.Options{BaseURL: "http://model/v1", HTTPClient: &http.Client{Transport: sent{sample, append([][]byte(nil), body...)}}},
	)
	var said, thought strings.Builder
	response, err := client.Stream(t.Context(), hello, func(d model.Delta) {
		if d.Restart {
			said.Reset()
			thought.Reset()
		}
		said.WriteString(d.Text)
		thought.WriteString(d.Reasoning)
	})
	require.Equal(t, said.String(), response.Text)
	require.Equal(t, thought.String(), response.Reasoning)
	return response, err
}
