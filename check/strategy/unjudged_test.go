package strategy_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/strategy"
)

// judging are the collectors that fail by themselves when what they find is not good.
var judging = map[string]string{
	"healthcheck-tls.certificate":      "an invalid certificate, or one that expires soon",
	"healthcheck-dns.lookup":           "a name without records",
	"healthcheck-domain.registration":  "a registration that ends soon",
	"healthcheck-grpc.health":          "a service that is not SERVING",
	"healthcheck-smtp.session":         "a session that is not ready",
	"healthcheck-docker.container":     "a container that does not run, or is unhealthy",
	"healthcheck-mqtt.connection":      "a broker that does not accept it",
	"healthcheck-mqtt.message":         "a message that does not come",
	"healthcheck-websocket.exchange":   "a message that does not come",
	"healthcheck-tcp.connection":       "a port that takes no connection",
	"healthcheck-heartbeat.beat":       "a job that does not call, or has failed",
	"healthcheck-script.inline-script": "a script that does not succeed",
	"healthcheck-script.execute":       "an exit code that means failure",
	"healthcheck-ssh.command":          "an exit code that means failure",
}

// A collector judges what it finds, has assertions by default, or needs some: no value passes because nobody thought of it.
func TestNoValuePassesByDefault(t *testing.T) {
	t.Parallel()
	registry, err := check.NewRegistry(strategy.All()...)
	require.NoError(t, err)
	for _, s := range strategy.All() {
		for _, c := range s.Collectors {
			ways := 0
			for _, has := range []bool{judging[c.ID] != "", len(c.Defaults) > 0, c.Unjudged != nil} {
				if has {
					ways++
				}
			}
			require.Equal(t, 1, ways, "%s judges (name what it fails for), has Defaults or is Unjudged", c.ID)
			assertions := c.Defaults
			if u := c.Unjudged; u != nil {
				assertions = append(assertions, u.Example)
			}
			issues := messages(t, registry, probe{strategy: s.ID, collector: c.ID, asserted: assertions})
			require.NotContains(t, issues, "assertions", c.ID)
		}
	}
}

func TestAConfigThatOnlyAsksForAnAnswer(t *testing.T) {
	t.Parallel()
	kinds := map[string]*check.Unjudged{}
	for _, s := range strategy.All() {
		for _, c := range s.Collectors {
			kinds[c.ID] = c.Unjudged
		}
	}
	for _, c := range []struct {
		kind, config string
		passes       bool
	}{
		{"healthcheck-prometheus.query", `{"query": "up"}`, true},
		{"healthcheck-snmp.get", `{"oid": "1.3.6.1.2.1.1.3.0"}`, true},
		{"healthcheck-postgres.query", `{}`, false},
		{"healthcheck-postgres.query", `{"query": "select  1 ;\n"}`, false},
		{"healthcheck-postgres.query", `{"query": "SELECT 10"}`, true},
		{"healthcheck-mysql.query", `{"query": "SELECT count(*) FROM jobs"}`, true},
		{"healthcheck-redis.command", `{"command": "PING"}`, false},
		{"healthcheck-redis.command", `{"command": "LLEN", "args": ["jobs"]}`, true},
		{"healthcheck-mongodb.command", `{"command": "ping"}`, false},
		{"healthcheck-mongodb.command", `{"command": "replSetGetStatus"}`, true},
		{"healthcheck-http.request", `{}`, false},
	} {
		require.Equal(t, c.passes, kinds[c.kind].Passes(json.RawMessage(c.config)), "%s %s", c.kind, c.config)
	}
}
