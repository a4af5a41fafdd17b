package api

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/internal/problem"
	"countersign/internal/rest"
)

// degradedWait bounds how long /readyz waits for optional dependencies.
const degradedWait = time.Second

// mountHealth serves the probes. /healthz is liveness: a worker that has lost the database for long is not alive.
// /readyz is readiness: "ready", or "degraded" during an outage of Temporal. A degraded process stays in service: the
// others are no better off, and messages are accepted all the same.
func mountHealth(e *echo.Echo, o Options) {
	e.GET("/healthz", func(c echo.Context) error {
		if o.Alive != nil {
			if err := o.Alive(); err != nil {
				o.Log.Warn("Not alive", "error", err)
				return c.JSON(http.StatusServiceUnavailable, map[string]string{"status": "unavailable", "version": o.Version})
			}
		}
		return c.JSON(http.StatusOK, map[string]string{"status": "ok", "version": o.Version})
	})
	e.GET("/readyz", func(c echo.Context) error {
		ctx, cancel := context.WithTimeout(c.Request().Context(), 3*time.Second)
		defer cancel()
		err := o.DB.Ping(ctx)
		if err == nil && o.Ready != nil {
			err = o.Ready(ctx)
		}
		if err != nil {
			o.Log.Warn("Not ready", "error", err)
			return c.JSON(http.StatusServiceUnavailable, map[string]string{"status": "unavailable"})
		}
		return c.JSON(http.StatusOK, map[string]string{"status": health(ctx, o)})
	})
	if o.Metrics != nil {
		e.GET("/metrics", echo.WrapHandler(scraped(o.MetricsToken, o.Metrics)))
	}
}

func health(ctx context.Context, o Options) string {
	if o.Degraded == nil {
		return "ready"
	}
	ctx, cancel := context.WithTimeout(ctx, degradedWait)
	defer cancel()
	if err := o.Degraded(ctx); err != nil {
		o.Log.Warn("Degraded", "error", err)
		return "degraded"
	}
	return "ready"
}

// scraped serves metrics to holders of the token. Without a token it serves only this machine and private networks,
// where scrapers run, and no requests through a proxy, which may come from anywhere.
func scraped(token string, metrics http.Handler) http.Handler {
	expected := sha256.Sum256([]byte("Bearer " + token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent := sha256.Sum256([]byte(r.Header.Get("Authorization")))
		switch {
		case token != "" && subtle.ConstantTimeCompare(sent[:], expected[:]) != 1:
			rest.WriteProblem(
				w,
				problem.Errorf(problem.Unauthorized, "Metrics need the token that COUNTERSIGN_METRICS_TOKEN holds, as a bearer token."),
			)
		case token == "" && !isNear(r):
			rest.WriteProblem(
				w,
				problem.Errorf(
					problem.Forbidden,
					"Metrics are for scrapers in the same network. For others set COUNTERSIGN_METRICS_TOKEN and send it as a bearer token.",
				),
			)
		default:
			metrics.ServeHTTP(w, r)
		}
	})
}

// proxyHeaders are headers that proxies add.
var proxyHeaders = []string{
	"X-Forwarded-For",
	"X-Forwarded-Host",
	"X-Forwarded-Proto",
	"X-Real-Ip",
	"Forwarded",
	"Via",
	"Cf-Connecting-Ip",
	"True-Client-Ip",
}

// isNear reports whether a request comes from this machine or a private network, without a proxy.
func isNear(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || slices.ContainsFunc(proxyHeaders, func(name string) bool { return len(r.Header.Values(name)) > 0 }) {
		return false
	}
	a := peer.Addr().Unmap()
	return a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast()
}
