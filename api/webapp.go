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

// entrance is the document of the sign-in and of password links: a small part of the app, which loads the rest in the
// background.
const entrance = "sign-in.html"

// document returns the web app's document for a page request. Requests without a session get the sign-in document
// directly, and need not load the app for a redirect.
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

// mountWeb serves the built web app: files cached by content hash, and the start page for every other page path, so
// that deep links can be reloaded.
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
		// A file of an earlier build is gone: its path is never a page, and a browser must not run a page as a module.
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

// assetsPath is the directory of a build's files.
const assetsPath = "assets/"

// immutable is the cache policy of files with content-hashed names.
const immutable = "public, max-age=31536000, immutable"
