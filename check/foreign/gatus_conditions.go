package foreign

import (
	"math"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// gatusFields are the fields of a result that the placeholders of conditions stand for; "" for none.
type gatusFields struct {
	status, time, body, days, rcode, values string
	// connected is a field that is true, or a number above 0, with a connection. "connected" stands for results that are there only
	// with one, which need no assertion.
	connected string
	// path reports that paths can select values from the body.
	path bool
}

// gatusEndpoint is an endpoint of Gatus in the making.
type gatusEndpoint struct {
	*monitor

	object *object
	fields gatusFields
	line   int
	// decided reports that conditions are kept which need no assertion.
	decided bool
	// domain are the least days that the registration of the domain has to last yet; 0 where no condition is about that.
	domain, domainLine int
}

// client reads how connections are made.
func (e *gatusEndpoint) client(scheme string) {
	c := e.monitor.object(e.object.get("client"), "client")
	e.timeout = c.duration("timeout", 10*time.Second)
	if c.flag("insecure", false) {
		switch e.strategy {
		case "healthcheck-tls.tls":
			e.config["rejectUnauthorized"] = false
		case "healthcheck-http.http", "healthcheck-websocket.websocket", "healthcheck-grpc.grpc", "healthcheck-smtp.smtp":
			e.config["skipVerify"] = true
		default:
			e.leave(c.lineOf("insecure"), "client.insecure", "has no meaning for %s", scheme)
		}
	}
	if c.flag("ignore-redirect", false) && e.strategy == "healthcheck-http.http" {
		e.collecting["followRedirects"] = false
	}
	if proxy := c.str("proxy-url"); proxy != "" {
		if e.strategy == "healthcheck-http.http" && !e.unknown(proxy, c.lineOf("proxy-url"), "proxy") {
			e.proxy(proxy, c.lineOf("proxy-url"))
		} else {
			e.leave(c.lineOf("proxy-url"), "client.proxy-url", "is only for HTTP requests")
		}
	}
	c.lose("dns-resolver", "Names are looked up by the name servers of the installation")
	c.lose("oauth2", "Tokens are not fetched. Give a token, or write a script")
	c.lose("identity-aware-proxy", "Tokens are not fetched. Give a token, or write a script")
	c.lose("tls", "The client certificate stands in files. Paste it into the check")
	c.lose("tunnel", "Tunnels are not imported")
	c.lose("store-cookies", "Cookies are kept within one run alone")
	network := c.str("network")
	e.network(network, c.lineOf("network"))
	c.rest()
}

// network chooses the version of IP.
func (m *monitor) network(version string, line int) {
	switch strings.ToLower(version) {
	case "", "ip", "auto", "any":
	case "ip4":
		m.version = "ipv4"
	case "ip6":
		m.version = "ipv6"
	default:
		m.leave(line, "network", "%s is no version of IP", version)
	}
}

var comparators = []string{" == ", " != ", " <= ", " >= ", " > ", " < "}

var swapped = map[string]string{"==": "==", "!=": "!=", "<=": ">=", ">=": "<=", "<": ">", ">": "<"}

// ordering are the operators of assertions by comparator.
var ordering = map[string]string{
	"==": "equals", "!=": "notEquals", "<=": "lessThanOrEqual", ">=": "greaterThanOrEqual", "<": "lessThan", ">": "greaterThan",
}

// condition converts a condition.
func (e *gatusEndpoint) condition(v *value) {
	content := strings.TrimSpace(v.text)
	if environmentVariable.MatchString(content) {
		e.leave(v.line, "conditions", "%s has a placeholder, whose value is not in the file", content)
		return
	}
	for _, comparator := range comparators {
		left, right, found := strings.Cut(content, comparator)
		if !found {
			continue
		}
		left, right, comparator = strings.TrimSpace(left), strings.TrimSpace(right), strings.TrimSpace(comparator)
		if !placeholderOf(left) && placeholderOf(right) {
			left, right, comparator = right, left, swapped[comparator]
		}
		if !e.comparison(left, comparator, right, v.line) {
			e.leave(v.line, "conditions", "%s cannot be said here", content)
		}
		return
	}
	e.leave(v.line, "conditions", "%s is no condition", content)
}

func placeholderOf(s string) bool {
	return strings.HasPrefix(s, "[") || strings.HasPrefix(s, "len([") || strings.HasPrefix(s, "has([")
}

// comparison converts a condition with the placeholder on its left.
func (e *gatusEndpoint) comparison(left, comparator, right string, line int) bool {
	switch {
	case left == "[CONNECTED]":
		return e.connection(comparator, right)
	case left == "[STATUS]" && e.fields.status != "":
		return e.number(e.fields.status, comparator, right)
	case left == "[RESPONSE_TIME]" && e.fields.time != "":
		n, err := strconv.ParseFloat(right, 64)
		if d, ok := parseDuration(right, time.Millisecond); err != nil && ok {
			n, err = float64(d)/float64(time.Millisecond), nil
		}
		if err != nil || comparator != "<" && comparator != "<=" {
			return false
		}
		e.assert(e.fields.time, "", ordering[comparator], n)
		return true
	case left == "[CERTIFICATE_EXPIRATION]" && e.fields.days != "":
		days, ok := e.days(comparator, right, line)
		if ok {
			e.assert(e.fields.days, "", "greaterThanOrEqual", days)
		}
		return ok
	case left == "[DOMAIN_EXPIRATION]":
		return e.registration(comparator, right, line)
	case left == "[DNS_RCODE]" && e.fields.rcode != "" && (comparator == "==" || comparator == "!="):
		if right != "NOERROR" || comparator == "!=" {
			e.collecting["allowMissing"] = true
		}
		e.assert(e.fields.rcode, "", ordering[comparator], right)
		return true
	case left == "[BODY].status" && e.strategy == "healthcheck-grpc.grpc" && (comparator == "==" || comparator == "!="):
		e.assert("status", "", ordering[comparator], right)
		return true
	case left == "[BODY]" && e.fields.values != "":
		return e.record(comparator, right, line)
	case e.fields.body == "":
		return false
	}
	return e.content(left, comparator, right, line)
}

// connection converts [CONNECTED].
func (e *gatusEndpoint) connection(comparator, right string) bool {
	if (comparator == "==") != (right == "true") || comparator != "==" && comparator != "!=" {
		return false
	}
	switch e.fields.connected {
	case "", "connected":
	case "packetsReceived":
		e.assert("packetsReceived", "", "greaterThan", 0)
	default:
		e.assert(e.fields.connected, "", "isTrue", nil)
	}
	e.decided = true
	return true
}

var statusPattern = regexp.MustCompile(`^pat\(([1-5])(\*|\?\?)\)$`)

// number compares a number.
func (e *gatusEndpoint) number(field, comparator, right string) bool {
	if class := statusPattern.FindStringSubmatch(right); class != nil && comparator == "==" && field == "statusCode" {
		first, err := strconv.Atoi(class[1])
		e.assert(field, "", "between", []int{first * 100, first*100 + 99})
		return err == nil
	}
	all := alternatives(right)
	numbers := make([]any, len(all))
	for i, one := range all {
		n, err := strconv.ParseFloat(one, 64)
		if err != nil {
			return false
		}
		numbers[i] = n
	}
	switch {
	case len(numbers) == 1:
		e.assert(field, "", ordering[comparator], numbers[0])
	case comparator == "==":
		e.assert(field, "", "oneOf", numbers)
	case comparator == "!=":
		e.assert(field, "", "notOneOf", numbers)
	default:
		return false
	}
	return true
}

// alternatives are the values of any(), or the one value.
func alternatives(right string) []string {
	if !strings.HasPrefix(right, "any(") || !strings.HasSuffix(right, ")") {
		return []string{right}
	}
	all := strings.Split(strings.TrimSuffix(strings.TrimPrefix(right, "any("), ")"), ",")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}

// days converts a time that something is valid yet. Results count whole days.
func (e *gatusEndpoint) days(comparator, right string, line int) (int, bool) {
	d, ok := parseDuration(right, time.Millisecond)
	if !ok || comparator != ">" && comparator != ">=" || d > 100*365*24*time.Hour {
		return 0, false
	}
	days := int(math.Ceil(float64(d) / float64(24*time.Hour)))
	if d%(24*time.Hour) != 0 {
		e.change(line, "conditions", "%s becomes %d whole days", right, days)
	}
	return days, true
}

// registration notes for how long the domain has to be registered yet.
func (e *gatusEndpoint) registration(comparator, right string, line int) bool {
	if _, err := netip.ParseAddr(e.host); err == nil || !strings.Contains(e.host, ".") {
		return false
	}
	days, ok := e.days(comparator, right, line)
	if ok {
		e.domain, e.domainLine = max(e.domain, days, 1), line
	}
	return ok
}

// record compares a record of DNS. Gatus looks at one record, an assertion at all.
func (e *gatusEndpoint) record(comparator, right string, line int) bool {
	switch {
	case comparator == "==" && !strings.HasPrefix(right, "pat(") && !strings.HasPrefix(right, "any("):
		e.assert("values", "", "includes", right)
	case comparator == "!=" && !strings.HasPrefix(right, "pat("):
		for _, one := range alternatives(right) {
			e.assert("values", "", "notIncludes", one)
		}
	case comparator == "==" && strings.Trim(right, "pat(*.?:)") == "":
		e.assert("recordCount", "", "greaterThan", 0)
		e.change(line, "conditions", "%s becomes at least one record", right)
	default:
		return false
	}
	return true
}

// content compares the body, a value in it, its length or whether it is there.
func (e *gatusEndpoint) content(left, comparator, right string, line int) bool {
	function := ""
	for _, name := range []string{"len", "has"} {
		if strings.HasPrefix(left, name+"(") && strings.HasSuffix(left, ")") {
			function, left = name, strings.TrimSuffix(strings.TrimPrefix(left, name+"("), ")")
		}
	}
	if !strings.HasPrefix(left, "[BODY]") {
		return false
	}
	path, ok := jsonPath(strings.TrimPrefix(left, "[BODY]"))
	if !ok || path != "" && !e.fields.path {
		return false
	}
	switch function {
	case "has":
		exists := (comparator == "==") == (right == "true")
		if path == "" || comparator != "==" && comparator != "!=" {
			return false
		}
		operator := "notExists"
		if exists {
			operator = "exists"
		}
		e.assert(e.fields.body, path, operator, nil)
		return true
	case "len":
		return e.length(path, comparator, right, line)
	}
	return e.text(path, comparator, right)
}

// length compares the length of the body or of a value in it.
func (e *gatusEndpoint) length(path, comparator, right string, line int) bool {
	n, err := strconv.Atoi(right)
	if err != nil || n < 0 {
		return false
	}
	if path == "" && e.fields.path {
		path = "$"
		e.change(line, "conditions", "The body has to be JSON for its length")
	}
	switch comparator {
	case "==":
		e.assert(e.fields.body, path, "lengthEquals", n)
	case ">":
		e.assert(e.fields.body, path, "lengthGreaterThan", n)
	case "<":
		e.assert(e.fields.body, path, "lengthLessThan", n)
	case "<=":
		e.assert(e.fields.body, path, "lengthLessThan", n+1)
	case ">=":
		if n > 0 {
			e.assert(e.fields.body, path, "lengthGreaterThan", n-1)
		} else if path != "" {
			e.assert(e.fields.body, path, "exists", nil)
		}
	default:
		return false
	}
	return true
}

// text compares the body or a value in it.
func (e *gatusEndpoint) text(path, comparator, right string) bool {
	if strings.HasPrefix(right, "pat(") && strings.HasSuffix(right, ")") {
		pattern := globPattern(strings.TrimSuffix(strings.TrimPrefix(right, "pat("), ")"))
		if len(pattern) > 1000 || comparator != "==" && comparator != "!=" {
			return false
		}
		operator := "matches"
		if comparator == "!=" {
			operator = "notMatches"
		}
		e.assert(e.fields.body, path, operator, pattern)
		return true
	}
	all := alternatives(right)
	switch {
	case comparator == "==" && len(all) > 1:
		e.assert(e.fields.body, path, "oneOf", all)
	case comparator == "!=" && len(all) > 1:
		e.assert(e.fields.body, path, "notOneOf", all)
	case comparator == "==" || comparator == "!=":
		e.assert(e.fields.body, path, ordering[comparator], all[0])
	default:
		n, err := strconv.ParseFloat(right, 64)
		if err != nil || path == "" {
			return false
		}
		e.assert(e.fields.body, path, ordering[comparator], n)
	}
	return true
}

// globPattern converts a pattern with * and ? to a regular expression.
func globPattern(glob string) string {
	var b strings.Builder
	before, after := strings.HasPrefix(glob, "*"), strings.HasSuffix(glob, "*")
	glob = strings.Trim(glob, "*")
	b.WriteString("(?s)")
	if !before {
		b.WriteString("^")
	}
	for _, r := range glob {
		switch r {
		case '*':
			b.WriteString(".*")
		case '?':
			b.WriteString(".")
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	if !after {
		b.WriteString("$")
	}
	return b.String()
}

var (
	plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	indexed   = regexp.MustCompile(`^([^\[\]]*)((?:\[[0-9]{1,9}\])*)$`)
)

// jsonPath converts a path such as .users[0].name to one of RFC 9535; "" for the whole.
func jsonPath(path string) (string, bool) {
	if path == "" {
		return "", true
	}
	var b strings.Builder
	b.WriteString("$")
	for i, part := range strings.Split(path, ".") {
		found := indexed.FindStringSubmatch(part)
		switch {
		case found == nil || part == "" && i > 0:
			return "", false
		case found[1] == "":
		case plainName.MatchString(found[1]):
			b.WriteString("." + found[1])
		default:
			b.WriteString("['" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(found[1]) + "']")
		}
		b.WriteString(found[2])
	}
	return b.String(), b.Len() <= 300
}

// finish adds the check, unless nothing of its conditions is left that could make it fail. Conditions about the domain are a check of
// their own.
func (e *gatusEndpoint) finish() {
	if e.gone {
		return
	}
	if len(e.assertions) == 0 && !e.decided && e.domain > 0 {
		e.expiry(e.monitor)
		e.done()
		return
	}
	if len(e.assertions) == 0 && !e.decided {
		if !e.object.has("conditions") {
			e.drop(e.line, "it has no conditions, which Gatus refuses too")
			return
		}
		e.drop(e.line, "none of its conditions can be said here")
		return
	}
	if e.strategy == "healthcheck-http.http" && len(e.assertions) == 0 {
		e.anyStatus()
	}
	e.done()
	if e.domain > 0 && !e.gone {
		// The copy counts its work, names and findings with the monitor.
		second := *e.monitor
		second.name = shown(e.name + " (domain)")
		e.change(e.domainLine, "conditions", "The registration of the domain is a check of its own, called %s", second.name)
		e.expiry(&second)
		second.done()
	}
}

// leastOfDomains is the least interval of checks of domains.
const leastOfDomains = time.Hour

// expiry makes a monitor a look at the registration of the domain.
func (e *gatusEndpoint) expiry(m *monitor) {
	m.kind("healthcheck-domain.domain", "healthcheck-domain.registration")
	m.config, m.assertions, m.version = config{}, nil, ""
	m.collecting = config{"domain": e.host, "minDaysUntilExpiry": 0}
	m.every(leastOfDomains, e.domainLine, "interval", "Registries limit requests")
	m.assert("daysRemaining", "", "greaterThanOrEqual", e.domain)
}
