package foreign

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/check/health"
)

// maxExpression bounds a regular expression, as that of an assertion.
const maxExpression = 1000

// blackboxTimeout is the time that Prometheus gives a scrape.
const blackboxTimeout = 10 * time.Second

func isBlackbox(root *value) bool {
	if v := root.at("scrape_configs"); v != nil && v.kind == list {
		return true
	}
	modules := root.at("modules")
	if modules == nil || modules.kind != mapping {
		return false
	}
	return len(modules.keys) == 0 || modules.members[modules.keys[0]].at("prober") != nil
}

// usualModules are modules that the exporter's own configuration has.
var usualModules = map[string]string{
	"http_2xx": "http", "http_post_2xx": "http", "tcp_connect": "tcp", "icmp": "icmp", "grpc_plain": "grpc",
}

// blackboxFiles are modules of the exporter, and the targets that Prometheus lets it probe.
type blackboxFiles struct {
	*plan

	modules map[string]*value
	used    map[string]bool
}

func readBlackbox(p *plan, root *value) {
	b := &blackboxFiles{plan: p, modules: map[string]*value{}, used: map[string]bool{}}
	for _, d := range root.items {
		modules := d.at("modules")
		if modules == nil || modules.kind != mapping {
			continue
		}
		for _, name := range modules.keys {
			b.modules[name] = modules.members[name]
		}
	}
	for _, d := range root.items {
		global := (&monitor{plan: p}).object(d.at("global"), "global")
		interval := global.duration("scrape_interval", time.Minute)
		timeout := global.duration("scrape_timeout", blackboxTimeout)
		for _, job := range elements(d.at("scrape_configs")) {
			b.job(job, interval, timeout)
		}
		for key, message := range map[string]string{
			"alerting": "Alerts are not imported", "rule_files": "Rules and alerts are not imported",
			"remote_write": "Metrics are not sent on", "scrape_config_files": "Paste these files here too",
		} {
			if v := d.at(key); filled(v) {
				p.lost(v.line, key, message)
			}
		}
	}
	for _, d := range root.items {
		modules := d.at("modules")
		if modules == nil {
			continue
		}
		for _, name := range modules.keys {
			if !b.used[name] {
				p.lost(modules.members[name].line, "modules."+shown(name),
					"No target uses this module: paste the scrape_configs of Prometheus here too")
			}
		}
	}
}

// probe is a target with its module and labels.
type probe struct {
	*monitor

	target, module  string
	labels          map[string]string
	interval, limit time.Duration
	line            int
}

// job reads the targets of a job of Prometheus.
func (b *blackboxFiles) job(job *value, interval, timeout time.Duration) {
	// Findings about the job are about the file.
	j := &monitor{plan: b.plan, line: job.line}
	o := j.object(job, "scrape_configs")
	name := o.str("job_name")
	interval = o.duration("scrape_interval", interval)
	timeout = o.duration("scrape_timeout", timeout)
	params := j.object(o.get("params"), "params")
	module := ""
	if all := params.texts("module"); len(all) > 0 {
		module = all[0].text
	}
	rules := elements(o.get("relabel_configs"))
	if o.str("metrics_path") != "/probe" && module == "" {
		b.lost(job.line, "scrape_configs."+shown(name), "The job reads metrics, and is no probe")
		return
	}
	for _, key := range job.keys {
		if strings.HasSuffix(key, "_sd_configs") {
			b.lost(job.members[key].line, key, "Targets that are discovered are not in the file: write them as static_configs")
		}
	}
	for _, group := range elements(o.get("static_configs")) {
		targets := j.object(group, "static_configs")
		for _, target := range targets.texts("targets") {
			labels := map[string]string{"__address__": target.text, "__param_module": module, "job": name}
			if set := group.at("labels"); set != nil && set.kind == mapping {
				for _, key := range set.keys {
					labels[key] = set.members[key].text
				}
			}
			if fixed := params.texts("target"); len(fixed) > 0 {
				labels["__param_target"] = fixed[0].text
			}
			m := b.monitor(target.text, target.line)
			p := &probe{monitor: m, labels: labels, interval: interval, limit: timeout, line: target.line}
			if !p.relabel(rules) {
				continue
			}
			b.probe(p, name)
		}
	}
}

// relabel applies the rules of a job to the labels of a target. False: the target is gone.
func (p *probe) relabel(rules []*value) bool {
	for _, rule := range rules {
		o := p.object(rule, "relabel_configs")
		var sources []string
		for _, label := range o.texts("source_labels") {
			sources = append(sources, p.labels[label.text])
		}
		separator := ";"
		if rule.at("separator") != nil {
			separator = o.str("separator")
		}
		source := strings.Join(sources, separator)
		pattern, err := p.compile("^(?s:"+orText(o.str("regex"), "(.*)")+")$", len(source))
		if err != nil || len(source) > 4000 {
			p.drop(rule.line, "a rule for its labels is no regular expression")
			return false
		}
		replacement := "$1"
		if rule.at("replacement") != nil {
			replacement = o.str("replacement")
		}
		match := pattern.FindStringSubmatchIndex(source)
		switch action := orText(o.str("action"), "replace"); action {
		case "replace":
			if match != nil && len(replacement) <= 2000 {
				expanded := string(pattern.ExpandString(nil, replacement, source, match))
				p.spend(len(expanded) / 100)
				p.labels[o.str("target_label")] = expanded
			}
		case "keep", "drop":
			if (match != nil) != (action == "keep") {
				// Prometheus has no such target.
				p.Monitors--
				p.lost(p.line, "targets", p.name+" is taken out by a rule for its labels")
				return false
			}
		default:
			p.change(rule.line, "relabel_configs", "The rule with the action %s is not followed", action)
		}
	}
	return true
}

// compile compiles a regular expression of the source, for a text of a length. It counts the steps that both may take: a short
// expression can have many.
func (p *plan) compile(expression string, length int) (*regexp.Regexp, error) {
	if len(expression) > maxExpression {
		return nil, errors.New("the regular expression is too long")
	}
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("parse a regular expression: %w", err)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, fmt.Errorf("compile a regular expression: %w", err)
	}
	p.spend(len(program.Inst) * (100 + length) / 1000)
	compiled, err := regexp.Compile(expression)
	if err != nil {
		return nil, fmt.Errorf("compile a regular expression: %w", err)
	}
	return compiled, nil
}

// probe makes the check of a target.
func (b *blackboxFiles) probe(p *probe, job string) {
	p.target, p.module = orText(p.labels["__param_target"], p.labels["__address__"]), p.labels["__param_module"]
	p.monitor.interval = p.interval
	p.thresholds = health.Thresholds{HealthyAfter: 1, DegradedAfter: 1, UnhealthyAfter: 1}
	name := orText(p.labels["instance"], p.target)
	if module := p.module; module != "" && module != "http_2xx" {
		name += " " + module
	}
	if password := userinfo.FindString(name); password != "" {
		name = strings.Replace(name, password, "//", 1)
	}
	p.name = shown(name)
	p.description = "Job " + job + ", module " + p.module
	for _, label := range []string{"system", "service", "app", "group"} {
		p.system = orText(p.system, p.labels[label])
	}
	module := b.modules[p.module]
	var prober string
	b.used[p.module] = true
	switch {
	case module != nil && module.at("prober") != nil:
		prober = module.at("prober").text
	case usualModules[p.module] != "":
		prober = usualModules[p.module]
		p.change(p.line, "module", "The module %s is not in the file: that of the exporter's own configuration is meant", p.module)
	default:
		p.drop(p.line, "its module %s is not in the file", orText(shown(p.module), "of no name"))
		return
	}
	o := p.object(module, "modules."+shown(p.module))
	o.skip("prober")
	p.timeout = min(p.limit, o.duration("timeout", p.limit))
	settings := p.object(o.get(prober), o.of(prober))
	if module == nil && p.module == "http_post_2xx" {
		settings = p.object(&value{
			kind: mapping, line: p.line, keys: []string{"method"},
			members: map[string]*value{"method": {kind: scalar, line: p.line, text: "POST"}},
		}, "")
	}
	switch prober {
	case "http":
		p.http(settings)
	case "tcp":
		p.tcp(settings)
	case "icmp":
		p.ping(p.target, 1, p.line)
		p.assert("packetsReceived", "", "greaterThan", 0)
		settings.lose("ttl", "The time to live of pings is not set")
		settings.lose("payload_size", "The size of pings is not set")
	case "dns":
		p.dns(settings)
	case "grpc":
		p.grpc(settings)
	case "websocket":
		p.websocket(settings)
	default:
		p.drop(p.line, "there are no checks of %s", shown(prober))
	}
	p.protocol(settings)
	settings.lose("source_ip_address", "The address of the sender is not chosen")
	settings.lose("dont_fragment", "is not set")
	settings.rest()
	o.rest()
	p.done()
}

// userinfo is a user with a password in a URL.
var userinfo = regexp.MustCompile(`//[^/@\s]*@`)

// protocol chooses the version of IP. The exporter prefers IPv6, and falls back to IPv4.
func (p *probe) protocol(o *object) {
	preferred := o.str("preferred_ip_protocol")
	if !o.flag("ip_protocol_fallback", true) {
		p.network(orText(preferred, "ip6"), o.lineOf("ip_protocol_fallback"))
	}
}

// http makes an HTTP request.
func (p *probe) http(o *object) {
	target := p.target
	if !strings.Contains(target, "://") {
		target = "http://" + target
	}
	p.monitor.http(target, p.line, o.str("method"))
	for _, list := range []string{"headers", "http_headers"} {
		headers := p.object(o.get(list), o.of(list))
		for _, name := range headers.keys {
			v := headers.get(name)
			if v != nil && v.kind == mapping {
				h := p.object(v, headers.of(name))
				values := append(h.texts("values"), h.texts("secrets")...)
				h.lose("files", "Files are not in the text")
				for _, one := range values {
					p.header(name, one.text, one.line)
				}
				continue
			}
			if v != nil {
				p.header(name, v.text, v.line)
			}
		}
	}
	p.body(o.str("body"), o.lineOf("body"))
	o.lose("body_file", "Files are not in the text")
	if !o.flag("follow_redirects", true) || o.flag("no_follow_redirects", false) {
		p.collecting["followRedirects"] = false
	} else {
		p.collecting["maxRedirects"] = 10
	}
	p.login(o)
	p.tls(o.get("tls_config"), o.of("tls_config"))
	if proxy := o.str("proxy_url"); proxy != "" {
		p.proxy(proxy, o.lineOf("proxy_url"))
	}
	o.lose("proxy_connect_header", "Headers for the proxy are not sent")
	o.skip("skip_resolve_phase_with_proxy", "compression", "enable_http2")
	o.lose("enable_http3", "HTTP/3 is not spoken")
	o.lose("body_size_limit", "At most 1 MiB of a body is read")
	o.lose("fail_if_body_json_matches_cel", "CEL is not spoken. Assert values of the body by a path")
	o.lose("fail_if_body_json_not_matches_cel", "CEL is not spoken. Assert values of the body by a path")
	p.answer(o)
}

// login sets what the request shows to the server.
func (p *probe) login(o *object) {
	if auth := o.get("basic_auth"); auth != nil {
		a := p.object(auth, o.of("basic_auth"))
		p.basic(a.str("username"), a.str("password"), a.lineOf("password"))
		a.rest()
	}
	if auth := o.get("authorization"); auth != nil {
		a := p.object(auth, o.of("authorization"))
		if kind := orText(a.str("type"), "Bearer"); strings.EqualFold(kind, "Bearer") {
			p.bearer(a.str("credentials"), a.lineOf("credentials"))
		} else if credentials := a.str("credentials"); credentials != "" {
			p.append("secretHeaders", config{"name": "Authorization", "value": kind + " " + p.secret("CREDENTIALS", credentials, a.line)})
		}
		a.rest()
	}
	p.bearer(o.str("bearer_token"), o.lineOf("bearer_token"))
	o.lose("bearer_token_file", "Files are not in the text")
	o.lose("oauth2", "Tokens are not fetched. Give a token, or write a script")
}

// tls reads how certificates are checked.
func (p *probe) tls(v *value, path string) {
	if v == nil {
		return
	}
	o := p.object(v, path)
	if o.flag("insecure_skip_verify", false) {
		if p.strategy == "healthcheck-tls.tls" {
			p.config["rejectUnauthorized"] = false
		} else {
			p.config["skipVerify"] = true
		}
	}
	if name := o.str("server_name"); name != "" {
		key := "serverName"
		if p.strategy == "healthcheck-tls.tls" {
			key = "servername"
		}
		p.config[key] = name
	}
	if ca := o.str("ca"); ca != "" {
		p.config["ca"] = ca
	}
	for _, file := range []string{"ca_file", "cert_file", "key_file"} {
		o.lose(file, "Files are not in the text: paste the certificate into the check")
	}
	o.rest()
}

// answer asserts what the answer has to be.
func (p *probe) answer(o *object) {
	codes := []int{}
	for _, v := range o.texts("valid_status_codes") {
		if code, err := strconv.Atoi(v.text); err == nil {
			codes = append(codes, code)
		}
	}
	if len(codes) == 0 {
		p.assert("statusCode", "", "between", []int{200, 299})
	} else {
		slices.Sort(codes)
		p.statuses(slices.Compact(codes))
	}
	versions := []string{}
	for _, v := range o.texts("valid_http_versions") {
		version := strings.TrimSpace(v.text)
		if version == "HTTP/2" {
			version = "HTTP/2.0"
		}
		if strings.HasPrefix(version, "HTTP/3") {
			p.leave(v.line, o.of("valid_http_versions"), "HTTP/3 is not spoken")
			continue
		}
		versions = append(versions, version)
	}
	if len(versions) > 0 {
		p.assert("protocol", "", "oneOf", versions)
	}
	if o.flag("fail_if_ssl", false) {
		p.assert("finalUrl", "", "startsWith", "http://")
	}
	if o.flag("fail_if_not_ssl", false) {
		p.assert("finalUrl", "", "startsWith", "https://")
	}
	for _, rule := range [][2]string{{"fail_if_body_matches_regexp", "notMatches"}, {"fail_if_body_not_matches_regexp", "matches"}} {
		for _, v := range o.texts(rule[0]) {
			p.pattern("body", "", rule[1], v.text, v.line, o.of(rule[0]))
		}
	}
	for _, rule := range [][2]string{{"fail_if_header_matches", "notMatches"}, {"fail_if_header_not_matches", "matches"}} {
		for _, v := range elements(o.get(rule[0])) {
			p.headerRule(p.object(v, o.of(rule[0])), rule[1])
		}
	}
}

// pattern asserts a regular expression.
func (p *probe) pattern(field, path, operator, pattern string, line int, setting string) {
	if _, err := p.compile(pattern, 0); err != nil {
		p.leave(line, setting, "is no regular expression of at most 1,000 characters")
		return
	}
	p.assert(field, path, operator, pattern)
}

// headerRule asserts a header.
func (p *probe) headerRule(o *object, operator string) {
	name, pattern := strings.ToLower(o.str("header")), o.str("regexp")
	path := fmt.Sprintf("$['%s']", strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(name))
	switch missing := o.flag("allow_missing", false); {
	case !missing:
		p.pattern("headers", path, operator, pattern, o.line, o.path)
	case operator == "notMatches" && (pattern == ".*" || pattern == ""):
		p.assert("headers", path, "notExists", nil)
	default:
		p.leave(o.line, o.path, "A header that may be missing cannot be matched")
	}
	if name == "set-cookie" {
		p.change(o.line, o.path, "Values of cookies are left out of results: its names alone are matched")
	}
}

// dns makes a lookup.
func (p *probe) dns(o *object) {
	p.kind("healthcheck-dns.dns", "healthcheck-dns.lookup")
	p.config["nameserver"] = p.target
	if transport := o.str("transport_protocol"); transport == "tcp" {
		p.config["protocol"] = "tcp"
	}
	p.lookup(o.str("query_name"), strings.ToUpper(orText(o.str("query_type"), "ANY")), o.line)
	p.host = p.target
	codes := []string{}
	for _, v := range o.texts("valid_rcodes") {
		codes = append(codes, v.text)
	}
	if len(codes) == 0 {
		codes = []string{"NOERROR"}
	}
	if len(codes) > 1 || codes[0] != "NOERROR" {
		p.collecting["allowMissing"] = true
	}
	p.assert("rcode", "", "oneOf", codes)
	for _, key := range []string{"validate_answer_rrs", "validate_authority_rrs", "validate_additional_rrs"} {
		o.lose(key, "Records are not matched. Assert what the values include")
	}
	o.lose("query_class", "The class IN is asked for")
	o.lose("dns_over_tls", "DNS over TLS is not spoken")
	o.lose("tls_config", "DNS over TLS is not spoken")
	o.skip("recursion_desired")
}

// grpc asks a server for its health.
func (p *probe) grpc(o *object) {
	p.kind("healthcheck-grpc.grpc", "healthcheck-grpc.health")
	p.hostPort(p.target, 0, p.line)
	p.assert("serving", "", "isTrue", nil)
	if service := o.str("service"); service != "" {
		p.config["service"] = service
	}
	if o.flag("tls", false) {
		p.config["useTls"] = true
		p.tls(o.get("tls_config"), o.of("tls_config"))
	}
	o.skip("tls_config")
	metadata := p.object(o.get("metadata"), o.of("metadata"))
	plain, secrets := config{}, config{}
	for _, key := range metadata.keys {
		values := metadata.texts(key)
		if len(values) == 0 {
			continue
		}
		if len(values) > 1 {
			p.leave(values[1].line, metadata.of(key), "The first value alone is sent")
		}
		if sensitive.MatchString(key) {
			secrets[key] = p.secret(key, values[0].text, values[0].line)
		} else {
			plain[key] = values[0].text
		}
	}
	if len(plain) > 0 {
		p.config["metadata"] = plain
	}
	if len(secrets) > 0 {
		p.config["secretMetadata"] = secrets
	}
}

// websocket opens a WebSocket connection.
func (p *probe) websocket(o *object) {
	p.kind("healthcheck-websocket.websocket", "healthcheck-websocket.exchange")
	if u := p.address(p.target, p.line, "ws", "wss"); u != nil {
		p.config["url"] = p.target
	}
	client := p.object(o.get("http_config"), o.of("http_config"))
	p.tls(client.get("tls_config"), client.of("tls_config"))
	if auth := client.get("authorization"); auth != nil {
		if token := p.object(auth, client.of("authorization")).str("credentials"); token != "" {
			p.config["bearerToken"] = p.secret("TOKEN", token, auth.line)
		}
	}
	client.lose("basic_auth", "Give it as a secret header Authorization")
	client.rest()
	headers := p.object(o.get("headers"), o.of("headers"))
	for _, name := range headers.keys {
		p.header(name, headers.str(name), headers.lineOf(name))
	}
	steps := elements(o.get("query_response"))
	p.collecting["noAnswer"] = len(steps) == 0
	for i, v := range steps {
		step := p.object(v, o.of("query_response"))
		expect, send := step.str("expect"), step.str("send")
		switch {
		case i == 0 && expect != "":
			p.collecting["expectPattern"] = expect
			if send != "" {
				p.leave(v.line, o.of("query_response"), "Nothing is sent after the first message")
			}
		case i == 0 && send != "":
			p.collecting["send"] = send
		case i == 1 && expect != "" && p.collecting["expectPattern"] == nil:
			p.collecting["expectPattern"] = expect
		default:
			p.leave(v.line, o.of("query_response"), "A conversation of more steps cannot be had")
		}
	}
	p.assert("success", "", "isTrue", nil)
}
