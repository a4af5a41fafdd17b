package strategy

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"countersign/check"
	"countersign/internal/calendar"
)

// tcpConfig configures the address.
type tcpConfig struct {
	Host string `json:"host" jsonschema:"minLength=1,maxLength=253" jsonschema_description:"Host name or address" check:"template,label=Host"`
	Port int    `json:"port" jsonschema:"minimum=1,maximum=65535" jsonschema_description:"Port" check:"label=Port"`
	check.Deadline
	check.Tries
	check.Addressing
}

// tcpConnectionConfig is empty: the collector has no options.
type tcpConnectionConfig struct{}

// tcpConnectionResult describes an open connection.
type tcpConnectionResult struct {
	ConnectTimeMs float64 `json:"connectTimeMs" jsonschema_description:"How long it took until the connection stood, looking up the name included" check:"chart=line,unit=ms,label=Connect time,keep"`
	Success       bool    `json:"success" jsonschema_description:"True: without a connection the check fails" check:"label=Connected"`
}

// tcpBannerConfig configures the bytes to send and the time to wait.
type tcpBannerConfig struct {
	Send    string `json:"send,omitempty" jsonschema:"maxLength=4096" jsonschema_description:"What to send when the connection stands, where the server waits for that. \\r and \\n are written as they are here." check:"template,label=Send"`
	Timeout int    `json:"timeout,omitempty" jsonschema:"minimum=100,maximum=60000,default=5000" jsonschema_description:"How long to listen for a banner, in milliseconds. No banner is a result, which fails unless its assertion is removed." check:"unit=ms,label=Listen"`
}

// tcpBannerResult is the banner of a server.
type tcpBannerResult struct {
	Banner        string  `json:"banner" jsonschema_description:"What the server said first: up to the end of a line, at most 4096 bytes" check:"label=Banner"`
	HasBanner     bool    `json:"hasBanner" jsonschema_description:"Whether it said anything" check:"label=Has a banner"`
	ReadTimeMs    float64 `json:"readTimeMs" jsonschema_description:"How long it took from the connection until the banner was there" check:"chart=line,unit=ms,label=Read time"`
	ConnectTimeMs float64 `json:"connectTimeMs" jsonschema_description:"How long it took until the connection stood, looking up the name included" check:"chart=line,unit=ms,label=Connect time,keep"`
	cutFields
}

// tcpSession is a connection that collectors use in turn.
type tcpSession struct {
	*wire
	turn sync.Mutex
}

func tcpStrategy() check.Strategy {
	return check.NewStrategy(
		check.Kind{
			ID: "healthcheck-tcp.tcp", Name: "TCP", Category: "Network",
			Description: "Connects to a port, and hears what the server says first.",
		},
		openTCP, func(s *tcpSession) { _ = s.Close() },
		check.NewCollector(check.Kind{
			ID: "healthcheck-tcp.connection", Name: "TCP connection", Category: "Network",
			Description: "Whether the port takes connections, and how long that takes.",
		}, tcpConnection),
		check.NewCollector(check.Kind{
			ID: "healthcheck-tcp.banner", Name: "TCP banner", Category: "Network",
			Description: "What the server says first, by itself or to a line that is sent.",
			Defaults:    []check.Assertion{{Field: "hasBanner", Operator: "isTrue"}},
		}, tcpBanner),
	)
}

func openTCP(ctx context.Context, run check.Run, c *tcpConfig) (*tcpSession, error) {
	w, err := reach(ctx, run, c.Host, c.Port)
	if err != nil {
		return nil, err
	}
	return &tcpSession{wire: w}, nil
}

func tcpConnection(_ context.Context, _ check.Run, s *tcpSession, _ *tcpConnectionConfig) (*tcpConnectionResult, error) {
	return &tcpConnectionResult{ConnectTimeMs: milliseconds(s.took), Success: true}, nil
}

const (
	maxBanner = 4096
	// lineRest bounds the wait for the rest of a line that has begun.
	lineRest = 500 * time.Millisecond
)

func tcpBanner(ctx context.Context, _ check.Run, s *tcpSession, c *tcpBannerConfig) (*tcpBannerResult, error) {
	s.turn.Lock()
	defer s.turn.Unlock()
	begun := time.Now()
	r := &tcpBannerResult{ConnectTimeMs: milliseconds(s.took)}
	readUntil := begun.Add(time.Duration(otherwise(c.Timeout, 5000)) * time.Millisecond)
	end, bounded := ctx.Deadline()
	if bounded && end.Before(readUntil) {
		readUntil = end
	}
	defer func() { _ = s.SetDeadline(end) }() // the zero time where there is none
	_ = s.SetDeadline(readUntil)
	if c.Send != "" {
		if _, err := io.WriteString(s, c.Send); err != nil {
			return nil, check.Classify(ctx, "send to "+s.address, err)
		}
	}
	said := make([]byte, 0, maxBanner)
	var err error
	for len(said) < maxBanner && err == nil && !strings.Contains(string(said), "\n") {
		var n int
		n, err = s.Read(said[len(said):maxBanner])
		if n > 0 && len(said) == 0 {
			_ = s.SetReadDeadline(calendar.Earlier(readUntil, time.Now().Add(lineRest)))
		}
		said = said[:len(said)+n]
	}
	r.ReadTimeMs = milliseconds(time.Since(begun))
	if len(said) == maxBanner {
		r.note(onlyFirst(maxBanner), "banner") // whether more would come is not known
	}
	r.Banner = clip(strings.TrimRight(string(said), "\r\n"), maxBanner)
	r.HasBanner = len(said) > 0
	if len(said) == 0 && err != nil {
		switch f := check.Classify(ctx, "read from "+s.address, err); {
		case errors.Is(err, io.EOF):
			return r, check.Fail(check.Broken, "The connection to "+s.address+" was closed without a word.")
		case f.Cause != check.TimedOut || ctx.Err() != nil:
			return r, f
		}
	}
	return r, nil
}

// Sends implements check.Sender.
func (c *tcpConfig) Sends() check.Sending {
	return check.Sending{Reads: true, Lines: []string{"It connects to " + hostPort(c.Host, c.Port) + "."}}
}

// Sends implements check.Sender.
func (*tcpConnectionConfig) Sends() check.Sending { return check.Sending{Reads: true} }

// Sends implements check.Sender. The bytes can have any effect on a server.
func (c *tcpBannerConfig) Sends() check.Sending {
	if c.Send == "" {
		return check.Sending{Reads: true}
	}
	return check.Sending{Lines: []string{"It sends " + itoa(len(c.Send)) + " bytes: " + excerpt(c.Send)}}
}
