package javascript_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/sandbox"
	"countersign/sandbox/javascript"
)

// poisons change all that a script can reach.
var poisons = []string{
	`for (const k of Object.getOwnPropertyNames(globalThis)) { try { delete globalThis[k] } catch {} } export {}; const x = 1; export default x`,
	`globalThis.leak = "secret"; Object.prototype.leak = "secret"; Array.prototype.leak = "secret"; export default 1`,
	`JSON.stringify = () => "1"; JSON.parse = () => 1; Promise.prototype.then = () => 1; export default 1`,
	`Array.prototype.push = Array.prototype.map = String.prototype.replace = Map.prototype.get = () => "poison"; export default 1`,
	`console.log = () => {}; URL.prototype.toString = () => "poison"; Math.random = () => 4; Date.now = () => 0; export default 1`,
	`Object.freeze(Object.prototype); Object.freeze(Array.prototype); Object.freeze(globalThis); export default 1`,
	`Object.defineProperty(Object.prototype, "then", { get() { throw new Error("poison") } }); export default 1`,
	`Error.prepareStackTrace = () => "poison"; Error.stackTraceLimit = 0; Symbol.iterator.constructor.prototype.x = 1; export default 1`,
	`setInterval(() => {}, 1); queueMicrotask(() => { globalThis.later = 1 }); Function.prototype.call = () => "poison"; export default 1`,
	`Array.prototype[Symbol.iterator] = function* () { yield "poison" }; Object.setPrototypeOf(globalThis, { leak: 1 }); export default 1`,
	`export default () => { const a = []; for (;;) a.push("secret".repeat(1e5)) }`,
	`export default () => { for (;;); }`,
}

// clean answers whether the world is as it should be.
const clean = `
const seen = [];
const check = (name, ok) => { if (!ok) seen.push(name) };
check("globals", Object.getOwnPropertyNames(globalThis).length === context.globals && !("leak" in globalThis) && !("later" in globalThis));
check("objects", Object.keys({}).length === 0 && !("leak" in {}) && !("leak" in []) && !("then" in {}) && Object.isExtensible(Object.prototype));
check("json", JSON.stringify(JSON.parse("[1]")) === "[1]");
check("arrays", [1].map((x) => x + 1)[0] === 2 && [...[7]][0] === 7);
check("text", "a".replace("a", "b") === "b" && new Map([[1, 2]]).get(1) === 2);
check("web", String(new URL("http://a")) === "http://a/" && Math.random() < 1 && Date.now() > 1e12);
check("errors", Error.stackTraceLimit === 10 && typeof new Error("x").stack === "string" && new Error("x").stack !== "poison");
export default async () => { await Promise.resolve(1).then((x) => check("then", x === 1)); console.log("line"); return seen }
`

func TestNothingOfOneRunIsVisibleToTheNext(t *testing.T) {
	t.Parallel()
	globals := result(t, `export default Object.getOwnPropertyNames(globalThis).length`)
	for range 100 / len(poisons) {
		rand.Shuffle(len(poisons), func(i, j int) { poisons[i], poisons[j] = poisons[j], poisons[i] })
		for _, source := range poisons {
			run(t, sandbox.Job{Source: source, Limits: sandbox.Limits{Timeout: 50 * time.Millisecond, Memory: 4 << 20}})
			o := run(t, sandbox.Job{Source: clean, Input: []byte(`{"globals":` + globals + `}`)})
			require.Equal(t, sandbox.OK, o.Kind, "%s: %+v", source, o.Failure)
			require.Equal(t, "[]", string(o.Result), source)
			require.Equal(t, []sandbox.Log{{Level: "info", Text: "line"}}, o.Logs)
		}
	}
}

func TestASecretOfARunIsGoneFromMemory(t *testing.T) {
	t.Parallel()
	// An uninitialized view does not exist in the language; what is left is that a huge buffer is zero.
	run(t, sandbox.Job{Source: `export default () => "secret".repeat(1e4).length`})
	require.Equal(t, "true", result(t, `export default () => new Uint8Array(2e6).every((b) => b === 0)`))
}

func TestTwoHundredRunAtOnce(t *testing.T) {
	t.Parallel()
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			o, err := engine(t).Run(t.Context(), sandbox.Job{
				Source: `export default async (n) => { await new Promise((r) => setTimeout(r, n % 20)); globalThis.n = n; await null; return globalThis.n }`,
				Input:  fmt.Append(nil, i),
				Limits: sandbox.Limits{Timeout: patience},
			})
			if err != nil || string(o.Result) != fmt.Sprint(i) {
				t.Errorf("run %d: %v %+v", i, err, o)
			}
		})
	}
	wg.Wait()
}

// It runs alone: what other tests leave to the collector is not what it measures.
func TestABusyGuestDoesNotHoldUpTheGarbageCollector(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	busy := make(chan struct{})
	go func() {
		defer close(busy)
		_, err := engine(t).Run(ctx, sandbox.Job{Source: `export default () => { for (;;); }`, Limits: sandbox.Limits{Timeout: patience}})
		if err == nil {
			t.Error("the run ended by itself")
		}
	}()
	quickest := time.Hour
	for range 5 {
		began := time.Now()
		runtime.GC()
		quickest = min(quickest, time.Since(began))
	}
	cancel()
	<-busy
	require.Less(t, quickest, 10*time.Second, "the collector waits for no loop, which goes on for a minute")
}

func TestMemoryIsGivenBack(t *testing.T) {
	t.Parallel()
	for range 30 {
		o := run(
			t,
			sandbox.Job{
				Source: `export default () => { const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1)) }`,
				Limits: sandbox.Limits{Memory: 32 << 20},
			},
		)
		require.Equal(t, sandbox.Memory, o.Kind)
		require.Less(t, o.MemoryPeak, 64<<20)
	}
	require.Eventually(t, func() bool {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc < 300<<20
	}, time.Minute, 100*time.Millisecond)
}

func TestTheCallerMayGiveUp(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	o, err := engine(t).Run(ctx, sandbox.Job{Source: `for (;;);`, Limits: sandbox.Limits{Timeout: patience}})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Zero(t, o)
}

func TestInputThatIsNotJSONIsAnErrorOfTheHost(t *testing.T) {
	t.Parallel()
	_, err := engine(t).Run(t.Context(), sandbox.Job{Source: `export default 1`, Input: []byte(`{`)})
	require.ErrorContains(t, err, "not JSON")
}

// One engine of its own tests what belongs to starting and ending.
func TestAnEngineOfOneSlotSharesItAndCloses(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "cache")
	require.NoError(t, os.Mkdir(dir, 0o777))
	e, err := javascript.New(t.Context(), javascript.Options{CacheDir: dir, Slots: 1, Instances: 3})
	require.NoError(t, err)
	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())

	busy, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			_, err := e.Run(busy, sandbox.Job{Source: `for (;;);`, Limits: sandbox.Limits{Timeout: patience}})
			if err == nil {
				t.Error("the run ended by itself")
			}
		})
	}
	// Two loops share the only slot, and a third job still gets its turn.
	o, err := e.Run(t.Context(), sandbox.Job{Source: `export default "turn"`, Limits: sandbox.Limits{Timeout: patience}})
	require.NoError(t, err)
	require.Equal(t, `"turn"`, string(o.Result))

	// Waiting takes no slot, but an instance: a fourth job waits until its context ends.
	waiting, giveUp := context.WithCancel(t.Context())
	wg.Go(func() {
		_, _ = e.Run(
			waiting,
			sandbox.Job{Source: `export default () => new Promise((r) => setTimeout(r, 1e6))`, Limits: sandbox.Limits{Timeout: patience}},
		)
	})
	require.Eventually(t, func() bool {
		short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		_, err := e.Run(short, sandbox.Job{Source: `export default 1`})
		return err != nil
	}, patience, time.Millisecond)

	closed := make(chan error)
	go func() { closed <- e.Close(context.WithoutCancel(t.Context())) }()
	giveUp()
	stop()
	wg.Wait()
	require.NoError(t, <-closed)
	_, err = e.Run(t.Context(), sandbox.Job{Source: `export default 1`})
	require.ErrorIs(t, err, javascript.ErrClosed)
	require.NoError(t, e.Close(t.Context()), "a second time does nothing")

	again, err := javascript.New(t.Context(), javascript.Options{CacheDir: dir, CheckContext: true})
	require.NoError(t, err)
	o, err = again.Run(t.Context(), sandbox.Job{Source: `for (;;);`, Limits: sandbox.Limits{Timeout: 50 * time.Millisecond}})
	require.NoError(t, err)
	require.Equal(t, sandbox.Timeout, o.Kind, "without fuel, wazero's own check ends the guest")
	require.NoError(t, again.Close(t.Context()))
}
