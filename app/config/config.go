// Package config is the product's configuration: environment variables, read once at start into one struct. A variable
// NAME can also be given as NAME_FILE, the path of a file with its value, as container secrets are mounted.
package config

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"

	"countersign/auth/password"
)

// Config is every setting. The env tags are the documentation's table of names and defaults.
type Config struct {
	DatabaseURL      string `env:"DATABASE_URL"`
	DatabaseMaxConns int32  `env:"COUNTERSIGN_DATABASE_MAX_CONNS" envDefault:"24"`
	// Timeouts of a statement, of a lock, and of a connection from the pool.
	DatabaseStatementTimeout time.Duration `env:"COUNTERSIGN_DATABASE_STATEMENT_TIMEOUT" envDefault:"30s"`
	DatabaseLockTimeout      time.Duration `env:"COUNTERSIGN_DATABASE_LOCK_TIMEOUT" envDefault:"15s"`
	DatabaseAcquireTimeout   time.Duration `env:"COUNTERSIGN_DATABASE_ACQUIRE_TIMEOUT" envDefault:"15s"`
	// DatabaseRole is the role of the processes after the migration; their login when empty.
	DatabaseRole string `env:"COUNTERSIGN_DATABASE_ROLE" envDefault:"countersign_app"`

	TemporalAddress   string `env:"TEMPORAL_ADDRESS" envDefault:"127.0.0.1:7233"`
	TemporalNamespace string `env:"TEMPORAL_NAMESPACE" envDefault:"default"`
	TemporalUIURL     string `env:"TEMPORAL_UI_URL"`
	// TemporalTLS encrypts the connection to Temporal. The settings below imply it.
	TemporalTLS        bool   `env:"TEMPORAL_TLS"`
	TemporalServerName string `env:"TEMPORAL_TLS_SERVER_NAME"`
	// TemporalCA, TemporalCert and TemporalKey are paths of PEM files.
	TemporalCA   string `env:"TEMPORAL_TLS_SERVER_CA_CERT_PATH"`
	TemporalCert string `env:"TEMPORAL_TLS_CLIENT_CERT_PATH"`
	TemporalKey  string `env:"TEMPORAL_TLS_CLIENT_KEY_PATH"`
	// TemporalAPIKey is sent with every request to Temporal.
	TemporalAPIKey string `env:"TEMPORAL_API_KEY"`
	// TemporalRegister registers the product's search attributes at start; otherwise an operator does.
	TemporalRegister bool `env:"COUNTERSIGN_TEMPORAL_REGISTER_ATTRIBUTES" envDefault:"true"`
	// TemporalEncryption encrypts workflow payloads in Temporal.
	TemporalEncryption bool `env:"COUNTERSIGN_TEMPORAL_ENCRYPTION"`
	// QueuePrefix separates installations that share a Temporal namespace.
	QueuePrefix string `env:"COUNTERSIGN_QUEUE_PREFIX"`

	Host string `env:"COUNTERSIGN_HOST" envDefault:"127.0.0.1"`
	Port int    `env:"PORT" envDefault:"8080"`
	// URL is the public address of the product, without a trailing slash; http://localhost:PORT when empty.
	URL            string   `env:"COUNTERSIGN_URL"`
	TrustedOrigins []string `env:"COUNTERSIGN_TRUSTED_ORIGINS"`
	// OIDC is the identity provider for sign-in; none when the issuer is empty.
	OIDC OIDC `envPrefix:"COUNTERSIGN_OIDC_"`
	// AllowedHosts are accepted Host headers beside localhost, IP addresses and the host of URL.
	AllowedHosts []string `env:"COUNTERSIGN_ALLOWED_HOSTS"`
	TrustProxy   bool     `env:"COUNTERSIGN_TRUST_PROXY"`
	// TrustedProxies are addresses and networks of reverse proxies.
	TrustedProxies []string `env:"COUNTERSIGN_TRUSTED_PROXIES"`
	// MaxConnections and MaxConnectionsPerAddress bound the open connections of a process.
	MaxConnections           int `env:"COUNTERSIGN_MAX_CONNECTIONS" envDefault:"8192"`
	MaxConnectionsPerAddress int `env:"COUNTERSIGN_MAX_CONNECTIONS_PER_ADDRESS" envDefault:"1024"`
	// BodyTimeout bounds how long a request body may stall or fall behind its minimum transfer rate.
	BodyTimeout time.Duration `env:"COUNTERSIGN_BODY_TIMEOUT" envDefault:"20s"`
	// MetricsToken is the bearer token of /metrics; without one only this machine and private networks are served.
	MetricsToken string `env:"COUNTERSIGN_METRICS_TOKEN"`

	// Data is the folder for credentials.json and keyset.json.
	Data   string `env:"COUNTERSIGN_DATA" envDefault:".data"`
	Keyset string `env:"COUNTERSIGN_KEYSET"`
	// Cache is the folder for compiled script engines; engines in Data when empty.
	Cache string `env:"COUNTERSIGN_CACHE"`

	LogLevel  string `env:"COUNTERSIGN_LOG_LEVEL" envDefault:"info"`
	LogFormat string `env:"COUNTERSIGN_LOG_FORMAT" envDefault:"text"`

	MaxSteps         int           `env:"COUNTERSIGN_MAX_STEPS" envDefault:"16"`
	ToolBudgetCalls  int           `env:"COUNTERSIGN_TOOL_BUDGET_CALLS" envDefault:"60"`
	ToolBudgetWindow time.Duration `env:"COUNTERSIGN_TOOL_BUDGET_WINDOW" envDefault:"60s"`
	// Limits of one person or application over all processes.
	MaxRunningTurns  int           `env:"COUNTERSIGN_MAX_RUNNING_TURNS" envDefault:"10"`
	MaxOpenStreams   int           `env:"COUNTERSIGN_MAX_OPEN_STREAMS" envDefault:"40"`
	MaxRunningProbes int           `env:"COUNTERSIGN_MAX_RUNNING_PROBES" envDefault:"5"`
	MCPLists         int           `env:"COUNTERSIGN_MCP_LISTS" envDefault:"120"`
	MaxConversations int           `env:"COUNTERSIGN_MAX_CONVERSATIONS" envDefault:"5000"`
	MaxWaiting       int           `env:"COUNTERSIGN_MAX_WAITING_PROPOSALS" envDefault:"200"`
	StreamHeartbeat  time.Duration `env:"COUNTERSIGN_STREAM_HEARTBEAT" envDefault:"15s"`
	ProposalTTL      time.Duration `env:"COUNTERSIGN_PROPOSAL_TTL" envDefault:"10m"`
	SecondPersonTTL  time.Duration `env:"COUNTERSIGN_SECOND_PERSON_TTL" envDefault:"24h"`
	StreamFlush      time.Duration `env:"COUNTERSIGN_STREAM_FLUSH" envDefault:"25ms"`
	TurnTaskTimeout  time.Duration `env:"COUNTERSIGN_TURN_TASK_TIMEOUT" envDefault:"5s"`
	ModelStall       time.Duration `env:"COUNTERSIGN_MODEL_STALL_TIMEOUT" envDefault:"60s"`
	DrainTimeout     time.Duration `env:"COUNTERSIGN_DRAIN_TIMEOUT" envDefault:"15s"`
	// DrainDelay is the part of the drain timeout in which a process reports not ready but still serves.
	DrainDelay time.Duration `env:"COUNTERSIGN_DRAIN_DELAY" envDefault:"0s"`
	// WorkerQueues are the queues of this process's workers: any of turns, exec and checks.
	WorkerQueues []string `env:"COUNTERSIGN_WORKER_QUEUES" envDefault:"turns,exec,checks"`
	// CheckShards is the number of shards of check targets, and so the maximum number of processes that share them.
	CheckShards int `env:"COUNTERSIGN_CHECK_SHARDS" envDefault:"8"`
	// CheckMaxInFlight, CheckMaxSlow and CheckMaxPerHost bound the concurrent check runs of a process.
	CheckMaxInFlight int `env:"COUNTERSIGN_CHECK_MAX_IN_FLIGHT" envDefault:"4096"`
	CheckMaxSlow     int `env:"COUNTERSIGN_CHECK_MAX_SLOW" envDefault:"3072"`
	CheckMaxPerHost  int `env:"COUNTERSIGN_CHECK_MAX_PER_HOST" envDefault:"256"`
	// ProbeLocation names the location of a process with the role probe, and ProbeLabels describe it: cloud=ours,region=eu.
	ProbeLocation string            `env:"COUNTERSIGN_PROBE_LOCATION"`
	ProbeLabels   map[string]string `env:"COUNTERSIGN_PROBE_LABELS" envKeyValSeparator:"="`
	// ExecSlots bounds the concurrently computing scripts; 0 means the number of CPUs.
	ExecSlots int `env:"COUNTERSIGN_EXEC_SLOTS" envDefault:"0"`
	// EgressAllow opens blocked address ranges to the URL probe, such as 10.1.0.0/16.
	EgressAllow string `env:"COUNTERSIGN_EGRESS_ALLOW"`
	// CheckEgressAllow opens blocked addresses to health checks, such as this machine; CheckEgressDeny blocks open ones
	// and takes precedence.
	CheckEgressAllow string `env:"COUNTERSIGN_CHECK_EGRESS_ALLOW"`
	CheckEgressDeny  string `env:"COUNTERSIGN_CHECK_EGRESS_DENY"`
	// CheckDockerSockets are the sockets of Docker that health checks may use, by the names that checks have for them.
	CheckDockerSockets map[string]string `env:"COUNTERSIGN_CHECK_DOCKER_SOCKETS" envKeyValSeparator:"="`
	// RDAPBootstrap is the list of RDAP servers for health checks of domains.
	RDAPBootstrap string `env:"COUNTERSIGN_RDAP_BOOTSTRAP" envDefault:"https://data.iana.org/rdap/dns.json"`
	// EgressOwn are the installation's servers that checks, tools and scripts may reach: any of api, database and
	// temporal.
	EgressOwn []string `env:"COUNTERSIGN_EGRESS_OWN"`
	// OwnAddresses are further servers of the installation, as host:port, which they can never reach.
	OwnAddresses []string `env:"COUNTERSIGN_OWN_ADDRESSES"`
	// WatchAuthors makes auto mode ask once a conversation contains record text of a less-privileged author.
	WatchAuthors bool `env:"COUNTERSIGN_WATCH_AUTHORS" envDefault:"true"`

	// V1 and AGUI configure the turns of OpenAI protocol clients and of agent user interfaces.
	V1   Client `envPrefix:"COUNTERSIGN_V1_"`
	AGUI Client `envPrefix:"COUNTERSIGN_AGUI_"`

	// Settings of the connection that the first start creates.
	OpenAIBaseURL string `env:"OPENAI_BASE_URL"`
	OpenAIKey     string `env:"OPENAI_API_KEY"`
	OpenAIModel   string `env:"OPENAI_MODEL"`

	DemoFirstDelay time.Duration `env:"COUNTERSIGN_DEMO_FIRST_DELAY" envDefault:"150ms"`
	DemoTokenDelay time.Duration `env:"COUNTERSIGN_DEMO_TOKEN_DELAY" envDefault:"12ms"`
	// DemoScripts offers the scripted demo model, for tests only: any chat user could keep it busy.
	DemoScripts bool `env:"COUNTERSIGN_DEMO_SCRIPTS"`
	// DemoCompany is the address (host:port) of a fictitious company's servers; its systems, checks and three weeks of
	// history are created at start. For demonstrations only.
	DemoCompany string `env:"COUNTERSIGN_DEMO_COMPANY"`
	// DebugAddress serves pprof when set; keep it on a loopback address.
	DebugAddress string `env:"COUNTERSIGN_DEBUG_ADDRESS"`
	// TraceSlowQuery is the minimum duration of statements with their own spans.
	TraceSlowQuery time.Duration `env:"COUNTERSIGN_TRACE_SLOW_QUERY" envDefault:"50ms"`
	// TraceModelProviders propagates the trace id to model providers.
	TraceModelProviders bool `env:"COUNTERSIGN_TRACE_MODEL_PROVIDERS"`
	// PasswordCost is the cost of password hashes; password.Defaults when zero, as always outside of tests: no variable
	// sets it.
	PasswordCost password.Params
	// AWS answers requests to AWS; the egress guard's client when nil, as always outside of tests: no variable sets it.
	AWS http.RoundTripper
	// Telemetry are the variables of OpenTelemetry, which have standard names.
	Telemetry map[string]string
	// KeysetFile is the file that Keyset was read from, if any.
	KeysetFile string
}

// Load reads the configuration from variables in the form NAME=value and validates it. The error names every invalid
// variable.
func Load(environ []string) (Config, error) {
	var c Config
	vars, err := withFiles(env.ToMap(environ))
	if err != nil {
		return c, err
	}
	if err := env.ParseWithOptions(&c, env.Options{Environment: vars}); err != nil {
		return c, fmt.Errorf("configuration: %w", err)
	}
	c.Telemetry = make(map[string]string)
	for name, value := range vars {
		if strings.HasPrefix(name, "OTEL_") {
			c.Telemetry[name] = value
		}
	}
	if c.Keyset != "" && env.ToMap(environ)["COUNTERSIGN_KEYSET"] == "" {
		c.KeysetFile = vars["COUNTERSIGN_KEYSET_FILE"]
	}
	if c.TemporalServerName != "" || c.TemporalCA != "" || c.TemporalCert != "" || c.TemporalAPIKey != "" {
		c.TemporalTLS = c.TemporalTLS || vars["TEMPORAL_TLS"] == ""
	}
	if c.Cache == "" {
		c.Cache = filepath.Join(c.Data, "engines")
	}
	if c.URL == "" {
		c.URL = "http://localhost:" + strconv.Itoa(c.Port)
	}
	// Appended paths begin with a slash.
	c.URL = strings.TrimRight(c.URL, "/")
	return c, c.validate()
}

func withFiles(vars map[string]string) (map[string]string, error) {
	for name, path := range vars {
		target, ok := strings.CutSuffix(name, "_FILE")
		if !ok || path == "" || vars[target] != "" || !fromFile(target) {
			continue
		}
		value, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("configuration: %s: %w", name, err)
		}
		vars[target] = strings.TrimSpace(string(value))
	}
	return vars, nil
}

// fromFile reports whether a variable can be given as a file.
func fromFile(name string) bool {
	return strings.HasPrefix(name, "COUNTERSIGN_") || strings.HasPrefix(name, "OPENAI_") ||
		slices.Contains([]string{"DATABASE_URL", "TEMPORAL_API_KEY", "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"}, name)
}

func (c Client) valid() bool {
	return slices.Contains([]string{"stop", "queue", "refuse"}, c.WhileRunning)
}

func (c Config) validate() error {
	var errs []error
	check := func(ok bool, says string) {
		if !ok {
			errs = append(errs, errors.New("configuration: "+says))
		}
	}
	check(c.DatabaseURL != "", "DATABASE_URL is required: postgres://user:password@host:port/database (`make run` brings a database along)")
	check(c.Port > 0 && c.Port < 65536, "PORT must be 1 to 65535")
	check(c.MaxSteps >= 1 && c.MaxSteps <= 64, "COUNTERSIGN_MAX_STEPS must be 1 to 64")
	check(c.ToolBudgetCalls >= 1, "COUNTERSIGN_TOOL_BUDGET_CALLS must be at least 1")
	check(c.ToolBudgetWindow >= time.Second, "COUNTERSIGN_TOOL_BUDGET_WINDOW must be at least 1s")
	check(c.SecondPersonTTL >= time.Second && c.SecondPersonTTL <= 30*24*time.Hour, "COUNTERSIGN_SECOND_PERSON_TTL must be 1s to 720h")
	check(c.ProposalTTL >= time.Second && c.ProposalTTL <= 24*time.Hour, "COUNTERSIGN_PROPOSAL_TTL must be 1s to 24h")
	check(c.StreamFlush >= time.Millisecond && c.StreamFlush <= time.Second, "COUNTERSIGN_STREAM_FLUSH must be 1ms to 1s")
	check(c.TurnTaskTimeout >= 3*time.Second && c.TurnTaskTimeout <= time.Minute, "COUNTERSIGN_TURN_TASK_TIMEOUT must be 3s to 1m")
	check(c.MaxRunningTurns >= 1, "COUNTERSIGN_MAX_RUNNING_TURNS must be at least 1")
	check(c.MaxOpenStreams >= 1, "COUNTERSIGN_MAX_OPEN_STREAMS must be at least 1")
	check(c.MCPLists >= 1, "COUNTERSIGN_MCP_LISTS must be at least 1")
	check(c.MaxRunningProbes >= 1, "COUNTERSIGN_MAX_RUNNING_PROBES must be at least 1")
	check(c.MaxConversations >= 1, "COUNTERSIGN_MAX_CONVERSATIONS must be at least 1")
	check(c.MaxWaiting >= 1, "COUNTERSIGN_MAX_WAITING_PROPOSALS must be at least 1")
	check(c.StreamHeartbeat >= 10*time.Millisecond && c.StreamHeartbeat <= time.Minute, "COUNTERSIGN_STREAM_HEARTBEAT must be 10ms to 1m")
	check(c.DatabaseMaxConns >= 4, "COUNTERSIGN_DATABASE_MAX_CONNS must be at least 4")
	check(
		c.DatabaseStatementTimeout >= 100*time.Millisecond && c.DatabaseStatementTimeout <= 5*time.Minute,
		"COUNTERSIGN_DATABASE_STATEMENT_TIMEOUT must be 100ms to 5m",
	)
	check(
		c.DatabaseLockTimeout >= 100*time.Millisecond && c.DatabaseLockTimeout <= 5*time.Minute,
		"COUNTERSIGN_DATABASE_LOCK_TIMEOUT must be 100ms to 5m",
	)
	check(
		c.DatabaseAcquireTimeout >= 100*time.Millisecond && c.DatabaseAcquireTimeout <= 5*time.Minute,
		"COUNTERSIGN_DATABASE_ACQUIRE_TIMEOUT must be 100ms to 5m",
	)
	c.validateClients(check)
	check(c.DrainDelay >= 0 && c.DrainDelay <= c.DrainTimeout, "COUNTERSIGN_DRAIN_DELAY must be 0s to COUNTERSIGN_DRAIN_TIMEOUT")
	check(c.ExecSlots >= 0 && c.ExecSlots <= 256, "COUNTERSIGN_EXEC_SLOTS must be 0 to 256")
	c.validateChecks(check)
	c.validateQueues(check)
	check(c.ownIssue() == "", c.ownIssue())
	_, _, err := net.SplitHostPort(c.TemporalAddress)
	check(err == nil, "TEMPORAL_ADDRESS must look like host:port")
	check(
		c.TemporalTLS || c.TemporalAPIKey == "",
		"TEMPORAL_API_KEY needs TLS, since it would travel readable: leave TEMPORAL_TLS out or set it to true",
	)
	check(
		c.TemporalTLS || c.TemporalCA == "" && c.TemporalCert == "" && c.TemporalServerName == "",
		"TEMPORAL_TLS is false, but there are other settings for TLS: leave one or the other out",
	)
	check(
		(c.TemporalCert == "") == (c.TemporalKey == ""),
		"TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH belong together: set both or none",
	)
	check(c.TraceSlowQuery >= 0, "COUNTERSIGN_TRACE_SLOW_QUERY must not be negative")
	check(c.OIDC.issue() == "", c.OIDC.issue())
	u, err := url.Parse(c.URL)
	check(err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "", "COUNTERSIGN_URL must look like https://host")
	return errors.Join(errs...)
}

// validateQueues validates which task queues a worker serves.
func (c Config) validateQueues(check func(ok bool, says string)) {
	check(len(c.WorkerQueues) > 0, "COUNTERSIGN_WORKER_QUEUES must name turns, exec, checks or several of them")
	for _, queue := range c.WorkerQueues {
		check(
			queue == QueueTurns || queue == QueueExec || queue == QueueChecks,
			"COUNTERSIGN_WORKER_QUEUES must be turns, exec, checks or several of them, such as turns,exec",
		)
	}
}

// validateChecks validates the settings of health checks.
func (c Config) validateChecks(check func(ok bool, says string)) {
	check(c.CheckShards >= 1 && c.CheckShards <= 1024, "COUNTERSIGN_CHECK_SHARDS must be 1 to 1024")
	check(c.CheckMaxInFlight >= 2 && c.CheckMaxInFlight <= 100_000, "COUNTERSIGN_CHECK_MAX_IN_FLIGHT must be 2 to 100000")
	check(
		c.CheckMaxSlow >= 1 && c.CheckMaxSlow < c.CheckMaxInFlight,
		"COUNTERSIGN_CHECK_MAX_SLOW must be at least 1 and less than COUNTERSIGN_CHECK_MAX_IN_FLIGHT",
	)
	for name, path := range c.CheckDockerSockets {
		check(
			name != "" && len(name) <= 64 && strings.HasPrefix(path, "/"),
			"COUNTERSIGN_CHECK_DOCKER_SOCKETS must be names with absolute paths, such as local=/var/run/docker.sock",
		)
	}
	list, listErr := url.Parse(c.RDAPBootstrap)
	check(
		listErr == nil && (list.Scheme == "http" || list.Scheme == "https") && list.Host != "",
		"COUNTERSIGN_RDAP_BOOTSTRAP must look like https://host/path",
	)
	check(c.CheckMaxPerHost >= 1, "COUNTERSIGN_CHECK_MAX_PER_HOST must be at least 1")
	check(c.probeIssue() == "", c.probeIssue())
}

// validateClients validates the settings about client connections and their turns.
func (c Config) validateClients(check func(ok bool, says string)) {
	check(c.MaxConnections >= 16 && c.MaxConnections <= 1_000_000, "COUNTERSIGN_MAX_CONNECTIONS must be 16 to 1000000")
	check(c.MaxConnectionsPerAddress >= 16, "COUNTERSIGN_MAX_CONNECTIONS_PER_ADDRESS must be at least 16")
	check(c.BodyTimeout >= time.Second && c.BodyTimeout <= 10*time.Minute, "COUNTERSIGN_BODY_TIMEOUT must be 1s to 10m")
	_, err := c.proxies()
	check(err == nil, "COUNTERSIGN_TRUSTED_PROXIES must be addresses and networks such as 10.0.0.0/8, separated by commas")
	check(c.V1.valid(), "COUNTERSIGN_V1_WHILE_RUNNING must be stop, queue or refuse")
	check(c.AGUI.valid(), "COUNTERSIGN_AGUI_WHILE_RUNNING must be stop, queue or refuse")
}

// Client configures the turns of a kind of client.
type Client struct {
	// StopOnClose stops a turn whose stream its client closes.
	StopOnClose bool `env:"STOP_ON_CLOSE" envDefault:"true"`
	// WhileRunning treats a message that arrives while a turn of its conversation runs: stop, queue or refuse.
	WhileRunning string `env:"WHILE_RUNNING" envDefault:"stop"`
}

// OIDC configures the sign-in at an identity provider and the resulting roles.
type OIDC struct {
	Issuer       string   `env:"ISSUER"`
	ClientID     string   `env:"CLIENT_ID"`
	ClientSecret string   `env:"CLIENT_SECRET"`
	Scopes       []string `env:"SCOPES" envDefault:"profile,email"`
	// Name is the label of the button: "Sign in with <name>".
	Name        string `env:"NAME" envDefault:"single sign-on"`
	GroupsClaim string `env:"GROUPS_CLAIM" envDefault:"groups"`
	// Groups are the groups of which a user needs one; any user of the provider when empty.
	Groups []string `env:"GROUPS"`
	// Roles maps groups to role names: ops=operator,sre=admin.
	Roles map[string]string `env:"ROLES" envKeyValSeparator:"="`
	// LinkByEmail links the first sign-in with a verified address to the account with that address.
	LinkByEmail bool `env:"LINK_BY_EMAIL"`
}

// issue describes an invalid setting, "" for none.
func (o OIDC) issue() string {
	u, err := url.Parse(o.Issuer)
	switch {
	case o.Issuer == "" && o.ClientID == "":
		return ""
	case o.Issuer == "" || o.ClientID == "":
		return "COUNTERSIGN_OIDC_ISSUER and COUNTERSIGN_OIDC_CLIENT_ID belong together: set both or none"
	case err != nil || u.Host == "" ||
		u.Scheme != "https" && (u.Scheme != "http" || !slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname())):
		return "COUNTERSIGN_OIDC_ISSUER must look like https://host, as the provider names itself"
	}
	return ""
}

// Queues that a worker can serve.
const (
	QueueTurns  = "turns"
	QueueExec   = "exec"
	QueueChecks = "checks"
)

// Servers of the installation that EgressOwn can open.
const (
	OwnAPI      = "api"
	OwnDatabase = "database"
	OwnTemporal = "temporal"
)

// ownIssue describes an invalid setting of the installation's own servers, "" for none.
func (c Config) ownIssue() string {
	for _, own := range c.EgressOwn {
		if !slices.Contains([]string{OwnAPI, OwnDatabase, OwnTemporal}, own) {
			return "COUNTERSIGN_EGRESS_OWN must be api, database, temporal or several of them"
		}
	}
	for _, address := range c.OwnAddresses {
		if _, _, err := net.SplitHostPort(address); err != nil {
			return "COUNTERSIGN_OWN_ADDRESSES must be host:port, separated by commas"
		}
	}
	return ""
}

// Serves reports whether the workers of this process serve a queue.
func (c Config) Serves(queue string) bool { return slices.Contains(c.WorkerQueues, queue) }

// Secure reports whether the public address uses TLS.
func (c Config) Secure() bool { return strings.HasPrefix(c.URL, "https://") }
