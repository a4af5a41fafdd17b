package shell

import (
	"bytes"
	"compress/gzip"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"countersign/sandbox"
)

//go:embed all:embed
var embedded embed.FS

// module is the guest, compressed; empty in a binary that was built without it.
var module, _ = embedded.ReadFile("embed/shell.wasm.gz")

var errNotBuilt = errors.New("this binary was built without the shell: run make build")

const (
	page = 64 << 10
	// room is the minimum memory of a script, whatever its limit.
	room = 8 << 20
)

// compiling serializes compilation in a process: the next engine finds the code in the cache.
var compiling sync.Mutex

// A guest is the compiled module and the initial state of its instances.
type guest struct {
	runtime  wazero.Runtime
	cache    wazero.CompilationCache
	compiled wazero.CompiledModule
	memory   []byte
	globals  []uint64
	// floor is the smallest useful memory limit.
	floor int
}

func newGuest(ctx context.Context, cacheDir string) (*guest, error) {
	z, err := gzip.NewReader(bytes.NewReader(module))
	if err != nil {
		return nil, err
	}
	code, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	config := wazero.NewRuntimeConfigCompiler().WithMemoryLimitPages(uint32(sandbox.MaxLimits().Memory / page))
	g := &guest{}
	if cacheDir != "" {
		if err := private(cacheDir); err != nil {
			return nil, err
		}
		if g.cache, err = wazero.NewCompilationCacheWithDir(cacheDir); err != nil {
			return nil, err
		}
		config = config.WithCompilationCache(g.cache)
	}
	g.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	if err := g.prepare(ctx, code); err != nil {
		return nil, errors.Join(err, g.close(ctx))
	}
	return g, nil
}

// private creates a folder that only this user may write to.
func private(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err == nil && info.Mode().Perm()&0o022 != 0 {
		err = fmt.Errorf("others may write to %s, which holds compiled code: make it private", dir)
	}
	return err
}

// prepare compiles the guest and takes the snapshot that jobs start from.
func (g *guest) prepare(ctx context.Context, code []byte) (err error) {
	if g.compiled, err = g.compile(ctx, code); err != nil {
		return err
	}
	if err := g.host(ctx); err != nil {
		return err
	}
	in, err := g.instantiate(ctx)
	if err != nil {
		return err
	}
	defer in.close()
	r := newRun(warmUp(), sandbox.MaxLimits().Memory)
	in.memory.limit = uint64(sandbox.MaxLimits().Memory)
	ctx, stop := context.WithTimeout(context.WithValue(ctx, runKey{}, r), time.Minute)
	defer stop()
	for _, name := range []string{"_initialize", "prepare"} {
		if _, err := in.module.ExportedFunction(name).Call(ctx); err != nil {
			return fmt.Errorf("%s: %w: %s", name, err, r.diagnostics)
		}
	}
	if !r.ended || r.ending.ExitCode != 0 || r.ending.Failure != "" || r.out.stderr.Len() > 0 {
		return fmt.Errorf("the shell does not warm up: %+v, %s", r.ending, r.out.stderr.String())
	}
	memory, _ := in.module.Memory().Read(0, in.module.Memory().Size())
	g.memory = slices.Clone(memory)
	for _, global := range in.globals {
		g.globals = append(g.globals, global.Get())
	}
	g.floor = len(g.memory) + room
	return nil
}

func (g *guest) compile(ctx context.Context, code []byte) (wazero.CompiledModule, error) {
	if g.cache != nil {
		compiling.Lock()
		defer compiling.Unlock()
	}
	return g.runtime.CompileModule(ctx, code)
}

func (g *guest) close(ctx context.Context) error {
	err := g.runtime.Close(ctx)
	if g.cache != nil {
		err = errors.Join(err, g.cache.Close(ctx))
	}
	return err
}

// An instance is a guest that runs one job at a time.
type instance struct {
	guest   *guest
	module  api.Module
	run     api.Function
	globals []api.MutableGlobal
	memory  *memory
}

// instantiate creates an instance whose guest has not started.
func (g *guest) instantiate(ctx context.Context) (*instance, error) {
	in := &instance{guest: g, memory: &memory{limit: uint64(sandbox.MaxLimits().Memory)}}
	ctx = experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(func(_, _ uint64) experimental.LinearMemory {
		return in.memory
	}))
	in.memory.size = len(g.memory)
	var err error
	in.module, err = g.runtime.InstantiateModule(ctx, g.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, err
	}
	if in.run = in.module.ExportedFunction("run"); in.run == nil {
		return nil, errors.New("the guest has no function run")
	}
	for {
		global := in.module.ExportedGlobal(fmt.Sprintf("global%d", len(in.globals)))
		if global == nil {
			return in, nil
		}
		mutable, ok := global.(api.MutableGlobal)
		if !ok {
			return nil, fmt.Errorf("%v does not change", global)
		}
		in.globals = append(in.globals, mutable)
	}
}

// instance creates an instance ready for a job.
func (g *guest) instance(ctx context.Context) (*instance, error) {
	in, err := g.instantiate(ctx)
	if err != nil {
		return nil, err
	}
	m := in.module.Memory()
	if missing := (uint32(len(g.memory)) - m.Size()) / page; missing > 0 {
		if _, ok := m.Grow(missing); !ok {
			in.close()
			return nil, errors.New("the memory of the guest does not grow")
		}
	}
	if !in.restore() {
		in.close()
		return nil, errors.New("the guest is not as it was")
	}
	return in, nil
}

// restore resets memory and globals. It is impossible once the memory has grown.
func (in *instance) restore() bool {
	if in.module.Memory().Size() != uint32(len(in.guest.memory)) || len(in.globals) != len(in.guest.globals) {
		return false
	}
	for n, global := range in.globals {
		global.Set(in.guest.globals[n])
	}
	return in.module.Memory().Write(0, in.guest.memory)
}

func (in *instance) close() { _ = in.module.Close(context.Background()) }

// memory is the bounded memory of one instance.
type memory struct {
	buffer  []byte
	size    int
	limit   uint64
	refused bool
}

// Reallocate grows the memory for wazero.
func (m *memory) Reallocate(size uint64) []byte {
	if size > m.limit {
		m.refused = true
		return nil
	}
	if size > uint64(cap(m.buffer)) {
		grown := make([]byte, size, min(max(size, uint64(m.size), uint64(cap(m.buffer))*3/2), max(m.limit, size)))
		copy(grown, m.buffer)
		m.buffer = grown
	}
	m.buffer = m.buffer[:size]
	return m.buffer
}

// Free implements the interface of wazero.
func (m *memory) Free() { m.buffer = nil }

// warmUp is the script that the guest runs before its snapshot: it exercises the features of typical scripts.
func warmUp() sandbox.Job {
	return sandbox.Job{Name: "warm", Env: map[string]string{"A": "b"}, Stdin: []byte("in\n"), Source: strings.TrimSpace(`
set -eu
greet() { local name=$1; printf 'hello %s\n' "$name"; }
x=$(greet world | tr a-z A-Z)
for i in 1 2 3; do x="$x $((i * 2))"; done
case $x in HELLO*) ;; *) exit 1 ;; esac
if [[ $x =~ ^H(.*)4 ]]; then :; fi
cat <<END > /tmp/file
b ${x##* }
a
END
sort /tmp/file | grep -n a | sed 's/a/b/' | cut -d: -f1 | head -1 | wc -l > /dev/null
awk -F: '/b/ { n[$1]++ } END { for (k in n) printf "%s %d\n", k, n[k] }' /tmp/file > /dev/null
echo '{"a": [1, 2]}' | jq -c '.a | map(. + 1)' > /dev/null
[ -f /tmp/file ] && rm /tmp/file
read -r line
echo "$line" "${A:-}" > /dev/null
date +%s > /dev/null
`)}
}
