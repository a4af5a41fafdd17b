package httprequest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"countersign/internal/egress"
	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/internal/secret/mask"
)

// sender sends one request and follows redirects.
type sender struct {
	guard  *egress.Guard
	stands []stand
	masker *mask.Masker
}

// newMasker masks values also where an answer has them reversed.
func newMasker(values map[string]secret.Value) (*mask.Masker, error) {
	var hidden []secret.Value
	for _, v := range values {
		runes := []rune(v.Reveal())
		slices.Reverse(runes)
		hidden = append(hidden, v, secret.NewValue(string(runes)))
	}
	return mask.New(hidden...)
}

// send sends a request with substituted placeholders. Every hop is checked: by the SSRF guard, which dials the checked
// address, and by the pins of the secrets, which no redirect can leave.
func (s *sender) send(ctx context.Context, r Request) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, r.timeout())
	defer cancel()
	client := s.guard.Client(r.timeout())
	headers := http.Header{}
	for name, value := range r.Headers {
		headers.Set(name, value)
	}
	if headers.Get("User-Agent") == "" {
		headers.Set("User-Agent", "Countersign-Request/1")
	}
	headers.Set("Accept-Encoding", "identity")
	target, err := egress.ParseTarget(r.URL)
	if err != nil {
		return Answer{}, s.unmade(err)
	}
	method, body := r.Method, r.Body
	for hop := 0; ; hop++ {
		if err := allows(s.stands, target); err != nil {
			return Answer{}, err
		}
		res, err := s.exchange(ctx, client, method, target, headers, body)
		if err != nil {
			return Answer{}, err
		}
		next, again := location(res, target)
		if !again {
			answer, err := s.read(ctx, res, target, method, hop)
			_ = res.Body.Close()
			return answer, err
		}
		_ = res.Body.Close()
		if hop == maxRedirects {
			return Answer{}, problem.InvalidInput(
				fmt.Sprintf("The request was sent on %d times, and once more. That is too often.", maxRedirects),
				problem.Issue{Path: "url", Message: "redirects too often"},
			)
		}
		to, err := s.onward(target, next)
		if err != nil {
			return Answer{}, err
		}
		if origin(to) != origin(target) {
			for _, name := range []string{"Authorization", "Cookie", "Www-Authenticate"} {
				headers.Del(name)
			}
		}
		target = to
		if res.StatusCode != http.StatusTemporaryRedirect && res.StatusCode != http.StatusPermanentRedirect && method != http.MethodHead {
			method, body = http.MethodGet, ""
			headers.Del("Content-Type")
		}
	}
}

// onward returns the target of a redirect, if it is followed.
func (s *sender) onward(from egress.Target, next string) (egress.Target, error) {
	to, err := egress.ParseTarget(next)
	if err != nil {
		return to, problem.InvalidInput(
			"The request was sent on to an address that requests do not go to.",
			problem.Issue{Path: "url", Message: "redirects to an address that is refused"},
		)
	}
	if from.URL.Scheme == "https" && to.URL.Scheme == "http" {
		return to, problem.InvalidInput(
			"The request was sent on from https to http, which is not followed.",
			problem.Issue{Path: "url", Message: "redirects from https to http"},
		)
	}
	if origin(to) != origin(from) && len(s.stands) > 0 {
		// Secrets go only to the approved host, even if they are pinned to others too.
		return to, problem.InvalidInput(
			"The request was sent on to another host, and requests with secrets do not follow there. Nothing was sent to it.",
			problem.Issue{Path: "url", Message: "redirects to another host"},
		)
	}
	return to, nil
}

func (s *sender) exchange(
	ctx context.Context,
	client *http.Client,
	method string,
	target egress.Target,
	headers http.Header,
	body string,
) (*http.Response, error) {
	var content io.Reader = http.NoBody
	if body != "" {
		content = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, target.URL.String(), content)
	if err != nil {
		return nil, s.unmade(err)
	}
	req.Header = headers.Clone()
	res, err := client.Do(req)
	if err != nil {
		return nil, s.unmade(err)
	}
	return res, nil
}

// unmade explains a missing answer without quoting the request: errors of package net quote the URL.
func (s *sender) unmade(err error) error {
	if shown, ok := errors.AsType[*problem.Error](err); ok {
		e := problem.Errorf(shown.Code, "%s", s.masker.Cut(shown.Detail))
		for _, issue := range shown.Issues {
			e.Issues = append(e.Issues, problem.Issue{Path: issue.Path, Message: s.masker.Cut(issue.Message)})
		}
		return e
	}
	if about, ok := errors.AsType[*url.Error](err); ok {
		err = about.Err
	}
	detail := "The request got no answer: " + egress.Reason(err) + "."
	return problem.InvalidInput(detail, problem.Issue{Path: "url", Message: detail})
}

// location returns the redirect target of an answer, false for none.
func location(res *http.Response, from egress.Target) (string, bool) {
	switch res.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return "", false
	}
	raw := res.Header.Get("Location")
	if raw == "" {
		return "", false
	}
	to, err := from.URL.Parse(raw)
	if err != nil {
		return raw, true
	}
	return to.String(), true
}
