package scrub_test

import (
	"encoding/base64"
	"strings"
)

// The payloads are put together when the tests run: no text in the repository looks like a real credential.

const (
	hexes = "0123456789abcdef"
	mixed = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zZ"
)

func chars(alphabet string, n int) string {
	return strings.Repeat(alphabet, n/len(alphabet)+1)[:n]
}

func b64(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

// secretPayload is a text and the part of it that must not remain.
type secretPayload struct {
	class  string
	text   string
	secret string
}

func webToken() string {
	return b64(`{"alg":"HS256","typ":"JWT"}`) + "." + b64(`{"sub":"1234567890","name":"Ada"}`) + "." + chars(mixed, 43)
}

func pem(kind string) string {
	return "-----BEGIN " + kind + "PRIVATE KEY-----\n" + chars(
		mixed+"+/",
		64,
	) + "\n" + chars(
		"Zz9/"+mixed,
		40,
	) + "==\n-----END " + kind + "PRIVATE KEY-----"
}

// values are credentials that are known by their own form.
func values() map[string]string {
	m := func(prefix string, n int) string { return prefix + chars(mixed, n) }
	return map[string]string{
		"provider key":         m("sk"+"-", 48),
		"provider project key": m("sk-"+"proj-", 60),
		"provider service key": m("sk-"+"ant-api03-", 80),
		"restricted key":       m("rk"+"-", 40),
		"groq":                 m("gs"+"k_", 52),
		"google":               m("AI"+"za", 35),
		"hugging face":         m("h"+"f_", 34),
		"xai":                  m("xa"+"i-", 60),
		"perplexity":           m("pp"+"lx-", 48),
		"nvidia":               m("nva"+"pi-", 60),
		"aws id":               "AK" + "IA" + chars("ABCDEFGH23456789", 16),
		"aws session id":       "AS" + "IA" + chars("ZYXWVUTS98765432", 16),
		"google oauth":         m("ya2"+"9.", 60),
		"google client secret": m("GOC"+"SPX-", 28),
		"digital ocean":        "dop" + "_v1_" + chars(hexes, 64),
		"vault":                m("hv"+"s.", 40),
		"databricks":           "da" + "pi" + chars(hexes, 32),
		"github":               m("gh"+"p_", 36),
		"github oauth":         m("gh"+"o_", 36),
		"github user":          m("gh"+"u_", 36),
		"github server":        m("gh"+"s_", 36),
		"github refresh":       m("gh"+"r_", 76),
		"github fine":          m("github"+"_pat_", 82),
		"gitlab":               m("gl"+"pat-", 20),
		"npm":                  m("np"+"m_", 36),
		"pypi":                 m("py"+"pi-AgEIcHlwaS5vcmc", 80),
		"docker":               m("dckr"+"_pat_", 27),
		"slack bot":            "xo" + "xb-123456789012-1234567890123-" + chars(mixed, 24),
		"slack user":           "xo" + "xp-123456789012-" + chars(mixed, 30),
		"slack app":            m("xa"+"pp-1-A012-", 60),
		"slack hook":           "https://hooks.slack" + ".com/services/T0AAAAAAA/B0AAAAAAA/" + chars(mixed, 24),
		"stripe": m(
			"sk"+"_live_",
			24,
		),
		"stripe restricted": m("rk"+"_test_", 24),
		"stripe hook":       m("wh"+"sec_", 32),
		"sendgrid":          m("S"+"G.", 22) + "." + chars(mixed, 43),
		"jwt":               webToken(),
		"pem":               pem("RSA "),
		"pem pkcs8":         pem(""),
		"pem openssh":       pem("OPENSSH "),
		"api token": m(
			"cs"+"a_",
			43,
		),
		"delegation":     m("cs"+"d_", 120),
		"proposal token": "pro" + "pose:0199aa00-0000-7000-8000-000000000001." + chars(hexes, 64),
	}
}

// assigned are credentials that are known by the key they stand under: the text before, the credential, the text after.
func assigned() map[string][3]string {
	word := "hun" + "ter2" + "Zx"
	long := chars(mixed, 40)
	return map[string][3]string{
		"env":               {"export DB_PASSWORD=", word, " && run"},
		"env quoted":        {`API_KEY="`, long, `"`},
		"yaml":              {"db:\n  password: ", word, "\n  port: 5432"},
		"prose":             {"The password: ", word, " and no more."},
		"prose with spaces": {"My API key: ", long, ", thanks"},
		"markdown":          {"**Password:** ", word, ""},
		"backticks":         {"password: `", word, "`"},
		"json":              {`{"apiKey":"`, "abc", `","n":1}`},
		"json with spaces":  {`{ "client-secret" : "`, "p w", `" }`},
		"json in json":      {`{"arguments":"{\"refresh_token\":\"`, long, `\"}"}`},
		"json thrice":       {`"{\"a\":\"{\\\"privateKey\\\":\\\"`, word, `\\\"}\"}"`},
		"single quotes":     {"{'x-api-key': '", long, "'}"},
		"code":              {`headers["X-Api-Key"] = "`, long, `";`},
		"header":            {"Authorization: Bearer ", long, "\nAccept: */*"},
		"basic header":      {"Authorization: Basic ", b64("ada:" + word), "\n"},
		"token header":      {"authorization: token ", long, "\n"},
		"curl":              {`curl -H "Authorization: Bearer `, long, `" https://example.com`},
		"bearer in prose":   {"It was sent as Bearer ", long, "."},
		"basic in prose":    {"use Basic ", b64("ada:" + word), " for it"},
		"cookie":            {"Cookie: ", "countersign_session=" + long + "abc", "\n"},
		"own cookie":        {"__Host-countersign=", long + "abc", "; Path=/"},
		"query":             {"https://example.com/cb?access_token=", long, "&state=1"},
		"sas":               {"https://a.blob.core.windows.net/c?sv=2024-01-01&sig=", chars(mixed, 40) + "%3D", "&se=1"},
		"azure storage": {
			"DefaultEndpointsProtocol=https;AccountName=x;AccountKey=",
			chars(mixed, 80) + "==",
			";EndpointSuffix=core.windows.net",
		},
		"azure bus":          {"Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=", chars(mixed, 43) + "=", ""},
		"ado":                {"Server=db;User Id=ada;Password=", word, ";Encrypt=true"},
		"aws secret":         {"aws_secret_access_key = ", chars(mixed+"/+", 40), "\n"},
		"aws in json":        {`{"SecretAccessKey": "`, chars(mixed+"/+", 40), `"}`},
		"postgres":           {"postgres://ada:", word, "@db.example.com:5432/main?sslmode=require"},
		"redis":              {"redis://:", word, "@cache:6379"},
		"url with signs":     {"https://ada:", "p@ss!w:rd", "@example.com/x"},
		"url with a slash":   {"mongodb+srv://ada:", "pa/ss?word1", "@example.com/x"},
		"amqp in json":       {`{"broker":"amqps://ada:`, word, `@mq/v"}`},
		"option":             {"mysql --password ", word, " -u root"},
		"option with equals": {"mysql --password=", word, " -u root"},
		"xml":                {"<user>ada</user><password>", word, "</password>"},
		"properties":         {"spring.datasource.password=", word, "\n"},
		"passphrase":         {`{"passphrase":"`, "correct horse battery staple", `"}`},
		"service account": {
			`{"type":"service_account","private_key":"`,
			"-----BEGIN PRIV" + "ATE KEY-----\\n" + long + "\\n-----END PRIV" + "ATE KEY-----\\n",
			`"}`,
		},
		"unfinished key":      {"it says ", "-----BEGIN RSA PRIV" + "ATE KEY-----\n" + long, ""},
		"npmrc":               {"//registry.example.com/:_authToken=", long, "\n"},
		"hcl":                 {`secret = "`, word, `"`},
		"go":                  {`password := "`, word, `"`},
		"ruby":                {`:password => "`, word, `"`},
		"url user":            {"https://x-access-token:", chars(mixed, 30), "@git.example.com/a.git"},
		"connection string":   {`{"connectionString":"`, "Host=db;Port=1", `"}`},
		"list":                {`Sent {"apiKey":["`, word, `"]} to it`},
		"list in code":        {"{'tokens': 1, 'access_token': ['", long, "']}"},
		"list with spaces":    {"use {\"passwords\" : [ \"required\", \n \"", "a b c", "\" ] } now"},
		"list in a string":    {`it was "{\"apiKey\":[\"`, word, `\"]}" then`},
		"number":              {`{"password": `, "4711", `, "port": 5432}`},
		"number in a string":  {`{"arguments":"{\"db_password\":`, "12345678", `}"}`},
		"number of a key":     {`{"apiKey":`, "123456789", `}`},
		"number in prose":     {`It sends {"password": `, "4711", `} there`},
		"cookie in json":      {`{"cookie":"`, "deadbeef0123cafe", `"}`},
		"set-cookie in json":  {`{"set-cookie":"`, "sid=deadbeef; Path=/", `"}`},
		"set-cookie list":     {`{"headers":{"Set-Cookie":["`, "sid=" + long, `"]}}`},
		"cookies in json":     {`{"cookies":{"sid":"`, "deadbeef0123cafe", `"}}`},
		"cookies in prose":    {`With {"cookies":{"sid":"`, "deadbeef0123cafe", `"}} it works`},
		"dsn in json":         {`{"dsn":"`, "scott/tiger@db", `"}`},
		"sentry dsn":          {`{"sentryDsn":"`, "https://" + chars(hexes, 32) + "@o1.ingest.example.com/2", `"}`},
		"sentry dsn in env":   {"SENTRY_DSN=", "https://" + chars(hexes, 32) + "@o1.ingest.example.com/2", "\n"},
		"nested":              {`With {"credentials":{"user":"ada","pw":"`, "x-y", `"}} it works`},
		"nested by place":     {`With {"credentials":{"login":{"user":"ada","q":"`, word, `"}}} it works`},
		"list in a nested":    {`With {"credentials":{"codes":["`, word, `"]}} it works`},
		"pw":                  {"pw: ", word, " is it"},
		"pw of a database":    {"db-pw=", "my-db-pass-1", " is it"},
		"pw with dashes":      {"pw: ", "my-db-pass-1", " is it"},
		"option of one dash":  {"plink -pw ", word, " ada@host"},
		"option pw":           {"tool --pw ", "my-db-pass-1", " ada@host"},
		"dsn":                 {"dsn is bob:", "pw", "@tcp(db)/x"},
		"dsn with a port":     {`open("ada:`, "p@ss:w/rd", `@tcp(db.example.com:3306)/main?parseTime=true")`},
		"dsn of a socket":     {"ada:", word, "@unix(/run/mysqld.sock)/main"},
		"telegram":            {"the bot is 123456789:", "AA" + chars(mixed+"_-", 33), " there"},
		"telegram url":        {"https://api.telegram.org/bot123456789:", "AA" + chars(mixed+"_-", 33), "/getMe"},
		"key in a path":       {"https://example.com/keys/", "sk" + "-" + chars(mixed, 40), "/use"},
		"after an escape":     {`line one\n`, "sk" + "-" + long, `\nline two`},
		"after a unicode one": {`\u003c`, "gh" + "p_" + chars(mixed, 36), `\u003e`},
	}
}

func secrets() []secretPayload {
	var all []secretPayload
	for class, v := range values() {
		all = append(all,
			secretPayload{class, v, v},
			secretPayload{class + " in a sentence", "Please use " + v + ", it works.", v},
			secretPayload{class + " in quotes", `{"note":"` + strings.ReplaceAll(v, "\n", `\n`) + `"}`, strings.ReplaceAll(v, "\n", `\n`)},
		)
	}
	for class, a := range assigned() {
		all = append(all, secretPayload{class, a[0] + a[1] + a[2], a[1]})
	}
	return all
}

// harmless are texts that stay as they are.
func harmless() []string {
	return append(harmlessProse(), harmlessData()...)
}

func harmlessProse() []string {
	return []string{
		"",
		"Hello",
		"Hello, what can you do?",
		"The token expired yesterday.",
		"Please reset my password.",
		"Password: required",
		"password: at least 12 characters",
		"The password must have 8-64 characters.",
		"token: optional",
		"Enter your API key: it is shown once.",
		"Authorization: only administrators may do that.",
		"Use bearer authentication for the API.",
		"Bearer authorization is supported.",
		"basic authentication is off",
		"The secret is to practise.",
		"secret: see the wiki",
		"A task-based risk-averse desk-top sk-learn model.",
		"sk-toggleable__label-arrow",
		"The class is sk-estimator-doc-link and no key.",
		"The tokens: 4096",
		"maxTokens: 8192, tokenBudget=120000",
		"inputTokens=123456 outputTokens=98765",
		"script: tokens=5000 delay_token=10ms delay_token=1000ms",
		"password=<password>",
		"password=${DB_PASSWORD}",
		"export TOKEN=$TOKEN",
		"API_KEY={{ secrets.API_KEY }}",
		"password: ********",
		"api_key=...",
		"password=xxxxxxxx",
		"password = getPassword(user)",
		"token = request.headers.get(name)",
		"apiKey: process.env.OPENAI_API_KEY",
		"if password == other { return }",
		"password=password",
		"next page token: abc123def456",
		"secretName: db-credentials",
		"secret: db-credentials-v2",
		"passwordPolicy: strong12",
		"Unexpected token: foo123 in JSON",
		"The API key: KEY",
		"See RFC 6750, section 2.1.",
		"hashed with SHA-256: fine",
		"password hashing: argon2id",
		"Password: SHA-256",
		"my password: yes",
		"propose: a new name",
		"propose:later",
		"npm_config_cache",
		"hf_hub_download is a function",
		"github_pat_ tokens start so",
		"AKIA is a prefix",
		"eyJ is how they begin",
		"xoxb- tokens are for bots",
		"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
		"-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
		"a - b -- c --- d",
		`a path C:\new\table`,
		"ssh-rsa AAAAB3NzaC1yc2E ada@host",
		`r.Header.Set("Authorization", "Bearer "+token)`,
		`"OPENAI_API_KEY="+key, x`,
		`map[string]any{"token": tokens[0].Text}`,
		"SET password_hash = @password_hash",
		"WHERE token = $1 AND secret = ?",
		`cmd.Credential = &syscall.Credential{Uid: 1}`,
		`fetch(path, { credentials: "same-origin" })`,
		"authorization: `Bearer ${token}`",
		"postgres://${USER}:${POSTGRES_PASSWORD:-countersign1}@db/x",
		`"apiKey": "'"$OPENAI_API_KEY"'"`,
		"postgres://user:password@host:5432/db",
	}
}

func harmlessData() []string {
	return []string{
		"550e8400-e29b-41d4-a716-446655440000",
		"commit 3b18e512dba79e4c8300dd08aeb37f8e728b8dad",
		"sha256:" + chars(hexes, 64),
		chars(hexes, 64),
		"data:image/png;base64," + chars("iVBORw0KGgoAAAANSUhEUgAA/+"+mixed, 4000),
		`{"id":"0199aa00-0000-7000-8000-000000000001"}`,
		`{"tokens":123,"inputTokens":5,"tokenBudget":"100000 per day"}`,
		`{"hasPassword":true,"password":null,"token":5}`,
		`{"hasPassword":"yes, since 2024"}`,
		`{"secretName":"db-credentials","passwordPolicy":"min12chars"}`,
		`{"password":{"type":"string","description":"The password, 8 to 64 characters."}}`,
		`{"type":"object","required":["password","token"],"properties":{"apiKey":{"type":"string"}}}`,
		`{"password":"required"}`,
		`{"format":"password"}`,
		`{"token":"the","logprob":-0.1}`,
		`{"n":1.0,"m":1e400,"k":12345678901234567890}`,
		`{"nextPageToken":"CAUQAA1234567890"}`,
		`{"password":"[REDACTED]"}`,
		`{"apiKeyId":"0199aa00-0000-7000-8000-000000000001"}`,
		`{"tokenType":"opaque","scope":"read write"}`,
		"https://example.com/path?page=2&sort=name",
		"http://localhost:8080/x@y",
		"http://[::1]:8080/",
		"https://example.com:443",
		"see http://a.example:3000, ada@example.com",
		"https://registry.example.com:4873/@scope/pkg",
		"postgres://localhost:5432/main",
		"postgres://ada@db/main",
		"postgres://ada:@db/main",
		"postgres://ada:<password>@db/main",
		"postgres://ada:${PASSWORD}@db/main",
		"postgres://ada:[REDACTED]@db/main",
		"mailto:ada@example.com",
		"2026-01-02T03:04:05.678Z",
		"trace-id: 4bf92f3577b34da6a3ce929d0e0e4736",
		"version: v1.22.333-rc.1",
		"etag: \"33a64df551425fcc55e4d42a148795d9f25f89d4\"",
		"If-Match: \"7\"",
		b64("just some text that is long enough to matter"),
		b64(
			`{"name":"value"}`,
		) + "." + b64(
			"no header",
		),
		"arn:aws:iam::123456789012:role/name",
		"C0FFEE-1234-5678",
		"10.0.0.1:5432",
		"sessionId=550e8400-e29b-41d4-a716-446655440000",
		"https://shop.example.com/sk-checkout-flow-12345678",
		"GET /pages/sk-checkout-flow-12345678/edit",
		"see /rk-release-notes-2026-11-22-final",
		"note:ada@tcp.example.com",
		"12345678:abc",
		"at 12:30:AAA",
		"map: a:b@tcp",
		"123456789:" + chars(hexes, 40),
		`{"secrets":["required"],"credentials":{"type":"string","items":["ada"]}}`,
		`Send {"credentials":{"userId":"u1234567x","url":"https://a1.example"}} to it`,
		`{"items":["hunter2Zx"],"list":{"q":"hunter2Zx"}} is fine`,
		`"credentials": see the wiki. {"q":"hunter2Zx"}`,
		"5 pW and 3 pw of power",
		"signature: func(a int) error",
		"Проверьте пароль и попробуйте снова",
		"パスワードを忘れました",
		"mot de passe oublié ?",
	}
}
