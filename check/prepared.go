package check

import (
	"net"
	"net/url"
	"strings"
	"time"

	"countersign/internal/egress"
	"countersign/internal/secret/mask"
)

// Limits of a run's timeout, the member timeout of the strategy's config, in milliseconds.
const (
	MinTimeout     = 100 * time.Millisecond
	DefaultTimeout = 10 * time.Second // or the interval, if that is shorter
	MaxTimeout     = 5 * time.Minute
)

// Deadline is the member timeout of every strategy's config, to embed.
type Deadline struct {
	Timeout int `json:"timeout,omitempty" jsonschema:"minimum=100,maximum=300000" jsonschema_description:"After how many milliseconds a run is given up, at most the interval; when left out, 10,000 or the interval if that is shorter." check:"unit=ms,label=Timeout"`
}

// Tries are the members retries and retryDelayMs of configs, to embed.
type Tries struct {
	Retries      int `json:"retries,omitempty" jsonschema:"minimum=0,maximum=2" jsonschema_description:"How often a run that fails tries again before it counts as failed. All tries share the timeout, and the run shows why the earlier ones failed." check:"label=Retries"`
	RetryDelayMs int `json:"retryDelayMs,omitempty" jsonschema:"minimum=0,maximum=60000,default=500" jsonschema_description:"How long a run waits before it tries again, in milliseconds" check:"unit=ms,label=Delay before a retry"`
}

// Addressing is the member ipVersion of configs, to embed.
type Addressing struct {
	IPVersion string `json:"ipVersion,omitempty" jsonschema:"enum=any,enum=ipv4,enum=ipv6,default=any" jsonschema_description:"Connect over IPv4 or IPv6 alone; any takes the address that answers first" check:"label=IP version"`
}

// Prepared is a configuration that is ready to run for a target. It is safe for concurrent use.
type Prepared struct {
	compiled *Compiled
	config   any
	configs  []any
	masker   *mask.Masker
	timeout  time.Duration
	retries  int
	delay    time.Duration
	ip       egress.IPVersion
	interval time.Duration
	lane     string
	// scope is nil when no kind reads it.
	scope *Scope
	// whole includes ephemeral fields in reports.
	whole bool
}

// Timeout bounds a run.
func (p *Prepared) Timeout() time.Duration { return p.timeout }

// Lane returns the key of the target's host, for limits; the strategy's id without a host.
func (p *Prepared) Lane() string { return p.lane }

// Kept returns the names of the fields of Outcome.Kept.
func (p *Prepared) Kept() []string { return p.compiled.Kept() }

// Draft returns a copy whose reports include ephemeral fields, such as the body of a response, for a test run.
func (p *Prepared) Draft() *Prepared {
	draft := *p
	draft.whole = true
	return &draft
}

// Laned is a config that names its host. For other configs the members host and url do.
type Laned interface{ Lane() string }

func laneOf(config any, configs []any, otherwise string) string {
	for _, c := range append([]any{config}, configs...) {
		if l, ok := c.(Laned); ok && l.Lane() != "" {
			return l.Lane()
		}
		if lane := textMember(c, "host"); lane != "" {
			return strings.ToLower(lane)
		}
		if u, err := url.Parse(textMember(c, "url")); err == nil && u.Hostname() != "" {
			return strings.ToLower(u.Hostname())
		}
		if host, _, err := net.SplitHostPort(textMember(c, "nameserver")); err == nil {
			return strings.ToLower(host)
		}
	}
	return otherwise
}

func textMember(config any, name string) string {
	if v := member(config, name); v.IsValid() && v.Kind().String() == "string" {
		return v.String()
	}
	return ""
}
