package strategy_test

import (
	"bytes"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gosnmp/gosnmp"
	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/strategy"
	"countersign/internal/egress"
	"countersign/internal/egress/porttest"
)

// agent answers packets over UDP.
func agent(t testing.TB, answers func(packet []byte) [][]byte) int {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		packet := make([]byte, 65536)
		for {
			n, from, err := conn.ReadFrom(packet)
			if err != nil {
				return
			}
			for _, answer := range answers(bytes.Clone(packet[:n])) {
				_, _ = conn.WriteTo(answer, from)
			}
		}
	}()
	return port(conn.LocalAddr())
}

// objects are those that agents of tests have.
func objects(oid string) gosnmp.SnmpPDU {
	for name, pdu := range map[string]gosnmp.SnmpPDU{
		".1.3.6.1.2.1.1.3.0":       {Type: gosnmp.TimeTicks, Value: uint32(12345)},
		".1.3.6.1.2.1.1.1.0":       {Type: gosnmp.OctetString, Value: "Switch 24"},
		".1.3.6.1.2.1.2.2.1.6.1":   {Type: gosnmp.OctetString, Value: []byte{0, 1, 0xfe, 0x80}},
		".1.3.6.1.2.1.2.2.1.8.1":   {Type: gosnmp.Integer, Value: 2},
		".1.3.6.1.2.1.31.1.1.6.1":  {Type: gosnmp.Counter64, Value: uint64(1) << 40},
		".1.3.6.1.2.1.4.20.1.1.10": {Type: gosnmp.IPAddress, Value: "192.0.2.7"},
	} {
		if name == oid {
			pdu.Name = oid
			return pdu
		}
	}
	return gosnmp.SnmpPDU{Name: oid, Type: gosnmp.NoSuchObject}
}

// agent2c speaks version 2c with one community.
func agent2c(t testing.TB, community string) int {
	return agent(t, func(packet []byte) [][]byte {
		asked, err := (&gosnmp.GoSNMP{Version: gosnmp.Version2c}).SnmpDecodePacket(packet)
		if err != nil || asked.Community != community {
			return nil
		}
		answer, err := (&gosnmp.SnmpPacket{
			Version: gosnmp.Version2c, Community: community, PDUType: gosnmp.GetResponse, RequestID: asked.RequestID,
			Variables: []gosnmp.SnmpPDU{objects(asked.Variables[0].Name)},
		}).MarshalMsg()
		if err != nil {
			return nil
		}
		return [][]byte{answer}
	})
}

func snmp(port int, oid string) probe {
	return probe{
		strategy: "healthcheck-snmp.snmp", collector: "healthcheck-snmp.get",
		config: object{"host": "known.test", "port": port, "community": "${{ secrets.PASSWORD }}", "timeout": 5000}, about: object{"oid": oid},
	}
}

type snmpFound struct {
	Found          bool
	Value, Type    string
	Number         *float64
	ResponseTimeMs float64
}

func TestSNMPGet(t *testing.T) {
	t.Parallel()
	at := agent2c(t, password)
	for oid, want := range map[string]snmpFound{
		"1.3.6.1.2.1.1.3.0": {Value: "12345", Type: "TimeTicks"}, ".1.3.6.1.2.1.1.1.0": {Value: "Switch 24", Type: "OctetString"},
		"1.3.6.1.2.1.2.2.1.6.1": {Value: "0001fe80", Type: "OctetString"}, "1.3.6.1.2.1.2.2.1.8.1": {Value: "2", Type: "Integer"},
		"1.3.6.1.2.1.31.1.1.6.1": {Value: "1099511627776", Type: "Counter64"}, "1.3.6.1.2.1.4.20.1.1.10": {Value: "192.0.2.7", Type: "IPAddress"},
	} {
		var found snmpFound
		snmp(at, oid).passes(t, &found)
		require.True(t, found.Found)
		require.Equal(t, []string{want.Value, want.Type}, []string{found.Value, found.Type})
	}
	snmp(at, "1.3.6.1.2.1.2.2.1.8.1").asserting("number", "", "equals", "1").fails(t, check.AssertionFailed, "Expected number = 1, got 2.")
	snmp(at, "1.3.6.1.9.9").fails(t, check.WrongAnswer, "The agent does not have the object 1.3.6.1.9.9.")
	allowed := snmp(at, "1.3.6.1.9.9")
	allowed.about["allowMissing"] = true
	allowed.asserting("found", "", "isFalse", "").passes(t, nil)
	stranger := snmp(at, "1.3.6.1.2.1.1.3.0").with(object{"timeout": 500})
	stranger.secrets = map[string]string{"PASSWORD": "another-community"}
	stranger.fails(t, check.TimedOut, "or does not take the community or the version, which agents do not say.")
}

const (
	engineID     = "\x80\x00\x1f\x88\x04countersign"
	notKnownID   = ".1.3.6.1.6.3.15.1.1.4.0"
	notKnownUser = ".1.3.6.1.6.3.15.1.1.3.0"
	wrongDigest  = ".1.3.6.1.6.3.15.1.1.5.0"
)

// agent3 speaks version 3 with the user watcher.
func agent3(t testing.TB, auth gosnmp.SnmpV3AuthProtocol, priv gosnmp.SnmpV3PrivProtocol) int {
	user := func(name string) *gosnmp.UsmSecurityParameters {
		u := &gosnmp.UsmSecurityParameters{
			UserName: name, AuthoritativeEngineID: engineID, AuthoritativeEngineBoots: 3, AuthoritativeEngineTime: 500,
			AuthenticationProtocol: gosnmp.NoAuth, PrivacyProtocol: gosnmp.NoPriv,
		}
		if name == "watcher" {
			u.AuthenticationProtocol, u.AuthenticationPassphrase = auth, password
			u.PrivacyProtocol, u.PrivacyPassphrase = priv, password
			_ = u.InitSecurityKeys()
		}
		return u
	}
	flags := gosnmp.AuthPriv
	if priv == gosnmp.NoPriv {
		flags = gosnmp.AuthNoPriv
	}
	report := func(asked *gosnmp.SnmpPacket, oid string) [][]byte {
		out, err := (&gosnmp.SnmpPacket{
			Version: gosnmp.Version3, MsgFlags: gosnmp.NoAuthNoPriv, SecurityModel: gosnmp.UserSecurityModel, SecurityParameters: user(""),
			ContextEngineID: engineID, PDUType: gosnmp.Report, MsgID: asked.MsgID, RequestID: asked.RequestID,
			Variables: []gosnmp.SnmpPDU{{Name: oid, Type: gosnmp.Counter32, Value: uint32(1)}},
		}).MarshalMsg()
		if err != nil {
			t.Error(err)
		}
		return [][]byte{out}
	}
	return agent(t, func(packet []byte) [][]byte {
		listening := &gosnmp.GoSNMP{
			Version: gosnmp.Version3, SecurityModel: gosnmp.UserSecurityModel, MsgFlags: flags, SecurityParameters: user("watcher"),
		}
		plain := &gosnmp.GoSNMP{
			Version: gosnmp.Version3, SecurityModel: gosnmp.UserSecurityModel, MsgFlags: gosnmp.NoAuthNoPriv,
			SecurityParameters: &gosnmp.UsmSecurityParameters{
				UserName: "anybody", AuthenticationProtocol: gosnmp.NoAuth, PrivacyProtocol: gosnmp.NoPriv,
			},
		}
		head, _ := plain.SnmpDecodePacket(packet) // the body of an encrypted one is not read
		usm, ok := head.SecurityParameters.(*gosnmp.UsmSecurityParameters)
		switch {
		case !ok:
			return nil
		case usm.AuthoritativeEngineID == "":
			return report(head, notKnownID)
		case usm.UserName != "watcher":
			return report(head, notKnownUser)
		}
		asked, err := listening.UnmarshalTrap(packet, false)
		if err != nil {
			return report(head, wrongDigest)
		}
		answer := &gosnmp.SnmpPacket{
			Version: gosnmp.Version3, MsgFlags: flags, SecurityModel: gosnmp.UserSecurityModel, SecurityParameters: user("watcher"),
			ContextEngineID: engineID, PDUType: gosnmp.GetResponse, MsgID: asked.MsgID, RequestID: asked.RequestID,
			Variables: []gosnmp.SnmpPDU{objects(asked.Variables[0].Name)},
		}
		if err := answer.SecurityParameters.InitPacket(answer); err != nil {
			t.Error(err)
		}
		out, err := answer.MarshalMsg()
		if err != nil {
			t.Error(err)
		}
		return [][]byte{out}
	})
}

func TestSNMPVersion3(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		auth    gosnmp.SnmpV3AuthProtocol
		priv    gosnmp.SnmpV3PrivProtocol
		members object
	}{
		"sha256 aes": {gosnmp.SHA256, gosnmp.AES, object{"privProtocol": "aes"}},
		"sha512 aes256c": {
			gosnmp.SHA512, gosnmp.AES256C, object{"authProtocol": "sha512", "privProtocol": "aes256c"},
		},
		"md5 alone": {gosnmp.MD5, gosnmp.NoPriv, object{"authProtocol": "md5", "privPassword": nil}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := snmp(agent3(t, c.auth, c.priv), "1.3.6.1.2.1.1.1.0").with(object{
				"version": "3", "community": nil, "username": "watcher", "authPassword": "${{ secrets.PASSWORD }}",
				"privPassword": "${{ secrets.PASSWORD }}",
			}).with(c.members)
			var found snmpFound
			p.passes(t, &found)
			require.Equal(t, "Switch 24", found.Value)
			p.with(object{"username": "stranger"}).fails(t, check.NotAdmitted, "it does not know the user")
			p.secrets = map[string]string{"PASSWORD": "another-password"}
			p.fails(t, check.NotAdmitted, "the authentication password or protocol is wrong")
		})
	}
	registry, err := check.NewRegistry(strategy.All()...)
	require.NoError(t, err)
	form := func(config object) string { return messages(t, registry, snmp(161, "1.3.6.1.2.1.1.1.0").with(config)) }
	require.Contains(t, form(object{"community": nil}), "community is required for version 2c")
	require.Contains(t, form(object{"version": "3"}), "username is required for version 3")
	require.Contains(t, form(object{"version": "3", "authProtocol": "none", "privProtocol": "aes"}), "needs an authProtocol")
	require.Contains(t, messages(t, registry, snmp(161, "sysUpTime.0")), "must be in numbers")
}

func TestAgentsThatMisbehave(t *testing.T) {
	t.Parallel()
	p := func(port int) probe { return snmp(port, "1.3.6.1.2.1.1.3.0").with(object{"timeout": 800}) }
	p(agent(t, func([]byte) [][]byte { return nil })).fails(t, check.TimedOut, "did not answer")
	p(porttest.Closed(t)).fails(t, check.Refused, "the port is unreachable")
	p(agent(t, func([]byte) [][]byte { return [][]byte{[]byte("garbage"), {}, {0x30, 0x84, 0xff, 0xff, 0xff, 0xff}} })).
		fails(t, check.BadProtocol, "does not speak SNMP")
	var sent atomic.Int32
	flood := agent(t, func([]byte) [][]byte {
		sent.Add(1)
		stale, err := (&gosnmp.SnmpPacket{
			Version: gosnmp.Version2c, PDUType: gosnmp.GetResponse, RequestID: 1, Variables: []gosnmp.SnmpPDU{objects(".1.3.6.1.2.1.1.3.0")},
		}).MarshalMsg()
		if err != nil {
			return nil
		}
		answers := make([][]byte, 3000)
		for i := range answers {
			answers[i] = stale
		}
		return answers
	})
	began := time.Now()
	outcome, report := p(flood).run(t, nil)
	require.Equal(t, check.Failed, outcome.Verdict, report.Message)
	require.Less(t, time.Since(began), 30*time.Second)
	require.LessOrEqual(t, sent.Load(), int32(4), "the library asks no more often than it is told to")
	p(161).with(object{"host": "missing.test"}).fails(t, check.NameNotFound, "missing.test")
	strict := egress.NewChecks(egress.ChecksOptions{Resolver: names{}})
	closed := p(161)
	closed.host = &check.Host{Dial: strict.Dial, Addresses: strict.Addresses, Now: time.Now}
	closed.fails(t, check.EgressRefused, "may not reach")
}
