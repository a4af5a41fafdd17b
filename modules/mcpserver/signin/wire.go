package signin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"countersign/egress"
	"countersign/problem"
	"countersign/secret/scrub"
	"countersign/text"
)

// wire is the way of one exchange, for requests that come one after the other. It sees what libraries make texts of.
type wire struct {
	base   http.RoundTripper
	permit func(ctx context.Context, address string) error

	left    int
	status  int
	failure error
}

var errTooMuch = fmt.Errorf("it sent more than %d bytes", maxAnswers)

// open begins an exchange.
func (c *Client) open() (*wire, *http.Client) {
	client := c.o.HTTP(requestTimeout)
	w := &wire{base: client.Transport, permit: c.o.Permit, left: maxAnswers}
	client.Transport = w
	return w, client
}

// RoundTrip implements http.RoundTripper.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	w.status, w.failure = 0, nil
	if err := w.permit(req.Context(), req.URL.String()); err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		w.failure = err
		return nil, err
	}
	req = req.Clone(req.Context())
	req.Header.Set("User-Agent", "Countersign-MCP/1")
	req.Header.Set("Accept-Encoding", "identity")
	res, err := w.base.RoundTrip(req)
	if err != nil {
		w.failure = err
		return nil, err
	}
	w.status = res.StatusCode
	res.Body = &bounded{res.Body, w}
	return res, nil
}

// bounded is a body that counts against what may come in an exchange.
type bounded struct {
	io.ReadCloser

	wire *wire
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.wire.left <= 0 {
		b.wire.failure = errTooMuch
		return 0, errTooMuch
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.wire.left)])
	b.wire.left -= n
	if err != nil && !errors.Is(err, io.EOF) {
		b.wire.failure = err
	}
	return n, err
}

// absent reports whether the last answer said that there is nothing.
func (w *wire) absent() bool {
	return w.failure == nil && w.status >= http.StatusBadRequest && w.status < http.StatusInternalServerError
}

// why is what went wrong, of the network or of an answer. quoted is what a library says of an answer that it cannot
// use, "" where that could hold what must not be shown.
func (w *wire) why(ctx context.Context, quoted string) *ServerError {
	if refused, ok := errors.AsType[*problem.Error](w.failure); ok {
		return &ServerError{strings.TrimSuffix(refused.Detail, ".")}
	}
	switch {
	case errors.Is(w.failure, errTooMuch):
		return &ServerError{errTooMuch.Error()}
	case ctx.Err() != nil:
		return &ServerError{egress.Reason(context.DeadlineExceeded)}
	case w.failure != nil:
		return &ServerError{egress.Reason(w.failure)}
	case w.status >= http.StatusMultipleChoices && w.status < http.StatusBadRequest:
		return &ServerError{fmt.Sprintf("it sent the request on with status %d, which is not followed", w.status)}
	case w.status >= http.StatusBadRequest:
		return &ServerError{fmt.Sprintf("it answered with status %d", w.status)}
	case quoted != "":
		return &ServerError{"its answer cannot be used: " + shown(quoted)}
	}
	return &ServerError{"its answer is not one of OAuth"}
}

// shown is a text of others in one line, as administrators may read it.
func shown(line string) string {
	const most = 300
	return strings.TrimSuffix(text.Shown(scrub.Text(line), most), ".")
}
