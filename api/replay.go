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

	"countersign/principal"
	"countersign/rest"
	"countersign/tool"
)

// A kept answer tells of a record, and whoever asked may have lost the sight of it since. So before an answer is given
// again the record is read as the caller, by the operation that reads it.

// withheld is the refusal to read the record that a kept answer is about; nil when the answer may be given again. What says
// nothing of a record is: an answer without a body, a proposal of the caller's own. So is what an apply has done, which is
// asked for by the process itself to record it.
func withheld(c echo.Context, api *huma.OpenAPI, op *huma.Operation, a *answer) *answer {
	ctx := c.Request().Context()
	if a.body.Len() == 0 || a.status == http.StatusAccepted || tool.Carried(ctx) != "" {
		return nil
	}
	path, reads := readingOf(api, op, c.Request().URL, a.body.Bytes())
	// Of an operation without grants the rules of the write have been checked.
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

// quiet keeps a request inside of another one from renaming its span.
func quiet(ctx context.Context) context.Context {
	return trace.ContextWithSpan(ctx, trace.SpanFromContext(context.Background()))
}

// readingOf is the operation that reads what a write is about, and its path: what the write has made in a collection, or
// else the nearest thing on the way to its path.
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
