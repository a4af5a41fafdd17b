// Package fuel instruments a WebAssembly module so that it regularly returns to its host (safe points).
//
// Ahead-of-time compiled code has no safe points: while it runs, the garbage collector of the host waits, and with it
// every timer. An instrumented module counts down at each loop header and at the entry of each function that calls
// others; at zero it calls an imported function of type () -> i32, which is a safe point because it is Go. If that
// function returns anything but zero, the module traps. Copying and filling memory costs fuel by size.
//
// A guest cannot avoid it: endless work passes loop headers or entries repeatedly, as WebAssembly has no other way
// back; the count is a global, out of reach of memory accesses and not named by any instruction of the guest; and the
// work of a single instruction is bounded by the memory.
//
// The rewriter knows the length of each instruction and nothing else of its meaning. Unknown instructions are an error,
// above all tail calls and exceptions, which could loop without a loop header.
package fuel

import (
	"bytes"
	"errors"
	"fmt"
)

const (
	// Global is the exported name of the remaining fuel, a mutable i32.
	Global = "__fuel"
	// DefaultInterval is the number of loop headers and calls between two calls of the host: less than a millisecond of
	// work.
	DefaultInterval = 32768
)

// ErrMalformed reports a module that is not WebAssembly of the supported kind.
var ErrMalformed = errors.New("fuel: malformed or unsupported module")

// Options configure the instrumentation. The zero value calls env.host_interrupt every DefaultInterval.
type Options struct {
	// Module and Name are the import that is called at zero fuel. The module must have it, with type () -> i32.
	Module, Name string
	// Interval is the fuel between two calls.
	Interval int32
}

// sections of the binary format, by id.
const (
	sectionCustom   = 0
	sectionType     = 1
	sectionImport   = 2
	sectionFunction = 3
	sectionGlobal   = 6
	sectionExport   = 7
	sectionCode     = 10
	sectionData     = 11
	sectionCount    = 12
)

// order is the position of each section id in a module; the count of data segments comes before the code.
var order = [...]int{1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 8, 9: 9, sectionCount: 10, sectionCode: 11, sectionData: 12}

type section struct {
	id   byte
	body []byte
}

// Instrument returns the instrumented module. The error is ErrMalformed, or says that the import is missing.
func Instrument(wasm []byte, o Options) ([]byte, error) {
	if o.Module == "" {
		o.Module = "env"
	}
	if o.Name == "" {
		o.Name = "host_interrupt"
	}
	if o.Interval <= 0 {
		o.Interval = DefaultInterval
	}
	sections, err := split(wasm)
	if err != nil {
		return nil, err
	}
	imports, err := scan(sections, o)
	if err != nil {
		return nil, err
	}
	var types, functions, globals uint32
	for id, n := range map[byte]*uint32{sectionType: &types, sectionFunction: &functions, sectionGlobal: &globals} {
		if *n, err = count(sections, id); err != nil {
			return nil, err
		}
	}
	g := newCode(imports.globals+globals, types, imports.functions+functions, imports.interrupt, o.Interval)
	for _, id := range []byte{sectionFunction, sectionGlobal, sectionExport, sectionCode} {
		sections = ensure(sections, id)
	}
	out := append([]byte(nil), header...)
	for _, s := range sections {
		body, err := g.rewrite(s)
		if err != nil {
			return nil, err
		}
		out = append(appendU32(append(out, s.id), length(body)), body...)
	}
	return out, nil
}

var header = []byte("\x00asm\x01\x00\x00\x00")

// split returns the sections in order, without custom sections other than names: those may hold offsets of code.
func split(wasm []byte) ([]section, error) {
	if !bytes.HasPrefix(wasm, header) {
		return nil, malformed("no header of version 1")
	}
	var found []section
	last := 0
	r := &reader{b: wasm, at: len(header)}
	for r.more() {
		id := r.byte()
		body := r.take(r.u32())
		if r.err != nil {
			return nil, r.err
		}
		if id == sectionCustom {
			if name := (&reader{b: body}).name(); name == "name" {
				found = append(found, section{id, body})
			}
			continue
		}
		if int(id) >= len(order) || order[id] <= last {
			return nil, malformed("section %d is unknown or out of order", id)
		}
		last = order[id]
		found = append(found, section{id, body})
	}
	return found, nil
}

// ensure inserts an empty section at its position in a module without it.
func ensure(sections []section, id byte) []section {
	at := 0
	for i, s := range sections {
		if s.id == id {
			return sections
		}
		if s.id != sectionCustom && order[s.id] < order[id] {
			at = i + 1
		}
	}
	return append(sections[:at:at], append([]section{{id, []byte{0}}}, sections[at:]...)...)
}

func count(sections []section, id byte) (uint32, error) {
	for _, s := range sections {
		if s.id == id {
			r := &reader{b: s.body}
			n := r.u32()
			return n, r.err
		}
	}
	return 0, nil
}

// imported describes the imports: the number of functions and globals, the index of the function to call, whether it
// exists, and whether its type matches.
type imported struct {
	functions uint32
	globals   uint32
	interrupt uint32
	has, fits bool
}

func scan(sections []section, o Options) (imported, error) {
	var found imported
	var types []bool
	for _, s := range sections {
		r := &reader{b: s.body}
		switch s.id {
		case sectionType:
			types = polls(r)
		case sectionImport:
			found.read(r, o, types)
		}
		if r.err != nil {
			return found, r.err
		}
	}
	if !found.has {
		return found, fmt.Errorf("fuel: the module does not import %s.%s", o.Module, o.Name)
	}
	if !found.fits {
		return found, fmt.Errorf("fuel: import %s.%s is not of type () -> i32", o.Module, o.Name)
	}
	return found, nil
}

// read decodes the section of imports.
func (i *imported) read(r *reader, o Options, types []bool) {
	for n := r.u32(); n > 0 && r.err == nil; n-- {
		module, name := r.name(), r.name()
		switch kind := r.byte(); kind {
		case 0:
			typ := r.u32()
			if module == o.Module && name == o.Name {
				i.interrupt, i.has, i.fits = i.functions, true, uint64(typ) < uint64(len(types)) && types[typ]
			}
			i.functions++
		case 1:
			r.byte()
			r.limits()
		case 2:
			r.limits()
		case 3:
			r.byte()
			r.byte()
			i.globals++
		default:
			r.fail("import of kind %d", kind)
		}
	}
	r.end()
}

// polls reports of each type whether it is () -> i32.
func polls(r *reader) []bool {
	var is []bool
	for n := r.u32(); n > 0 && r.err == nil; n-- {
		if r.byte() != typeFunction {
			r.fail("a type that is not a function")
			return nil
		}
		parameters := r.take(r.u32())
		results := r.take(r.u32())
		is = append(is, len(parameters) == 0 && len(results) == 1 && results[0] == typeI32)
	}
	r.end()
	return is
}

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, args...))
}
