package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

const (
	// callTimeout is longer than an apply waits for its outcome.
	callTimeout = 40 * time.Second
	retryPause  = 50 * time.Millisecond
)

// person uses the product through two API processes and retries when one of them dies.
type person struct {
	http    *http.Client
	apis    []string
	session *http.Cookie
	rng     *rand.Rand
	run     *run
	ledger  *ledger
	// serves says whether an API takes requests; nil when all do.
	serves  func(api string) bool
	names   func() string
	outside *outside
	// away counts responses that report an outage with a Retry-After; nil where none is allowed.
	away *atomic.Int64
}

// answer is a complete HTTP response.
type answer struct {
	status int
	body   []byte
	// later is the header Retry-After.
	later string
}

func (a answer) ok() bool { return a.status >= 200 && a.status < 300 }

// into decodes a good answer.
func (a answer) into(v any) error {
	if !a.ok() {
		return fmt.Errorf("status %d: %s", a.status, clip(a.body))
	}
	if err := json.Unmarshal(a.body, v); err != nil {
		return fmt.Errorf("decode answer: %w", err)
	}
	return nil
}

func clip(text []byte) string {
	const limit = 400
	return string(text[:min(len(text), limit)])
}

// signIn is the session of the first administrator.
func signIn(ctx context.Context, client *http.Client, api, dir string) (*http.Cookie, error) {
	data, err := os.ReadFile(filepath.Join(dir, "data", "credentials.json"))
	if err != nil {
		return nil, fmt.Errorf("read credentials: %w", err)
	}
	var credentials struct{ Email, Password string }
	if err := json.Unmarshal(data, &credentials); err != nil {
		return nil, fmt.Errorf("decode credentials: %w", err)
	}
	body, err := json.Marshal(map[string]string{"email": credentials.Email, "password": credentials.Password})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, api+"/api/auth/login", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("sign in: %w", err)
	}
	defer res.Body.Close()
	if cookies := res.Cookies(); res.StatusCode == http.StatusOK && len(cookies) > 0 { // the session, and then that of the device
		return cookies[0], ownPassword(ctx, client, api, cookies[0], credentials.Password)
	}
	return nil, fmt.Errorf("sign in: status %d", res.StatusCode)
}

// ownPassword changes the first password, which opens nothing else.
func ownPassword(ctx context.Context, client *http.Client, api string, session *http.Cookie, first string) error {
	body, err := json.Marshal(map[string]string{"currentPassword": first, "newPassword": uuid.NewString()})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, api+"/api/auth/password", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.AddCookie(session)
	res, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("change password: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusNoContent {
		return fmt.Errorf("change password: status %d", res.StatusCode)
	}
	return nil
}

// request sends a request to one of the APIs.
func (p *person) request(ctx context.Context, api, method, path string, body any) (*http.Request, error) {
	var reader io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("encode request: %w", err)
		}
		reader = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, api+path, reader)
	if err != nil {
		return nil, err
	}
	req.AddCookie(p.session)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// anyAPI is the API of the next request.
func (p *person) anyAPI() string {
	for {
		if api := p.apis[p.rng.IntN(len(p.apis))]; p.serves == nil || p.serves(api) {
			return api
		}
	}
}

// attempt makes one call; an error means a lost response.
func (p *person) attempt(ctx context.Context, api, method, path string, body any, key string) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	req, err := p.request(ctx, api, method, path, body)
	if err != nil {
		return answer{}, err
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	res, err := p.http.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, raw, res.Header.Get("Retry-After")}, err
}

// insist repeats a call, on either API, until a complete response comes back.
func (p *person) insist(ctx context.Context, method, path string, body any, key string) (answer, error) {
	for {
		a, err := p.attempt(ctx, p.anyAPI(), method, path, body, key)
		if err == nil && a.status < http.StatusInternalServerError {
			// Reads and "accepted" responses are no progress.
			if a.ok() && method != http.MethodGet && a.status != http.StatusAccepted {
				p.run.saw(0)
			}
			return a, nil
		}
		pause := retryPause
		if err == nil {
			p.odd(method+" "+path, a)
			pause = time.Second
		}
		if ctx.Err() != nil {
			return a, fmt.Errorf("%s %s: %w", method, path, errors.Join(context.Cause(ctx), err))
		}
		p.run.again()
		wait(ctx, pause)
	}
}

// fork is a random source for a parallel actor on this person's behalf.
func (p *person) fork() *rand.Rand { return rand.New(rand.NewPCG(p.rng.Uint64(), p.rng.Uint64())) }

// odd records a server error: processes may die, but live ones must answer. They may ask for a retry when a stalled
// process or an outage blocks the request; during outages they must say when.
func (p *person) odd(what string, a answer) {
	if a.status == http.StatusServiceUnavailable && (p.away == nil || a.later != "") {
		if p.away != nil {
			p.away.Add(1)
		}
		return
	}
	p.ledger.complain(
		violation{what: "server error", text: fmt.Sprintf("%s answered %d: %s", what, a.status, strings.TrimSpace(clip(a.body)))},
	)
}
