package channel

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"countersign/internal/egress"
	"countersign/internal/problem"
)

const userAgent = "Countersign-Notifications"

func (s *Sender) postJSON(ctx context.Context, url string, body any) Outcome {
	data, err := json.Marshal(body)
	if err != nil {
		return failed(Permanent, "The message cannot be written as JSON.")
	}
	return s.post(ctx, url, data, http.Header{"Content-Type": {"application/json"}})
}

// post sends a request and judges its end. A request of which a byte was written may have arrived.
func (s *Sender) post(ctx context.Context, url string, body []byte, headers http.Header) Outcome {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return failed(Permanent, "The address of the channel cannot be read.")
	}
	maps.Copy(request.Header, headers)
	return s.do(request)
}

func (s *Sender) do(request *http.Request) Outcome {
	request.Header.Set("User-Agent", userAgent)
	var written atomic.Bool
	request = request.WithContext(httptrace.WithClientTrace(request.Context(), &httptrace.ClientTrace{
		WroteHeaders: func() { written.Store(true) },
	}))
	response, err := s.Client.Do(request) //nolint:gosec // the client is that of the egress guard
	if err != nil {
		return transportFailure(err, written.Load())
	}
	defer func() { _ = response.Body.Close() }()
	// The status is the answer: a body, however slowly it comes, is not read.
	return judge(response)
}

// transportFailure is the outcome of a request without an answer. Errors of clients quote addresses, which can be secrets.
func transportFailure(err error, written bool) Outcome {
	if errors.Is(err, egress.ErrRefused) {
		if p := problem.As(err); p != nil {
			return failed(Permanent, "%s", p.Detail)
		}
		return failed(Permanent, "The address of the channel may not be reached from here.")
	}
	reason := egress.Reason(err)
	if written {
		return failed(Uncertain, "The request was sent, and no answer came: %s. It may have arrived.", reason)
	}
	return failed(Temporary, "The receiver was not reached: %s.", reason)
}

// judge is the outcome of an answer.
func judge(response *http.Response) Outcome {
	code := response.StatusCode
	switch {
	case code >= 200 && code < 300:
		return Outcome{Result: Sent}
	case code >= 300 && code < 400:
		return failed(Permanent, "The receiver answered with the redirect %d, which is not followed. Enter the address that it leads to.", code)
	case code == http.StatusNotFound || code == http.StatusGone:
		return failed(Permanent, "The receiver is gone: it answered with status %d. Set the channel up again.", code)
	case code == http.StatusRequestTimeout, code == http.StatusTooEarly, code == http.StatusTooManyRequests, code >= 500:
		o := failed(Temporary, "The receiver answered with status %d.", code)
		o.RetryAfter = retryAfter(response.Header.Get("Retry-After"), response.Header.Get("Date"))
		return o
	default:
		return failed(Permanent, "The receiver refused the message: it answered with status %d.", code)
	}
}

// retryAfter reads the header, which has seconds or a date. A date counts from that of the answer, so that the clock of
// the receiver does not matter.
func retryAfter(value, now string) time.Duration {
	value = strings.TrimSpace(value)
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	from, err := http.ParseTime(now)
	if err != nil {
		from = time.Now()
	}
	return max(0, at.Sub(from))
}
