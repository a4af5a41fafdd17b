package javascript_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/sandbox"
)

type fetcher func(ctx context.Context, r sandbox.Request) (sandbox.Response, error)

func (f fetcher) Fetch(ctx context.Context, r sandbox.Request) (sandbox.Response, error) {
	return f(ctx, r)
}

// echo answers what it was asked.
var echo = fetcher(func(_ context.Context, r sandbox.Request) (sandbox.Response, error) {
	switch r.URL {
	case "https://refused.example/":
		return sandbox.Response{}, errors.New("refused.example is not allowed by the policy")
	case "https://empty.example/":
		return sandbox.Response{Status: 204}, nil
	}
	return sandbox.Response{
		Status: 200,
		Headers: map[string]string{
			"Content-Type": "application/json",
			"X-Method":     r.Method,
			"X-Got":        r.Headers["x-sent"],
			"X-Type":       r.Headers["content-type"],
		},
		Body: fmt.Appendf(nil, `{"url":%q,"body":%q}`, r.URL, r.Body),
	}, nil
})

func TestFetchSpeaksTheWebsInterface(t *testing.T) {
	t.Parallel()
	o := run(t, sandbox.Job{Fetch: echo, Source: `export default async () => {
		const wrong = [];
		const same = (name, got, want) => { if (JSON.stringify(got) !== JSON.stringify(want)) wrong.push({ name, got, want }) };
		const r = await fetch("https://a.example/ä?x", { method: "post", headers: { "X-Sent": " é " }, body: "bödy" });
		same("response", [r.ok, r.status, r.statusText, r.url, r.redirected, r.headers.get("x-method"), r.headers.get("X-GOT"), r.headers.get("x-type"), r.bodyUsed],
			[true, 200, "OK", "https://a.example/%C3%A4?x", false, "POST", "é", "text/plain;charset=UTF-8", false]);
		const twin = r.clone();
		same("json", await r.json(), { url: "https://a.example/%C3%A4?x", body: "bödy" });
		same("used", r.bodyUsed, true);
		same("twice", await r.text().catch((e) => e.name), "TypeError");
		same("bytes", (await twin.arrayBuffer()).byteLength, 51);
		same("form", (await (await fetch(new Request("https://a.example", { method: "PUT", body: new URLSearchParams({ a: "1 2" }) }))).json()).body, "a=1+2");
		same("binary", (await (await fetch("https://a.example", { method: "POST", body: new Uint8Array([65, 66, 67]).subarray(1) })).json()).body, "BC");
		const empty = await fetch("https://empty.example");
		same("empty", [empty.status, await empty.text()], [204, ""]);
		const fails = async (name, f, want) => { let got = "nothing"; try { await f() } catch (e) { got = e.name + ": " + e.message } same(name, got, want) };
		await fails("refused", () => fetch("https://refused.example"), "TypeError: fetch failed: refused.example is not allowed by the policy");
		await fails("relative", () => fetch("/x"), "TypeError: Invalid URL: /x");
		await fails("scheme", () => fetch("file:///etc/passwd"), "TypeError: fetch failed: file: is not supported");
		await fails("get with body", () => fetch("https://a.example", { body: "x" }), "TypeError: A GET request has no body");
		await fails("header", () => fetch("https://a.example", { headers: { "a b": "c" } }), "TypeError: Invalid header name: a b");
		await fails("value", () => fetch("https://a.example", { headers: { a: "b\r\nc: d" } }), "TypeError: Invalid header value");
		await fails("method", () => fetch("https://a.example", { method: "TRACE" }), "TypeError: Invalid method: TRACE");
		await fails("aborted", () => fetch("https://a.example", { signal: AbortSignal.abort() }), "AbortError: This operation was aborted");
		const h = new Headers([["B", "1"], ["a", "2"], ["b", "3"]]);
		same("headers", [[...h], h.has("B"), h.get("none")], [[["a", "2"], ["b", "1, 3"]], true, null]);
		h.append("set-cookie", "x=1"); h.append("set-cookie", "y=2"); h.delete("b"); h.set("a", "9");
		same("cookies", [h.getSetCookie(), h.get("a"), h.has("b")], [["x=1", "y=2"], "9", false]);
		same("own", [await new Response("t", { status: 201 }).text(), await Response.json({ a: 1 }).json(), Response.json(1).headers.get("content-type")], ["t", { a: 1 }, "application/json"]);
		const q = new Request("https://a.example/x", { method: "patch", headers: { a: "b" } });
		same("request", [q.method, q.url, q.headers.get("a"), new Request(q).url], ["patch", "https://a.example/x", "b", "https://a.example/x"]);
		return wrong }`})
	require.Equal(t, sandbox.OK, o.Kind, "%+v", o.Failure)
	require.JSONEq(t, "[]", string(o.Result))
	require.Equal(t, 5, o.HostCalls)
}

func TestRequestsRunAtTheSameTime(t *testing.T) {
	t.Parallel()
	var here atomic.Int32
	all := make(chan struct{})
	together := fetcher(func(ctx context.Context, _ sandbox.Request) (sandbox.Response, error) {
		if here.Add(1) == 8 {
			close(all)
		}
		select {
		case <-all:
			return sandbox.Response{Status: 200}, nil
		case <-ctx.Done():
			return sandbox.Response{}, ctx.Err()
		}
	})
	o := run(
		t,
		sandbox.Job{
			Fetch:  together,
			Source: `export default async () => (await Promise.all(Array.from({ length: 8 }, () => fetch("https://a.example")))).length`,
		},
	)
	require.Equal(t, "8", string(o.Result), "%+v", o.Failure)
}

func TestAScriptMayAbortARequest(t *testing.T) {
	t.Parallel()
	given, begun := make(chan error, 1), make(chan struct{}, 1)
	slow := fetcher(func(ctx context.Context, r sandbox.Request) (sandbox.Response, error) {
		if r.URL == "https://begun.example/" {
			<-begun
			return sandbox.Response{Status: 200}, nil
		}
		begun <- struct{}{}
		<-ctx.Done()
		given <- ctx.Err()
		return sandbox.Response{}, ctx.Err()
	})
	o := run(
		t,
		sandbox.Job{
			Fetch:  slow,
			Source: `export default () => fetch("https://a.example", { signal: AbortSignal.timeout(500) }).catch((e) => e.name)`,
		},
	)
	require.Equal(t, `"TimeoutError"`, string(o.Result), "%+v", o.Failure)
	require.ErrorIs(t, <-given, context.Canceled)
	<-begun

	// A request that nobody waits for is given up with the script.
	o = run(
		t,
		sandbox.Job{
			Fetch:  slow,
			Source: `export default async () => { fetch("https://a.example"); await fetch("https://begun.example"); return 1 }`,
		},
	)
	require.Equal(t, sandbox.OK, o.Kind)
	require.ErrorIs(t, <-given, context.Canceled)
}

// A request ends with the time of its script. Whether the script or the deadline hears of it first is a race, which the
// script may not win.
func TestTheDeadlineOfAScriptIsNoAnswerToItsRequests(t *testing.T) {
	t.Parallel()
	patient := fetcher(func(ctx context.Context, _ sandbox.Request) (sandbox.Response, error) {
		<-ctx.Done()
		return sandbox.Response{}, ctx.Err()
	})
	for range 20 {
		o := run(t, sandbox.Job{
			Source: `export default () => fetch("https://a.example").catch(() => "went on")`, Fetch: patient,
			Limits: sandbox.Limits{Timeout: 50 * time.Millisecond},
		})
		require.Equal(t, sandbox.Timeout, o.Kind, "%+v", o)
	}
}

func TestWithoutANetworkFetchIsRefused(t *testing.T) {
	t.Parallel()
	o := run(t, sandbox.Job{Source: `export default () => fetch("https://a.example").catch((e) => e.name + ": " + e.message)`})
	require.Equal(t, `"TypeError: fetch failed: this script has no network"`, string(o.Result))
	require.Zero(t, o.HostCalls)
}

func TestHostCallsAreLimited(t *testing.T) {
	t.Parallel()
	limits := sandbox.Limits{Timeout: patience, HostCalls: 10, HostBytes: 10_000}
	for source, want := range map[string]sandbox.Kind{
		`export default async () => { for (let i = 0; i < 10; i++) await fetch("https://a.example") }`:                                     sandbox.OK,
		`export default async () => { for (let i = 0; i < 11; i++) await fetch("https://a.example") }`:                                     sandbox.HostCalls,
		`export default async () => { for (;;) try { fetch("https://a.example") } catch {} }`:                                              sandbox.HostCalls,
		`export default () => fetch("https://a.example", { method: "POST", body: "x".repeat(20000) })`:                                     sandbox.HostCalls,
		`export default async () => { await Promise.all(Array.from({ length: 500 }, () => new Promise((r) => setTimeout(r)))); return 1 }`: sandbox.OK,
	} {
		// A request that is under way ends after its script, so each script has a count of its own.
		var made atomic.Int32
		count := fetcher(func(context.Context, sandbox.Request) (sandbox.Response, error) {
			made.Add(1)
			return sandbox.Response{Status: 200}, nil
		})
		o := run(t, sandbox.Job{Source: source, Fetch: count, Limits: limits})
		require.Equal(t, want, o.Kind, "%s: %+v", source, o.Failure)
		require.LessOrEqual(t, made.Load(), int32(10), source)
	}
	large := fetcher(func(context.Context, sandbox.Request) (sandbox.Response, error) {
		return sandbox.Response{Status: 200, Body: make([]byte, 20_000)}, nil
	})
	o := run(t, sandbox.Job{Source: `export default () => fetch("https://a.example")`, Fetch: large, Limits: limits})
	require.Equal(t, sandbox.HostCalls, o.Kind)
	require.Contains(t, o.Failure.Message, "10000 bytes")
}

func TestCookiesThatAreSetStayApart(t *testing.T) {
	t.Parallel()
	cookies := []string{"a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT", "b=2"}
	setting := fetcher(func(context.Context, sandbox.Request) (sandbox.Response, error) {
		return sandbox.Response{
			Status:    200,
			Headers:   map[string]string{"set-cookie": cookies[0] + ", " + cookies[1], "x": "y"},
			SetCookie: cookies,
		}, nil
	})
	o := run(t, sandbox.Job{Fetch: setting, Source: `export default async () => {
		const { headers } = await fetch("https://a.example");
		return [headers.getSetCookie(), headers.get("set-cookie"), [...headers].length, headers.get("x"), new Headers(headers).getSetCookie().length];
	}`})
	require.JSONEq(
		t,
		fmt.Sprintf(`[[%q,%q],%q,3,"y",2]`, cookies[0], cookies[1], cookies[0]+", "+cookies[1]),
		string(o.Result),
		"%+v",
		o.Failure,
	)
}
