package foreign

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"countersign/check/health"
)

// environmentVariable is a placeholder of Gatus, which it fills from its environment.
var environmentVariable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)`)

// gatusLists are the members of a configuration of Gatus that hold monitors.
var gatusLists = []string{"endpoints", "external-endpoints", "suites"}

func isGatus(root *value) bool {
	for _, key := range gatusLists {
		if v := root.at(key); v != nil && v.kind == list {
			return true
		}
	}
	return len((&builder{}).configMaps(root)) > 0
}

// configMaps returns the configurations of Gatus in a ConfigMap of Kubernetes, within the limits of the builder together.
func (b *builder) configMaps(root *value) []*value {
	if kind := root.at("kind"); kind == nil || kind.text != "ConfigMap" {
		return nil
	}
	var found []*value
	data := root.at("data")
	if data == nil || data.kind != mapping {
		return nil
	}
	for _, key := range data.keys {
		entry := data.members[key]
		if entry.kind != scalar {
			continue
		}
		documents, err := b.parse(entry.text)
		if err != nil {
			continue
		}
		for _, d := range documents {
			for _, list := range gatusLists {
				if v := d.at(list); v != nil {
					// A block of text begins in the line below its name.
					d.shift(entry.line)
					found = append(found, d)
					break
				}
			}
		}
	}
	return found
}

// shift moves the lines of a tree.
func (v *value) shift(lines int) {
	v.line += lines
	for _, item := range v.items {
		item.shift(lines)
	}
	for _, key := range v.keys {
		v.members[key].shift(lines)
	}
}

// gatusFile is a configuration of Gatus, which can be in several files.
type gatusFile struct {
	*plan

	// thresholds are those of the default alerts, by type.
	thresholds map[string]health.Thresholds
}

func readGatus(p *plan, root *value) {
	var documents []*value
	b := &builder{}
	for _, d := range root.items {
		if nested := b.configMaps(d); len(nested) > 0 {
			documents = append(documents, nested...)
		} else {
			documents = append(documents, d)
		}
	}
	g := &gatusFile{plan: p, thresholds: map[string]health.Thresholds{}}
	for _, d := range documents {
		g.settings(d)
	}
	for _, d := range documents {
		for _, e := range elements(d.at("endpoints")) {
			g.endpoint(e)
		}
		for _, e := range elements(d.at("external-endpoints")) {
			g.external(e)
		}
		for _, e := range elements(d.at("suites")) {
			for _, step := range elements(e.at("endpoints")) {
				m := p.monitor(gatusName(step), step.line)
				m.drop(step.line, "it is a step of a suite. Write a script, which can pass values from one request to the next")
			}
		}
	}
}

// elements are the mappings of a list.
func elements(v *value) []*value {
	if v == nil || v.kind != list {
		return nil
	}
	var all []*value
	for _, item := range v.items {
		if item.kind == mapping {
			all = append(all, item)
		}
	}
	return all
}

// settings lists what is left out of the configuration as a whole.
func (g *gatusFile) settings(d *value) {
	for key, message := range map[string]string{
		"alerting":      "Notifications are not imported. Failure and success thresholds of alerts are kept",
		"security":      "Sign-in is that of this product",
		"maintenance":   "Maintenance windows are not imported",
		"remote":        "Monitors of other instances are not imported: import their files too",
		"connectivity":  "The check of Gatus's own connection is not imported",
		"tunneling":     "Tunnels are not imported",
		"announcements": "Announcements are not imported",
		"storage":       "Results are stored by this product; earlier ones are not imported",
		"ui":            "The look of its pages is not imported",
	} {
		if v := d.at(key); filled(v) {
			g.lost(v.line, key, message)
		}
	}
	alerting := d.at("alerting")
	if alerting == nil || alerting.kind != mapping {
		return
	}
	for _, provider := range alerting.keys {
		if alert := alerting.members[provider].at("default-alert"); alert != nil {
			m := &monitor{plan: g.plan, line: alert.line}
			o := m.object(alert, "default-alert")
			g.thresholds[provider] = health.Thresholds{
				HealthyAfter: o.whole("success-threshold", 0, 0, 100), UnhealthyAfter: o.whole("failure-threshold", 0, 0, 100),
			}
		}
	}
}

// gatusName is the name of an endpoint as Gatus shows it.
func gatusName(v *value) string {
	name := ""
	if v.at("name") != nil {
		name = v.at("name").text
	}
	if group := v.at("group"); group != nil && group.text != "" {
		return group.text + "/" + name
	}
	return name
}

// begin begins a monitor with what all endpoints have.
func (g *gatusFile) begin(v *value) (*monitor, *object) {
	m := g.monitor(gatusName(v), v.line)
	m.placeholder = environmentVariable
	o := m.object(v, "")
	o.skip("name")
	m.system = o.str("group")
	m.paused = !o.flag("enabled", true)
	o.lose("extra-labels", "Labels are not kept")
	o.lose("maintenance-windows", "Maintenance windows are not imported")
	o.lose("ui", "The look of the monitor is not imported")
	m.thresholds = health.Thresholds{HealthyAfter: 1, DegradedAfter: 1, UnhealthyAfter: 1}
	g.alerts(m, o)
	return m, o
}

// alerts takes the thresholds of alerts: the endpoint fails at once, and raises an alert after them.
func (g *gatusFile) alerts(m *monitor, o *object) {
	alerts := elements(o.get("alerts"))
	if len(alerts) == 0 {
		return
	}
	fails, succeeds := 0, 0
	for _, v := range alerts {
		a := m.object(v, "alerts")
		kind := a.str("type")
		set := g.thresholds[kind]
		failing := a.whole("failure-threshold", orElse(set.UnhealthyAfter, 3), 1, 100)
		succeeding := a.whole("success-threshold", orElse(set.HealthyAfter, 2), 1, 100)
		if fails == 0 || failing < fails {
			fails, succeeds = failing, succeeding
		}
		m.leave(v.line, "alerts", "The %s alert is not imported", orText(kind, "unnamed"))
	}
	m.thresholds = health.Thresholds{HealthyAfter: succeeds, DegradedAfter: 1, UnhealthyAfter: fails}
	m.change(alerts[0].line, "alerts",
		"It is degraded at the first failure, unhealthy after %d in a row as its alert, healthy after %d", fails, succeeds)
}

func orElse(n, fallback int) int {
	if n == 0 {
		return fallback
	}
	return n
}

func orText(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

func (g *gatusFile) endpoint(v *value) {
	m, o := g.begin(v)
	m.interval, m.timeout = o.duration("interval", time.Minute), 10*time.Second
	address, line := strings.TrimSpace(o.str("url")), o.lineOf("url")
	e := &gatusEndpoint{monitor: m, object: o, line: line}
	scheme, rest, _ := strings.Cut(address, "://")
	switch {
	case address == "":
		m.drop(line, "it has no URL")
	case o.has("dns"):
		e.dns(address)
	case scheme == "http" || scheme == "https":
		e.request(address)
	case scheme == "icmp":
		m.ping(rest, 1, line)
		e.fields = gatusFields{connected: "packetsReceived", time: "avgLatency"}
	case scheme == "tcp":
		e.tcp(rest)
	case scheme == "tls":
		e.tls(rest)
	case scheme == "starttls":
		m.kind("healthcheck-smtp.smtp", "healthcheck-smtp.session")
		m.hostPort(rest, 25, line)
		e.fields = gatusFields{connected: "encrypted", time: "responseTimeMs", days: "certificateDaysRemaining"}
	case scheme == "ws" || scheme == "wss":
		e.websocket(address)
	case scheme == "grpc" || scheme == "grpcs":
		e.grpc(scheme, rest)
	case scheme == "ssh":
		e.ssh(rest)
	default:
		m.drop(line, "there are no checks of %s addresses", orText(shown(scheme), "such"))
	}
	e.client(scheme)
	o.skip("method", "body", "graphql", "headers", "dns", "ssh")
	for _, c := range o.texts("conditions") {
		e.condition(c)
	}
	e.finish()
	o.rest()
}

// request makes an HTTP request.
func (e *gatusEndpoint) request(address string) {
	o := e.object
	e.http(address, e.line, o.str("method"))
	e.fields = gatusFields{
		status: "statusCode", time: "responseTimeMs", body: "body", days: "certificateDaysRemaining", path: true,
	}
	content := o.str("body")
	if o.flag("graphql", false) {
		wrapped, err := json.Marshal(map[string]string{"query": content})
		if err == nil {
			content = string(wrapped)
		}
	}
	e.body(content, o.lineOf("body"))
	typed := false
	headers := e.monitor.object(o.get("headers"), "headers")
	for _, name := range headers.keys {
		typed = typed || strings.EqualFold(name, "Content-Type")
		e.header(name, headers.str(name), headers.lineOf(name))
	}
	if o.flag("graphql", false) && !typed {
		e.header("Content-Type", "application/json", e.line)
	}
}

func (e *gatusEndpoint) tcp(address string) {
	e.kind("healthcheck-tcp.tcp", "healthcheck-tcp.connection")
	e.hostPort(address, 0, e.line)
	e.fields = gatusFields{connected: "success", time: "connectTimeMs"}
	if content := e.object.str("body"); content != "" && !e.unknown(content, e.line, "body") {
		e.kind("healthcheck-tcp.tcp", "healthcheck-tcp.banner")
		e.collecting["send"] = content
		e.fields = gatusFields{connected: "hasBanner", time: "connectTimeMs", body: "banner"}
		e.change(e.object.lineOf("body"), "body", "The answer is read up to the end of a line")
	}
}

func (e *gatusEndpoint) tls(address string) {
	e.kind("healthcheck-tls.tls", "healthcheck-tls.certificate")
	e.hostPort(address, 443, e.line)
	e.config["minDaysUntilExpiry"] = 0
	e.fields = gatusFields{connected: "connected", time: "handshakeTimeMs", days: "daysRemaining"}
	e.object.lose("body", "Nothing is sent over a TLS connection")
}

func (e *gatusEndpoint) websocket(address string) {
	e.kind("healthcheck-websocket.websocket", "healthcheck-websocket.exchange")
	if u := e.address(address, e.line, "ws", "wss"); u != nil {
		e.config["url"] = address
	}
	headers := e.monitor.object(e.object.get("headers"), "headers")
	for _, name := range headers.keys {
		e.header(name, headers.str(name), headers.lineOf(name))
	}
	content := e.object.str("body")
	if content != "" && !e.unknown(content, e.line, "body") {
		e.collecting["send"] = content
	}
	e.fields = gatusFields{connected: "success", time: "responseTimeMs", body: "message", path: true}
	if content == "" {
		e.collecting["noAnswer"] = true
		e.fields = gatusFields{connected: "connected", time: "connectTimeMs"}
	}
}

func (e *gatusEndpoint) grpc(scheme, address string) {
	e.kind("healthcheck-grpc.grpc", "healthcheck-grpc.health")
	address, _, _ = strings.Cut(address, "/")
	e.hostPort(address, 443, e.line)
	if scheme == "grpcs" {
		e.config["useTls"] = true
	}
	e.fields = gatusFields{connected: "serving", time: "responseTimeMs"}
	e.change(e.line, "url", "The server is asked for its health by the gRPC health protocol, which it has to speak")
}

func (e *gatusEndpoint) ssh(address string) {
	login := e.monitor.object(e.object.get("ssh"), "ssh")
	user := login.str("username")
	if user == "" {
		e.kind("healthcheck-tcp.tcp", "healthcheck-tcp.banner")
		e.hostPort(address, 22, e.line)
		e.fields = gatusFields{connected: "hasBanner", time: "connectTimeMs", body: "banner"}
		return
	}
	e.kind("healthcheck-ssh.ssh", "healthcheck-ssh.command")
	e.hostPort(address, 22, e.line)
	e.unknown(user, e.line, "user name")
	e.config["username"] = user
	if password := login.str("password"); password != "" {
		e.config["password"] = e.secret("PASSWORD", password, login.lineOf("password"))
	}
	if key := login.str("private-key"); key != "" {
		e.config["privateKey"] = e.secret("PRIVATE_KEY", key, login.lineOf("private-key"))
	}
	var body struct {
		Command string `json:"command"`
	}
	_ = json.Unmarshal([]byte(e.object.str("body")), &body)
	e.collecting["command"] = orText(body.Command, "true")
	e.fields = gatusFields{status: "exitCode", time: "executionTimeMs", body: "stdout", connected: "connected", path: true}
	e.change(e.line, "ssh", "Give the host key in the check: without it a run logs in nowhere, and fails")
}

func (e *gatusEndpoint) dns(server string) {
	e.kind("healthcheck-dns.dns", "healthcheck-dns.lookup")
	query := e.monitor.object(e.object.get("dns"), "dns")
	server = strings.TrimPrefix(server, "dns://")
	if !e.unknown(server, e.line, "address") {
		e.config["nameserver"] = server
	}
	name, kind := query.str("query-name"), strings.ToUpper(orText(query.str("query-type"), "A"))
	e.lookup(name, kind, query.line)
	e.fields = gatusFields{rcode: "rcode", time: "resolutionTimeMs", values: "values", connected: "connected"}
	query.rest()
}

// external makes a heartbeat of an endpoint whose results are pushed.
func (g *gatusFile) external(v *value) {
	m, o := g.begin(v)
	beat := m.object(o.get("heartbeat"), "heartbeat")
	every := beat.duration("interval", 0)
	o.skip("token")
	m.heartbeat(every, o.lineOf("heartbeat"))
	m.change(o.lineOf("heartbeat"), "heartbeat", "A call may be 60 s late")
	m.change(o.lineOf("token"), "token", "The job has to call another address, which the page of the check shows")
	beat.rest()
	o.rest()
	m.done()
}

// heartbeat makes the monitor a wait for calls of a job.
func (m *monitor) heartbeat(every time.Duration, line int) {
	m.kind("healthcheck-heartbeat.heartbeat", "healthcheck-heartbeat.beat")
	if every <= 0 {
		every = 24 * time.Hour
		m.change(line, "heartbeat", "It expects a call every day: the source has no time after which silence is a failure")
	}
	m.collecting["everySeconds"] = min(max(int(every/time.Second), 1), 31_536_000)
	m.interval = min(every, time.Minute)
	m.timeout = 0
	m.assert("failed", "", "isFalse", nil)
}
