package api

import (
	"context"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
)

// mountHealth serves the probes of operators: /healthz says that the process lives, /readyz that a chat turn would work.
func mountHealth(e *echo.Echo, o Options) {
	e.GET("/healthz", func(c echo.Context) error {
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
		return c.JSON(http.StatusOK, map[string]string{"status": "ready"})
	})
	if o.Metrics != nil {
		e.GET("/metrics", echo.WrapHandler(o.Metrics))
	}
}

// mountWeb serves the built web app: its files with caching by content hash, and the start page for every other path
// outside of /api, so that a reload of a deep link works.
func mountWeb(e *echo.Echo, app fs.FS) {
	files := http.FileServerFS(app)
	serve := func(c echo.Context) error {
		r, w := c.Request(), c.Response()
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		if strings.HasPrefix(name, "api/") {
			return echo.ErrNotFound
		}
		if info, err := fs.Stat(app, name); name != "" && err == nil && !info.IsDir() {
			if strings.HasPrefix(name, "assets/") {
				w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
			}
			files.ServeHTTP(w, r)
			return nil
		}
		w.Header().Set("Cache-Control", "no-cache")
		http.ServeFileFS(w, r, app, "index.html")
		return nil
	}
	compress := middleware.GzipWithConfig(middleware.GzipConfig{MinLength: 1024})
	e.GET("/*", serve, compress)
	e.HEAD("/*", serve)
}
