package javascript

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"golang.org/x/net/idna"
	"golang.org/x/text/encoding/unicode"

	"countersign/sandbox/wasi"
)

// maxRandom bounds the bytes of one call of host.random.
const maxRandom = 65536

// hostFunctions are the methods of the prelude's host object. Arguments are handles; a result of 0 is undefined. An
// error breaks the instance, which is then discarded.
var hostFunctions = map[string]func(ctx context.Context, r *run, args []value) (value, error){
	"log":    hostLog,
	"encode": hostEncode,
	"decode": hostDecode,
	"random": hostRandom,
	"domain": hostDomain,
	"fetch":  hostFetch,
	"cancel": hostCancel,
}

// runKey is the context key of a host function's run.
type runKey struct{}

func runOf(ctx context.Context) *run {
	r, _ := ctx.Value(runKey{}).(*run)
	return r
}

// registerHost gives the engine its imports.
func registerHost(ctx context.Context, runtime wazero.Runtime) error {
	system := runtime.NewHostModuleBuilder(wasi.Module)
	wasi.Register(system, wasi.Functions()...)
	if _, err := system.Instantiate(ctx); err != nil {
		return fmt.Errorf("javascript: host functions: %w", err)
	}
	const i32 = api.ValueTypeI32
	one, two := []api.ValueType{i32}, []api.ValueType{i32, i32}
	env := runtime.NewHostModuleBuilder("env")
	wasi.Register(env,
		wasi.Function{Name: "host_get_timezone_offset", Params: two, Results: one, Call: answerZero}, // UTC
		wasi.Function{Name: "host_interrupt", Results: one, Call: interrupt},
		wasi.Function{Name: "host_promise_rejection", Params: []api.ValueType{i32, i32, i32}, Call: noteRejection},
		wasi.Function{Name: "host_module_normalize", Params: two, Results: one, Call: refuseImport},
		wasi.Function{Name: "host_module_load", Params: two, Results: one, Call: answerZero},
		wasi.Function{Name: "host_call", Params: []api.ValueType{i32, i32, i32, i32, i32}, Results: one, Call: dispatch},
	)
	if _, err := env.Instantiate(ctx); err != nil {
		return fmt.Errorf("javascript: host functions: %w", err)
	}
	return nil
}

func answerZero(_ context.Context, _ api.Module, stack []uint64) { stack[0] = 0 }

// interrupt is called at zero fuel. Any result but 0 stops the guest.
func interrupt(ctx context.Context, _ api.Module, stack []uint64) {
	stack[0] = 0
	if r := runOf(ctx); r != nil && !r.mayGoOn() {
		stack[0] = 1
	}
}

// dispatch is the only entry from a script to the host. Its error stops the guest: wazero turns the panic into the
// error of the call that entered it.
func dispatch(ctx context.Context, module api.Module, stack []uint64) {
	r := runOf(ctx)
	name, ok := module.Memory().Read(uint32(stack[0]), uint32(stack[1]))
	argc := uint32(stack[3])
	if r == nil || !ok || argc > 3 {
		panic(errBounds)
	}
	f := hostFunctions[string(name)]
	if f == nil || r.busy {
		panic(errors.New("javascript: no such host function"))
	}
	var args [3]value
	for i := range argc {
		v, ok := module.Memory().ReadUint32Le(uint32(stack[4]) + 4*i)
		if !ok {
			panic(errBounds)
		}
		args[i] = uint64(v)
	}
	r.busy = true
	v, err := f(ctx, r, args[:argc])
	if errors.Is(err, errArguments) { // the script has modified the prelude
		v, err = 0, r.in.throw(ctx, "unexpected value")
	} else if err == nil && v == 0 {
		v, err = r.in.inner.call(ctx, "qjs_get_undefined")
	}
	r.busy = false
	if err != nil {
		panic(err)
	}
	stack[0] = v
}

var errArguments = errors.New("javascript: bad arguments of a host function")

// argument calls use with a string that the prelude passes. It accepts nothing else: a conversion to string could run
// code of the script.
func argument(ctx context.Context, r *run, args []value, i int, use func(text []byte, at uint64) error) error {
	if i >= len(args) {
		return errArguments
	}
	is, err := r.in.inner.call(ctx, "qjs_is_string", args[i])
	if err != nil {
		return err
	}
	if is == 0 {
		return errArguments
	}
	return r.in.text(ctx, &r.in.inner, args[i], use)
}

// argumentText copies a string of at most that many bytes.
func argumentText(ctx context.Context, r *run, args []value, i, most int) (string, error) {
	var text string
	err := argument(ctx, r, args, i, func(b []byte, _ uint64) error {
		text = strings.ToValidUTF8(string(b[:min(len(b), most)]), "\ufffd")
		return nil
	})
	return text, err
}

// argumentBytes returns the bytes of an ArrayBuffer, in the guest's memory.
func argumentBytes(ctx context.Context, r *run, args []value, i int) ([]byte, uint64, error) {
	if i >= len(args) {
		return nil, 0, errArguments
	}
	c := &r.in.inner
	is, err := c.call(ctx, "qjs_is_array_buffer", args[i])
	if err != nil {
		return nil, 0, err
	}
	if is == 0 {
		return nil, 0, errArguments
	}
	p, err := c.call(ctx, "qjs_get_array_buffer", args[i], uint64(r.in.scratch))
	if err != nil {
		return nil, 0, err
	}
	memory := r.in.module.Memory()
	n, ok := memory.ReadUint32Le(r.in.scratch)
	if !ok {
		return nil, 0, errBounds
	}
	b, ok := memory.Read(uint32(p), n)
	if !ok {
		return nil, 0, errBounds
	}
	return b, p, nil
}

// hostLog writes a line: its level and its text.
func hostLog(ctx context.Context, r *run, args []value) (value, error) {
	level, err := argumentText(ctx, r, args, 0, 8)
	if err != nil || r.full() {
		return 0, err
	}
	return 0, argument(ctx, r, args, 1, func(text []byte, _ uint64) error {
		r.log(level, text)
		return nil
	})
}

// hostEncode returns the UTF-8 of a string as an ArrayBuffer.
func hostEncode(ctx context.Context, r *run, args []value) (value, error) {
	var buffer value
	err := argument(ctx, r, args, 0, func(text []byte, at uint64) error {
		replaceSurrogates(text)
		var err error
		buffer, err = r.in.inner.call(ctx, "qjs_new_array_buffer", at, uint64(len(text)))
		return err
	})
	return buffer, err
}

// replaceSurrogates replaces the engine's encoding of an unpaired surrogate, three bytes, by U+FFFD in place.
func replaceSurrogates(text []byte) {
	for i := bytes.IndexByte(text, 0xed); i >= 0 && i+2 < len(text); {
		if text[i+1] >= 0xa0 {
			copy(text[i:], "\ufffd")
		}
		more := bytes.IndexByte(text[i+3:], 0xed)
		if more < 0 {
			return
		}
		i += 3 + more
	}
}

// hostDecode returns the text of an ArrayBuffer of UTF-8. Malformed input becomes U+FFFD, or makes the result undefined
// if the second argument is "fatal".
func hostDecode(ctx context.Context, r *run, args []value) (value, error) {
	mode, err := argumentText(ctx, r, args, 1, 8)
	if err != nil {
		return 0, err
	}
	b, at, err := argumentBytes(ctx, r, args, 0)
	if err != nil {
		return 0, err
	}
	c := &r.in.inner
	if utf8.Valid(b) {
		return c.call(ctx, "qjs_new_string", at, uint64(len(b)))
	}
	if mode == "fatal" {
		return 0, nil
	}
	text, err := unicode.UTF8.NewDecoder().Bytes(b)
	if err != nil {
		return 0, err
	}
	return c.newString(ctx, text)
}

// hostRandom returns so many random bytes as an ArrayBuffer.
func hostRandom(ctx context.Context, r *run, args []value) (value, error) {
	text, err := argumentText(ctx, r, args, 0, 8)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > maxRandom {
		return 0, errArguments
	}
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return r.in.inner.newBuffer(ctx, b)
}

// domains maps host names by the rules of the URL Standard.
var domains = idna.New(
	idna.MapForLookup(),
	idna.Transitional(false),
	idna.StrictDomainName(false),
	idna.CheckHyphens(false),
	idna.VerifyDNSLength(false),
)

// hostDomain returns the ASCII form of a host name, and an empty string if it has none.
func hostDomain(ctx context.Context, r *run, args []value) (value, error) {
	text, err := argumentText(ctx, r, args, 0, 2048)
	if err != nil {
		return 0, err
	}
	ascii, err := domains.ToASCII(text)
	if err != nil {
		ascii = ""
	}
	return r.in.inner.newString(ctx, []byte(ascii))
}

// refuseImport fails each import: the compiler has bundled all modules of a script.
func refuseImport(ctx context.Context, module api.Module, stack []uint64) {
	r := runOf(ctx)
	name := stringAt(module.Memory(), uint32(stack[1]), 256)
	stack[0] = 0
	if r == nil || r.busy {
		return
	}
	r.busy = true
	defer func() { r.busy = false }()
	r.refused = "the module " + strconv.Quote(name) + " does not exist for a script"
	if err := r.in.throw(ctx, r.refused); err != nil {
		panic(err)
	}
}

// throw makes an error the pending exception. The message is defined and not set, since setting could call a setter of
// the script.
func (in *instance) throw(ctx context.Context, message string) error {
	c := &in.inner
	e, err := c.call(ctx, "qjs_new_error")
	if err != nil {
		return err
	}
	text, err := c.newString(ctx, []byte(message))
	if err != nil {
		return err
	}
	key, err := c.newString(ctx, []byte("message"))
	if err != nil {
		return err
	}
	const writableAndConfigurable = 3
	if _, err = c.call(ctx, "qjs_define_prop_value", e, key, text, writableAndConfigurable); err != nil {
		return err
	}
	_, err = c.call(ctx, "qjs_throw", e)
	return err
}

func stringAt(memory api.Memory, at uint32, most uint32) string {
	b, ok := memory.Read(at, min(most, memory.Size()-min(at, memory.Size())))
	if !ok {
		return ""
	}
	if end := bytes.IndexByte(b, 0); end >= 0 {
		b = b[:end]
	}
	return strings.ToValidUTF8(string(b), "\ufffd")
}

// mayGoOn reports whether a computing guest may continue, and yields to others in between.
func (r *run) mayGoOn() bool {
	if r.stopped != "" || r.ctx.Err() != nil {
		return false
	}
	if int(r.in.module.Memory().Size()) > r.limits.Memory+headroom {
		kind, failure := r.memory() // the engine's own limit does not see fragmentation
		r.stop(kind, failure.Message)
		return false
	}
	now := time.Now()
	if now.After(r.deadline) {
		return false
	}
	if now.Sub(r.since) < quantum {
		return true
	}
	if pause := r.engine.pause(); pause > 0 && !wasi.Sleep(r.ctx, pause) {
		return false
	}
	r.since = time.Now()
	if !r.engine.slots.Contended() {
		return true
	}
	r.releaseSlot()
	return r.acquireSlot() == nil
}
