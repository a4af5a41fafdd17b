package egress_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/egress"
	"countersign/internal/problem"
)

var errNoSuchHost = errors.New("no such host")

func TestAURLIsNormalised(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"http://example.com":                       "http://example.com",
		"HTTP://EXAMPLE.com./a?b=c#d":              "http://example.com/a?b=c",
		"https://example.com:443/":                 "https://example.com/",
		"http://example.com:443/":                  "http://example.com:443/",
		"https://example.com:8443/x%2Fy":           "https://example.com:8443/x%2Fy",
		"http://8.8.8.8:80/":                       "http://8.8.8.8/",
		"http://[2606:4700:0:0:0:0:0:1111]/":       "http://[2606:4700::1111]/",
		"https://[2606:4700::1111]:8443/":          "https://[2606:4700::1111]:8443/",
		"https://bücher.example/":                  "https://xn--bcher-kva.example/",
		"https://BÜCHER.example/":                  "https://xn--bcher-kva.example/",
		"http://ｅｘａｍｐｌｅ.com/":                      "http://example.com/",
		"http://example。com/":                      "http://example.com/",
		"http://⑧.⑧.⑧.⑧/":                          "http://8.8.8.8/",
		"http://my_host.example.com/?q=http://x@y": "http://my_host.example.com/?q=http://x@y",
		"http://example.com?":                      "http://example.com?",
	} {
		target, err := egress.ParseTarget(raw)
		require.NoError(t, err, raw)
		require.Equal(t, want, target.URL.String(), raw)
	}
}

func TestAURLThatTwoParsersCouldReadDifferentlyIsRefused(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"", "example.com", "//example.com/", "/etc/passwd", "file:///etc/passwd", "gopher://example.com/", "ftp://example.com/",
		"javascript:alert(1)", "data:text/plain,x", "http:example.com", "http:/example.com", "http:///example.com", "http://",
		"http://user@example.com/", "http://user:pass@example.com/", "http://@example.com/", "http://example.com@127.0.0.1/",
		"http://example.com\\@127.0.0.1/", "http://example.com\\.internal/", "http:\\\\example.com",
		" http://example.com/", "http://example.com/ x", "http://exa\tmple.com/", "http://example.com/\r\nHost: x", "http://example.com/\x00",
		"http://example.com:/", "http://example.com:0/", "http://example.com:65536/", "http://example.com:080/", "http://example.com:+80/",
		"http://example.com:8o/", "http://example.com:22/", "http://example.com:25/", "http://example.com:81/", "http://example.com:1023/",
		"http://%31%32%37.0.0.1/", "http://%6cocalhost/", "http://example%2ecom/", "http://[::1%25lo]/", "http://[fe80::1%25eth0]/",
		"http://127.1/", "http://127.0.1/", "http://0177.0.0.1/", "http://0x7f.0.0.1/", "http://0x7f000001/", "http://2130706433/",
		"http://017700000001/", "http://127.0.0.0x1/", "http://127.0.0.01/", "http://1.2.3.4.5/", "http://256.1.1.1/", "http://1.2.3/",
		"http://0/", "http://0x/", "http://example.0x/", "http://8.8.8.8.1/", "http://１２７.１/",
		"http://[127.0.0.1]/", "http://[::1/", "http://::1/", "http://[]/", "http://[::1]x/", "http://[v1.x]/", "http://[1::2::3]/",
		"http://a..b/", "http://.example.com/", "http://example.com../", "http://-a.com/", "http://a-.com/", "http://a b.com/",
		"http://exa*mple.com/", "http://exa!mple.com/", "http://exa'mple.com/", "http://a,b.com/", "http://(a).com/",
		"http://" + strings.Repeat("a", 64) + ".com/", "http://" + strings.Repeat("a.", 130) + "com/", "http://a\u202eb.com/",
		"http://example.com/" + strings.Repeat("a", 2000), "http://exa\xffmple.com/", "http://xn--\u00fc.example/",
	} {
		_, err := egress.ParseTarget(raw)
		require.ErrorIs(t, err, egress.ErrRefused, raw)
		shown := problem.As(err)
		require.Equal(t, problem.Invalid, shown.Code, raw)
		require.True(t, strings.HasPrefix(shown.Detail, "This URL cannot be requested: ") && strings.HasSuffix(shown.Detail, "."), shown.Detail)
	}
}

func TestInternalNamesAreRefusedBeforeTheyAreResolved(t *testing.T) {
	t.Parallel()
	guard := egress.New(egress.Options{OwnAddrs: noOwnAddrs, Resolver: mustNotResolve{t}})
	for _, host := range []string{
		"localhost", "LOCALHOST", "localhost.", "a.localhost", "localhost.localdomain", "ｌｏｃａｌｈｏｓｔ", "ⓛocalhost", "loc\u00adalhost",
		"metadata", "metadata.google.internal", "metadata.google.internal.", "METADATA.GOOGLE.INTERNAL", "instance-data.ec2.internal",
		"kubernetes.default.svc.cluster.local", "printer.local", "db", "postgres", "temporal", "intranet", "wiki.corp", "nas.home",
		"nas.home.arpa", "router.lan", "x.intranet", "x.private", "x.invalid", "x.onion", "x.alt",
		"metadata.goog", "METADATA.goog.", "a.metadata.goog", "metadata.tencentyun.com", "kubernetes.default.svc", "db.service.consul",
		"web.localdomain", "254.169.254.169.in-addr.arpa", "1.0.0.127.in-addr.arpa", "x.ip6.arpa", "printer.home.arpa",
	} {
		_, err := guard.Check(t.Context(), "http://"+host+"/")
		require.ErrorIs(t, err, egress.ErrRefused, host)
	}
}

func TestNamesThatOnlyLookInternalAreResolved(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"localhost.example.com", "internal.example.com", "mylocal.com", "notinternal.net", "home.example.org", "goog.example.com", "tencentyun.com", "svc.example.com", "notmetadata.goog"} {
		guard := egress.New(egress.Options{OwnAddrs: noOwnAddrs, Resolver: answers{host + ".": {"8.8.8.8"}}})
		_, err := guard.Check(t.Context(), "http://"+host+"/")
		require.NoError(t, err, host)
	}
}

func TestAPolicyIsReadFromAList(t *testing.T) {
	t.Parallel()
	policy, err := egress.ParsePolicy(" 10.1.2.3/16, 127.0.0.1,,::1, Status.Corp.Internal. ,")
	require.NoError(t, err)
	require.Equal(t, "[10.1.0.0/16 127.0.0.1/32 ::1/128]", strings.ReplaceAll(strings.TrimSpace(joinPrefixes(policy)), ",", " "))
	require.Equal(t, []string{"status.corp.internal"}, policy.Hosts)

	for _, list := range []string{"10.0.0.0/33", "10.0.0.0/", "a b", "fe80::1%eth0", "http://example.com", "*.example.com", "::ffff:10.0.0.0/104"} {
		_, err := egress.ParsePolicy(list)
		require.Error(t, err, list)
	}
}

func joinPrefixes(policy egress.Policy) string {
	texts := make([]string, len(policy.Prefixes))
	for i, prefix := range policy.Prefixes {
		texts[i] = prefix.String()
	}
	return "[" + strings.Join(texts, ",") + "]"
}

func TestAnAllowedPrefixOpensItsAddressesAndNoMore(t *testing.T) {
	t.Parallel()
	policy, err := egress.ParsePolicy("10.1.0.0/16")
	require.NoError(t, err)
	guard := egress.New(egress.Options{Policy: policy, OwnAddrs: noOwnAddrs, Resolver: answers{
		"in.example.com.": {"10.1.2.3"}, "edge.example.com.": {"10.1.2.3", "10.2.0.0"},
	}})
	for url, ok := range map[string]bool{
		"http://10.1.0.0/": true, "http://10.1.255.255/": true, "http://10.0.255.255/": false, "http://10.2.0.0/": false,
		"http://in.example.com/": true, "http://edge.example.com/": false, "http://localhost/": false, "http://127.0.0.1/": false,
		"http://[::ffff:10.1.0.1]/": false,
	} {
		_, err := guard.Check(t.Context(), url)
		require.Equal(t, ok, err == nil, url)
	}
}

func TestAnAllowedHostOpensItsPrivateAddressesOnly(t *testing.T) {
	t.Parallel()
	policy, err := egress.ParsePolicy("status.corp.internal,trap.corp.internal")
	require.NoError(t, err)
	guard := egress.New(egress.Options{Policy: policy, OwnAddrs: noOwnAddrs, Resolver: answers{
		"status.corp.internal.": {"10.0.0.1", "fd12::1", "127.0.0.1"}, "trap.corp.internal.": {"169.254.169.254"},
		"other.example.com.": {"10.0.0.1"},
	}})
	for url, ok := range map[string]bool{
		"http://status.corp.internal/": true, "http://STATUS.corp.internal.:8080/": true, "http://trap.corp.internal/": false,
		"http://other.corp.internal/": false, "http://other.example.com/": false, "http://a.status.corp.internal/": false, "http://10.0.0.1/": false,
	} {
		_, err := guard.Check(t.Context(), url)
		require.Equal(t, ok, err == nil, url)
	}
}
