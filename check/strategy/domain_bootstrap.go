package strategy

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"countersign/check"
)

const (
	// ianaBootstrap is the list of RDAP servers by top-level domain (RFC 9224).
	ianaBootstrap = "https://data.iana.org/rdap/dns.json"
	// bootstrapAge is how long the list is used before it is fetched again. IANA changes it a few times a month.
	bootstrapAge = 24 * time.Hour
	// bootstrapRetry is the time between two attempts while the list cannot be fetched.
	bootstrapRetry = time.Minute
)

// bootstrap caches the list of RDAP servers for a process. It is fetched by the run that needs it, through the SSRF guard.
type bootstrap struct {
	url string

	mu      sync.Mutex
	servers map[string]string
	fetched time.Time
	tried   time.Time
	// fetching is open while a run fetches the list; others wait for it.
	fetching chan struct{}
}

// server returns the RDAP server of a top-level domain. Its error is a *check.Failure: it says nothing about the domain.
func (b *bootstrap) server(ctx context.Context, run check.Run, tld string) (string, error) {
	servers, err := b.list(ctx, run)
	if err != nil {
		return "", err
	}
	if server, ok := servers[tld]; ok {
		return server, nil
	}
	return "", check.Fail(
		check.NotRunnable, "IANA lists no RDAP server for ."+displayed(tld)+". Name one in the check, if the registry has one.",
	)
}

// list returns the servers by top-level domain. A list that has become old is used on while it cannot be fetched again.
func (b *bootstrap) list(ctx context.Context, run check.Run) (map[string]string, error) {
	for {
		b.mu.Lock()
		now := time.Now()
		old := now.Sub(b.fetched) >= bootstrapAge
		if b.servers != nil && (!old || now.Sub(b.tried) < bootstrapRetry || b.fetching != nil) {
			defer b.mu.Unlock()
			return b.servers, nil
		}
		if wait := b.fetching; wait != nil {
			b.mu.Unlock()
			select {
			case <-wait:
				continue
			case <-ctx.Done():
				return nil, check.Fail(check.NotRunnable, "The list of RDAP servers did not come in time.")
			}
		}
		b.fetching, b.tried = make(chan struct{}), now
		b.mu.Unlock()
		servers, err := b.fetch(ctx, run)
		b.mu.Lock()
		close(b.fetching)
		b.fetching = nil
		if err == nil {
			b.servers, b.fetched = servers, time.Now()
		}
		servers = b.servers
		b.mu.Unlock()
		if servers == nil {
			return nil, check.Fail(check.NotRunnable, "The list of RDAP servers could not be fetched: "+err.Error())
		}
		return servers, nil
	}
}

func (b *bootstrap) fetch(ctx context.Context, run check.Run) (map[string]string, error) {
	at, err := url.Parse(b.url)
	if err != nil {
		return nil, check.Fail(check.NotRunnable, "Its URL is not valid.")
	}
	call := &webCall{run: run, base: at, service: "The list of RDAP servers", secured: trust{name: at.Hostname()}, follows: 2}
	a, err := call.fetch(ctx, at)
	if err != nil {
		return nil, err
	}
	var list struct {
		Services [][][]string `json:"services"`
	}
	if a.status != http.StatusOK || json.Unmarshal(a.body, &list) != nil || len(list.Services) == 0 {
		return nil, check.Fail(check.NotRunnable, "The answer of "+at.Host+" is no such list.")
	}
	servers := map[string]string{}
	for _, s := range list.Services {
		if len(s) != 2 || len(s[1]) == 0 {
			continue
		}
		server := s[1][0]
		if i := slices.IndexFunc(s[1], func(u string) bool { return strings.HasPrefix(u, "https://") }); i >= 0 {
			server = s[1][i]
		}
		for _, tld := range s[0] {
			servers[strings.ToLower(tld)] = server
		}
	}
	return servers, nil
}
