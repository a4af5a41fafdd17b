package fuel

import "slices"

// The instructions that are inserted, or whose immediates are not a single number.
const (
	typeI32      = 0x7f
	typeFunction = 0x60

	opUnreachable  = 0x00
	opBlock        = 0x02
	opLoop         = 0x03
	opIf           = 0x04
	opEnd          = 0x0b
	opBr           = 0x0c
	opBrIf         = 0x0d
	opBrTable      = 0x0e
	opCall         = 0x10
	opCallIndirect = 0x11
	opSelectTyped  = 0x1c
	opGlobalGet    = 0x23
	opGlobalSet    = 0x24
	opI32Const     = 0x41
	opI64Const     = 0x42
	opF32Const     = 0x43
	opF64Const     = 0x44
	opI32LeS       = 0x4c
	opI32Sub       = 0x6b
	opI32ShrU      = 0x76
	opRefNull      = 0xd0
	opRefFunc      = 0xd2
	opBulk         = 0xfc
	blockVoid      = 0x40

	bulkMemoryInit = 8
	bulkMemoryCopy = 10
	bulkMemoryFill = 11
)

// perFuel is the number of bytes, as a power of two, that one unit of fuel copies or fills.
const perFuel = 9

// code holds the instruction sequences to insert.
type code struct {
	fuel     uint32
	interval int32
	// signature is the index of the type of refill.
	signature uint32
	// step counts down and calls refill at zero; charge takes the size on the stack into account and leaves it there.
	step, charge []byte
	// refill is the body of a separate function, which keeps the inserted code short: it calls the host.
	refill []byte
}

// newCode builds the sequences for a fuel global of that index; the next index is a scratch global.
func newCode(fuel, signature, refill, interrupt uint32, interval int32) *code {
	get, set := appendU32([]byte{opGlobalGet}, fuel), appendU32([]byte{opGlobalSet}, fuel)
	size := appendU32([]byte{opGlobalGet}, fuel+1)
	return &code{
		fuel: fuel, interval: interval, signature: signature,
		step: slices.Concat(
			get, []byte{opI32Const, 1, opI32Sub}, set,
			get, []byte{opI32Const, 0, opI32LeS, opIf, blockVoid},
			appendU32([]byte{opCall}, refill), []byte{opEnd},
		),
		refill: slices.Concat(
			[]byte{0}, // no locals
			appendS32([]byte{opI32Const}, interval), set,
			appendU32([]byte{opCall}, interrupt),
			[]byte{opIf, blockVoid, opUnreachable, opEnd, opEnd},
		),
		charge: slices.Concat(
			appendU32([]byte{opGlobalSet}, fuel+1),
			get, size, []byte{opI32Const, perFuel, opI32ShrU, opI32Sub}, set,
			size,
		),
	}
}

// rewrite returns the instrumented body of a section.
func (c *code) rewrite(s section) ([]byte, error) {
	switch s.id {
	case sectionType:
		return appended(s.body, 1, []byte{typeFunction, 0, 0})
	case sectionFunction:
		return appended(s.body, 1, appendU32(nil, c.signature))
	case sectionGlobal:
		return appended(s.body, 2, slices.Concat(
			[]byte{typeI32, 1}, appendS32([]byte{opI32Const}, c.interval), []byte{opEnd},
			[]byte{typeI32, 1, opI32Const, 0, opEnd},
		))
	case sectionExport:
		if err := unexported(s.body); err != nil {
			return nil, err
		}
		return appended(s.body, 1, appendU32(append(append([]byte{byte(len(Global))}, Global...), 3), c.fuel))
	case sectionCode:
		return c.functions(s.body)
	default:
		return s.body, nil
	}
}

// unexported fails if the module already exports the fuel's name.
func unexported(list []byte) error {
	r := &reader{b: list}
	for n := r.u32(); n > 0 && r.err == nil; n-- {
		if r.name() == Global {
			r.fail("an export %s", Global)
		}
		r.byte()
		r.u32()
	}
	r.end()
	return r.err
}

// appended adds entries to a list.
func appended(list []byte, more uint32, entries []byte) ([]byte, error) {
	r := &reader{b: list}
	n := r.u32()
	if r.err != nil {
		return nil, r.err
	}
	return slices.Concat(appendU32(nil, n+more), list[r.at:], entries), nil
}

func (c *code) functions(body []byte) ([]byte, error) {
	r := &reader{b: body}
	n := r.u32()
	out := appendU32(make([]byte, 0, len(body)+len(body)/4), n+1)
	for ; n > 0 && r.err == nil; n-- {
		f, err := c.function(r.take(r.u32()))
		if r.err != nil {
			break
		}
		if err != nil {
			return nil, err
		}
		out = append(appendU32(out, length(f)), f...)
	}
	r.end()
	return append(appendU32(out, length(c.refill)), c.refill...), r.err
}

// function inserts at each loop header, before bulk operations, and at the entry if the function calls any other.
func (c *code) function(body []byte) ([]byte, error) {
	r := &reader{b: body}
	for n := r.u32(); n > 0 && r.err == nil; n-- {
		r.u32()
		r.byte()
	}
	if r.err != nil {
		return nil, r.err
	}
	entry, done, calls := r.at, r.at, false
	var out []byte
	for r.more() {
		start := r.at
		switch r.instruction() {
		case loops:
			out = append(append(out, body[done:r.at]...), c.step...)
			done = r.at
		case moves:
			out = append(append(out, body[done:start]...), c.charge...)
			done = start
		case invokes:
			calls = true
		case other:
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	if len(body) == entry || body[len(body)-1] != opEnd {
		return nil, malformed("a function without an end")
	}
	var first []byte
	if calls {
		first = c.step
	}
	return slices.Concat(body[:entry], first, out, body[done:]), nil
}

// effect is the fuel cost of an instruction.
type effect int

const (
	other effect = iota
	loops
	moves
	invokes
)

// instruction skips one instruction and returns its effect.
func (r *reader) instruction() effect {
	op := r.byte()
	switch {
	case op == opBlock, op == opLoop, op == opIf:
		r.signed(5)
		if op == opLoop {
			return loops
		}
	case op == opCall:
		r.u32()
		return invokes
	case op == opCallIndirect:
		r.u32()
		r.u32()
		return invokes
	case op == opBr, op == opBrIf, op >= 0x20 && op <= 0x26, op == opRefFunc:
		r.u32()
	case op == opBrTable:
		for n := uint64(r.u32()) + 1; n > 0 && r.err == nil; n-- {
			r.u32()
		}
	case op == opSelectTyped:
		r.take(r.u32())
	case op >= 0x28 && op <= 0x3e: // loads and stores
		if r.u32() >= 0x40 {
			r.fail("more than one memory")
		}
		r.u32()
	case op == 0x3f, op == 0x40, op == opRefNull:
		r.byte()
	case op == opI32Const:
		r.signed(5)
	case op == opI64Const:
		r.signed(10)
	case op == opF32Const:
		r.take(4)
	case op == opF64Const:
		r.take(8)
	case op == opBulk:
		return r.bulk()
	case op <= 0x01, op == 0x05, op == opEnd, op == 0x0f, op == 0x1a, op == 0x1b, op >= 0x45 && op <= 0xc4, op == 0xd1:
	default:
		r.fail("instruction %#x", op)
	}
	return other
}

func (r *reader) bulk() effect {
	switch op := r.u32(); {
	case op <= 7: // conversions
	case op == bulkMemoryInit, op == bulkMemoryCopy:
		r.u32()
		r.u32()
		return moves
	case op == bulkMemoryFill:
		r.u32()
		return moves
	case op == 12, op == 14:
		r.u32()
		r.u32()
	case op == 9, op == 13, op >= 15 && op <= 17:
		r.u32()
	default:
		r.fail("instruction %#x %d", opBulk, op)
	}
	return other
}
