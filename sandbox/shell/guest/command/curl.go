package command

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

type curling struct {
	*Invocation

	fail, silent, showErrors, include, head, asGet, remote bool
	method, output, format                                 string
	headers                                                map[string]string
	data                                                   []string
	hasData                                                bool
	limit                                                  time.Duration
	begun                                                  time.Time
}

func curl(i *Invocation) int {
	given, urls := i.options("fsSLX:H:d:o:Ow:Iim:u:A:e:GkvF:T:b:x:", map[string]string{
		"fail":              "f",
		"silent":            "s",
		"show-error":        "S",
		"location":          "L",
		"request":           "X",
		"header":            "H",
		"data":              "d",
		"data-ascii":        "d",
		"data-raw=":         "data-raw",
		"data-binary=":      "data-binary",
		"data-urlencode=":   "data-urlencode",
		"json=":             "json",
		"output":            "o",
		"remote-name":       "O",
		"write-out":         "w",
		"head":              "I",
		"include":           "i",
		"max-time":          "m",
		"connect-timeout=":  "connect-timeout",
		"user":              "u",
		"user-agent":        "A",
		"referer":           "e",
		"get":               "G",
		"insecure":          "k",
		"verbose":           "v",
		"cookie":            "b",
		"form":              "F",
		"url=":              "url",
		"fail-with-body":    "f",
		"retry=":            "retry",
		"retry-delay=":      "retry",
		"compressed":        "compressed",
		"http1.1":           "compressed",
		"no-progress-meter": "s",
	}, false)
	c := &curling{Invocation: i, headers: map[string]string{}, begun: time.Now()}
	for _, o := range given {
		switch o.name {
		case "f":
			c.fail = true
		case "s":
			c.silent = true
		case "S":
			c.showErrors = true
		case "X":
			c.method = strings.ToUpper(o.value)
		case "H":
			c.header(o.value)
		case "d", "data-binary", "data-raw", "data-urlencode":
			c.body(o.name, o.value)
		case "json":
			c.body("data-binary", o.value)
			c.headers["Content-Type"], c.headers["Accept"] = "application/json", "application/json"
		case "o":
			c.output = o.value
		case "O":
			c.remote = true
		case "w":
			c.format = o.value
		case "I":
			c.head, c.include = true, true
		case "i":
			c.include = true
		case "G":
			c.asGet = true
		case "m":
			seconds, err := strconv.ParseFloat(o.value, 64)
			if err != nil || seconds < 0 || seconds > 1e6 {
				return i.fail(2, "invalid time '%s'", o.value)
			}
			c.limit = time.Duration(seconds * float64(time.Second))
		case "u":
			c.headers["Authorization"] = "Basic " + base64.StdEncoding.EncodeToString([]byte(o.value))
		case "A":
			c.headers["User-Agent"] = o.value
		case "e":
			c.headers["Referer"] = o.value
		case "b":
			c.headers["Cookie"] = o.value
		case "url":
			urls = append(urls, o.value)
		case "connect-timeout", "compressed":
		case "L":
			return i.fail(2, "-L is not supported: redirects are not followed, use %%{redirect_url}")
		case "k":
			return i.fail(2, "-k is not supported: certificates are always checked")
		default:
			return i.fail(2, "the option -%s is not supported", o.name)
		}
	}
	if len(urls) == 0 {
		return i.fail(2, "no URL specified")
	}
	status := 0
	for _, u := range urls {
		status = c.run(u)
	}
	return status
}

func (c *curling) header(text string) {
	if strings.HasPrefix(text, "@") {
		for _, line := range splitLines(c.input(text[1:])) {
			c.header(line)
		}
		return
	}
	name, value, found := strings.Cut(text, ":")
	if found {
		c.headers[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
}

func (c *curling) body(kind, value string) {
	c.hasData = true
	switch file, isFile := strings.CutPrefix(value, "@"); {
	case kind == "data-urlencode":
		name, text, has := strings.Cut(value, "=")
		if !has {
			name, text = "", value
		} else if name != "" {
			name += "="
		}
		value = name + url.QueryEscape(text)
	case isFile && kind != "data-raw":
		value = string(c.input(file))
		if kind == "d" {
			value = strings.NewReplacer("\n", "", "\r", "").Replace(value)
		}
	}
	c.data = append(c.data, value)
}

func (c *curling) run(target string) int {
	if !strings.Contains(target, "://") {
		target = "http://" + target
	}
	r := Request{Method: c.method, URL: target, Headers: c.headers}
	switch {
	case c.asGet && c.hasData:
		sign := "?"
		if strings.Contains(target, "?") {
			sign = "&"
		}
		r.URL += sign + strings.Join(c.data, "&")
	case c.hasData:
		r.Body = []byte(strings.Join(c.data, "&"))
		if !slices.ContainsFunc(slices.Collect(maps.Keys(c.headers)), func(h string) bool { return strings.EqualFold(h, "Content-Type") }) {
			c.headers["Content-Type"] = "application/x-www-form-urlencoded"
		}
	}
	if r.Method == "" {
		switch {
		case c.head:
			r.Method = "HEAD"
		case r.Body != nil:
			r.Method = "POST"
		default:
			r.Method = "GET"
		}
	}
	ctx := c.Context
	if c.limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.limit)
		defer cancel()
	}
	answer, err := c.Fetch(ctx, r)
	if err != nil {
		if ctx.Err() != nil {
			return c.error(28, "Operation timed out")
		}
		c.report(Response{}, target)
		return c.error(7, err.Error())
	}
	status := 0
	if c.fail && answer.Status >= 400 {
		status = c.error(22, fmt.Sprintf("The requested URL returned error: %d", answer.Status))
	} else if s := c.deliver(answer, target); s != 0 {
		return s
	}
	c.report(answer, target)
	return status
}

func (c *curling) error(status int, message string) int {
	if !c.silent || c.showErrors {
		c.complain("(%d) %s", status, message)
	}
	return status
}

func (c *curling) deliver(a Response, target string) int {
	var text strings.Builder
	if c.include {
		fmt.Fprintf(&text, "HTTP/1.1 %d %s\r\n", a.Status, a.StatusText)
		for _, name := range slices.Sorted(maps.Keys(a.Headers)) {
			fmt.Fprintf(&text, "%s: %s\r\n", name, a.Headers[name])
		}
		text.WriteString("\r\n")
	}
	if !c.head {
		text.Write(a.Body)
	}
	output := c.output
	if c.remote && output == "" {
		parsed, err := url.Parse(target)
		if err != nil || path.Base(parsed.Path) == "/" || path.Base(parsed.Path) == "." {
			return c.error(23, "Remote file name has no length")
		}
		output = path.Base(parsed.Path)
	}
	if output == "" || output == "-" {
		_, _ = c.Out.WriteString(text.String())
		return 0
	}
	w, err := c.open(output, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return c.error(23, fmt.Sprintf("Failure writing output to %s: %v", output, err))
	}
	_, _ = w.Write([]byte(text.String()))
	_ = w.Close()
	return 0
}

// report writes what -w asks for.
func (c *curling) report(a Response, target string) {
	get := func(name string) string {
		for k, v := range a.Headers {
			if strings.EqualFold(k, name) {
				return v
			}
		}
		return ""
	}
	redirect := get("Location")
	if base, err := url.Parse(target); err == nil && redirect != "" {
		if to, err := base.Parse(redirect); err == nil {
			redirect = to.String()
		}
	}
	code := fmt.Sprintf("%03d", a.Status)
	_, _ = strings.NewReplacer(
		"%{http_code}", code, "%{response_code}", code, "%{size_download}", strconv.Itoa(len(a.Body)),
		"%{content_type}", get("Content-Type"), "%{url_effective}", target, "%{url}", target, "%{redirect_url}", redirect,
		"%{time_total}", fmt.Sprintf("%.6f", time.Since(c.begun).Seconds()), "%{num_redirects}", "0", "%{method}", c.method,
		"%%", "%", `\n`, "\n", `\t`, "\t", `\r`, "\r", `\\`, `\`,
	).WriteString(c.Out, c.format)
}
