package strategy

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"countersign/check"
	"countersign/internal/egress"
	"countersign/internal/problem"
)

// domainConfig configures whom to ask.
type domainConfig struct {
	Server string `json:"server,omitempty" jsonschema:"maxLength=2048" jsonschema_description:"URL of the RDAP server, such as https://rdap.example.net/; the one that IANA lists for the top-level domain when empty" check:"template,label=RDAP server"`
	check.Deadline
	check.Tries
	check.Addressing
}

// Check implements check.Checker.
func (c *domainConfig) Check() []problem.Issue {
	if c.Server == "" {
		return nil
	}
	return urlIssues("server", c.Server, "https", "http")
}

// domainRegistrationConfig names a domain.
type domainRegistrationConfig struct {
	Domain             string `json:"domain" jsonschema:"minLength=1,maxLength=253" jsonschema_description:"A domain, or a host below it: of www.example.co.uk the registration of example.co.uk counts" check:"template,label=Domain"`
	MinDaysUntilExpiry *int   `json:"minDaysUntilExpiry,omitempty" jsonschema:"minimum=0,maximum=3650,default=30" jsonschema_description:"The check fails when the registration lasts for fewer days. An expired one always fails." check:"unit=days,label=Minimum days left"`
}

// Check implements check.Checker.
func (c *domainRegistrationConfig) Check() []problem.Issue {
	if _, err := registrable(c.Domain); err != nil {
		return []problem.Issue{{Path: "domain", Message: err.Error()}}
	}
	return nil
}

// Lane implements check.Laned.
func (c *domainRegistrationConfig) Lane() string { return "rdap" }

// domainRegistrationResult is the registration of a domain. Times are of the form 2006-01-02T15:04:05Z.
type domainRegistrationResult struct {
	Domain         string   `json:"domain" jsonschema_description:"The registered domain, in ASCII" check:"label=Domain"`
	DaysRemaining  int      `json:"daysRemaining" jsonschema_description:"For how many days the registration lasts yet; negative when it has expired" check:"chart=line,unit=days,label=Days left,keep"`
	ExpiresAt      string   `json:"expiresAt" jsonschema_description:"Until when it lasts" check:"label=Expires"`
	RegisteredAt   string   `json:"registeredAt,omitempty" jsonschema_description:"Since when it is registered" check:"label=Registered"`
	ChangedAt      string   `json:"changedAt,omitempty" jsonschema_description:"When the registry last changed it" check:"label=Changed"`
	Registrar      string   `json:"registrar,omitempty" jsonschema_description:"By whom it is registered" check:"label=Registrar"`
	Status         []string `json:"status" jsonschema_description:"Its states as RDAP names them, such as active or client transfer prohibited" check:"label=Status"`
	Nameservers    []string `json:"nameservers" jsonschema_description:"The name servers that the registry knows" check:"label=Name servers"`
	Server         string   `json:"server" jsonschema_description:"The RDAP server that answered" check:"label=RDAP server"`
	ResponseTimeMs float64  `json:"responseTimeMs" jsonschema_description:"From the request until the whole answer" check:"chart=line,unit=ms,label=Response time"`
}

// domainSession asks RDAP servers.
type domainSession struct {
	config    *domainConfig
	bootstrap *bootstrap
}

func domainStrategy(bootstrapURL string) check.Strategy {
	b := &bootstrap{url: otherwise(bootstrapURL, ianaBootstrap)}
	return check.NewStrategy(
		check.Kind{
			ID: "healthcheck-domain.domain", Name: "Domain", Category: "Network",
			Description: "Asks the registry of a domain about its registration by RDAP. Registries limit requests, so a check an hour is plenty.",
		},
		func(_ context.Context, _ check.Run, c *domainConfig) (*domainSession, error) {
			return &domainSession{c, b}, nil
		}, nil,
		check.NewCollector(check.Kind{
			ID: "healthcheck-domain.registration", Name: "Domain registration", Category: "Network",
			Description: "Until when a domain is registered. The check fails before it expires, and when it is not registered.",
		}, domainRegistration),
	)
}

// registrable returns the registered domain that a host belongs to, in ASCII. Its error ends a sentence about the field.
func registrable(host string) (string, error) {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if _, err := netip.ParseAddr(host); err == nil {
		return "", errors.New("is an address; only names are registered")
	}
	if message := check.HostProblem(host); message != "" {
		return "", errors.New(message)
	}
	ascii, err := egress.ASCIIHost(host)
	if err != nil {
		return "", errors.New("is not a valid internationalized name")
	}
	if !strings.Contains(ascii, ".") {
		return "", errors.New("must have a top-level domain, such as example.com")
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(ascii)
	if err != nil {
		return "", errors.New("is a suffix below which domains are registered, such as co.uk, and none itself")
	}
	return domain, nil
}

// rdapDomain is what RFC 9083 says of a domain.
type rdapDomain struct {
	ObjectClass string   `json:"objectClassName"`
	Status      []string `json:"status"`
	Events      []struct {
		Action string `json:"eventAction"`
		Date   string `json:"eventDate"`
	} `json:"events"`
	Entities []struct {
		Roles []string          `json:"roles"`
		VCard []json.RawMessage `json:"vcardArray"`
	} `json:"entities"`
	Nameservers []struct {
		Name string `json:"ldhName"`
	} `json:"nameservers"`
}

func domainRegistration(
	ctx context.Context, run check.Run, s *domainSession, c *domainRegistrationConfig,
) (*domainRegistrationResult, error) {
	domain, err := registrable(c.Domain)
	if err != nil {
		return nil, check.Fail(check.NotRunnable, "The domain of this check "+err.Error()+".")
	}
	server := s.config.Server
	if server == "" {
		if server, err = s.bootstrap.server(ctx, run, domain[strings.LastIndexByte(domain, '.')+1:]); err != nil {
			return nil, err
		}
	}
	base, err := url.Parse(server)
	if err != nil || base.Host == "" {
		return nil, check.Fail(check.NotRunnable, "The URL of the RDAP server is not valid.")
	}
	call := &webCall{
		run: run, base: base, service: "The RDAP server", secured: trust{name: base.Hostname()}, follows: 4,
		header: http.Header{"Accept": {"application/rdap+json, application/json"}},
	}
	a, err := call.get(ctx, "/domain/"+domain, nil)
	if err != nil {
		return nil, err
	}
	shown := displayed(domain)
	switch a.status {
	case http.StatusOK:
	case http.StatusNotFound:
		return nil, check.Fail(check.NameNotFound, "The domain "+shown+" is not registered, says the RDAP server "+base.Host+".")
	case http.StatusTooManyRequests:
		return nil, check.Fail(
			check.NotRunnable, "The RDAP server "+base.Host+" takes no more requests for now (status 429). Let the check run less often.",
		)
	default:
		return nil, check.Fail(check.WrongAnswer, "The RDAP server "+base.Host+" answered with status "+itoa(a.status)+".")
	}
	var found rdapDomain
	if json.Unmarshal(a.body, &found) != nil || found.ObjectClass != "domain" {
		return nil, check.Fail(check.BadProtocol, "The server at "+call.address()+" does not speak RDAP.")
	}
	r := &domainRegistrationResult{
		Domain: domain, Status: []string{}, Nameservers: []string{}, Server: clip(a.from.Host, 253), ResponseTimeMs: milliseconds(a.took),
	}
	return r, r.read(shown, found, run.Now(), c.MinDaysUntilExpiry)
}

// read takes the registration from an answer.
func (r *domainRegistrationResult) read(shown string, d rdapDomain, now time.Time, least *int) error {
	for _, s := range d.Status[:min(len(d.Status), 50)] {
		r.Status = append(r.Status, clip(s, 100))
	}
	for _, n := range d.Nameservers[:min(len(d.Nameservers), 50)] {
		r.Nameservers = append(r.Nameservers, clip(strings.ToLower(strings.TrimSuffix(n.Name, ".")), 253))
	}
	var expires time.Time
	for _, e := range d.Events {
		at, err := time.Parse(time.RFC3339, e.Date)
		if err != nil {
			continue
		}
		text := at.UTC().Format(time.RFC3339)
		switch e.Action {
		case "expiration":
			expires, r.ExpiresAt = at, text
		case "registration":
			r.RegisteredAt = text
		case "last changed":
			r.ChangedAt = text
		}
	}
	for _, e := range d.Entities {
		if slices.Contains(e.Roles, "registrar") && len(e.VCard) == 2 && r.Registrar == "" {
			r.Registrar = clip(fullName(e.VCard[1]), 200)
		}
	}
	if expires.IsZero() {
		return check.Fail(check.NotRunnable, "The registry of "+shown+" does not tell when the domain expires.")
	}
	r.DaysRemaining = daysUntil(expires, now)
	day := expires.UTC().Format("2 January 2006")
	for _, status := range d.Status {
		if status == "redemption period" || status == "pending delete" {
			return check.Fail(check.WrongAnswer, "The domain "+shown+" is about to be deleted: its status is "+status+".")
		}
	}
	switch left := r.DaysRemaining; {
	case left < 0:
		return check.Fail(check.WrongAnswer, "The registration of "+shown+" expired on "+day+".")
	case least != nil && left < *least:
		return check.Fail(
			check.WrongAnswer, "The registration of "+shown+" expires in "+days(left)+", on "+day+"; this check requires "+itoa(*least)+".",
		)
	}
	return nil
}

// fullName returns the name in a jCard (RFC 7095).
func fullName(properties json.RawMessage) string {
	var list [][]json.RawMessage
	if json.Unmarshal(properties, &list) != nil {
		return ""
	}
	for _, p := range list {
		var name, value string
		if len(p) == 4 && json.Unmarshal(p[0], &name) == nil && name == "fn" && json.Unmarshal(p[3], &value) == nil {
			return value
		}
	}
	return ""
}

// displayed returns the form of a domain for people.
func displayed(domain string) string {
	if name, err := idna.Display.ToUnicode(domain); err == nil {
		return name
	}
	return domain
}

// Sends implements check.Sender.
func (c *domainConfig) Sends() check.Sending {
	if c.Server == "" {
		return check.Sending{Reads: true, Lines: []string{"It asks the RDAP server that IANA lists for the top-level domain."}}
	}
	return check.Sending{Reads: true, Lines: []string{"It asks the RDAP server " + c.Server + "."}}
}

// Sends implements check.Sender.
func (c *domainRegistrationConfig) Sends() check.Sending {
	return unlessLines(check.Sending{Reads: true, Lines: []string{"It asks about the registration of " + c.Domain + "."}}, c.Domain)
}
