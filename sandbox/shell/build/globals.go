package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Sections of a WebAssembly module, by their numbers in the format.
const (
	sectionGlobal = 6
	sectionExport = 7
)

// exportGlobals exports all mutable globals as "global0", "global1" and so on: a host that restores an instance needs
// them besides the memory, since Go keeps its stack pointer and the running goroutine there.
func exportGlobals(module []byte) ([]byte, error) {
	if len(module) < 8 || string(module[:4]) != "\x00asm" {
		return nil, errors.New("not a WebAssembly module")
	}
	out := slices.Clone(module[:8])
	var mutable []uint64
	done := false
	for rest := module[8:]; len(rest) > 0; {
		id := rest[0]
		size, n := binary.Uvarint(rest[1:])
		if n <= 0 || uint64(len(rest)-1-n) < size {
			return nil, errors.New("a section is cut off")
		}
		body := rest[1+n:][:size]
		rest = rest[1+n:][size:]
		switch id {
		case sectionGlobal:
			var err error
			if mutable, err = mutableGlobals(body); err != nil {
				return nil, err
			}
		case sectionExport:
			count, n := binary.Uvarint(body)
			if n <= 0 || len(mutable) == 0 {
				return nil, errors.New("no globals stand before the exports")
			}
			with := binary.AppendUvarint(nil, count+uint64(len(mutable)))
			with = append(with, body[n:]...)
			for i, index := range mutable {
				name := fmt.Sprintf("global%d", i)
				with = binary.AppendUvarint(with, uint64(len(name)))
				with = append(append(with, name...), 3)
				with = binary.AppendUvarint(with, index)
			}
			body, done = with, true
		}
		out = binary.AppendUvarint(append(out, id), uint64(len(body)))
		out = append(out, body...)
	}
	if !done {
		return nil, errors.New("the module exports nothing")
	}
	return out, nil
}

// mutableGlobals reads the global section. Go initializes each global with one constant.
func mutableGlobals(body []byte) ([]uint64, error) {
	count, n := binary.Uvarint(body)
	if n <= 0 {
		return nil, errors.New("the section of globals has no count")
	}
	body = body[n:]
	var mutable []uint64
	for i := range count {
		if len(body) < 4 {
			return nil, errors.New("a global is cut off")
		}
		kind, changes, opcode := body[0], body[1], body[2]
		const i32, i64, i32Const, i64Const, end = 0x7f, 0x7e, 0x41, 0x42, 0x0b
		if (kind != i32 || opcode != i32Const) && (kind != i64 || opcode != i64Const) {
			return nil, fmt.Errorf("global %d of type %#x begins with %#x", i, kind, opcode)
		}
		body = body[3:]
		for len(body) > 0 && body[0]&0x80 != 0 {
			body = body[1:]
		}
		if len(body) < 2 || body[1] != end {
			return nil, fmt.Errorf("global %d is not one constant", i)
		}
		body = body[2:]
		if changes == 1 {
			mutable = append(mutable, i)
		}
	}
	if len(body) != 0 {
		return nil, errors.New("something follows the globals")
	}
	return mutable, nil
}
