package foreign

import (
	"strings"
)

// tcp opens a TCP connection, or holds the conversation of a module as far as a check of this product can.
func (p *probe) tcp(o *object) {
	steps := elements(o.get("query_response"))
	encrypted := o.flag("tls", false)
	switch {
	case isMail(steps):
		p.kind("healthcheck-smtp.smtp", "healthcheck-smtp.session")
		p.hostPort(p.target, 25, p.line)
		p.assert("encrypted", "", "isTrue", nil)
		p.change(o.lineOf("query_response"), o.of("query_response"), "The conversation becomes a session of SMTP with STARTTLS")
		for _, v := range steps {
			if expect := v.at("expect"); expect != nil && strings.Contains(expect.text, "AUTH") {
				p.leave(v.line, o.of("query_response"), "That the server offers to log in is not asserted")
			}
		}
	case encrypted:
		p.kind("healthcheck-tls.tls", "healthcheck-tls.certificate")
		p.hostPort(p.target, 443, p.line)
		p.config["minDaysUntilExpiry"] = 0
		if config := o.at("tls_config").at("insecure_skip_verify"); config == nil || config.text != "true" {
			p.assert("valid", "", "isTrue", nil)
		}
		for _, v := range steps {
			p.leave(v.line, o.of("query_response"), "Nothing is said within TLS: the connection and the certificate are checked")
		}
	case len(steps) > 0:
		p.banner(o, steps)
	default:
		p.kind("healthcheck-tcp.tcp", "healthcheck-tcp.connection")
		p.hostPort(p.target, 0, p.line)
		p.assert("success", "", "isTrue", nil)
	}
	if encrypted || p.strategy == "healthcheck-smtp.smtp" {
		p.tls(o.get("tls_config"), o.of("tls_config"))
	}
	o.skip("tls_config")
}

// isMail recognises a conversation that begins as SMTP and switches to TLS.
func isMail(steps []*value) bool {
	greets, switches := false, false
	for _, v := range steps {
		if send := v.at("send"); send != nil {
			greets = greets || strings.HasPrefix(strings.ToUpper(send.text), "EHLO")
		}
		if start := v.at("starttls"); start != nil {
			switches = switches || start.text == "true"
		}
	}
	return greets && switches
}

// banner sends what comes before the first expectation, and matches the first line of the answer.
func (p *probe) banner(o *object, steps []*value) {
	p.kind("healthcheck-tcp.tcp", "healthcheck-tcp.banner")
	p.hostPort(p.target, 0, p.line)
	var send strings.Builder
	expected := false
	for _, v := range steps {
		step := p.object(v, o.of("query_response"))
		expect, say := step.str("expect"), step.get("send")
		switch {
		case expected:
			step.skip("starttls", "expect_bytes")
			p.leave(v.line, step.path, "The conversation ends after the first answer")
		case step.has("expect_bytes") || step.flag("starttls", false) || say != nil && say.kind == opaque:
			// The rest cannot be had without this step.
			p.leave(v.line, step.path, "Bytes and STARTTLS are no part of a conversation here")
			step.skip("starttls", "expect_bytes")
			p.connection(o)
			return
		case expect != "":
			if _, err := p.compile(expect, 0); err != nil {
				p.drop(v.line, "what it expects is no regular expression")
				return
			}
			p.assert("banner", "", "matches", expect)
			expected = true
			if say != nil {
				p.leave(v.line, step.path, "The conversation ends after the first answer")
			}
			step.lose("labels", "Labels are not made of answers")
		case say != nil:
			send.WriteString(say.text + "\n")
		}
	}
	if send.Len() > 0 {
		p.collecting["send"] = send.String()
		p.change(o.lineOf("query_response"), o.of("query_response"), "The answer is read up to the end of its first line")
	}
	if !expected {
		p.connection(o)
	}
}

// connection checks no more than that there is a connection.
func (p *probe) connection(o *object) {
	p.kind("healthcheck-tcp.tcp", "healthcheck-tcp.connection")
	p.assert("success", "", "isTrue", nil)
	delete(p.collecting, "send")
	p.change(o.lineOf("query_response"), o.of("query_response"), "The connection alone is checked")
}
