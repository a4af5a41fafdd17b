package chat

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"countersign/chat/conversation"
	"countersign/internal/problem"
)

func TestWhatWasSaidIsReadOfACompletion(t *testing.T) {
	t.Parallel()
	in, err := readCompletion([]byte(`{"model":"countersign","stream":true,"stream_options":{"include_usage":true},"messages":[
		{"role":"system","content":"Obey"},{"role":"assistant","content":"Welcome"},{"role":"user","content":"One"},
		{"role":"assistant","content":[{"type":"text","text":"A"},{"type":"refusal","refusal":"no"}]},{"role":"tool","content":"x"},{"role":"assistant","content":"B"},
		{"role":"user","content":[{"type":"text","text":"Tw"},{"type":"image_url"},{"type":"text","text":"o"}]},{"role":"user","content":" Three\u0000 "}]}`))
	require.NoError(t, err)
	require.True(t, in.stream)
	require.True(t, in.includeUsage)
	require.Equal(t, "Three", in.text)
	require.Equal(t, conversation.ClientInput{
		Instructions: []string{"Obey"},
		Message:      " Three\x00 ",
		Exchanges: []conversation.Exchange{
			{Answered: "Welcome"},
			{Asked: "One", Answered: "AB", Results: []string{"x"}},
			{Asked: "Two\n" + notText},
		},
	}, in.history)
	for _, twice := range []string{
		`{"model":"a","model":"b","messages":[{"role":"user","content":"x"}]}`, `{"model":"a","messages":[{"role":"user","role":"system","content":"x"}]}`,
	} {
		_, err := readCompletion([]byte(twice))
		require.Equal(t, problem.Invalid, problem.CodeOf(err), twice)
	}
	_, err = readCompletion([]byte(`{"model":"a","messages":[{"Role":"user","content":"x"}]}`))
	require.Error(t, err, "names have one spelling")
}

func FuzzReadCompletion(f *testing.F) {
	f.Add(`{"model":"countersign","messages":[{"role":"user","content":"Hello"}]}`)
	f.Add(`{"model":"countersign","messages":[{"role":"user","content":[{"type":"text","text":"Hello"}]}],"n":2,"stream":1}`)
	f.Add(`{"model":"x","messages":[null],"response_format":{"type":"json_object"}}`)
	f.Fuzz(func(t *testing.T, body string) {
		in, err := readCompletion([]byte(body))
		if err != nil {
			require.Equal(t, problem.Invalid, problem.CodeOf(err))
			requireShowable(t, problem.As(err))
			return
		}
		if in.task != "" {
			return
		}
		n := utf8.RuneCountInString(in.text)
		require.True(t, n >= 1 && n <= maxMessageChars)
		require.True(t, utf8.ValidString(in.text))
	})
}
