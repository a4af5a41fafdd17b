package strategy_test

import (
	"context"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/miekg/dns"
	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/internal/egress"
	"countersign/internal/egress/porttest"
)

// hanging is a host that nothing of answers.
func hanging() *check.Host {
	return &check.Host{Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
}

const zone = `
shop.test.        300 IN A     192.0.2.10
shop.test.         60 IN A     192.0.2.11
shop.test.        300 IN AAAA  2001:db8::10
shop.test.        300 IN MX    10 mail.shop.test.
shop.test.        300 IN TXT   "v=spf1 " "-all"
shop.test.        300 IN NS    ns1.shop.test.
shop.test.        300 IN SOA   ns1.shop.test. admin.shop.test. 7 3600 600 86400 300
shop.test.        300 IN CAA   0 issue "ca.test"
www.shop.test.    300 IN CNAME shop.test.
_sip._tcp.shop.test. 300 IN SRV 1 5 5060 sip.shop.test.
10.2.0.192.in-addr.arpa. 300 IN PTR shop.test.
xn--mnchen-3ya.test. 300 IN A 192.0.2.12
quoted.test.      300 IN TXT   "with \"quotes\" and \\ back"
utf8.test.        300 IN TXT   "caf\195\169"
formerr.test.     300 IN A     192.0.2.13
`

// nameserver serves the zone over UDP and TCP; it answers by rcode what begins with its name.
func nameserver(t *testing.T) string {
	records := map[string][]dns.RR{}
	parser := dns.NewZoneParser(strings.NewReader(zone), "", "")
	for r, ok := parser.Next(); ok; r, ok = parser.Next() {
		records[r.Header().Name] = append(records[r.Header().Name], r)
	}
	require.NoError(t, parser.Err())
	var asked, slow atomic.Int64
	repeated := make(chan struct{})
	shop := func(name string) []dns.RR {
		record := dns.Copy(records["shop.test."][0])
		record.Header().Name = name
		return []dns.RR{record}
	}
	handler := dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		name := q.Question[0].Name
		m := new(dns.Msg).SetReply(q)
		m.Authoritative = true
		_, udp := w.LocalAddr().(*net.UDPAddr)
		switch {
		case strings.HasPrefix(name, "silent."):
			return
		case strings.HasPrefix(name, "formerr.") && q.IsEdns0() != nil:
			m.Rcode = dns.RcodeFormatError
		case strings.HasPrefix(name, "slow."):
			if n := slow.Add(1); n > 1 {
				if n == 2 {
					close(repeated)
				}
				return
			}
			<-repeated // the answer is to the first question, and comes after the second
			m.Answer = shop(name)
		case strings.HasPrefix(name, "late."):
			<-time.After(3 * time.Second) // the answer comes late, and in time
			m.Answer = shop(name)
		case strings.HasPrefix(name, "servfail."):
			m.Rcode = dns.RcodeServerFailure
		case strings.HasPrefix(name, "refused."):
			m.Rcode = dns.RcodeRefused
		case strings.HasPrefix(name, "notimp."):
			m.Rcode = dns.RcodeNotImplemented
		case strings.HasPrefix(name, "large."):
			if m.Truncated = udp; !udp {
				for range 150 {
					m.Answer = append(
						m.Answer,
						&dns.A{Hdr: dns.RR_Header{Name: name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 1}, A: net.IPv4(192, 0, 2, 1)},
					)
				}
			}
		case strings.HasPrefix(name, "part."):
			if !udp {
				return // no answer over TCP
			}
			m.Truncated = true
		case strings.HasPrefix(name, "lost.") && udp && asked.Add(1) == 1:
			return
		case strings.HasPrefix(name, "lost."):
			m.Answer = shop(name)
		case strings.HasPrefix(name, "strange."):
			m.Answer = shop("other.test.")
		case strings.HasPrefix(name, "garbage."):
			_, _ = w.Write([]byte("this is no DNS at all, whatever it is"))
			return
		case strings.HasPrefix(name, "forged."):
			forged := m.Copy()
			forged.Id++
			forged.Answer = []dns.RR{
				&dns.A{Hdr: dns.RR_Header{Name: name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 1}, A: net.IPv4(203, 0, 113, 9)},
			}
			_ = w.WriteMsg(forged)
			m.Answer = shop(name)
		case records[name] == nil:
			m.Rcode = dns.RcodeNameError
		}
		for _, r := range records[name] {
			if alias, ok := r.(*dns.CNAME); ok && q.Question[0].Qtype != dns.TypeCNAME {
				m.Answer = append(m.Answer, alias)
				for _, target := range records[alias.Target] {
					if target.Header().Rrtype == q.Question[0].Qtype {
						m.Answer = append(m.Answer, target)
					}
				}
			}
			if r.Header().Rrtype == q.Question[0].Qtype {
				m.Answer = append(m.Answer, r)
			}
		}
		_ = w.WriteMsg(m)
	})
	listener := listen(t)
	packets, err := net.ListenPacket("udp", listener.Addr().String())
	require.NoError(t, err)
	for _, s := range []*dns.Server{{Listener: listener, Handler: handler}, {PacketConn: packets, Handler: handler}} {
		up := make(chan struct{})
		s.NotifyStartedFunc = func() { close(up) }
		go func() { _ = s.ActivateAndServe() }()
		<-up
		t.Cleanup(func() { _ = s.Shutdown() })
	}
	return "known.test:" + strconv.Itoa(port(listener.Addr()))
}

type looked struct {
	Values                       []string
	RecordCount, TTL             int
	Rcode, CanonicalName         string
	ResolutionTimeMs             float64
	Authoritative, Authenticated bool
}

func TestDNSLookup(t *testing.T) {
	t.Parallel()
	server := nameserver(t)
	for _, protocol := range []string{"udp", "tcp"} {
		p := probe{
			strategy:  "healthcheck-dns.dns",
			collector: "healthcheck-dns.lookup",
			config:    object{"nameserver": server, "protocol": protocol},
		}
		for _, c := range []struct {
			name, kind string
			values     []string
		}{
			{"shop.test", "A", []string{"192.0.2.10", "192.0.2.11"}},
			{"shop.test.", "AAAA", []string{"2001:db8::10"}},
			{"shop.test", "MX", []string{"10 mail.shop.test."}},
			{"shop.test", "TXT", []string{"v=spf1 -all"}},
			{"shop.test", "NS", []string{"ns1.shop.test."}},
			{"shop.test", "SOA", []string{"ns1.shop.test. admin.shop.test. 7 3600 600 86400 300"}},
			{"shop.test", "CAA", []string{`0 issue "ca.test"`}},
			{"www.shop.test", "CNAME", []string{"shop.test."}},
			{"www.shop.test", "A", []string{"192.0.2.10", "192.0.2.11"}},
			{"_sip._tcp.shop.test", "SRV", []string{"1 5 5060 sip.shop.test."}},
			{"192.0.2.10", "PTR", []string{"shop.test."}},
			{"10.2.0.192.in-addr.arpa", "PTR", []string{"shop.test."}},
		} {
			var found looked
			p.asking(object{"hostname": c.name, "recordType": c.kind}).passes(t, &found)
			require.Equal(t, c.values, found.Values, "%s %s", c.name, c.kind)
			require.Equal(t, len(c.values), found.RecordCount)
			require.Equal(t, "NOERROR", found.Rcode)
			require.True(t, found.Authoritative)
			require.Positive(t, found.ResolutionTimeMs)
			if c.kind == "A" {
				require.Equal(t, 60, found.TTL)
				require.Equal(t, c.name == "www.shop.test", found.CanonicalName == "shop.test.")
			}
		}
		var found looked
		p.asking(object{"hostname": "large.test"}).passes(t, &found)
		require.Equal(t, 150, found.RecordCount)
		p.asking(object{"hostname": "forged.test"}).passes(t, &found)
		require.Equal(t, []string{"192.0.2.10"}, found.Values)
	}
	// A packet that is lost is sent again, and a question can have a server of its own.
	p := probe{strategy: "healthcheck-dns.dns", collector: "healthcheck-dns.lookup", config: object{}}
	var found looked
	p.asking(object{"hostname": "lost.test", "nameserver": server}).passes(t, &found)
	require.Equal(t, 1, found.RecordCount)
}

func TestDNSTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	server := nameserver(t)
	p := probe{strategy: "healthcheck-dns.dns", collector: "healthcheck-dns.lookup", config: object{"nameserver": server}}
	for name, c := range map[string]struct {
		config, about object
		cause         check.Cause
		says          string
	}{
		"no such name": {nil, object{"hostname": "gone.test"}, check.NameNotFound, "The name gone.test does not exist (NXDOMAIN)."},
		"no record":    {nil, object{"hostname": "www.shop.test", "recordType": "MX"}, check.None, ""},
		"no such kind": {nil, object{"hostname": "_sip._tcp.shop.test"}, check.WrongAnswer, "The name _sip._tcp.shop.test has no records of type A."},
		"servfail":     {nil, object{"hostname": "servfail.test"}, check.WrongAnswer, "The name server " + server + " could not find out about servfail.test (SERVFAIL)."},
		"refused":      {nil, object{"hostname": "refused.test"}, check.NotAdmitted, "The name server " + server + " refuses to answer about refused.test (REFUSED)."},
		"another name": {
			nil,
			object{"hostname": "strange.test"},
			check.WrongAnswer,
			"The name server " + server + " answered about other.test. alone, when asked about strange.test.",
		},
		"another code":  {nil, object{"hostname": "notimp.test"}, check.WrongAnswer, "The name server " + server + " answered with NOTIMP about notimp.test."},
		"silent":        {object{"timeout": 500}, object{"hostname": "silent.test"}, check.TimedOut, "The name server " + server + " did not answer in time."},
		"no DNS":        {nil, object{"hostname": "garbage.test"}, check.BadProtocol, "The name server " + server + " answers with something that is not DNS."},
		"a part":        {object{"timeout": 700}, object{"hostname": "part.test"}, check.TimedOut, "The name server " + server + " sent a part of its answer over UDP, and did not answer over TCP in time."},
		"nobody there":  {object{"nameserver": "known.test:" + strconv.Itoa(porttest.Closed(t)), "protocol": "tcp"}, object{"hostname": "shop.test"}, check.Refused, "the connection was refused."},
		"unknown":       {object{"nameserver": "missing.test"}, object{"hostname": "shop.test"}, check.NameNotFound, "Could not connect to the name server missing.test:53: the name missing.test does not exist."},
		"closed":        {object{"nameserver": "169.254.169.254"}, object{"hostname": "shop.test"}, check.EgressRefused, "Could not connect to the name server 169.254.169.254:53: checks may not reach that address."},
		"may be gone":   {nil, object{"hostname": "gone.test", "allowMissing": true}, check.None, ""},
		"may have none": {nil, object{"hostname": "shop.test", "recordType": "SRV", "allowMissing": true}, check.None, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := p.with(c.config).asking(c.about)
			if c.cause == check.None {
				if name == "no record" {
					c.about["recordType"] = "A"
				}
				p.passes(t, nil)
				return
			}
			p.fails(t, c.cause, c.says)
		})
	}
	var found looked
	p.asking(object{"hostname": "gone.test", "allowMissing": true}).passes(t, &found)
	require.Equal(t, "NXDOMAIN", found.Rcode)
	require.Empty(t, found.Values)
}

// Names have no case, and are whole with or without their last dot.
func TestRecordsAreComparedAsTheDNSDoes(t *testing.T) {
	t.Parallel()
	p := probe{strategy: "healthcheck-dns.dns", collector: "healthcheck-dns.lookup", config: object{"nameserver": nameserver(t)}}
	for _, c := range []struct{ name, kind, operator, value string }{
		{"shop.test", "NS", "includes", `"NS1.Shop.TEST"`},
		{"shop.test", "NS", "notIncludes", `"ns2.shop.test"`},
		{"shop.test", "MX", "includes", `"10 mail.shop.test"`},
		{"shop.test", "MX", "notIncludes", `"20 mail.shop.test"`},
		{"_sip._tcp.shop.test", "SRV", "includes", `"1 5 5060 SIP.shop.test."`},
		{"shop.test", "AAAA", "includes", `"2001:DB8:0::10"`},
		{"shop.test", "A", "notIncludes", `"192.0.2.1"`},
		{"shop.test", "TXT", "includes", `"v=spf1 -all"`},
		{"shop.test", "TXT", "notIncludes", `"V=SPF1 -all"`},
		{"192.0.2.10", "PTR", "includes", `"shop.TEST"`},
	} {
		p.asking(object{"hostname": c.name, "recordType": c.kind}).asserting("values", "", c.operator, c.value).passes(t, nil)
	}
	alias := p.asking(object{"hostname": "www.shop.test"})
	alias.asserting("canonicalName", "", "equals", `"Shop.test"`).asserting("rcode", "", "equals", `"noerror"`).passes(t, nil)
	alias.asserting("canonicalName", "", "notOneOf", `["shop.TEST."]`).fails(t, check.AssertionFailed, "got \"shop.test.\".")
	refused := agent(t, func(packet []byte) [][]byte {
		var question dns.Msg
		if question.Unpack(packet) != nil {
			return nil
		}
		answer := new(dns.Msg).SetReply(&question)
		answer.Truncated = true
		packed, err := answer.Pack()
		if err != nil {
			return nil
		}
		return [][]byte{packed}
	})
	at := "known.test:" + strconv.Itoa(refused)
	p.with(object{"nameserver": at}).asking(object{"hostname": "shop.test"}).fails(t, check.Refused,
		"The name server "+at+" sent a part of its answer over UDP, and not the whole over TCP: could not connect to the name server "+at+
			": the connection was refused.")
}

// A name server that the check names is reached like everything else, and no name is remembered for it.
func TestANameserverIsReachedThroughTheGuard(t *testing.T) {
	t.Parallel()
	strict := egress.NewChecks(egress.ChecksOptions{Resolver: names{}})
	p := probe{
		strategy:  "healthcheck-dns.dns",
		collector: "healthcheck-dns.lookup",
		config:    object{"nameserver": nameserver(t)},
		about:     object{"hostname": "shop.test"},
		host:      &check.Host{Dial: strict.Dial, Addresses: strict.Addresses},
	}
	p.fails(t, check.EgressRefused, "checks may not reach that address.")
}
