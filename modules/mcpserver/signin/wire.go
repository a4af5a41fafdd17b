package signin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"countersign/internal/egress"
	"countersign/internal/problem"
	"countersign/internal/secret/scrub"
	"countersign/internal/text"
)

// recordingTransport is the HTTP transport of one exchange with sequential requests. It records responses that libraries report as
// text only.
type recordingTransport struct {
	base   http.RoundTripper
	permit func(ctx context.Context, address string) error

	bytesLeft int
	status    int
	failure   error
}

var errAnswersTooLarge = fmt.Errorf("it sent more than %d bytes", maxAnswers)

// open starts an exchange.
func (c *Client) open() (*recordingTransport, *http.Client) {
	client := c.o.HTTP(requestTimeout)
	w := &recordingTransport{base: client.Transport, permit: c.o.Permit, bytesLeft: maxAnswers}
	client.Transport = w
	return w, client
}

// RoundTrip implements http.RoundTripper.
func (w *recordingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
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
	res.Body = &boundedBody{res.Body, w}
	return res, nil
}

// boundedBody is a response body that counts against the size limit of an exchange.
type boundedBody struct {
	io.ReadCloser

	transport *recordingTransport
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.transport.bytesLeft <= 0 {
		b.transport.failure = errAnswersTooLarge
		return 0, errAnswersTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.transport.bytesLeft)])
	b.transport.bytesLeft -= n
	if err != nil && !errors.Is(err, io.EOF) {
		b.transport.failure = err
	}
	return n, err
}

// absent reports whether the last answer was a client error (4xx), such as 404 for missing metadata.
func (w *recordingTransport) absent() bool {
	return w.failure == nil && w.status >= http.StatusBadRequest && w.status < http.StatusInternalServerError
}

// why returns the failure of the network or of an answer. quoted is a library's text about an unusable answer, ""
// where it could hold a secret.
func (w *recordingTransport) why(ctx context.Context, quoted string) *ServerError {
	if refused, ok := errors.AsType[*problem.Error](w.failure); ok {
		return &ServerError{strings.TrimSuffix(refused.Detail, ".")}
	}
	switch {
	case errors.Is(w.failure, errAnswersTooLarge):
		return &ServerError{errAnswersTooLarge.Error()}
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

// shown returns an external text as one safe line for administrators.
func shown(line string) string {
	const most = 300
	return strings.TrimSuffix(text.Shown(scrub.Text(line), most), ".")
}
