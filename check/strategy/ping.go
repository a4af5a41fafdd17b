package strategy

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"

	"golang.org/x/net/icmp"
	"golang.org/x/net/ipv4"
	"golang.org/x/net/ipv6"

	"countersign/check"
	"countersign/internal/calendar"
	"countersign/internal/problem"
)

// pingConfig is empty: pings need no session settings.
type pingConfig struct {
	check.Deadline
	check.Tries
	check.Addressing
}

// pingPingConfig configures the target and the pings.
type pingPingConfig struct {
	Host       string `json:"host" jsonschema:"minLength=1,maxLength=253" jsonschema_description:"Host name or address" check:"template,label=Host"`
	Count      int    `json:"count,omitempty" jsonschema:"minimum=1,maximum=10,default=3" jsonschema_description:"How many pings to send" check:"label=Count"`
	Timeout    int    `json:"timeout,omitempty" jsonschema:"minimum=100,maximum=60000,default=5000" jsonschema_description:"How long to wait for the answers, in milliseconds" check:"unit=ms,label=Wait"`
	IntervalMs int    `json:"intervalMs,omitempty" jsonschema:"minimum=20,maximum=5000,default=200" jsonschema_description:"Time between two pings, in milliseconds" check:"unit=ms,label=Between pings"`
}

// Check implements check.Checker: the last ping is sent before the time to wait ends.
func (c *pingPingConfig) Check() []problem.Issue {
	count, apart := otherwise(c.Count, 3), otherwise(c.IntervalMs, 200)
	timeout := otherwise(c.Timeout, 5000)
	last := (count - 1) * apart
	if last < timeout {
		return nil
	}
	return []problem.Issue{{Path: "intervalMs", Message: fmt.Sprintf(
		"is too long: %d pings %d ms apart take %d ms, and only %d ms are waited; set fewer pings, a shorter interval or a timeout above %d",
		count, apart, last, timeout, last,
	)}}
}

// pingPingResult summarizes the replies.
type pingPingResult struct {
	PacketsSent     int      `json:"packetsSent" jsonschema_description:"Pings that were sent" check:"label=Sent"`
	PacketsReceived int      `json:"packetsReceived" jsonschema_description:"Answers that came" check:"label=Received"`
	PacketLoss      float64  `json:"packetLoss" jsonschema_description:"How many of a hundred were lost" check:"chart=line,unit=%,label=Packet loss,keep"`
	MinLatency      *float64 `json:"minLatency,omitempty" jsonschema_description:"Fastest answer" check:"chart=line,unit=ms,label=Fastest"`
	AvgLatency      *float64 `json:"avgLatency,omitempty" jsonschema_description:"Answers on average" check:"chart=line,unit=ms,label=Average,keep"`
	MaxLatency      *float64 `json:"maxLatency,omitempty" jsonschema_description:"Slowest answer" check:"chart=line,unit=ms,label=Slowest"`
	Jitter          *float64 `json:"jitter,omitempty" jsonschema_description:"How much an answer differs from the one before on average" check:"chart=line,unit=ms,label=Jitter"`
}

// listenICMP opens a socket for pings, as icmp.ListenPacket does.
type listenICMP func(network, address string) (*icmp.PacketConn, error)

type pingSession struct{ listen listenICMP }

func pingStrategy(listen listenICMP) check.Strategy {
	return check.NewStrategy(
		check.Kind{
			ID: "healthcheck-ping.ping", Name: "Ping", Category: "Network",
			Description: "Pings a host (ICMP echo) from a socket that needs no rights of an administrator.",
		},
		func(context.Context, check.Run, *pingConfig) (pingSession, error) { return pingSession{listen}, nil }, nil,
		check.NewCollector(check.Kind{
			ID: "healthcheck-ping.ping", Name: "Ping", Category: "Network",
			Description: "How many pings came back, and how fast. The check fails when none does, and a new one when half are lost.",
			// One lost ping of three says nothing about a host; most of them do.
			Defaults: []check.Assertion{{Field: "packetLoss", Operator: "lessThan", Value: json.RawMessage("50")}},
		}, ping),
	)
}

// pings is one series of echo requests to an address.
type pings struct {
	conn  *icmp.PacketConn
	to    netip.Addr
	mark  [8]byte
	sent  []time.Time
	took  map[int]time.Duration
	first error
}

func ping(ctx context.Context, run check.Run, s pingSession, c *pingPingConfig) (*pingPingResult, error) {
	addrs, err := run.IP.AddressesOver(ctx, run.Addresses, c.Host)
	if err != nil {
		return nil, check.Classify(ctx, "ping "+c.Host+run.IP.Over(), err)
	}
	p := &pings{to: addrs[0], took: map[int]time.Duration{}}
	_, _ = rand.Read(p.mark[:]) // it never fails
	network, local := "udp4", "0.0.0.0"
	if p.to.Is6() {
		network, local = "udp6", "::"
	}
	if p.conn, err = s.listen(network, local); err != nil {
		if errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EPROTONOSUPPORT) || errors.Is(err, syscall.EAFNOSUPPORT) {
			return nil, check.Fail(
				check.NotRunnable,
				"The system that runs this check does not let it ping: an operator has to allow its group in net.ipv4.ping_group_range.",
			)
		}
		return nil, err
	}
	defer p.conn.Close()
	count := otherwise(c.Count, 3)
	end := time.Now().Add(time.Duration(otherwise(c.Timeout, 5000)) * time.Millisecond)
	if deadline, ok := ctx.Deadline(); ok {
		end = calendar.Earlier(end, deadline.Add(-20*time.Millisecond)) // leaves time to report received replies
	}
	p.exchange(ctx, count, time.Duration(otherwise(c.IntervalMs, 200))*time.Millisecond, end)
	r := p.result()
	switch {
	case r.PacketsReceived > 0:
		return r, nil
	case p.first != nil:
		return r, check.Classify(ctx, "ping "+c.Host+run.IP.Over(), p.first)
	default:
		return r, check.Fail(check.TimedOut, "None of "+itoa(r.PacketsSent)+" pings to "+c.Host+run.IP.Over()+" was answered.")
	}
}

// exchange sends the pings on schedule and collects replies until all have arrived or the time is up.
func (p *pings) exchange(ctx context.Context, count int, apart time.Duration, end time.Time) {
	stop := context.AfterFunc(ctx, func() { _ = p.conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	next := time.Now()
	for len(p.took) < count && ctx.Err() == nil {
		now := time.Now()
		if !now.Before(end) {
			return
		}
		if len(p.sent) < count && !now.Before(next) {
			if err := p.send(len(p.sent)); err != nil && p.first == nil {
				p.first = err
			}
			next = next.Add(apart)
			continue
		}
		until := end
		if len(p.sent) < count {
			until = calendar.Earlier(end, next)
		}
		if p.first != nil && len(p.sent) == count && len(p.took) == 0 {
			return // nothing was sent that could be answered
		}
		_ = p.conn.SetReadDeadline(until)
		p.receive()
	}
}

func (p *pings) send(seq int) error {
	kind := icmp.Type(ipv4.ICMPTypeEcho)
	if p.to.Is6() {
		kind = ipv6.ICMPTypeEchoRequest
	}
	message := icmp.Message{Type: kind, Body: &icmp.Echo{ID: 1, Seq: seq, Data: p.mark[:]}} // the system sets the id
	packet, err := message.Marshal(nil)
	if err != nil {
		return err
	}
	p.sent = append(p.sent, time.Now())
	_, err = p.conn.WriteTo(packet, &net.UDPAddr{IP: p.to.AsSlice(), Zone: p.to.Zone()})
	return err
}

func (p *pings) receive() {
	packet := make([]byte, 1500)
	n, from, err := p.conn.ReadFrom(packet)
	at := time.Now()
	if err != nil {
		return
	}
	protocol := 1
	if p.to.Is6() {
		protocol = 58
	}
	message, err := icmp.ParseMessage(protocol, packet[:n])
	if err != nil {
		return
	}
	echo, ok := message.Body.(*icmp.Echo)
	if !ok || message.Type != ipv4.ICMPTypeEchoReply && message.Type != ipv6.ICMPTypeEchoReply || string(echo.Data) != string(p.mark[:]) {
		return
	}
	if udp, ok := from.(*net.UDPAddr); !ok || udp.AddrPort().Addr().Unmap() != p.to {
		return
	}
	if _, twice := p.took[echo.Seq]; !twice && echo.Seq < len(p.sent) {
		p.took[echo.Seq] = at.Sub(p.sent[echo.Seq])
	}
}

func (p *pings) result() *pingPingResult {
	r := &pingPingResult{PacketsSent: len(p.sent), PacketsReceived: len(p.took)}
	if r.PacketsSent > 0 {
		r.PacketLoss = math.Round(1000*float64(r.PacketsSent-r.PacketsReceived)/float64(r.PacketsSent)) / 10
	}
	if len(p.took) == 0 {
		return r
	}
	var sum, least, most, differences time.Duration
	var before time.Duration
	least = math.MaxInt64
	pairs := 0
	for seq := range p.sent {
		took, ok := p.took[seq]
		if !ok {
			continue
		}
		sum, least, most = sum+took, min(least, took), max(most, took)
		if before > 0 {
			differences += (took - before).Abs()
			pairs++
		}
		before = took
	}
	number := func(d time.Duration) *float64 { ms := milliseconds(d); return &ms }
	r.MinLatency, r.MaxLatency, r.AvgLatency = number(least), number(most), number(sum/time.Duration(len(p.took)))
	if pairs > 0 {
		r.Jitter = number(differences / time.Duration(pairs))
	}
	return r
}

// Sends implements check.Sender.
func (*pingConfig) Sends() check.Sending { return check.Sending{Reads: true} }

// Sends implements check.Sender.
func (c *pingPingConfig) Sends() check.Sending {
	return check.Sending{Reads: true, Lines: []string{"It sends " + itoa(otherwise(c.Count, 3)) + " pings to " + c.Host + "."}}
}
