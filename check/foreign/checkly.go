package foreign

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"countersign/check/health"
)

// checklyVariable is a placeholder of Checkly.
var checklyVariable = regexp.MustCompile(`\{\{\{?\s*\$?([A-Za-z_][A-Za-z0-9_.]*)[^{}]*\}?\}\}`)

func isCheckly(root *value) bool {
	checks, _ := checklyChecks(root)
	return len(checks) > 0
}

// checklyChecks returns the checks of an answer of the API, of an export, or of a project's resources, and the groups by id.
func checklyChecks(root *value) (checks []*value, groups map[string]*value) {
	groups = map[string]*value{}
	candidates := elements(root)
	for _, key := range []string{"checks", "resources"} {
		candidates = append(candidates, elements(root.at(key))...)
	}
	if root.at("checkType") != nil {
		candidates = append(candidates, root)
	}
	for _, list := range []string{"groups", "checkGroups"} {
		for _, g := range elements(root.at(list)) {
			if id := g.at("id"); id != nil {
				groups[id.text] = g
			}
		}
	}
	for _, c := range candidates {
		kind, payload := c.at("type"), c.at("payload")
		switch {
		case c.at("checkType") != nil:
			checks = append(checks, c)
		case payload == nil || kind == nil:
		case payload.at("checkType") != nil:
			checks = append(checks, payload)
		case kind.text == "check-group" && c.at("logicalId") != nil:
			groups[c.at("logicalId").text] = payload
		}
	}
	return checks, groups
}

func readCheckly(p *plan, root *value) {
	for _, d := range root.items {
		checks, groups := checklyChecks(d)
		for _, v := range checks {
			readChecklyCheck(p, v, groups)
		}
		for key, message := range map[string]string{
			"alertChannels": "Alert channels are not imported", "dashboards": "Dashboards are not imported",
			"maintenanceWindows": "Maintenance windows are not imported", "snippets": "Snippets are not imported",
		} {
			if v := d.at(key); filled(v) {
				p.lost(v.line, key, message)
			}
		}
	}
}

// checklyCheck is a check of Checkly in the making.
type checklyCheck struct {
	*monitor

	object *object
}

func readChecklyCheck(p *plan, v *value, groups map[string]*value) {
	name := v.at("name")
	if name == nil {
		name = &value{}
	}
	m := p.monitor(name.text, v.line)
	m.placeholder = checklyVariable
	o := m.object(v, "")
	c := &checklyCheck{monitor: m, object: o}
	o.skip("id", "name", "checkType", "created_at", "updated_at", "createdAt", "updatedAt", "runtimeId", "frequencyOffset", "groupOrder",
		"useGlobalAlertSettings", "alertSettings", "alertEscalationPolicy", "request", "heartbeat", "accountId", "sslCheckDomain", "logicalId")
	m.paused = !o.flag("activated", true)
	m.description = o.str("description")
	if id := o.get("groupId"); id != nil {
		key := id.text
		if ref := id.at("ref"); ref != nil {
			key = ref.text
		}
		if g := groups[key]; g != nil && g.at("name") != nil {
			m.system = g.at("name").text
		}
	}
	minutes := o.number("frequency", 10)
	m.interval = time.Duration(minutes * float64(time.Minute))
	if minutes == 0 {
		m.interval = time.Duration(o.whole("frequencyOffset", 10, 1, 3600)) * time.Second
	}
	m.timeout = 30 * time.Second
	c.retries()
	o.lose("muted", "Muting is about alerts, which are not imported")
	o.lose("locations", "It runs where this product runs, and not from these places")
	o.lose("privateLocations", "It runs where this product runs, and not from these places")
	o.lose("tags", "Tags are not kept. Systems can have tags")
	o.lose("environmentVariables", "Variables are not kept")
	o.lose("alertChannelSubscriptions", "Alerts are not imported")
	o.lose("alertChannels", "Alerts are not imported")
	for _, key := range []string{
		"localSetupScript", "localTearDownScript", "setupSnippetId", "tearDownSnippetId", "setupScript", "tearDownScript",
	} {
		o.lose(key, "Scripts before and after a request are not run")
	}
	o.lose("degradedResponseTime", "A slow answer fails, or it does not: the longest response time is kept")
	c.kind(strings.ToUpper(v.at("checkType").text))
	o.rest()
	m.done()
}

// retries makes thresholds of retries.
func (c *checklyCheck) retries() {
	retries := 0
	if c.object.flag("doubleCheck", false) {
		retries = 1
	}
	if strategy := c.object.get("retryStrategy"); strategy != nil {
		r := c.monitor.object(strategy, "retryStrategy")
		if kind := r.str("type"); kind != "NO_RETRIES" && kind != "" {
			retries = r.whole("maxRetries", 2, 0, 10)
		}
	}
	c.thresholds = health.Thresholds{HealthyAfter: 1, DegradedAfter: 1, UnhealthyAfter: 1}
	if retries > 0 {
		c.config["retries"] = min(retries, 2)
		c.change(c.object.line, "retryStrategy", "A failed run tries again at most %s, within its timeout",
			map[int]string{1: "once", 2: "twice"}[min(retries, 2)])
	}
}

// kind converts what depends on the type.
func (c *checklyCheck) kind(kind string) {
	request := c.monitor.object(c.object.get("request"), "request")
	host, port, line := request.str("hostname"), request.whole("port", 0, 0, 65535), request.line
	switch kind {
	case "API", "URL":
		c.request(request)
	case "TCP":
		c.monitor.kind("healthcheck-tcp.tcp", "healthcheck-tcp.connection")
		c.hostPort(host, port, line)
		c.assert("success", "", "isTrue", nil)
		if data := request.str("data"); data != "" && !c.unknown(data, line, "data") {
			c.monitor.kind("healthcheck-tcp.tcp", "healthcheck-tcp.banner")
			c.assertions = nil
			c.collecting["send"] = data
		}
		c.tests(request, map[string]string{"RESPONSE_TIME": "connectTimeMs", "RESPONSE_DATA": "banner"})
		c.slow("connectTimeMs")
		if len(c.assertions) == 0 {
			c.assert("hasBanner", "", "isTrue", nil)
		}
	case "ICMP":
		c.ping(host, request.whole("pingCount", 10, 1, 10), line)
		c.assert("packetsReceived", "", "greaterThan", 0)
		c.tests(request, map[string]string{"LATENCY": "avgLatency", "PACKET_LOSS": "packetLoss"})
	case "DNS":
		c.monitor.kind("healthcheck-dns.dns", "healthcheck-dns.lookup")
		if server := request.str("nameServer"); server != "" {
			if p := request.whole("port", 53, 1, 65535); p != 53 {
				server += ":" + strconv.Itoa(p)
			}
			c.config["nameserver"] = server
		}
		if strings.EqualFold(request.str("protocol"), "tcp") {
			c.config["protocol"] = "tcp"
		}
		c.lookup(request.str("query"), strings.ToUpper(orText(request.str("recordType"), "A")), line)
		c.assert("recordCount", "", "greaterThan", 0)
		c.tests(request, map[string]string{"RESPONSE_TIME": "resolutionTimeMs", "RESPONSE_CODE": "rcode"})
		c.slow("resolutionTimeMs")
	case "HEARTBEAT":
		beat := c.monitor.object(c.object.get("heartbeat"), "heartbeat")
		units := map[string]time.Duration{"seconds": time.Second, "minutes": time.Minute, "hours": time.Hour, "days": 24 * time.Hour}
		every := time.Duration(beat.whole("period", 1, 1, 1000)) * max(units[beat.str("periodUnit")], time.Second)
		grace := time.Duration(beat.whole("grace", 0, 0, 1000)) * max(units[beat.str("graceUnit")], time.Second)
		c.heartbeat(every, beat.line)
		c.collecting["graceSeconds"] = min(int(grace/time.Second), 604_800)
		c.change(beat.line, "heartbeat", "The job has to call another address, which the page of the check shows")
		delete(c.config, "retries")
		return
	default:
		c.drop(c.object.line, "there are no checks of the type %s. Write a script", shown(kind))
	}
	request.skip("hostname", "port", "assertions")
	c.network(map[string]string{"IPv6": "ip6"}[request.str("ipFamily")], request.lineOf("ipFamily"))
	request.rest()
}

// slow asserts the longest response time.
func (c *checklyCheck) slow(field string) {
	if most := c.object.number("maxResponseTime", 0); most > 0 {
		c.assert(field, "", "lessThanOrEqual", most)
		c.timeout = max(time.Duration(most)*time.Millisecond+time.Second, 2*time.Second)
	}
}

// request makes an HTTP request.
func (c *checklyCheck) request(r *object) {
	address := r.str("url")
	if pairs := elements(r.get("queryParameters")); len(pairs) > 0 {
		separator := "?"
		if strings.Contains(address, "?") {
			separator = "&"
		}
		for _, pair := range pairs {
			p := c.monitor.object(pair, "request.queryParameters")
			address += separator + queryEscape(p.str("key")) + "=" + queryEscape(p.str("value"))
			separator = "&"
		}
	}
	c.http(address, r.lineOf("url"), r.str("method"))
	if r.flag("skipSSL", false) {
		c.config["skipVerify"] = true
	}
	if !r.flag("followRedirects", true) {
		c.collecting["followRedirects"] = false
	}
	if auth := r.get("basicAuth"); auth != nil {
		a := c.monitor.object(auth, "request.basicAuth")
		c.basic(a.str("username"), a.str("password"), a.lineOf("password"))
	}
	for _, header := range elements(r.get("headers")) {
		h := c.monitor.object(header, "request.headers")
		if h.flag("secret", false) {
			c.append("secretHeaders", config{"name": h.str("key"), "value": c.secret(h.str("key"), h.str("value"), header.line)})
			continue
		}
		c.header(h.str("key"), h.str("value"), header.line)
	}
	body := r.str("body")
	if kind := r.str("bodyType"); kind != "NONE" {
		c.body(body, r.lineOf("body"))
		if kind == "GRAPHQL" && body != "" {
			c.drop(r.lineOf("bodyType"), "its body is a query of GraphQL. Write the JSON of the request")
		}
	}
	switch {
	case c.object.flag("shouldFail", false):
		c.assert("statusCode", "", "greaterThanOrEqual", 400)
	default:
		c.assert("statusCode", "", "lessThan", 400)
	}
	c.tests(r, map[string]string{
		"STATUS_CODE": "statusCode", "RESPONSE_TIME": "responseTimeMs", "JSON_BODY": "body", "TEXT_BODY": "body", "HEADERS": "headers",
	})
	c.slow("responseTimeMs")
}

// queryEscape escapes a part of a query, but for placeholders, which drop the monitor.
func queryEscape(s string) string {
	if strings.Contains(s, "{{") {
		return s
	}
	return strings.ReplaceAll(urlEscape(s), "%20", "+")
}

// comparisons are the operators of assertions by comparison.
var comparisons = map[string]string{
	"EQUALS": "equals", "NOT_EQUALS": "notEquals", "LESS_THAN": "lessThan", "GREATER_THAN": "greaterThan", "CONTAINS": "contains",
	"NOT_CONTAINS": "notContains", "IS_NULL": "equals", "NOT_NULL": "notEquals", "IS_EMPTY": "lengthEquals", "NOT_EMPTY": "lengthGreaterThan",
	"HAS_KEY": "exists", "NOT_HAS_KEY": "notExists", "HAS_VALUE": "contains", "NOT_HAS_VALUE": "notContains",
}

// tests converts assertions. fields are the fields of the result by source.
func (c *checklyCheck) tests(r *object, fields map[string]string) {
	for _, v := range elements(r.get("assertions")) {
		a := c.monitor.object(v, "request.assertions")
		source, comparison, target := a.str("source"), a.str("comparison"), a.str("target")
		field, operator := fields[source], comparisons[comparison]
		if field == "" || operator == "" || a.str("regex") != "" || c.placeholder.MatchString(target) ||
			!c.test(source, comparison, field, operator, a.str("property"), target) {
			c.leave(v.line, "request.assertions", "%s %s %s cannot be said here", source, comparison, target)
		}
	}
}

var checklyPath = regexp.MustCompile(`^\$[A-Za-z0-9_.\[\]'"*-]*$`)

// test converts one assertion.
func (c *checklyCheck) test(source, comparison, field, operator, property, target string) bool {
	path := ""
	switch source {
	case "JSON_BODY":
		path = orText(property, "$")
		if !checklyPath.MatchString(path) || strings.HasSuffix(path, ".length") {
			return false
		}
	case "HEADERS":
		if property == "" {
			return false
		}
		path = "$['" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(strings.ToLower(property)) + "']"
	case "TEXT_BODY":
		if property != "" || operator == "lessThan" || operator == "greaterThan" {
			return false
		}
	}
	switch comparison {
	case "HAS_KEY", "NOT_HAS_KEY":
		if path == "" {
			return false
		}
		c.assert(field, path+"['"+strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(target)+"']", operator, nil)
		return true
	case "IS_NULL", "NOT_NULL":
		if path != "" {
			c.assertions = append(c.assertions, checkAssertion(field, path, operator, "null"))
		}
		return path != ""
	case "IS_EMPTY", "NOT_EMPTY":
		c.assert(field, path, operator, 0)
		return field == "body" || field == "headers" || field == "banner"
	}
	numeric := source == "STATUS_CODE" || source == "RESPONSE_TIME" || source == "LATENCY" || source == "PACKET_LOSS" ||
		operator == "lessThan" || operator == "greaterThan"
	if !numeric {
		c.assert(field, path, operator, target)
		return true
	}
	n, err := strconv.ParseFloat(target, 64)
	timed := source == "RESPONSE_TIME" || source == "LATENCY"
	if err != nil || timed && operator != "lessThan" || strings.Contains(strings.ToLower(operator), "contains") {
		return false
	}
	c.assert(field, path, operator, n)
	return true
}
