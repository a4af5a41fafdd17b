package strategy

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/miekg/dns"

	"countersign/check"
	"countersign/internal/egress"
	"countersign/internal/problem"
)

// dnsConfig configures the name servers.
type dnsConfig struct {
	Nameserver string `json:"nameserver,omitempty" jsonschema:"maxLength=260" jsonschema_description:"Name server to ask, as host or host:port; that of the machine when empty" check:"template,label=Name server"`
	Protocol   string `json:"protocol,omitempty" jsonschema:"enum=udp,enum=tcp,default=udp" jsonschema_description:"udp asks again over TCP when an answer does not fit; tcp asks over TCP alone" check:"label=Protocol"`
	check.Deadline
	check.Tries
	check.Addressing
}

// Check implements check.Checker.
func (c *dnsConfig) Check() []problem.Issue { return nameserverIssues(c.Nameserver) }

// dnsLookupConfig is one query.
type dnsLookupConfig struct {
	Hostname     string `json:"hostname" jsonschema:"minLength=1,maxLength=253" jsonschema_description:"The whole name to look up, such as example.com or _sip._tcp.example.com; for PTR also an address" check:"template,label=Host name"`
	RecordType   string `json:"recordType,omitempty" jsonschema:"enum=A,enum=AAAA,enum=CNAME,enum=MX,enum=TXT,enum=NS,enum=SOA,enum=SRV,enum=PTR,enum=CAA,default=A" jsonschema_description:"Which records to ask for" check:"label=Record type"`
	Nameserver   string `json:"nameserver,omitempty" jsonschema:"maxLength=260" jsonschema_description:"Name server for this question, as host or host:port, instead of that of the check" check:"template,label=Name server"`
	AllowMissing bool   `json:"allowMissing,omitempty" jsonschema_description:"A name that does not exist, or has no such records, is a result: assert rcode or recordCount. Otherwise the check fails." check:"label=May be missing"`
}

// Check implements check.Checker.
func (c *dnsLookupConfig) Check() []problem.Issue {
	issues := nameserverIssues(c.Nameserver)
	if _, err := questionName(c.Hostname, c.RecordType); err != nil {
		issues = append(issues, problem.Issue{Path: "hostname", Message: err.Error()})
	}
	return issues
}

// dnsLookupResult is an answer.
type dnsLookupResult struct {
	Values           []string `json:"values" jsonschema_description:"The records, as in a zone file: 192.0.2.1, or 10 mail.example.com. for MX; texts of TXT without quotes" check:"label=Values"`
	RecordCount      int      `json:"recordCount" jsonschema_description:"How many records of the type there are" check:"chart=line,label=Records"`
	ResolutionTimeMs float64  `json:"resolutionTimeMs" jsonschema_description:"How long the answer took" check:"chart=line,unit=ms,label=Resolution time,keep"`
	Rcode            string   `json:"rcode" jsonschema_description:"What the server says about the question: NOERROR, NXDOMAIN, SERVFAIL, REFUSED" check:"label=Answer"`
	TTL              int      `json:"ttl" jsonschema_description:"For how many seconds the answer may be remembered: the least of the records" check:"chart=line,unit=s,label=TTL"`
	Canonical        string   `json:"canonicalName,omitempty" jsonschema_description:"Where aliases lead in the end, when the name is one" check:"label=Canonical name"`
	Authoritative    bool     `json:"authoritative" jsonschema_description:"Whether the server is responsible for the name" check:"label=Authoritative"`
	Authenticated    bool     `json:"authenticated" jsonschema_description:"Whether the server has verified the answer by DNSSEC" check:"label=Authenticated"`

	recordType string
	// strange is a name that the answer has a record of, and that nobody asked for.
	strange string
	cutFields
}

// Equivalent implements assertion.Equivalence. Names have no case (RFC 4343), and are whole with or without the dot at
// their end; addresses can be written in several ways. Texts are compared as they are.
func (r *dnsLookupResult) Equivalent(field, text, expected string) bool {
	switch {
	case field == "rcode":
		return strings.EqualFold(text, expected)
	case field == "values" && (r.recordType == "TXT" || r.recordType == "CAA"):
		return false
	case field == "values" && (r.recordType == "A" || r.recordType == "AAAA"):
		is, err := netip.ParseAddr(text)
		wanted, wrong := netip.ParseAddr(expected)
		return err == nil && wrong == nil && is == wanted
	case field == "values" || field == "canonicalName":
		return strings.EqualFold(undotted(text), undotted(expected))
	default:
		return false
	}
}

// undotted removes the dots at the end of names in the data of a record.
func undotted(data string) string {
	words := strings.Fields(data)
	for i, word := range words {
		words[i] = strings.TrimSuffix(word, ".")
	}
	return strings.Join(words, " ")
}

// dnsSession queries name servers.
type dnsSession struct {
	config *dnsConfig
	system func() ([]string, error)
}

// systemNameservers lists the name servers of the machine, as host:port. They are dialled without the address guard,
// since they often listen on loopback, which checks cannot reach otherwise.
func systemNameservers() ([]string, error) {
	config, err := dns.ClientConfigFromFile("/etc/resolv.conf")
	if err != nil {
		return nil, err
	}
	servers := make([]string, len(config.Servers))
	for i, s := range config.Servers {
		servers[i] = net.JoinHostPort(s, config.Port)
	}
	return servers, nil
}

func dnsStrategy(system func() ([]string, error)) check.Strategy {
	return check.NewStrategy(
		check.Kind{
			ID: "healthcheck-dns.dns", Name: "DNS", Category: "Network",
			Description: "Asks a name server about a name, without a cache of its own.",
		},
		func(_ context.Context, _ check.Run, c *dnsConfig) (*dnsSession, error) {
			return &dnsSession{c, system}, nil
		}, nil,
		check.NewCollector(check.Kind{
			ID: "healthcheck-dns.lookup", Name: "DNS lookup", Category: "Network",
			Description: "The records of one type that a name has.",
		}, dnsLookup),
	)
}

func nameserverIssues(nameserver string) []problem.Issue {
	if nameserver == "" {
		return nil
	}
	if _, ok := nameserverAddress(nameserver); !ok {
		return []problem.Issue{
			{Path: "nameserver", Message: "must be a host or host:port, such as 192.0.2.53, ns1.example.com:5353 or [2001:db8::1]:53"},
		}
	}
	return nil
}

// nameserverAddress normalises the address of a name server to host:port.
func nameserverAddress(text string) (string, bool) {
	if addr, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
		return net.JoinHostPort(addr.String(), "53"), true
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		host, port = text, "53"
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", false
	}
	if addr, err := netip.ParseAddr(host); err == nil && addr.Is6() {
		return net.JoinHostPort(addr.String(), port), true
	}
	if _, valid := dns.IsDomainName(host); !valid || host == "" || strings.ContainsAny(host, " /:@") {
		return "", false
	}
	return net.JoinHostPort(host, port), true
}

// questionName returns the wire form of a name. Its error ends a sentence about the field.
func questionName(hostname, recordType string) (string, error) {
	if addr, err := netip.ParseAddr(hostname); err == nil {
		if recordType != "PTR" {
			return "", errors.New("is an address; only PTR looks up addresses")
		}
		return dns.ReverseAddr(addr.String())
	}
	hostname, err := egress.ASCIIHost(hostname)
	if err != nil {
		return "", errors.New("is not a valid internationalized name")
	}
	if strings.Contains(hostname, "*") && !strings.HasPrefix(hostname, "*.") {
		return "", errors.New("has a wildcard that is not its first label")
	}
	if _, ok := dns.IsDomainName(hostname); !ok || strings.ContainsAny(hostname, " /:@") || strings.Contains(hostname, "..") {
		return "", errors.New("is not a valid name")
	}
	return dns.Fqdn(hostname), nil
}

func dnsLookup(ctx context.Context, run check.Run, s *dnsSession, c *dnsLookupConfig) (*dnsLookupResult, error) {
	recordType := otherwise(c.RecordType, "A")
	name, err := questionName(c.Hostname, recordType)
	if err != nil {
		return nil, check.Fail(check.NotRunnable, "The name of this check "+err.Error()+".")
	}
	ask := asker{protocol: otherwise(s.config.Protocol, "udp"), dial: run.Dial, ip: run.IP}
	if server := otherwise(c.Nameserver, s.config.Nameserver); server != "" {
		address, ok := nameserverAddress(server)
		if !ok {
			return nil, check.Fail(check.NotRunnable, "The name server of this check is neither a host nor host:port.")
		}
		ask.servers, ask.named = []string{address}, "the name server "+address
	} else {
		if ask.servers, err = s.system(); err != nil || len(ask.servers) == 0 {
			return nil, check.Fail(check.NotRunnable, "The machine that runs this check has no name server; name one in the check.")
		}
		ask.named, ask.dial = "the name server", (&net.Dialer{}).DialContext
	}
	question := new(dns.Msg).SetQuestion(name, dns.StringToType[recordType])
	question.SetEdns0(1232, false)
	question.AuthenticatedData = true
	begun := time.Now()
	answer, err := ask.question(egress.Fresh(ctx), question)
	if err != nil {
		return nil, err
	}
	r := &dnsLookupResult{
		ResolutionTimeMs: milliseconds(time.Since(begun)), Rcode: dns.RcodeToString[answer.Rcode], Values: []string{},
		Authoritative: answer.Authoritative, Authenticated: answer.AuthenticatedData, recordType: recordType,
	}
	r.read(answer, question.Question[0])
	return r, r.failure(ask.named, c, recordType, answer.Rcode)
}

// Limits of a result: records, and bytes of one.
const (
	maxRecords = 200
	mostRecord = 1000
)

func (r *dnsLookupResult) read(answer *dns.Msg, asked dns.Question) {
	least := uint32(0)
	wanted, named := asked.Qtype, aliases(answer, asked.Name)
	for _, record := range answer.Answer {
		header := record.Header()
		if !named[dns.CanonicalName(header.Name)] {
			r.strange = header.Name
			continue
		}
		if least == 0 || header.Ttl < least {
			least = header.Ttl
		}
		if alias, ok := record.(*dns.CNAME); ok && wanted != dns.TypeCNAME {
			r.Canonical = alias.Target
		}
		if header.Rrtype != wanted {
			continue
		}
		r.RecordCount++
		if len(r.Values) < maxRecords {
			r.Values = append(r.Values, r.clip("values", recordText(record), mostRecord))
		} else {
			r.note("only the first "+itoa(maxRecords)+" records were looked at", "values")
		}
	}
	r.TTL = int(least)
}

// aliases returns the asked name, and those that it is an alias of. Records of other names say nothing about it.
func aliases(answer *dns.Msg, asked string) map[string]bool {
	target := map[string]string{}
	for _, record := range answer.Answer {
		if alias, ok := record.(*dns.CNAME); ok {
			target[dns.CanonicalName(alias.Hdr.Name)] = dns.CanonicalName(alias.Target)
		}
	}
	named := map[string]bool{}
	for name := dns.CanonicalName(asked); name != "" && !named[name]; name = target[name] {
		named[name] = true
	}
	return named
}

// recordText returns the data of a record, without its name and TTL.
func recordText(record dns.RR) string {
	if text, ok := record.(*dns.TXT); ok {
		return unescaped(strings.Join(text.Txt, ""))
	}
	return strings.TrimPrefix(record.String(), record.Header().String())
}

// unescaped replaces the escapes of a text in the presentation format of RFC 1035, section 5.1: \DDD and \X.
func unescaped(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			out = append(out, text[i])
			continue
		}
		if i+3 < len(text) {
			if n, err := strconv.ParseUint(text[i+1:i+4], 10, 8); err == nil {
				out = append(out, byte(n))
				i += 3
				continue
			}
		}
		i++
		out = append(out, text[i])
	}
	return string(out)
}

func (r *dnsLookupResult) failure(server string, c *dnsLookupConfig, recordType string, code int) error {
	switch {
	case code == dns.RcodeNameError && c.AllowMissing:
		return nil
	case code == dns.RcodeNameError:
		return check.Fail(check.NameNotFound, "The name "+c.Hostname+" does not exist (NXDOMAIN).")
	case code == dns.RcodeServerFailure:
		return check.Fail(check.WrongAnswer, upper(server)+" could not find out about "+c.Hostname+" (SERVFAIL).")
	case code == dns.RcodeRefused:
		return check.Fail(check.NotAdmitted, upper(server)+" refuses to answer about "+c.Hostname+" (REFUSED).")
	case code != dns.RcodeSuccess:
		return check.Fail(check.WrongAnswer, upper(server)+" answered with "+otherwise(r.Rcode, "an unknown code")+" about "+c.Hostname+".")
	case r.RecordCount == 0 && r.strange != "":
		return check.Fail(
			check.WrongAnswer, upper(server)+" answered about "+clip(r.strange, 255)+" alone, when asked about "+c.Hostname+".",
		)
	case r.RecordCount == 0 && !c.AllowMissing:
		return check.Fail(check.WrongAnswer, "The name "+c.Hostname+" has no records of type "+recordType+".")
	}
	return nil
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

func lower(text string) string { return strings.ToLower(text[:1]) + text[1:] }

// asker sends one question to name servers.
type asker struct {
	protocol string
	servers  []string
	named    string
	ip       egress.IPVersion
	dial     func(ctx context.Context, network, address string) (net.Conn, error)
}

// firstRetransmit is the time until a question over UDP is sent again, because packets get lost; it doubles with each
// retransmission. An answer to any of them counts, so a server that is slow is waited for until the end of the run.
const firstRetransmit = time.Second

// question queries the servers in turn; each has an equal share of the time that is left. Its error is a *check.Failure.
func (a asker) question(ctx context.Context, question *dns.Msg) (*dns.Msg, error) {
	var failed *check.Failure
	for i, server := range a.servers {
		answer, err := a.server(ctx, server, question, len(a.servers)-i)
		if err == nil {
			return answer, nil
		}
		if failed = a.failure(ctx, err); ctx.Err() != nil {
			break
		}
	}
	return nil, failed
}

// server asks one of the servers that are left.
func (a asker) server(ctx context.Context, server string, question *dns.Msg, left int) (*dns.Msg, error) {
	if end, bounded := ctx.Deadline(); bounded && left > 1 {
		share, cancel := context.WithTimeout(ctx, time.Until(end)/time.Duration(left))
		defer cancel()
		ctx = share
	}
	ask := func(question *dns.Msg) (*dns.Msg, error) {
		answer, err := a.once(ctx, a.protocol, server, question)
		if err != nil || !answer.Truncated || a.protocol != "udp" {
			return answer, err
		}
		whole, err := a.once(ctx, "tcp", server, question)
		if err != nil {
			return nil, partialError{err}
		}
		return whole, nil
	}
	answer, err := ask(question)
	if err == nil && answer.Rcode == dns.RcodeFormatError && question.IsEdns0() != nil {
		// RFC 6891, section 7: some servers do not know EDNS, so the question is repeated without it.
		plain := question.Copy()
		plain.Extra = nil
		return ask(plain)
	}
	return answer, err
}

func (a asker) once(ctx context.Context, network, server string, question *dns.Msg) (*dns.Msg, error) {
	conn, err := a.dial(ctx, a.ip.Network(network), server)
	if err != nil {
		return nil, check.Classify(ctx, "connect to "+a.named+a.ip.Over(), err)
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	asked := question.Copy()
	asked.Id = dns.Id()
	name, err := asNamed(asked)
	if err != nil {
		return nil, err
	}
	wired := &dns.Conn{Conn: conn, UDPSize: 1232}
	if guarded, ok := conn.(*egress.Conn); ok {
		wired.Conn = guarded.NetConn() // the library asks its type whether it is of packets
	}
	if err := wired.WriteMsg(asked); err != nil {
		return nil, err
	}
	if network == "udp" {
		done := make(chan struct{})
		defer close(done)
		go retransmit(wired, asked, done)
	}
	for {
		answer, err := wired.ReadMsg()
		if err != nil {
			return nil, err
		}
		// Late answers to other questions are ignored.
		if answer.Id == asked.Id && answer.Response && len(answer.Question) == 1 && strings.EqualFold(answer.Question[0].Name, name) {
			return answer, nil
		}
	}
}

// asNamed returns the name of a question as an answer to it spells it.
func asNamed(question *dns.Msg) (string, error) {
	packed, err := question.Pack()
	if err != nil {
		return "", err
	}
	var echo dns.Msg
	if err := echo.Unpack(packed); err != nil {
		return "", err
	}
	return echo.Question[0].Name, nil
}

func retransmit(conn *dns.Conn, question *dns.Msg, done <-chan struct{}) {
	wait := firstRetransmit
	for {
		timer := time.NewTimer(wait)
		select {
		case <-done:
			timer.Stop()
			return
		case <-timer.C:
			if conn.WriteMsg(question) != nil {
				return // reading reports the fault of the connection
			}
			wait *= 2
		}
	}
}

// partialError is the error of asking over TCP for the whole of an answer that does not fit into a packet.
type partialError struct{ error }

// Unwrap returns the error over TCP.
func (e partialError) Unwrap() error { return e.error }

// unfinished explains an answer of which the whole did not come over TCP.
func (a asker) unfinished(ctx context.Context, err partialError) *check.Failure {
	f := a.failure(ctx, err.error)
	if f.Cause == check.TimedOut {
		return check.Fail(f.Cause, upper(a.named)+" sent a part of its answer over UDP, and did not answer over TCP in time.")
	}
	return check.Fail(f.Cause, upper(a.named)+" sent a part of its answer over UDP, and not the whole over TCP: "+lower(f.Message))
}

func (a asker) failure(ctx context.Context, err error) *check.Failure {
	if partial, is := errors.AsType[partialError](err); is {
		return a.unfinished(ctx, partial)
	}
	if _, is := errors.AsType[*dns.Error](err); is {
		return check.Fail(check.BadProtocol, upper(a.named)+" answers with something that is not DNS.")
	}
	f := check.Classify(ctx, "ask "+a.named, err)
	if f.Cause == check.TimedOut {
		return check.Fail(check.TimedOut, upper(a.named)+" did not answer in time.")
	}
	return f
}

// Sends implements check.Sender.
func (*dnsConfig) Sends() check.Sending { return check.Sending{Reads: true} }

// Sends implements check.Sender.
func (c *dnsLookupConfig) Sends() check.Sending {
	line := "It asks a name server for the " + otherwise(c.RecordType, "A") + " records of " + c.Hostname + "."
	// In the wire form, an escape such as \010 can stand for any byte.
	return unlessLines(check.Sending{Reads: true, Lines: []string{line}}, strings.ReplaceAll(c.Hostname, `\`, "\x00"))
}
