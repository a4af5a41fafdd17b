package api

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"

	"countersign/internal/problem"
	"countersign/internal/rest"
)

var useProblemsOnce sync.Once

// useProblems makes huma write our problem documents and match member names exactly: otherwise "Name" beside "name"
// would pass, and the decoder would take the last one. huma keeps both in package variables, so this runs once per
// process; every server sets the same.
func useProblems(log *slog.Logger) {
	useProblemsOnce.Do(func() {
		huma.ValidateStrictCasing = true
		huma.NewErrorWithContext = func(ctx huma.Context, status int, msg string, errs ...error) huma.StatusError {
			if ctx != nil && ctx.Context().Err() != nil {
				return fromHuma(slog.New(slog.DiscardHandler), status, msg, errs) // the client has gone
			}
			e := fromHuma(log, status, msg, errs)
			if h, ok := e.(huma.HeadersError); ok && ctx != nil {
				// huma writes the headers of an error that the handler returned, but this one is converted.
				for name, values := range h.GetHeaders() {
					ctx.SetHeader(name, values[0])
				}
			}
			return e
		}
		huma.NewError = func(status int, msg string, errs ...error) huma.StatusError {
			return fromHuma(log, status, msg, errs)
		}
	})
}

func fromHuma(log *slog.Logger, status int, msg string, errs []error) huma.StatusError {
	code := problem.CodeForStatus(status)
	if code == problem.Internal {
		err := errors.Join(errs...)
		// huma also calls this without an error, to derive the document's schema.
		if err == nil {
			err = errors.New(msg)
		} else {
			log.Error("Request failed", "error", err)
		}
		return rest.Problem(err)
	}
	e := &problem.Error{Code: code}
	for _, err := range errs {
		if d, ok := err.(huma.ErrorDetailer); ok {
			detail := d.ErrorDetail()
			path := strings.TrimPrefix(strings.TrimPrefix(detail.Location, "body."), "body")
			e.Issues = append(e.Issues, problem.Issue{Path: path, Message: detail.Message})
		}
	}
	e.Detail = sentence(msg)
	if len(e.Issues) > 0 {
		e.Detail = fmt.Sprintf("The request is not valid: %s.", e.Issues[0])
	}
	return e
}

func sentence(msg string) string {
	if msg == "" {
		return "The request could not be served."
	}
	msg = strings.ToUpper(msg[:1]) + msg[1:]
	if !strings.HasSuffix(msg, ".") {
		msg += "."
	}
	return msg
}

func writeEchoError(log *slog.Logger) echo.HTTPErrorHandler {
	return func(err error, c echo.Context) {
		if c.Response().Committed {
			return
		}
		if e, ok := errors.AsType[*echo.HTTPError](err); ok && e.Code < http.StatusInternalServerError {
			status := e.Code
			if status == http.StatusMethodNotAllowed && strings.HasSuffix(c.Path(), "*") {
				// Pages of the web app answer every path, but are no resource with other methods.
				status = http.StatusNotFound
				c.Response().Header().Del("Allow")
			}
			err = problem.Errorf(problem.CodeForStatus(status), "%s", routeText(status, c.Request()))
		} else if problem.CodeOf(err) == problem.Internal {
			log.Error("Request failed", "method", c.Request().Method, "path", c.Path(), "error", err)
		}
		refuse(c.Response(), c.Request(), err)
	}
}

func routeText(status int, r *http.Request) string {
	if isCompletion(r.URL.Path) && status == http.StatusNotFound {
		return fmt.Sprintf("There is no %s %.200s. There are POST /v1/chat/completions, POST /v1/responses, and GET "+
			"/v1/models.", r.Method, r.URL.Path)
	}
	if status == http.StatusMethodNotAllowed {
		return fmt.Sprintf(
			"The address %.200s cannot be asked for with %s. The header Allow lists the methods that it has.",
			r.URL.Path,
			r.Method,
		)
	}
	if status == http.StatusNotFound {
		return fmt.Sprintf("There is no %s %.200s. GET /api/openapi.json lists what there is.", r.Method, r.URL.Path)
	}
	return "The request does not fit this address."
}

func recoverPanics(log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(v)
			}
			log.Error("Handler panicked", "method", r.Method, "panic", v, "stack", string(debug.Stack()))
			refuse(w, r, fmt.Errorf("panic: %v", v))
		}()
		next.ServeHTTP(w, r)
	})
}
