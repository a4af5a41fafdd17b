package egress_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/egress"
)

func TestASecretGoesWhereItIsPinnedToAndNowhereElse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pin, url string
		allowed  bool
	}{
		{"api.example.com", "https://api.example.com/a?b=c", true},
		{"API.Example.com", "https://api.example.COM:443/", true},
		{"api.example.com", "http://api.example.com/", false},
		{"api.example.com", "https://api.example.com:8443/", false},
		{"api.example.com", "https://api.example.com.evil.test/", false},
		{"api.example.com", "https://evil-api.example.com/", false},
		{"api.example.com", "https://x.api.example.com/", false},
		{"api.example.com:8443", "https://api.example.com:8443/", true},
		{"api.example.com:8443", "https://api.example.com/", false},
		{"*.example.com", "https://a.example.com/", true},
		{"*.example.com", "https://a.b.example.com/", true},
		{"*.example.com", "https://example.com/", false},
		{"*.example.com", "https://badexample.com/", false},
		{"http://127.0.0.1:8080", "http://127.0.0.1:8080/a", true},
		{"http://127.0.0.1:8080", "http://127.0.0.1:8081/a", false},
		{"http://127.0.0.1:8080", "https://127.0.0.1:8080/a", false},
		{"https://[2001:db8::1]", "https://[2001:DB8:0::1]/", true},
		{"münchen.example", "https://xn--mnchen-3ya.example/", true},
	} {
		pin, err := egress.ParsePin(c.pin)
		require.NoError(t, err, c.pin)
		target, err := egress.ParseTarget(c.url)
		require.NoError(t, err, c.url)
		require.Equal(t, c.allowed, pin.Allows(target), "%s, %s", c.pin, c.url)
	}
}

func TestAPinIsAHostAndNothingMore(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "*", "*.", "*.com.*", "a.*.com", "*.localhost", "*.10.0.0.1", "*.com", "a b", "user@example.com", "example.com/path", "example.com?x", "example.com#x", "https://",
		"ftp://example.com", "example.com:", "example.com:0", "example.com:22", "example.com:99999", "0x7f.1", "exa%6dple.com", "example.com\\@evil.test", "//example.com", "javascript:alert(1)",
	} {
		_, err := egress.ParsePin(text)
		require.Error(t, err, text)
	}
}

func FuzzAPinAllowsItsOwnHostOnly(f *testing.F) {
	f.Add("*.example.com", "https://a.example.com/")
	f.Add("http://127.0.0.1:8080", "http://127.0.0.1:8080/x")
	f.Fuzz(func(t *testing.T, text, url string) {
		pin, err := egress.ParsePin(text)
		if err != nil {
			return
		}
		again, err := egress.ParsePin(pin.String())
		require.NoError(t, err, "%q is shown as %q", text, pin)
		require.Equal(t, pin, again)
		if target, err := egress.ParseTarget(url); err == nil && pin.Allows(target) {
			require.Contains(t, pin.String(), target.URL.Scheme+"://")
		}
	})
}
