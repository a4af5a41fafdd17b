package scrub_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/secret/scrub"
)

// pieces cuts a text where next says and returns what a stream makes of it.
func pieces(text string, next func(rest string) int) string {
	var s scrub.Stream
	var b strings.Builder
	for text != "" {
		n := next(text)
		b.WriteString(s.Write(text[:n]))
		text = text[n:]
	}
	b.WriteString(s.Close())
	return b.String()
}

func every(n int) func(string) int { return func(rest string) int { return min(n, len(rest)) } }

func quote(t testing.TB, text string) string {
	t.Helper()
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	require.NoError(t, encoder.Encode(text))
	return strings.TrimSpace(b.String())
}

// sinks are the ways on which a text leaves the product.
func sinks(t testing.TB) map[string]func(string) string {
	t.Helper()
	return map[string]func(string) string{
		"text":             scrub.Text,
		"stream of bytes":  func(text string) string { return pieces(text, every(1)) },
		"stream of pieces": func(text string) string { return pieces(text, every(5)) },
		"stream of one":    func(text string) string { return pieces(text, every(1<<20)) },
		"json string":      func(text string) string { return decode(t, string(scrub.JSON(json.RawMessage(quote(t, text))))) },
		"json member": func(text string) string {
			return string(scrub.JSON(json.RawMessage(`{"a":[{"note":` + quote(t, text) + `}]}`)))
		},
		"json in json": func(text string) string {
			return string(scrub.JSON(json.RawMessage(`{"arguments":` + quote(t, `{"note":`+quote(t, text)+`}`) + `}`)))
		},
		"encoded as text": func(text string) string { return scrub.Text(`{"note":` + quote(t, text) + `}`) },
	}
}

func decode(t testing.TB, raw string) string {
	t.Helper()
	var text string
	require.NoError(t, json.Unmarshal([]byte(raw), &text))
	return text
}

func TestNoCredentialRemains(t *testing.T) {
	t.Parallel()
	require.Greater(t, len(secrets()), 60)
	for sink, clean := range sinks(t) {
		for _, p := range secrets() {
			got := clean(p.text)
			require.NotContains(t, got, p.secret, "%s as %s", p.class, sink)
			require.NotContains(t, got, p.secret[len(p.secret)/2:], "the second half of %s as %s", p.class, sink)
			require.Contains(t, got, scrub.Marker, "%s as %s", p.class, sink)
			require.LessOrEqual(t, strings.Count(got, scrub.Marker), 2, "%s as %s: %s", p.class, sink, got)
		}
	}
}

func TestWhatSurroundsACredentialStays(t *testing.T) {
	t.Parallel()
	for class, a := range assigned() {
		require.Equal(t, a[0]+scrub.Marker+a[2], scrub.Text(a[0]+a[1]+a[2]), class)
	}
	for class, v := range values() {
		got := scrub.Text("Please use " + v + ", it works.")
		require.True(t, strings.HasPrefix(got, "Please use ") && strings.HasSuffix(got, ", it works."), "%s: %s", class, got)
	}
}

func TestHarmlessTextStays(t *testing.T) {
	t.Parallel()
	require.Greater(t, len(harmless()), 60)
	for sink, clean := range sinks(t) {
		for _, text := range harmless() {
			require.NotContains(
				t,
				strings.ReplaceAll(clean(strings.ReplaceAll(text, scrub.Marker, "")), "[]", ""),
				scrub.Marker,
				"%q as %s",
				text,
				sink,
			)
		}
	}
	for _, text := range harmless() {
		require.Equal(t, text, scrub.Text(text))
		require.Empty(t, scrub.Paths(json.RawMessage(quote(t, text))))
		if json.Valid([]byte(text)) {
			require.Equal(t, text, string(scrub.JSON(json.RawMessage(text))))
			require.Empty(t, scrub.Paths(json.RawMessage(text)), text)
		}
	}
}

func TestScrubbingTwiceChangesNothingMore(t *testing.T) {
	t.Parallel()
	for _, p := range secrets() {
		once := scrub.Text(p.text)
		require.Equal(t, once, scrub.Text(once), p.class)
		raw := scrub.JSON(json.RawMessage(`{"note":` + quote(t, p.text) + `}`))
		require.Equal(t, string(raw), string(scrub.JSON(raw)), p.class)
	}
	for _, text := range []string{
		`password_hash = @password_hash=https://ada:p4ss@example.com/x\n`,
		"https://api.telegram.org/bot123456789:AAaB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zZ_/getMe=ada:hunter2Zx@unix(/run/mysqld.sock)/main",
		"x://a:-----BEGIN PRIVATE KEY-----\naB3dE5gH7jK9mN1pQ2rS\n-----END PRIVATE KEY-----://a:data:" + strings.Repeat("a/", 400),
	} {
		once := scrub.Text(text)
		require.Contains(t, once, scrub.Marker)
		require.Equal(t, once, scrub.Text(once), text)
	}
}

func TestAStreamAgreesWithTextWhereverItIsCut(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var all []string
	for _, p := range secrets() {
		all = append(all, p.text)
	}
	all = append(all, harmless()...)
	slices.Sort(all)
	for range 300 {
		var b strings.Builder
		for range 1 + random.IntN(5) {
			b.WriteString(all[random.IntN(len(all))])
			b.WriteString([]string{" ", "\n", "", ": ", `"`, "=", `\n`, "://a:", "@"}[random.IntN(9)])
		}
		text := b.String()
		require.Equal(t, scrub.Text(text), pieces(text, func(rest string) int { return 1 + random.IntN(min(9, len(rest))) }))
		require.Equal(t, scrub.Text(text), scrub.Text(scrub.Text(text)), "%q", text)
	}
}

// What a person waits for must not wait for more.
func TestProseFlows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, out string }{
		{"Hello", "Hello"},
		{"The password", "The password"},
		{"The password ", "The password"},
		{"my tokens: ", "my tokens: "},
		{"https://example.com/a", "https://example.com/a"},
		{"one, two", "one, two"},
		{"well-known", "well-known"},
		{"Please", "Please"},
		{"skill", "skill"},
		{"sk", ""},
		{"sk-", ""},
		{"a sk-learn", "a "},
		{"a sk-learn ", "a sk-learn "},
		{"password: hunt", "password"},
		{"Bearer abc", "Bearer"},
		{"https://host:80", "https://host:"},
		{"https://host:8080/", "https://host:8080/"},
		{"```go\nfunc main", "```go\nfunc main"},
	} {
		var s scrub.Stream
		require.Equal(t, c.out, s.Write(c.text), c.text)
		require.Equal(t, c.text, c.out+s.Close())
	}
	var s scrub.Stream
	held := 0
	for _, word := range strings.SplitAfter(strings.Repeat("The release went well, see https://example.com/notes for the tokens used: 4096 of them. ", 20), " ") {
		held = max(held, len(word)-len(s.Write(word)))
	}
	require.LessOrEqual(t, held, 0)
}

func TestJSONKeepsWhatItDoesNotReplace(t *testing.T) {
	t.Parallel()
	key := chars(mixed, 30)
	for in, want := range map[string]string{
		`{"z":1.50, "a":1e400,"apiKey":"` + key + `","b":12345678901234567890}`:   `{"z":1.50, "a":1e400,"apiKey":"[REDACTED]","b":12345678901234567890}`,
		`{"env":[{"name":"API_KEY","value":"abc"},{"name":"PORT","value":"80"}]}`: `{"env":[{"name":"API_KEY","value":"[REDACTED]"},{"name":"PORT","value":"80"}]}`,
		`{"pass\u0077ord":"x y"}`:                           `{"pass\u0077ord":"[REDACTED]"}`,
		`{"secrets":["a1","b2"],"tokens":["a"]}`:            `{"secrets":["[REDACTED]","[REDACTED]"],"tokens":["a"]}`,
		`{"credentials":{"user":"ada","pass":"hunter22Z"}}`: `{"credentials":{"user":"ada","pass":"[REDACTED]"}}`,
		`{"a":"{\"password\":\"x\",\"n\":1.0}"}`:            `{"a":"{\"password\":\"[REDACTED]\",\"n\":1.0}"}`,
		`{"password":1,"secret":true,"token":null}`:         `{"password":1,"secret":true,"token":null}`,
		` [ ] `:            ` [ ] `,
		`{`:                `{`,
		`{"password":"x y`: `{"password":"[REDACTED]`,
	} {
		require.Equal(t, want, string(scrub.JSON(json.RawMessage(in))))
	}
}

func TestPathsNameWhereCredentialsStand(t *testing.T) {
	t.Parallel()
	raw := `{"name":"x","headers":{"Authorization":"Basic abc","x-y":["a","Bearer ` + chars(
		mixed,
		20,
	) + `"]},"body":"{\"db\":{\"password\":\"p\"}}","odd key":{"secret":"s"}}`
	require.Equal(
		t,
		[]string{"headers.Authorization", "headers.x-y[1]", "body.db.password", `["odd key"].secret`},
		scrub.Paths(json.RawMessage(raw)),
	)
	require.Empty(t, scrub.Paths(scrub.JSON(json.RawMessage(raw))))
}

func TestKeysAreKnownInEveryStyle(t *testing.T) {
	t.Parallel()
	for _, key := range []string{
		"apiKey", "api_key", "api-key", "API_KEY", "x-api-key", "X-API-Key", "APIKey", "openaiApiKey", "secret", "SECRET", "password", "Password", "dbPassword",
		"DB_PASSWD", "authorization", "Proxy-Authorization", "auth-token", "authToken", "accessToken", "access_token", "refresh-token", "bearer", "privateKey",
		"private_key", "client-secret", "clientSecret", "CLIENT_SECRET", "credential", "credentials", "connectionString", "connection_string", "ConnectionStrings.password",
		"AWS_SECRET_ACCESS_KEY", "aws_session_token", "pwd", "smtp_pass", "passphrase", "jwt", "signingKey", "webhookSecret", "bot_token", "password2", "passwordHash", "clientSecretValue",
	} {
		require.True(t, scrub.Value(key, "abcdef12"), key)
	}
	for _, key := range []string{
		"tokens", "inputTokens", "output_tokens", "tokenBudget", "maxTokens", "secretName", "passwordPolicy", "hasPassword", "publicKey", "key", "keys", "name",
		"tokenType", "nextPageToken", "page_token", "passed", "bypass", "compass", "author", "authors", "authorized", "secretary", "privateKeyId", "apiKeyPrefix", "id", "",
	} {
		require.False(t, scrub.Value(key, "abcdef12"), key)
	}
}

// Large inputs take time in proportion to their size, also hostile ones.
func TestLargeInputsAreFast(t *testing.T) {
	t.Parallel()
	const size = 240 << 10
	for _, part := range []string{"a", " ", `\`, `"`, "-", "sk-", "eyJ", "password=", "password: ", `password:"`, "://a:", "-----BEGIN ", "Bearer ", `{"password":`, "token,", "-----BEGIN PRIVATE KEY-----", "password=a,", "password:'\\"} {
		text := strings.Repeat(part, size/len(part))
		began := time.Now()
		scrub.Text(text)
		pieces(text, every(7))
		// It takes some ten milliseconds on a quiet machine. Work that grows with the square of the text would take minutes.
		require.Less(t, time.Since(began), 30*time.Second, part)
	}
}

func BenchmarkText(b *testing.B) {
	var text strings.Builder
	for text.Len() < 240<<10 {
		text.WriteString("The release of the payments API went well, see https://example.com/notes. Tokens used: 4096; password: ")
		text.WriteString("hun" + "ter2x" + " and key sk" + "-" + chars(mixed, 40) + `. {"a":1,"note":"nothing \"here\""}` + "\n")
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		scrub.Text(text.String())
	}
}

func BenchmarkJSON(b *testing.B) {
	raw := json.RawMessage(
		`[` + strings.TrimSuffix(
			strings.Repeat(`{"id":"0199aa00-0000-7000-8000-000000000001","note":"The release went well","password":"x"},`, 2500),
			",",
		) + `]`,
	)
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		scrub.JSON(raw)
	}
}

func seeds(f *testing.F) {
	f.Helper()
	for _, p := range secrets() {
		f.Add(p.text, uint8(len(p.text)))
	}
	for _, text := range harmless() {
		f.Add(text, uint8(3))
	}
}

func FuzzTextAndStreamAgree(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		once := scrub.Text(text)
		if twice := scrub.Text(once); twice != once {
			t.Fatalf("%q became %q and then %q", text, once, twice)
		}
		if streamed := pieces(text, every(int(n)%40+1)); streamed != once {
			t.Fatalf("%q became %q in a stream and %q at once", text, streamed, once)
		}
	})
}

func FuzzJSON(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string, _ uint8) {
		for _, raw := range []string{text, `{"password":` + text + `}`} {
			once := scrub.JSON(json.RawMessage(raw))
			if json.Valid([]byte(raw)) && !json.Valid(once) {
				t.Fatal(errors.New("valid JSON became invalid"), raw, string(once))
			}
			if twice := scrub.JSON(once); string(twice) != string(once) {
				t.Fatalf("%q became %q and then %q", raw, once, twice)
			}
			if paths := scrub.Paths(json.RawMessage(raw)); (len(paths) > 0) != (string(once) != raw) {
				t.Fatalf("%q has paths %q and became %q", raw, paths, once)
			}
		}
	})
}

func TestJSONStaysJSONWithoutNumericPasswords(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"password": 4711, "port":5432}`:                       `{"password": "[REDACTED]", "port":5432}`,
		`{"passwords":[4711,12]}`:                               `{"passwords":["[REDACTED]",12]}`,
		`{"name":"DB_PASSWORD","value":12345678}`:               `{"name":"DB_PASSWORD","value":"[REDACTED]"}`,
		`{"apiKey":123456,"token":123456}`:                      `{"apiKey":"[REDACTED]","token":123456}`,
		`{"password":{"minLength":1024},"passwordLength":4096}`: `{"password":{"minLength":1024},"passwordLength":4096}`,
		`{"cookie":true,"cookies":3,"password":null}`:           `{"cookie":true,"cookies":3,"password":null}`,
		`{"cookie":"countersign_session","dsn":"required"}`:     `{"cookie":"countersign_session","dsn":"required"}`,
	} {
		got := string(scrub.JSON(json.RawMessage(in)))
		require.Equal(t, want, got)
		require.Equal(t, got, string(scrub.JSON(json.RawMessage(got))), "twice")
		require.Equal(t, got != in, len(scrub.Paths(json.RawMessage(in))) > 0)
	}
}
