package shell_test

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"

	"countersign/sandbox"
	"countersign/sandbox/shell"
)

func FuzzARequestIsReadOrRefused(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x02\x00\x00\x00{}body"))
	f.Add([]byte("\xff\xff\xff\xff{}"))
	f.Add([]byte("\x1f\x00\x00\x00" + `{"method":"GET","headers":null}body`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := shell.ReadRequest(b)
		if err == nil {
			require.GreaterOrEqual(t, len(b), 4)
			size := int(binary.LittleEndian.Uint32(b))
			require.Equal(t, string(b[4+size:]), string(r.Body))
		}
	})
}

// empty is a module with one page of memory and nothing else.
var empty = []byte("\x00asm\x01\x00\x00\x00\x05\x03\x01\x00\x01")

// Whatever a guest passes, a host function answers or ends the guest.
func FuzzHostFunctionsTakeAnything(f *testing.F) {
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	f.Cleanup(func() { _ = r.Close(ctx) })
	m, err := r.Instantiate(ctx, empty)
	require.NoError(f, err)
	f.Add(uint64(0), uint64(0), uint64(1), uint64(8), []byte("\x01\x00\x00\x00{}"))
	f.Add(uint64(2), uint64(0), uint64(1), uint64(65535), []byte{16, 0, 0, 0, 4, 0, 0, 0})
	f.Add(uint64(1<<32-1), uint64(1<<32-1), uint64(1<<32-1), uint64(1<<63), []byte{})
	f.Fuzz(func(t *testing.T, a, b, c, d uint64, memory []byte) {
		whole := make([]byte, 64<<10)
		copy(whole, memory)
		require.True(t, m.Memory().Write(0, whole))
		job, cancel := context.WithCancel(shell.HostContext(ctx, sandbox.Job{Source: "echo", Fetch: web{}}))
		// Nothing waits.
		cancel()
		for _, f := range shell.HostFunctions() {
			func() {
				defer func() {
					if v := recover(); v != nil && !shell.Ends(v) {
						panic(v)
					}
				}()
				f(job, m, []uint64{a, b, c, d})
			}()
		}
	})
}
