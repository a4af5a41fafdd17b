package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"countersign/internal/problem"
)

const (
	remoteTimeout = 30 * time.Second
	// maxRemoteBytes bounds one answer of the product.
	maxRemoteBytes = 32 << 20
)

// remote is a running product, used over its API as the holder of a token.
type remote struct {
	base, token string
	http        *http.Client
}

// newRemote returns the product at COUNTERSIGN_URL, nil without COUNTERSIGN_TOKEN.
func newRemote(environ []string) (*remote, error) {
	set := map[string]string{}
	for _, line := range environ {
		name, value, _ := strings.Cut(line, "=")
		set[name] = strings.TrimSpace(value)
	}
	if set["COUNTERSIGN_TOKEN"] == "" {
		return nil, nil //nolint:nilnil // without a token there is none
	}
	base := strings.TrimRight(cmp.Or(set["COUNTERSIGN_URL"], "http://localhost:"+cmp.Or(set["PORT"], "8080")), "/")
	if u, err := url.Parse(base); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("COUNTERSIGN_URL must look like https://host")
	}
	// A redirect would carry the token to another address.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &remote{base, set["COUNTERSIGN_TOKEN"], &http.Client{CheckRedirect: stay, Timeout: remoteTimeout}}, nil
}

// do makes a request and decodes its answer. A refusal is a *problem.Error in the words of the product.
func (r *remote) do(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		encoded, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, r.base+path, body)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+r.token)
	request.Header.Set("Accept", "application/json, application/problem+json")
	if in != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := r.http.Do(request)
	if err != nil {
		return problem.Errorf(problem.Unavailable, "The product at %s did not answer: %v", r.base, err).WithCause(err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxRemoteBytes+1))
	if err != nil {
		return problem.Errorf(problem.Unavailable, "The answer of the product at %s broke off.", r.base).WithCause(err)
	}
	switch {
	case response.StatusCode >= http.StatusBadRequest:
		refusal := &problem.Error{}
		if json.Unmarshal(answer, refusal) != nil || refusal.Detail == "" {
			refusal = problem.Errorf(problem.CodeForStatus(response.StatusCode), "%s answered with status %d.", r.base, response.StatusCode)
		}
		return refusal
	case response.StatusCode >= http.StatusMultipleChoices:
		return fmt.Errorf("%s redirects to another address: set COUNTERSIGN_URL to the address of the product", r.base)
	case len(answer) > maxRemoteBytes || json.Unmarshal(answer, out) != nil:
		return fmt.Errorf("what %s answered is no answer of the product: check COUNTERSIGN_URL", r.base)
	}
	return nil
}
