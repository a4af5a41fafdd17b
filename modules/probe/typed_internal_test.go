package probe

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnAddressIsThePersonsWhereTheyWroteIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		said, asked string
		theirs      bool
	}{
		{"What does https://example.com/status answer?", "https://example.com/status", true},
		{"Is https://example.com/status up?", "https://example.com/status/", true},
		{"look at Example.com/status.", "https://example.com/status", true},
		{"example.com", "http://example.com/", true},
		{"(see http://example.com:8080/a?b=c#d)", "http://example.com:8080/a?b=c", true},
		{"[the page](https://example.com/a_b), please", "https://example.com/a_b", true},
		{`{"url":"https://example.com/a"}`, "https://example.com/a", true},
		{"`https://example.com:443/a`", "https://example.com/a", true},
		{"https://en.wikipedia.org/wiki/Go_(game)", "https://en.wikipedia.org/wiki/Go_(game)", true},
		{"HTTPS://EXAMPLE.COM/a", "https://example.com/a", true},

		{"Check example.com", "https://example.com/?d=secret", false},
		{"Check example.com", "https://example.com/secret", false},
		{"Check example.com", "https://secret.example.com/", false},
		{"Check https://example.com/a?b=c", "https://example.com/a?b=c&d=secret", false},
		{"Check https://example.com/Status", "https://example.com/status", false},
		{"Check https://example.com/status", "https://example.com.evil.test/status", false},
		{"Check https://example.com/status", "https://secret@example.com/status", false},
		{"Check https://secret@example.com/status", "https://secret@example.com/status", false},
		{"Check https://example.com:8443", "https://example.com", false},
		{"Check the status page", "https://example.com", false},
		{"", "", false},
		{"https://", "https://", false},
		{"Check http://[::1", "http://[::1", false},
	} {
		require.Equal(t, c.theirs, typed([]string{"Hello", c.said}, c.asked), "%q, %q", c.said, c.asked)
	}
	require.False(t, typed(nil, "https://example.com"))
}

// Whatever is written, an address with something added to it is another one.
func FuzzTyped(f *testing.F) {
	f.Add("What does https://example.com/status answer?", "https://example.com/status")
	f.Add("(http://a/b?c#d)", "a/b")
	f.Fuzz(func(t *testing.T, said, asked string) {
		typed([]string{said}, asked)
		if _, ok := canonical("https://example.com/" + asked); ok {
			require.False(t, typed([]string{"See https://example.com/a?b now"}, "https://example.com/a?b&carried="+asked))
		}
	})
}
