package api

import (
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
)

// compressFrom is the minimum size in bytes for compression: a smaller response fits one packet anyway.
const compressFrom = 1024

// compressed compresses eligible API responses.
func compressed() echo.MiddlewareFunc {
	compress := middleware.GzipWithConfig(middleware.GzipConfig{MinLength: compressFrom})
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		compressing := compress(next)
		return func(c echo.Context) error {
			switch r := c.Request(); {
			case !compressible(r):
				return next(c)
			case !accepts(r, "gzip"):
				c.Response().Header().Add("Vary", "Accept-Encoding")
				return next(c)
			}
			return compressing(c)
		}
	}
}

// compressible reports whether the response may be compressed. The size of a compressed response reveals whether texts
// in it resemble each other, so an attacker who controls a text beside a secret could guess the secret (BREACH). Hence
// only reads are compressed; no cross-site requests, and no responses with secrets: chats and proposals with their
// tokens, sign-ins, and inbound webhook addresses. Streams are not, as they are written piece by piece.
func compressible(r *http.Request) bool {
	if r.Method != http.MethodGet || !strings.HasPrefix(r.URL.Path, "/api/") || strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		return false
	}
	// Programs send no such header, nor do browsers without TLS, whose traffic is readable anyway.
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" {
		return false
	}
	for _, secret := range []string{"/api/ai/", "/api/auth/", "/api/heartbeats/"} {
		if strings.HasPrefix(r.URL.Path, secret) {
			return false
		}
	}
	last := path.Base(r.URL.Path)
	return last != "heartbeats" && last != "live" && last != "stream" && r.URL.Path != feedPath
}

// serveBrotli serves the precompressed Brotli form of a web app file, and reports whether there is one for this client.
func serveBrotli(c echo.Context, app fs.FS, name string) bool {
	r, h := c.Request(), c.Response().Header()
	if !strings.HasPrefix(name, assetsPath) {
		return false
	}
	if info, err := fs.Stat(app, name+".br"); err != nil || info.IsDir() {
		return false
	}
	h.Add("Vary", "Accept-Encoding")
	if !accepts(r, "br") {
		return false
	}
	h.Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	h.Set("Content-Encoding", "br")
	h.Set("Cache-Control", immutable)
	http.ServeFileFS(c.Response(), r, app, name+".br")
	return true
}

// accepts reports whether the client accepts an encoding.
func accepts(r *http.Request, encoding string) bool {
	for _, line := range r.Header.Values("Accept-Encoding") {
		for entry := range strings.SplitSeq(line, ",") {
			name, weight, weighed := strings.Cut(strings.TrimSpace(entry), ";")
			if !strings.EqualFold(strings.TrimSpace(name), encoding) {
				continue
			}
			value, isWeight := strings.CutPrefix(strings.TrimSpace(weight), "q=")
			q, err := strconv.ParseFloat(value, 64)
			return !weighed || !isWeight || err == nil && q > 0
		}
	}
	return false
}
