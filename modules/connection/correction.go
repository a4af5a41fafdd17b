package connection

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"countersign/model"
)

// correctionTimeout bounds the requests to corrected addresses together, which run side by side.
const correctionTimeout = 10 * time.Second

var (
	// superfluous are the ends of addresses of single endpoints, as documentation and examples show them.
	superfluous = regexp.MustCompile(`(?i)/+(?:(?:chat/)?completions|responses|embeddings|models|messages)?/*$`)
	repeated    = regexp.MustCompile(`(?i)(/v1)(?:/v1)+$`)
	versioned   = regexp.MustCompile(`(?i)/v\d+[a-z0-9]*(?:/|$)`)
	// schemeless is an address as people write it without the scheme.
	schemeless = regexp.MustCompile(`^(?:localhost|[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+|[A-Za-z0-9-]+:\d+)(?::\d+)?(?:/\S*)?$`)
)

// withScheme completes an address without a scheme: https, and http for this machine, whose servers rarely have a
// certificate. Other values stay.
func withScheme(value string) string {
	value = strings.TrimSpace(value)
	if strings.Contains(value, "://") || !schemeless.MatchString(value) {
		return value
	}
	u, err := url.Parse("https://" + value)
	if err != nil {
		return value
	}
	address, err := netip.ParseAddr(u.Hostname())
	if u.Hostname() == "localhost" || err == nil && address.IsLoopback() {
		u.Scheme = "http"
	}
	return u.String()
}

// corrections lists the likely addresses of the API at the server of a base URL, the likeliest first. Scheme, host and
// query stay.
func corrections(base string) []string {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil || u.Host == "" {
		return nil
	}
	path := u.Path
	for shorter := superfluous.ReplaceAllString(path, ""); shorter != path; shorter = superfluous.ReplaceAllString(path, "") {
		path = shorter
	}
	path = repeated.ReplaceAllString(path, "$1")
	paths := []string{path}
	if versioned.MatchString(path) {
		paths = append(paths, versioned.Split(path, 2)[0])
	} else {
		paths = append(paths, path+"/v1", path+"/api/v1", path+"/openai/v1", path+"/v1beta/openai")
	}
	var all []string
	for _, p := range paths {
		at := *u
		at.Path, at.RawPath = p, ""
		if corrected := at.String(); corrected != strings.TrimRight(base, "/") && !slices.Contains(all, corrected) {
			all = append(all, corrected)
		}
	}
	return all
}

// Correct implements Tester. A model or the list of models at an address shows that it is the API; so does a refused
// key where the address before knew no such path.
func (t modelTester) Correct(ctx context.Context, p Probe) (corrected string) {
	ctx, cancel := context.WithTimeout(ctx, correctionTimeout)
	defer cancel()
	addresses := corrections(p.BaseURL)
	listed, refused := make([]bool, len(addresses)), make([]bool, len(addresses))
	var asked sync.WaitGroup
	for i, address := range addresses {
		if !sameServer(address, p.BaseURL) {
			continue
		}
		asked.Go(func() {
			at := p
			at.BaseURL = address
			models, _, err := t.Offer(ctx, at)
			if p.Model != "" && isWrongAddress(err) {
				// Some providers list no models.
				err = t.greet(ctx, at)
				models = append(models, model.Listed{})
			}
			listed[i] = err == nil && len(models) > 0
			refused[i] = model.ClassOf(err) == model.Unauthorized
		})
	}
	asked.Wait()
	for _, found := range [][]bool{listed, refused} {
		if i := slices.Index(found, true); i >= 0 {
			return addresses[i]
		}
	}
	return ""
}

// greet makes the smallest call of a model.
func (t modelTester) greet(ctx context.Context, p Probe) error {
	const tokens = 64
	options := p.Options
	options.ID, options.HTTPClient, options.StallTimeout, options.OnQuirks = "test", t.http, correctionTimeout, nil
	client := model.New(options)
	client.AddQuirks(p.KnownQuirks)
	_, err := client.Complete(ctx, model.Request{
		Model: p.Model, MaxTokens: tokens, Messages: []model.Message{{Role: model.RoleUser, Content: "Say hello."}},
	})
	return err
}

// isWrongAddress reports whether a failure looks like a server without an API at the address.
func isWrongAddress(err error) bool {
	failure, ok := errors.AsType[*model.Error](err)
	if !ok {
		return false
	}
	switch {
	case failure.Reason == model.Address, failure.Status == http.StatusMethodNotAllowed:
		return true
	case failure.Class == model.NotFound, failure.Status == http.StatusNotFound:
		return true
	}
	// The answer is not in the protocol, such as a web page.
	return failure.Status == 0 && (failure.Class == model.Invalid || failure.Class == model.Malformed) && !isTransportError(err)
}
