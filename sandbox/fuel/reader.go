package fuel

// reader decodes the binary format. After its first error it returns zeros.
type reader struct {
	b   []byte
	at  int
	err error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = malformed(format, args...)
	}
}

func (r *reader) more() bool { return r.err == nil && r.at < len(r.b) }

// end fails when bytes remain.
func (r *reader) end() {
	if r.more() {
		r.fail("%d bytes too many", len(r.b)-r.at)
	}
}

func (r *reader) byte() byte {
	if r.err != nil {
		return 0
	}
	if r.at >= len(r.b) {
		r.fail("unexpected end")
		return 0
	}
	r.at++
	return r.b[r.at-1]
}

func (r *reader) take(n uint32) []byte {
	if r.err != nil {
		return nil
	}
	if uint64(n) > uint64(len(r.b)-r.at) {
		r.fail("unexpected end")
		return nil
	}
	r.at += int(n)
	return r.b[r.at-int(n) : r.at]
}

func (r *reader) name() string { return string(r.take(r.u32())) }

func (r *reader) u32() uint32 {
	var v uint32
	for shift := 0; shift < 35; shift += 7 {
		c := r.byte()
		if shift == 28 && c > 0x0f {
			break
		}
		v |= uint32(c&0x7f) << shift
		if c < 0x80 {
			return v
		}
	}
	r.fail("a number of more than 32 bits")
	return 0
}

// signed skips a signed number of at most that many bytes.
func (r *reader) signed(most int) {
	for range most {
		if r.byte() < 0x80 {
			return
		}
	}
	r.fail("a number of more than %d bytes", most)
}

func (r *reader) limits() {
	flags := r.byte()
	if flags > 1 {
		r.fail("limits of kind %d", flags)
	}
	r.u32()
	if flags == 1 {
		r.u32()
	}
}

func appendU32(b []byte, v uint32) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

func appendS32(b []byte, v int32) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

// length returns the size of a part of a module. A module has far less than 4 GiB, and instrumentation multiplies it by
// a small factor.
func length(b []byte) uint32 { return uint32(len(b)) }
