package javascript

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"countersign/sandbox/fuel"
)

// value is a handle of a JavaScript value in a guest.
type value = uint64

// typeModule is the flag of qjs_eval for an ES module.
const typeModule = 1

var (
	errMemory = errors.New("javascript: the guest is out of memory")
	errBounds = errors.New("javascript: the guest answered an address outside of its memory")
)

// thrown is an exception of the script.
type thrown struct{ reason value }

func (*thrown) Error() string { return "javascript: exception" }

// instance is one guest. Host functions run during a call of the host into the guest, and call into it themselves: a
// function of wazero must not be entered twice, so they have functions of their own.
type instance struct {
	module       api.Module
	outer, inner calls
	handles
}

// handles are the guest objects that the host uses. They are addresses, the same in each instance of a snapshot.
type handles struct {
	begin, drive, describe, next, fire, settle, rejected value
	undefined                                            value
	// scratch receives the length of a string from the guest.
	scratch uint32
}

// snapshot is the whole state of a guest.
type snapshot struct {
	memory []byte
	stack  uint64
	handles
}

// calls are the resolved functions of a guest.
type calls struct {
	module    api.Module
	functions map[string]api.Function
	stack     [6]uint64
}

// call runs a function to its end. An error means that the instance is broken.
func (c *calls) call(ctx context.Context, name string, args ...uint64) (uint64, error) {
	f := c.functions[name]
	if f == nil {
		if f = c.module.ExportedFunction(name); f == nil {
			return 0, fmt.Errorf("javascript: the engine has no function %s", name)
		}
		c.functions[name] = f
	}
	stack := c.stack[:max(1, len(args))]
	copy(stack, args)
	if err := f.CallWithStack(ctx, stack); err != nil {
		return 0, err
	}
	return stack[0], nil
}

// copyIn copies bytes into the guest, with a zero behind them.
func (c *calls) copyIn(ctx context.Context, b []byte) (uint64, error) {
	p, err := c.call(ctx, "wasm_malloc", uint64(len(b)+1))
	if err != nil {
		return 0, err
	}
	if p == 0 {
		return 0, errMemory
	}
	memory := c.module.Memory()
	if !memory.Write(uint32(p), b) || !memory.WriteByte(uint32(p)+uint32(len(b)), 0) {
		return 0, errBounds
	}
	return p, nil
}

// newString creates a string from UTF-8.
func (c *calls) newString(ctx context.Context, text []byte) (value, error) {
	return c.fromBytes(ctx, "qjs_new_string", text)
}

// newBuffer creates an ArrayBuffer.
func (c *calls) newBuffer(ctx context.Context, b []byte) (value, error) {
	return c.fromBytes(ctx, "qjs_new_array_buffer", b)
}

func (c *calls) fromBytes(ctx context.Context, constructor string, b []byte) (value, error) {
	p, err := c.copyIn(ctx, b)
	if err != nil {
		return 0, err
	}
	v, err := c.call(ctx, constructor, p, uint64(len(b)))
	if err != nil {
		return 0, err
	}
	if _, err := c.call(ctx, "wasm_free", p); err != nil {
		return 0, err
	}
	return c.checked(ctx, v)
}

// checked converts an exception to an error.
func (c *calls) checked(ctx context.Context, v value) (value, error) {
	if v == 0 {
		return 0, errMemory
	}
	is, err := c.call(ctx, "qjs_is_exception", v)
	if err != nil || is == 0 {
		return v, err
	}
	reason, err := c.call(ctx, "qjs_get_exception")
	if err != nil {
		return 0, err
	}
	return 0, &thrown{reason}
}

// text calls use with the UTF-8 of a string, which lies in the guest's memory and must not be retained.
func (in *instance) text(ctx context.Context, c *calls, v value, use func(utf8 []byte, at uint64) error) error {
	p, err := c.call(ctx, "qjs_get_string_len", v, uint64(in.scratch))
	if err != nil {
		return err
	}
	if p == 0 {
		return errMemory
	}
	memory := in.module.Memory()
	n, ok := memory.ReadUint32Le(in.scratch)
	if !ok {
		return errBounds
	}
	b, ok := memory.Read(uint32(p), n)
	if !ok {
		return errBounds
	}
	if err := use(b, p); err != nil {
		return err
	}
	_, err = c.call(ctx, "qjs_free_cstring", p)
	return err
}

// apply calls a function of the prelude. The arguments are freed.
func (in *instance) apply(ctx context.Context, f value, args ...value) (value, error) {
	var list [4 * 4]byte
	for i, a := range args {
		list[4*i], list[4*i+1], list[4*i+2], list[4*i+3] = byte(a), byte(a>>8), byte(a>>16), byte(a>>24)
	}
	p, err := in.outer.copyIn(ctx, list[:4*len(args)])
	if err != nil {
		return 0, err
	}
	v, err := in.outer.call(ctx, "qjs_call", f, in.undefined, uint64(len(args)), p)
	if err != nil {
		return 0, err
	}
	for _, a := range args {
		if err := in.release(ctx, a); err != nil {
			return 0, err
		}
	}
	if _, err := in.outer.call(ctx, "wasm_free", p); err != nil {
		return 0, err
	}
	return in.outer.checked(ctx, v)
}

func (in *instance) release(ctx context.Context, v value) error {
	_, err := in.outer.call(ctx, "qjs_free_value", v)
	return err
}

// eval returns the value of a script, or the promise of a module's namespace.
func (in *instance) eval(ctx context.Context, source, name string, flags uint64) (value, error) {
	p, err := in.outer.copyIn(ctx, []byte(source))
	if err != nil {
		return 0, err
	}
	n, err := in.outer.copyIn(ctx, []byte(name))
	if err != nil {
		return 0, err
	}
	v, err := in.outer.call(ctx, "qjs_eval", p, uint64(len(source)), n, flags)
	if err != nil {
		return 0, err
	}
	for _, used := range []uint64{p, n} {
		if _, err := in.outer.call(ctx, "wasm_free", used); err != nil {
			return 0, err
		}
	}
	return in.outer.checked(ctx, v)
}

func (e *Engine) instantiate(ctx context.Context) (*instance, error) {
	module, err := e.runtime.InstantiateModule(ctx, e.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, err
	}
	return &instance{
		module: module,
		outer:  calls{module: module, functions: map[string]api.Function{}},
		inner:  calls{module: module, functions: map[string]api.Function{}},
	}, nil
}

// boot starts an engine from scratch and runs the prelude.
func (e *Engine) boot(ctx context.Context) (*instance, error) {
	in, err := e.instantiate(ctx)
	if err != nil {
		return nil, err
	}
	c := &in.outer
	var first error
	do := func(name string, args ...uint64) uint64 {
		if first != nil {
			return 0
		}
		var v uint64
		v, first = c.call(ctx, name, args...)
		return v
	}
	do("_initialize")
	if failed := do("qjs_init"); failed != 0 {
		return nil, fmt.Errorf("javascript: the engine does not start: %d", failed)
	}
	do("qjs_set_max_stack_size", stackSize)
	do("qjs_set_module_loader", 1)
	do("qjs_set_promise_rejection_handler", 1)
	in.undefined = do("qjs_get_undefined")
	in.scratch = uint32(do("wasm_malloc", 4))
	object := do("qjs_new_object")
	if first != nil {
		return nil, first
	}
	for name := range hostFunctions {
		p, err := c.copyIn(ctx, []byte(name))
		if err != nil {
			return nil, err
		}
		do("qjs_set_prop_string", object, p, do("qjs_new_host_function", p, uint64(len(name)), 0))
		do("wasm_free", p)
	}
	if first != nil {
		return nil, first
	}
	return in, in.prepare(ctx, object)
}

// prepare runs the prelude and keeps the functions that it returns.
func (in *instance) prepare(ctx context.Context, host value) error {
	source, err := prelude()
	if err != nil {
		return err
	}
	main, err := in.eval(ctx, source, preludeName, 0)
	if err != nil {
		return in.explain(ctx, err)
	}
	functions, err := in.apply(ctx, main, host)
	if err != nil {
		return in.explain(ctx, err)
	}
	for name, handle := range map[string]*value{
		"begin": &in.begin, "drive": &in.drive, "describe": &in.describe,
		"next": &in.next, "fire": &in.fire, "settle": &in.settle, "rejected": &in.rejected,
	} {
		p, err := in.outer.copyIn(ctx, []byte(name))
		if err != nil {
			return err
		}
		if *handle, err = in.outer.call(ctx, "qjs_get_prop_string", functions, p); err != nil {
			return err
		}
		if _, err := in.outer.call(ctx, "wasm_free", p); err != nil {
			return err
		}
	}
	_, err = in.outer.call(ctx, "qjs_run_gc")
	return err
}

// explain describes an exception of the prelude, which only its developers see.
func (in *instance) explain(ctx context.Context, err error) error {
	var t *thrown
	if !errors.As(err, &t) {
		return err
	}
	return errors.Join(err, in.text(ctx, &in.outer, t.reason, func(text []byte, _ uint64) error { return errors.New(string(text)) }))
}

func (in *instance) take() (*snapshot, error) {
	memory := in.module.Memory()
	b, ok := memory.Read(0, memory.Size())
	stack := in.module.ExportedGlobal("__stack_pointer")
	if !ok || stack == nil {
		return nil, errors.New("javascript: the engine's state cannot be read")
	}
	return &snapshot{memory: bytes.Clone(b), stack: stack.Get(), handles: in.handles}, nil
}

// restore resets an instance to the snapshot. False means that it is impossible.
func (in *instance) restore(s *snapshot, fueled bool) bool {
	memory := in.module.Memory()
	if have, want := memory.Size(), uint32(len(s.memory)); have < want {
		if _, ok := memory.Grow((want - have) / pageSize); !ok {
			return false
		}
	}
	stack, ok := in.module.ExportedGlobal("__stack_pointer").(api.MutableGlobal)
	if !ok || memory.Size() != uint32(len(s.memory)) || !memory.Write(0, s.memory) {
		return false
	}
	stack.Set(s.stack)
	if fueled {
		left, ok := in.module.ExportedGlobal(fuel.Global).(api.MutableGlobal)
		if !ok {
			return false
		}
		left.Set(fuel.DefaultInterval)
	}
	in.handles = s.handles
	return true
}

// ready returns an instance in the state of the snapshot.
func (e *Engine) ready(ctx context.Context) (*instance, error) {
	if in := e.pool.get(); in != nil {
		return in, nil
	}
	in, err := e.instantiate(ctx)
	if err != nil {
		return nil, fmt.Errorf("javascript: new instance: %w", err)
	}
	if !in.restore(e.snapshot, e.fueled) {
		return nil, errors.Join(errors.New("javascript: a new instance does not take the snapshot"), in.module.Close(ctx))
	}
	return in, nil
}

// recycle keeps an instance whose run ended cleanly, reset to the snapshot, and discards any other.
func (e *Engine) recycle(ctx context.Context, in *instance, clean bool) {
	if clean && in.restore(e.snapshot, e.fueled) && e.pool.put(in) {
		return
	}
	_ = in.module.Close(ctx) // nothing references it
}
