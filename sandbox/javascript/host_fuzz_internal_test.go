package javascript

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"countersign/sandbox"
)

// answering answers each request with what the fuzzer says.
type answering sandbox.Response

func (a answering) Fetch(_ context.Context, r sandbox.Request) (sandbox.Response, error) {
	if r.Method == "REFUSED" {
		return sandbox.Response{}, errors.New(r.URL)
	}
	return sandbox.Response(a), nil
}

// open is an engine whose scripts reach the host functions themselves, past the prelude, as globalThis.host.
func open(f *testing.F) *Engine {
	f.Helper()
	ctx := context.Background()
	e, err := New(ctx, Options{Slots: 1, Instances: 2})
	require.NoError(f, err)
	f.Cleanup(func() { _ = e.Close(ctx) })
	in, err := e.boot(ctx)
	require.NoError(f, err)
	call := func(function string, args ...uint64) uint64 {
		v, err := in.outer.call(ctx, function, args...)
		require.NoError(f, err)
		return v
	}
	text := func(s string) uint64 {
		p, err := in.outer.copyIn(ctx, []byte(s))
		require.NoError(f, err)
		return p
	}
	object := call("qjs_new_object")
	for name := range hostFunctions {
		function := call("qjs_new_host_function", text(name), uint64(len(name)), 0)
		call("qjs_set_prop_string", object, text(name), function)
	}
	call("qjs_set_prop_string", call("qjs_get_global"), text("host"), object)
	e.snapshot, err = in.take()
	require.NoError(f, err)
	require.NoError(f, in.module.Close(ctx))
	requireUnharmed(f, e)
	return e
}

// requireUnharmed fails if the next script does not find its world as it should be.
func requireUnharmed(t testing.TB, e *Engine) {
	t.Helper()
	o, err := e.Run(t.Context(), sandbox.Job{
		Source: `export default ([n]) => [n + 1, typeof leak, String(new URL("http://a")), JSON.stringify({ a: "ä" })]`, Input: []byte("[1]"),
		Limits: sandbox.Limits{Timeout: time.Minute},
	})
	require.NoError(t, err)
	require.Equal(t, `[2,"undefined","http://a/","{\"a\":\"ä\"}"]`, string(o.Result), "%+v", o.Failure)
}

// hostMethods are the host functions in a lasting order.
var hostMethods = slices.Sorted(maps.Keys(hostFunctions))

// Whatever a guest passes to the host, even one whose memory a script has got under its control: the host answers, or
// ends the guest with an error that it has chosen.
func FuzzForgedHostCalls(f *testing.F) {
	e := open(f)
	for i := range hostMethods {
		f.Add(uint8(i), uint32(0), uint32(0), uint32(3), uint32(0), []byte{0, 1, 2}, []byte(`{"method":"GET","url":"http://a"}`))
	}
	f.Add(uint8(255), uint32(0), uint32(1<<32-1), uint32(2), uint32(1<<32-4), []byte{4, 5}, []byte("\x00\x01\x02\x03\xff\xff\xff\xff"))
	f.Add(uint8(1), uint32(1<<32-1), uint32(1), uint32(1<<32-1), uint32(1<<31), []byte{}, []byte{})
	f.Fuzz(func(t *testing.T, method uint8, at, size, argc, list uint32, kinds, payload []byte) {
		require.NoError(t, e.slots.Acquire(t.Context()))
		r, err := newRun(t.Context(), e, sandbox.Job{
			Fetch: answering{
				Status:     int(at),
				StatusText: string(payload),
				Headers:    map[string]string{string(kinds): string(payload)},
				Body:       payload,
			},
			Limits: sandbox.Limits{
				Timeout: 100 * time.Millisecond, Memory: 8 << 20, Output: 1 << 10, HostCalls: 2, HostBytes: 1 << 10,
			},
		})
		require.NoError(t, err)
		ctx := context.WithValue(r.ctx, runKey{}, r)
		stack := []uint64{uint64(at), uint64(size), 0, uint64(argc), uint64(list)}
		if int(method) < len(hostMethods) {
			name := hostMethods[method]
			stack[0], err = r.in.outer.copyIn(ctx, []byte(name))
			require.NoError(t, err)
			stack[1] = uint64(len(name))
		}
		if len(kinds) > 0 {
			handles := forge(t, ctx, r, kinds[:min(len(kinds), 4)], payload)
			stack[4], err = r.in.outer.copyIn(ctx, handles)
			require.NoError(t, err)
			if argc > 4 {
				stack[3] = uint64(len(handles) / 4)
			}
		}
		r.clean = true
		for _, enter := range []func(){
			func() { dispatch(ctx, r.in.module, stack) },
			func() { refuseImport(ctx, r.in.module, []uint64{0, uint64(at)}) },
			func() { interrupt(ctx, r.in.module, []uint64{0}) },
		} {
			r.clean = survives(t, enter) && r.clean
		}
		require.LessOrEqual(t, r.written, r.limits.Output+1)
		require.LessOrEqual(t, r.calls, r.limits.HostCalls)
		r.end()
		requireUnharmed(t, e)
	})
}

// forge makes handles of values of those kinds, and of none.
func forge(t *testing.T, ctx context.Context, r *run, kinds, payload []byte) []byte {
	t.Helper()
	var list []byte
	for i, kind := range kinds {
		var v value
		var err error
		switch kind % 6 {
		case 0:
			v, err = r.in.outer.newString(ctx, payload)
		case 1:
			v, err = r.in.outer.newBuffer(ctx, payload)
		case 2:
			v, err = r.in.outer.call(ctx, "qjs_get_undefined")
		case 3:
			v, err = r.in.outer.call(ctx, "qjs_new_object")
		case 4:
			v, err = r.in.outer.newString(ctx, []byte{'0' + kind%10})
		default:
			var number [4]byte
			copy(number[:], payload[min(4*i, len(payload)):])
			v = uint64(binary.LittleEndian.Uint32(number[:]))
		}
		require.NoError(t, err)
		list = binary.LittleEndian.AppendUint32(list, uint32(v))
	}
	return list
}

// survives reports whether the host went on. A mistake of the host itself is a failure.
func survives(t *testing.T, enter func()) (ok bool) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		ok = false
		err, is := v.(error)
		require.True(t, is, "%v", v)
		var mistake runtime.Error
		require.False(t, errors.As(err, &mistake) || strings.Contains(err.Error(), "runtime error"), "%v", err)
	}()
	enter()
	return true
}

// callsTheHost does what the fuzzer says with all that a script can hold.
const callsTheHost = `
const calls = [];
const values = (text, raw) => {
  const detached = new ArrayBuffer(8);
  structuredClone(1);
  detached.transfer?.();
  const bytes = Uint8Array.from(raw);
  return [
    text, bytes.buffer, undefined, bytes, null, 7, -1, NaN, 1n, true, Symbol("s"), {}, [], () => text, detached, new Proxy({}, {}),
    new ArrayBuffer(0), new ArrayBuffer(4, { maxByteLength: 64 }), new DataView(bytes.buffer), String(raw.length), Object(text), text + "\ud800", "",
    { toString() { calls.push(host.log("info", "from toString")); return text } }, new Proxy(bytes, {}), JSON.stringify({ url: text }),
    JSON.stringify({ method: "POST", url: text, headers: { [text]: text } }), text.repeat(300), globalThis, "fatal", "info", "999999999999",
  ];
};
const web = (text, raw) => [
  () => fetch(text), () => fetch("https://" + text), () => fetch("http://a", { method: text }), () => fetch("http://a", { headers: { [text]: text } }),
  () => fetch("http://a", { method: "POST", body: Uint8Array.from(raw) }).then((r) => r.text()), () => fetch("http://" + text, { method: "REFUSED" }),
  () => fetch("http://a").then(async (r) => [r.status, r.statusText, [...r.headers], await r.json()]), () => new URL(text, "http://a/b?c#d").href,
  () => new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(raw)), () => new TextDecoder().decode(Uint8Array.from(raw)),
  () => new TextEncoder().encodeInto(text, new Uint8Array(raw.length)), () => crypto.getRandomValues(new Uint8Array(raw.length)),
  () => console.log(text, raw, { [text]: text }), () => console.error("%s %d %o", text, text), () => structuredClone({ [text]: raw }),
  () => new URLSearchParams(text).toString(), () => import(text), () => atob(text), () => btoa(text), () => { throw new Error(text) },
  () => { const c = new AbortController(); const p = fetch("http://a", { signal: c.signal }); c.abort(text); return p },
];
export default async ({ plan, text, raw, methods }) => {
  globalThis.leak = 1;
  for (let i = 0; i < plan.length; ) {
    try {
      const what = plan[i++];
      if (what < 128) {
        const all = values(text, raw);
        const args = [];
        for (let n = (what >> 3) % 4; n > 0; n--) args.push(all[(plan[i++] ?? 0) % all.length]);
        calls.push(String(host[methods[what % methods.length]](...args)).length);
      } else {
        const all = web(text, raw);
        calls.push(await all[what % all.length]());
      }
    } catch (e) {
      calls.push(String(e));
    }
  }
  return calls.length;
}`

// A script that has the host functions themselves cannot break its engine with any arguments, nor can what servers answer.
func FuzzScriptsCallTheHost(f *testing.F) {
	e := open(f)
	for i := range byte(128) {
		f.Add([]byte{i, i / 8, i / 3, i, 255 - i, 128 + i}, "täxt.example", []byte("bytes\xff"), 200)
	}
	f.Add([]byte{200, 201, 202, 203, 204}, "\u0000\ufffe xn--a", []byte("\xed\xa0\x80[1]"), -1)
	f.Fuzz(func(t *testing.T, plan []byte, text string, raw []byte, status int) {
		text, plan, raw = strings.ToValidUTF8(text[:min(len(text), 4096)], "?"), plan[:min(len(plan), 40)], raw[:min(len(raw), 4096)]
		numbers := func(b []byte) []int {
			n := make([]int, len(b))
			for i := range b {
				n[i] = int(b[i])
			}
			return n
		}
		input, err := json.Marshal(map[string]any{"plan": numbers(plan), "text": text, "raw": numbers(raw), "methods": hostMethods})
		require.NoError(t, err)
		limits := sandbox.Limits{
			Timeout:   500 * time.Millisecond,
			Memory:    16 << 20,
			Output:    1 << 12,
			Result:    64,
			HostCalls: 20,
			HostBytes: 1 << 16,
		}
		o, err := e.Run(t.Context(), sandbox.Job{
			Source: callsTheHost, Input: input, Limits: limits,
			Fetch: answering{Status: status, StatusText: text, Headers: map[string]string{text: string(raw), "content-type": text}, Body: raw},
		})
		require.NoError(t, err, "nothing that a script does is an error of the host")
		require.Contains(t, []sandbox.Kind{sandbox.OK, sandbox.HostCalls, sandbox.Timeout, sandbox.Memory}, o.Kind, "%+v", o.Failure)
		require.LessOrEqual(t, len(o.Stdout)+len(o.Stderr), limits.Output+8)
		require.LessOrEqual(t, o.HostCalls, limits.HostCalls+1)
		require.True(t, utf8.ValidString(o.Stdout) && utf8.ValidString(o.Stderr))
		if o.Kind == sandbox.OK {
			require.True(t, json.Valid(o.Result))
		}
		requireUnharmed(t, e)
	})
}
