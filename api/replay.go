package api

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/otel/trace"

	"countersign/internal/principal"
	"countersign/internal/rest"
	"countersign/tool"
)

// A replay checks visibility again, because the caller may have lost access to the record since: the record is read as
// the caller, by the operation that reads it.

// withheld returns the refusal to read the record of a stored answer; nil when the answer may be replayed. Answers that
// reveal no record may be: those without a body, and proposals of the caller. So may outcomes of an apply, which the
// process itself requests to record them.
func withheld(c echo.Context, api *huma.OpenAPI, op *huma.Operation, a *answer) *answer {
	ctx := c.Request().Context()
	if a.body.Len() == 0 || a.status == http.StatusAccepted || tool.Carried(ctx) != "" {
		return nil
	}
	path, reads := readingOf(api, op, c.Request().URL, a.body.Bytes())
	// Without grants, the access rules of the write have been checked already.
	if reads == nil || len(principal.FromContext(ctx).Missing(rest.RulesOf(reads)...)) > 0 {
		return nil
	}
	request, err := http.NewRequestWithContext(quiet(ctx), http.MethodGet, path, nil)
	if err != nil {
		return nil
	}
	recorder := httptest.NewRecorder()
	c.Echo().ServeHTTP(recorder, request)
	if recorder.Code < http.StatusBadRequest {
		return nil
	}
	refusal := newAnswer(a.to)
	refusal.header, refusal.status, refusal.wrote = recorder.Header(), recorder.Code, true
	_, _ = refusal.body.Write(recorder.Body.Bytes())
	return refusal
}

// quiet keeps a nested request from renaming its parent's span.
func quiet(ctx context.Context) context.Context {
	return trace.ContextWithSpan(ctx, trace.SpanFromContext(context.Background()))
}

// readingOf returns the operation that reads the object of a write, and its path: the record that was created in a
// collection, or else the nearest readable prefix of the path.
func readingOf(api *huma.OpenAPI, op *huma.Operation, at *url.URL, body []byte) (string, *huma.Operation) {
	template, path := strings.Split(op.Path, "/"), strings.Split(at.EscapedPath(), "/")
	if made := readerOf(api, op.Path+"/{id}"); made != nil && op.Method == http.MethodPost {
		var record struct {
			ID string `json:"id"`
		}
		if json.Unmarshal(body, &record) == nil && record.ID != "" {
			return at.EscapedPath() + "/" + url.PathEscape(record.ID), made
		}
	}
	if len(path) != len(template) {
		return "", nil
	}
	for n := len(template); n > 0; n-- {
		if !strings.HasSuffix(template[n-1], "}") {
			continue
		}
		if reader := readerOf(api, strings.Join(template[:n], "/")); reader != nil {
			return strings.Join(path[:n], "/"), reader
		}
	}
	return "", nil
}

func readerOf(api *huma.OpenAPI, path string) *huma.Operation {
	if item := api.Paths[path]; item != nil {
		return item.Get
	}
	return nil
}
