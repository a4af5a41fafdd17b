package api

import (
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"countersign/auth"
)

// entrance is the document of the sign-in and of password links: a small part of the app, which loads the rest meanwhile.
const entrance = "sign-in.html"

// document is the page of the web app that a request for none of its files is answered with. Who has no session would be led
// to the sign-in by the app; they are spared loading it before that.
func document(r *http.Request, name string, app fs.FS) string {
	outside := slices.Contains([]string{"sign-in", "invite", "reset"}, name)
	for _, session := range []string{auth.PlainCookie, auth.SecureCookie} {
		if _, err := r.Cookie(session); err == nil && !outside {
			return "index.html"
		}
	}
	if _, err := fs.Stat(app, entrance); err != nil {
		return "index.html"
	}
	return entrance
}

// mountWeb serves the built web app: its files with caching by content hash, and a start page for every other path
// that can be a page, so that a reload of a deep link works.
func mountWeb(e *echo.Echo, app fs.FS, mcpPath string) {
	files := http.FileServerFS(app)
	serve := func(c echo.Context) error {
		r, w := c.Request(), c.Response()
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		if isAPI("/" + name) {
			return echo.ErrNotFound
		}
		if info, err := fs.Stat(app, name); name != "" && err == nil && !info.IsDir() {
			if strings.HasPrefix(name, assetsPath) {
				w.Header().Set("Cache-Control", immutable)
			}
			files.ServeHTTP(w, r)
			return nil
		}
		// A file of an earlier build that is gone: its path is never that of a page, and a browser must not take a page for a module.
		if name+"/" == assetsPath || strings.HasPrefix(name, assetsPath) || !isPage(r, mcpPath) {
			return echo.ErrNotFound
		}
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Add("Vary", "Cookie")
		http.ServeFileFS(w, r, app, document(r, name, app))
		return nil
	}
	compressing := middleware.GzipWithConfig(middleware.GzipConfig{MinLength: compressFrom})(serve)
	e.GET("/*", func(c echo.Context) error {
		if serveBrotli(c, app, strings.TrimPrefix(path.Clean(c.Request().URL.Path), "/")) {
			return nil
		}
		return compressing(c)
	})
	e.HEAD("/*", serve)
}

// assetsPath is where the files of a build are.
const assetsPath = "assets/"

// immutable is for files whose name says what they hold.
const immutable = "public, max-age=31536000, immutable"
