package foreign

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/check/health"
)

// isKuma recognises a backup of Uptime Kuma 1, the list of monitors of version 2, and such a list alone.
func isKuma(root *value) bool {
	for _, v := range kumaMonitors(root) {
		return v.at("type") != nil && v.at("name") != nil && v.at("checkType") == nil
	}
	return false
}

// kumaMonitors are the monitors of a backup, which are a list, or a mapping by id.
func kumaMonitors(root *value) []*value {
	monitors := root
	if v := root.at("monitorList"); v != nil {
		monitors = v
	}
	if monitors.kind == mapping && monitors != root {
		var all []*value
		for _, key := range monitors.keys {
			if v := monitors.members[key]; v.kind == mapping {
				all = append(all, v)
			}
		}
		return all
	}
	return elements(monitors)
}

// kumaBackup is a backup of Uptime Kuma.
type kumaBackup struct {
	*plan

	byID    map[string]*value
	proxies map[string]*value
	dockers map[string]*value
}

func readKuma(p *plan, root *value) {
	k := &kumaBackup{plan: p, byID: map[string]*value{}, proxies: map[string]*value{}, dockers: map[string]*value{}}
	var monitors []*value
	for _, d := range root.items {
		monitors = append(monitors, kumaMonitors(d)...)
		byID(k.proxies, d.at("proxyList"))
		byID(k.dockers, d.at("dockerHostList"))
		if v := d.at("notificationList"); filled(v) {
			p.lost(v.line, "notificationList", "Notifications are not imported")
		}
	}
	byID(k.byID, &value{kind: list, items: monitors})
	for _, v := range monitors {
		if kind := v.at("type"); kind != nil && kind.text == "group" {
			// A group is what its monitors are assigned to.
			continue
		}
		k.read(v)
	}
}

// byID collects the elements of a list by their ids.
func byID(all map[string]*value, v *value) {
	for _, one := range elements(v) {
		if id := one.at("id"); id != nil {
			all[id.text] = one
		}
	}
}

// groups is the path of groups of a monitor.
func (k *kumaBackup) groups(v *value) string {
	var names []string
	for range 10 {
		id := v.at("parent")
		if id == nil || k.byID[id.text] == nil {
			break
		}
		v = k.byID[id.text]
		if name := v.at("name"); name != nil {
			names = append(names, name.text)
		}
	}
	slices.Reverse(names)
	return strings.Join(names, " / ")
}

// kumaMonitor is a monitor of Uptime Kuma in the making.
type kumaMonitor struct {
	*monitor
	*kumaBackup

	object *object
}

// kumaIgnored are members without a meaning for checks: ids, looks, and those that every monitor has whatever its type.
var kumaIgnored = []string{
	"id", "name", "type", "parent", "path", "pathName", "childrenIDs", "weight", "userId", "user_id", "dns_last_result", "forceInactive",
	"maintenance", "screenshot", "includeSensitiveData", "saveResponse", "saveErrorResponse", "responseMaxLength", "location", "protocol",
	"subtype", "url", "hostname", "port", "method", "headers", "body", "httpBodyEncoding", "keyword", "invertKeyword", "jsonPath",
	"jsonPathOperator", "expectedValue", "accepted_statuscodes", "accepted_statuscodes_json", "maxredirects", "dns_resolve_type",
	"dns_resolve_server", "docker_container", "docker_host", "mqttTopic", "mqttSuccessMessage", "mqttCheckType", "mqttUsername",
	"mqttPassword", "mqttWebsocketPath", "databaseQuery", "databaseConnectionString", "grpcUrl", "grpcProtobuf", "grpcMethod",
	"grpcServiceName", "grpcEnableTls", "grpcBody", "grpcMetadata", "radiusCalledStationId", "radiusCallingStationId", "radiusUsername",
	"radiusPassword", "radiusSecret", "game", "gamedigGivenPortOnly", "gamedigToken", "system_service_name", "kafkaProducerTopic",
	"kafkaProducerBrokers", "kafkaProducerSsl", "kafkaProducerAllowAutoTopicCreation", "kafkaProducerMessage", "kafkaProducerSaslOptions",
	"remote_browser", "screenshot_delay", "snmpOid", "snmpVersion", "snmpV3Username", "smtpSecurity", "rabbitmqNodes", "rabbitmqUsername",
	"rabbitmqPassword", "ntpStratumThreshold", "ntpTimeOffsetThreshold", "ntpRootDispersionThreshold", "expectedTlsAlert", "ping_numeric",
	"ping_count", "ping_per_request_timeout", "pushToken", "wsIgnoreSecWebsocketAcceptHeader", "wsSubprotocol", "authMethod", "authDomain",
	"authWorkstation", "basic_auth_user", "basic_auth_pass", "bearer_token", "oauth_client_id", "oauth_client_secret", "oauth_token_url",
	"oauth_scopes", "oauth_audience", "oauth_auth_method", "tlsCa", "tlsCert", "tlsKey", "proxyId", "ignoreTls", "timeout", "packetSize",
	"retryOnlyOnStatusCodeFailure", "resendInterval", "cacheBust", "hideUrl", "sendUrl", "customUrl", "created_date",
}

func (k *kumaBackup) read(v *value) {
	name := v.at("name")
	if name == nil {
		name = &value{}
	}
	m := k.monitor(name.text, v.line)
	o := m.object(v, "")
	e := &kumaMonitor{monitor: m, kumaBackup: k, object: o}
	o.skip(kumaIgnored...)
	m.system, m.description = k.groups(v), o.str("description")
	m.paused = !o.flag("active", true)
	m.interval = time.Duration(o.whole("interval", 60, 1, 1<<30)) * time.Second
	m.timeout = time.Duration(o.number("timeout", 0) * float64(time.Second))
	if m.timeout <= 0 {
		m.timeout = m.interval * 8 / 10
	}
	e.thresholds()
	if o.flag("upsideDown", false) {
		m.drop(o.lineOf("upsideDown"), "it is turned upside down, which checks cannot be. Assert what has to be true instead")
	}
	o.lose("tags", "Tags are not kept. Systems can have tags")
	o.lose("notificationIDList", "Notifications are not imported")
	o.lose("domainExpiryNotification", "Warnings before a domain expires are not imported: make a check of the domain")
	m.network(strings.NewReplacer("ipv", "ip").Replace(strings.ToLower(o.str("ipFamily"))), o.lineOf("ipFamily"))
	e.kind(o.at("type").text)
	e.expiry()
	if v := o.at("conditions"); v != nil && !o.read["conditions"] && v.text != "[]" {
		o.lose("conditions", "are not kept: monitors of this type have none")
	}
	o.rest()
	m.done()
}

// kumaExpiryDays is when Uptime Kuma warns for the last time of a certificate that expires, by default.
const kumaExpiryDays = 7

// expiry makes a minimum of days left of warnings before a certificate expires.
func (e *kumaMonitor) expiry() {
	o := e.object
	if !o.flag("expiryNotification", false) || e.strategy != "healthcheck-http.http" {
		return
	}
	if u, err := url.Parse(o.str("url")); err != nil || u.Scheme != "https" {
		return
	}
	e.config["minDaysUntilExpiry"] = kumaExpiryDays
	e.change(o.lineOf("expiryNotification"), "expiryNotification",
		"The check fails from %d days before the certificate expires on. Warnings 21 and 14 days before are not sent", kumaExpiryDays)
}

// thresholds makes thresholds of retries.
func (e *kumaMonitor) thresholds() {
	retries := e.object.whole("maxretries", 0, 0, 99)
	e.monitor.thresholds = health.Thresholds{HealthyAfter: 1, DegradedAfter: 1, UnhealthyAfter: retries + 1}
	again := time.Duration(e.object.whole("retryInterval", 0, 0, 1<<30)) * time.Second
	if retries > 0 && again > 0 && again != e.interval {
		e.change(e.object.lineOf("retryInterval"), "retryInterval",
			"A failed run is followed by the next one of the interval (%s), and not after %s", seconds(e.interval), seconds(again))
	}
	if e.object.number("resendInterval", 0) > 0 {
		e.leave(e.object.lineOf("resendInterval"), "resendInterval", "Notifications are not imported")
	}
}

// kind converts what depends on the type.
func (e *kumaMonitor) kind(kind string) {
	o := e.object
	host, line := o.str("hostname"), o.lineOf("hostname")
	port := o.whole("port", 0, 0, 65535)
	switch kind {
	case "http", "keyword", "json-query":
		e.request(kind)
	case "port":
		e.monitor.kind("healthcheck-tcp.tcp", "healthcheck-tcp.connection")
		e.hostPort(host, port, line)
		e.assert("success", "", "isTrue", nil)
	case "ping":
		e.ping(host, o.whole("ping_count", 1, 1, 10), line)
		e.assert("packetsReceived", "", "greaterThan", 0)
	case "dns":
		e.dns(host, port)
	case "push":
		e.heartbeat(e.interval, e.line)
		e.change(e.line, "interval", "A call may be 60 s late")
		e.change(o.lineOf("pushToken"), "pushToken", "The job has to call another address, which the page of the check shows")
	case "websocket-upgrade":
		e.monitor.kind("healthcheck-websocket.websocket", "healthcheck-websocket.exchange")
		if u := e.address(o.str("url"), o.lineOf("url"), "ws", "wss"); u != nil {
			e.config["url"] = u.String()
		}
		e.collecting["noAnswer"] = true
		e.assert("success", "", "isTrue", nil)
		if protocol := o.str("wsSubprotocol"); protocol != "" {
			e.config["subprotocols"] = []string{protocol}
		}
	case "smtp":
		e.monitor.kind("healthcheck-smtp.smtp", "healthcheck-smtp.session")
		e.hostPort(host, orElse(port, 25), line)
		switch o.str("smtpSecurity") {
		case "secure":
			e.config["security"] = "tls"
		case "nostarttls":
			e.config["security"] = "none"
		}
		if e.config["security"] != "none" {
			e.assert("encrypted", "", "isTrue", nil)
		}
	case "postgres", "mysql", "redis":
		e.database(kind)
	case "mqtt":
		e.mqtt(host, port)
	case "mongodb":
		e.mongodb()
	case "docker":
		e.docker()
	case "snmp":
		e.snmp(host, port)
	default:
		e.drop(o.lineOf("type"), "there are no checks of the type %s", shown(kind))
	}
}

// request makes an HTTP request.
func (e *kumaMonitor) request(kind string) {
	o := e.object
	e.http(o.str("url"), o.lineOf("url"), o.str("method"))
	if o.flag("ignoreTls", false) {
		e.config["skipVerify"] = true
	}
	switch redirects := o.whole("maxredirects", 10, 0, 1000); redirects {
	case 0:
		e.collecting["followRedirects"] = false
	default:
		e.collecting["maxRedirects"] = min(redirects, 20)
	}
	e.headers()
	e.authentication()
	e.proxied()
	e.status()
	switch kind {
	case "keyword":
		keyword, operator := o.str("keyword"), "contains"
		if o.flag("invertKeyword", false) {
			operator = "notContains"
		}
		if keyword == "" {
			e.drop(o.lineOf("keyword"), "it has no keyword")
			return
		}
		e.assert("body", "", operator, keyword)
	case "json-query":
		e.query("body")
	}
	o.lose("cacheBust", "No parameter is added to the URL against caches")
}

// headers sets headers and body.
func (e *kumaMonitor) headers() {
	o := e.object
	line, typed := o.lineOf("headers"), false
	if content := o.str("headers"); content != "" {
		v, err := e.monitor.nested(content)
		if err != nil || v.kind != mapping {
			e.leave(line, "headers", "are no JSON object")
		} else {
			for _, name := range v.keys {
				typed = typed || strings.EqualFold(name, "Content-Type")
				e.header(name, v.members[name].text, line)
			}
		}
	}
	body := o.str("body")
	e.body(body, o.lineOf("body"))
	kinds := map[string]string{
		"": "application/json", "json": "application/json", "xml": "text/xml", "form": "application/x-www-form-urlencoded",
	}
	if kind := kinds[o.str("httpBodyEncoding")]; body != "" && !typed && kind != "" {
		e.header("Content-Type", kind, line)
	}
}

// authentication sets what the request shows to the server.
func (e *kumaMonitor) authentication() {
	o := e.object
	method := o.str("authMethod")
	switch method {
	case "", "null":
	case "basic":
		e.basic(o.str("basic_auth_user"), o.str("basic_auth_pass"), o.lineOf("basic_auth_pass"))
	case "bearer":
		e.bearer(o.str("bearer_token"), o.lineOf("bearer_token"))
	case "mtls":
		e.config["clientCertificate"] = o.str("tlsCert")
		e.config["clientKey"] = e.secret("CLIENT_KEY", o.str("tlsKey"), o.lineOf("tlsKey"))
	default:
		e.leave(o.lineOf("authMethod"), "authMethod", "%s is not spoken. Give a token, or write a script", shown(method))
	}
	if ca := o.str("tlsCa"); strings.Contains(ca, "-----BEGIN CERTIFICATE-----") {
		e.config["ca"] = ca
	}
}

// proxied sets the proxy.
func (e *kumaMonitor) proxied() {
	id := e.object.get("proxyId")
	if id == nil || e.gone {
		return
	}
	v := e.proxies[id.text]
	if v == nil {
		e.leave(id.line, "proxyId", "names a proxy that is not in the file")
		return
	}
	o := e.monitor.object(v, "proxy")
	u := url.URL{Scheme: o.str("protocol"), Host: o.str("host") + ":" + o.str("port")}
	if o.flag("auth", false) {
		e.config["proxyUsername"] = o.str("username")
		e.config["proxyPassword"] = e.secret("PROXY_PASSWORD", o.str("password"), o.lineOf("password"))
	}
	e.proxy(u.String(), id.line)
}

// status asserts the accepted status codes.
func (e *kumaMonitor) status() {
	key := "accepted_statuscodes"
	if !e.object.has(key) {
		key = "accepted_statuscodes_json"
	}
	accepted := e.object.texts(key)
	if len(accepted) == 1 && strings.HasPrefix(accepted[0].text, "[") {
		var list []string
		_ = json.Unmarshal([]byte(accepted[0].text), &list)
		line := accepted[0].line
		accepted = nil
		for _, one := range list {
			accepted = append(accepted, &value{kind: scalar, line: line, text: one})
		}
	}
	if len(accepted) == 0 {
		accepted = []*value{{kind: scalar, line: e.line, text: "200-299"}}
	}
	var wanted [1000]bool
	for _, v := range accepted {
		from, to, ranged := strings.Cut(v.text, "-")
		first, err := strconv.Atoi(strings.TrimSpace(from))
		last := first
		if ranged && err == nil {
			last, err = strconv.Atoi(strings.TrimSpace(to))
		}
		if err != nil || first < 100 || last > 999 || last < first {
			e.leave(v.line, key, "%s are no status codes", v.text)
			continue
		}
		for code := first; code <= last; code++ {
			wanted[code] = true
		}
	}
	var codes []int
	for code, is := range wanted {
		if is {
			codes = append(codes, code)
		}
	}
	e.statuses(codes)
}

// statuses asserts that the status is one of these codes, in order.
func (m *monitor) statuses(codes []int) {
	switch {
	case len(codes) == 0:
		m.drop(m.line, "no status code is accepted")
	case len(codes) == 1:
		m.assert("statusCode", "", "equals", codes[0])
	case codes[len(codes)-1]-codes[0] == len(codes)-1:
		m.assert("statusCode", "", "between", []int{codes[0], codes[len(codes)-1]})
	case len(codes) > maxAlternatives:
		// Whole ranges beside others have more codes than an assertion can list.
		codes = slices.DeleteFunc(codes, func(code int) bool { return http.StatusText(code) == "" })
		m.change(m.line, "accepted_statuscodes", "Of the accepted status codes those that are registered are accepted")
		m.assert("statusCode", "", "oneOf", codes)
	default:
		m.assert("statusCode", "", "oneOf", codes)
	}
}

// maxAlternatives is the most values of an assertion.
const maxAlternatives = 100

// plainPath is an expression of JSONata that is a path.
var plainPath = regexp.MustCompile(`^[A-Za-z0-9_.\[\]]*$`)

// jsonOperators are the operators of queries.
var jsonOperators = map[string]string{
	"": "equals", "==": "equals", "!=": "notEquals", ">": "greaterThan", "<": "lessThan", ">=": "greaterThanOrEqual",
	"<=": "lessThanOrEqual", "contains": "contains",
}

// path is the path of the query, which is one of JSONata. Its paths alone are the same here.
func (e *kumaMonitor) path() (path string, ok bool) {
	expression := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(e.object.str("jsonPath")), "$"), ".")
	path, ok = jsonPath(expression)
	if expression != "" && !strings.HasPrefix(expression, "[") {
		path, ok = jsonPath("." + expression)
	}
	return orText(path, "$"), ok && plainPath.MatchString(expression)
}

// query asserts a value of a field that holds JSON.
func (e *kumaMonitor) query(field string) {
	o := e.object
	path, ok := e.path()
	operator := jsonOperators[o.str("jsonPathOperator")]
	if !ok || operator == "" {
		e.drop(o.lineOf("jsonPath"), "its query is more than a path. Write it as a JSONPath, or a script")
		return
	}
	var expected any = o.str("expectedValue")
	if operator != "equals" && operator != "notEquals" && operator != "contains" {
		n, err := strconv.ParseFloat(o.str("expectedValue"), 64)
		if err != nil {
			e.drop(o.lineOf("expectedValue"), "it compares with what is no number")
			return
		}
		expected = n
	}
	e.assert(field, path, operator, expected)
}

// dns makes a lookup.
func (e *kumaMonitor) dns(host string, port int) {
	o := e.object
	e.monitor.kind("healthcheck-dns.dns", "healthcheck-dns.lookup")
	servers := strings.Split(o.str("dns_resolve_server"), ",")
	if server := strings.TrimSpace(servers[0]); server != "" {
		if port > 0 && port != 53 && !strings.Contains(server, ":") {
			server += ":" + strconv.Itoa(port)
		}
		e.config["nameserver"] = server
	}
	if len(servers) > 1 {
		e.change(o.lineOf("dns_resolve_server"), "dns_resolve_server", "The first name server alone is asked")
	}
	kind := strings.ToUpper(orText(o.str("dns_resolve_type"), "A"))
	e.lookup(host, kind, o.lineOf("hostname"))
	e.assert("recordCount", "", "greaterThan", 0)
	record := conditionField{text: "values", values: true}
	if !slices.Contains([]string{"A", "AAAA", "CNAME", "NS", "PTR", "TXT"}, kind) {
		record.text = "" // it compares a part of the record
	}
	e.conditions(map[string]conditionField{"record": record})
}

// recordTypes are the types of records that can be looked up.
var recordTypes = []string{"A", "AAAA", "CNAME", "MX", "TXT", "NS", "SOA", "SRV", "PTR", "CAA"}

// lookup sets the question of a lookup.
func (m *monitor) lookup(name, kind string, line int) {
	name = strings.TrimSuffix(strings.TrimSpace(name), ".")
	switch {
	case m.unknown(name, line, "name"):
	case name == "":
		m.drop(line, "it names no host to look up")
	case kind == "ANY":
		m.change(line, "type", "Records of the type A are asked for, and not those of any type")
		kind = "A"
	case !slices.Contains(recordTypes, kind):
		m.drop(line, "records of the type %s cannot be looked up", shown(kind))
	}
	m.host = name
	m.collecting["hostname"], m.collecting["recordType"] = name, kind
}

// databases are the schemes and ports of connection strings.
var databases = map[string]struct {
	schemes             []string
	strategy, collector string
	port                int
	query               string
}{
	"postgres": {[]string{"postgres", "postgresql"}, "healthcheck-postgres.postgres", "healthcheck-postgres.query", 5432, "SELECT 1"},
	"mysql":    {[]string{"mysql", "mariadb"}, "healthcheck-mysql.mysql", "healthcheck-mysql.query", 3306, "SELECT 1"},
	"redis":    {[]string{"redis", "rediss"}, "healthcheck-redis.redis", "healthcheck-redis.command", 6379, ""},
}

// database takes a connection string apart.
func (e *kumaMonitor) database(kind string) {
	o, d := e.object, databases[kind]
	line := o.lineOf("databaseConnectionString")
	e.monitor.kind(d.strategy, d.collector)
	u := e.address(o.str("databaseConnectionString"), line, d.schemes...)
	if u == nil {
		return
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		port = d.port
	}
	e.config["host"], e.config["port"] = u.Hostname(), port
	password, _ := u.User.Password()
	if kind == "mysql" && password == "" {
		password = o.str("radiusPassword")
	}
	if password != "" {
		e.config["password"] = e.secret("PASSWORD", password, line)
	}
	user, path := u.User.Username(), strings.TrimPrefix(u.Path, "/")
	if kind == "redis" {
		if user != "" {
			e.config["username"] = user
		}
		if n, err := strconv.Atoi(path); err == nil && n > 0 {
			e.config["database"] = n
		}
		e.config["tls"] = u.Scheme == "rediss"
		e.assert("success", "", "isTrue", nil)
		return
	}
	e.config["user"] = orText(user, kind)
	if path = orText(path, map[string]string{"postgres": orText(user, kind)}[kind]); path != "" {
		e.config["database"] = path
	}
	if mode := u.Query().Get("sslmode"); slices.Contains([]string{"disable", "require", "verify-ca", "verify-full"}, mode) {
		e.config["sslMode"] = mode
	}
	e.collecting["query"] = orText(o.str("databaseQuery"), d.query)
	e.assert("success", "", "isTrue", nil)
	if kind == "mysql" {
		e.conditions(map[string]conditionField{"result": {text: "value", number: "number"}})
	}
}
