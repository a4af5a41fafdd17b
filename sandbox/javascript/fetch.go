package javascript

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"countersign/sandbox"
)

const (
	// maxConcurrentFetches limits the concurrent requests of one script; further ones wait.
	maxConcurrentFetches = 16
	// maxHead bounds the head of a request: its URL and headers as JSON, in bytes.
	maxHead = 64 << 10
)

// completion is the result of a host call.
type completion struct {
	id       string
	response sandbox.Response
	err      error
}

// hostFetch starts a request: its number, its head as JSON, its body. It returns a refusal, or undefined.
func hostFetch(ctx context.Context, r *run, args []value) (value, error) {
	id, err := argumentText(ctx, r, args, 0, 16)
	if err != nil {
		return 0, err
	}
	var head []byte
	if err := argument(ctx, r, args, 1, func(b []byte, _ uint64) error {
		head = slices.Clone(b)
		return nil
	}); err != nil {
		return 0, err
	}
	if len(args) != 3 {
		return 0, errArguments
	}
	if r.job.Fetch == nil {
		return r.in.inner.newString(ctx, []byte("fetch failed: this script has no network"))
	}
	if len(head) > maxHead {
		return r.in.inner.newString(ctx, []byte("fetch failed: the URL and the headers are too large"))
	}
	var request sandbox.Request
	if err := json.Unmarshal(head, &request); err != nil {
		return 0, errArguments
	}
	undefined, err := r.in.inner.call(ctx, "qjs_is_undefined", args[2])
	if err != nil {
		return 0, err
	}
	var body []byte
	if undefined == 0 {
		if body, _, err = argumentBytes(ctx, r, args, 2); err != nil {
			return 0, err
		}
	}
	if !r.charge(len(head) + len(body)) {
		return 0, errStopped
	}
	request.Body = slices.Clone(body)
	r.begin(id, request)
	return 0, nil
}

// charge counts a host call and reports whether the limits allow it.
func (r *run) charge(bytes int) bool {
	r.calls++
	if r.calls > r.limits.HostCalls {
		r.stop(sandbox.HostCalls, fmt.Sprintf("the script made more than %d host calls", r.limits.HostCalls))
	}
	return r.carry(bytes)
}

// carry counts the bytes of a host call.
func (r *run) carry(bytes int) bool {
	if !r.bytes.Add(bytes) {
		r.stop(sandbox.HostCalls, fmt.Sprintf("the host calls of the script carried more than %d bytes", r.limits.HostBytes))
	}
	return r.stopped == ""
}

// begin sends a request in the background.
func (r *run) begin(id string, request sandbox.Request) {
	ctx, cancel := context.WithCancel(r.ctx)
	r.underway[id] = cancel
	go func() {
		defer cancel()
		select {
		case r.fetching <- struct{}{}:
			defer func() { <-r.fetching }()
		case <-ctx.Done():
		}
		if ctx.Err() != nil { // even with free capacity: select takes either of two that are ready
			r.done <- completion{id: id, err: context.Cause(ctx)}
			return
		}
		response, err := r.bytes.Metered(ctx, r.job.Fetch, request)
		r.done <- completion{id, response, err} // its capacity is the limit of host calls
	}()
}

// hostCancel cancels a request.
func hostCancel(ctx context.Context, r *run, args []value) (value, error) {
	id, err := argumentText(ctx, r, args, 0, 16)
	if err != nil {
		return 0, err
	}
	if cancel := r.underway[id]; cancel != nil {
		cancel()
	}
	return 0, nil
}

// settle passes the result of a request to the script.
func (r *run) settle(ctx context.Context, c completion) error {
	delete(r.underway, c.id)
	var text []byte
	if c.err != nil {
		text = []byte(c.err.Error())
	} else {
		if c.response.StatusText == "" {
			c.response.StatusText = http.StatusText(c.response.Status)
		}
		text, _ = json.Marshal(struct {
			Status     int               `json:"status"`
			StatusText string            `json:"statusText"`
			Headers    map[string]string `json:"headers"`
			SetCookie  []string          `json:"setCookie,omitempty"`
		}{c.response.Status, c.response.StatusText, headers(c.response.Headers), c.response.SetCookie})
	}
	// The body was counted during reading.
	if !r.carry(len(text)) {
		return errStopped
	}
	out := &r.in.outer
	id, err := out.newString(ctx, []byte(c.id))
	if err != nil {
		return err
	}
	head, err := out.newString(ctx, text)
	if err != nil {
		return err
	}
	args := []value{id, head}
	if c.err == nil {
		body, err := out.newBuffer(ctx, c.response.Body)
		if err != nil {
			return err
		}
		args = append(args, body)
	}
	v, err := r.in.apply(ctx, r.in.settle, args...)
	if err != nil {
		return err
	}
	return r.in.release(ctx, v)
}

// headers returns a map that is never nil.
func headers(h map[string]string) map[string]string {
	return maps.Collect(maps.All(h))
}
