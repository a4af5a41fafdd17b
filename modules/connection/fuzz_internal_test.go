package connection

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/egress"
)

// What is accepted as an address can be requested, holds no credentials, and is the same server as itself.
func FuzzBaseURL(f *testing.F) {
	f.Add("https://api.openai.com/v1")
	f.Add("http://[::1]:11434/v1/")
	f.Add("https://user:pass@host/")
	f.Add("https://host/v1?api-version=1#x")
	f.Add("https://ho st/%zz")
	f.Add("https://:443")
	f.Fuzz(func(t *testing.T, text string) {
		v := validation{own: egress.Own{Resolver: nobody{}}}
		address := v.baseURL(text)
		if v.Err() != nil {
			return
		}
		_, err := http.NewRequest(http.MethodGet, address, nil)
		require.NoError(t, err)
		u, err := url.Parse(address)
		require.NoError(t, err)
		require.Nil(t, u.User)
		require.NotEmpty(t, u.Hostname())
		require.NotContains(t, address, "\x00")
		require.True(t, sameServer(address, address))
		require.False(t, sameServer(address, "https://elsewhere.invalid"))
	})
}

// What is accepted as a key fits into a header line.
func FuzzKey(f *testing.F) {
	f.Add("sk-1")
	f.Add("a\r\nb")
	f.Add("é")
	f.Fuzz(func(t *testing.T, text string) {
		var v validation
		key := v.key(text)
		if v.Err() == nil {
			require.False(t, strings.ContainsAny(key, "\r\n\x00 "))
			require.LessOrEqual(t, len(key), maxKeyBytes)
		}
	})
}

// nobody knows no name.
type nobody struct{}

func (nobody) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return nil, errors.New("no such host")
}
