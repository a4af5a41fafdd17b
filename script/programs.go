package script

import (
	"container/list"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"countersign/internal/problem"
	"countersign/script/sdk"
	"countersign/script/typescript"
)

// compileTimeout bounds the wait for a compiled source, which includes the compiler's queue.
const compileTimeout = time.Minute

// program is a compiled source, or the reason why it cannot run.
type program struct {
	key     [sha256.Size]byte
	js      string
	mapped  []byte
	problem string

	reading sync.Once
	read    *typescript.Positions
}

// places maps positions to the author's source; nil without a source map.
func (p *program) places() *typescript.Positions {
	p.reading.Do(func() {
		p.read, _ = typescript.NewPositions(p.mapped) // nil without a source map
	})
	return p.read
}

func (p *program) size() int { return 512 + len(p.js) + 3*len(p.mapped) }

// programCache is an LRU cache of compiled sources, bounded in bytes. Concurrent requests for a source share one
// compilation.
type programCache struct {
	compiler Compiler
	limit    int
	making   singleflight.Group

	mu      sync.Mutex
	size    int
	recent  *list.List
	entries map[[sha256.Size]byte]*list.Element
}

func newProgramCache(c Compiler, limit int) *programCache {
	return &programCache{compiler: c, limit: limit, recent: list.New(), entries: map[[sha256.Size]byte]*list.Element{}}
}

// get returns a runnable program. The error is a *check.Failure when the source is at fault.
func (p *programCache) get(ctx context.Context, source string) (*program, error) {
	key := sha256.Sum256([]byte(source))
	found := p.find(key)
	if found == nil {
		made := p.making.DoChan(string(key[:]), func() (any, error) {
			if known := p.find(key); known != nil {
				return known, nil
			}
			return p.compile(context.WithoutCancel(ctx), key, source)
		})
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case result := <-made:
			if result.Err != nil {
				return nil, result.Err
			}
			found = result.Val.(*program) //nolint:errcheck // compile returns nothing else
		}
	}
	if found.problem != "" {
		return nil, notRunnable(found.problem)
	}
	return found, nil
}

func (p *programCache) find(key [sha256.Size]byte) *program {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, ok := p.entries[key]
	if !ok {
		return nil
	}
	p.recent.MoveToFront(e)
	return e.Value.(*program) //nolint:errcheck // the list holds nothing else
}

func (p *programCache) compile(ctx context.Context, key [sha256.Size]byte, source string) (*program, error) {
	ctx, cancel := context.WithTimeout(ctx, compileTimeout)
	defer cancel()
	compiled, err := p.compiler.Transpile(ctx, source, sdk.HealthCheckScript)
	if known, ok := errors.AsType[*problem.Error](err); ok && len(known.Issues) > 0 { // a less busy machine may manage it
		return &program{problem: known.Issues[0].Path + " " + known.Issues[0].Message}, nil
	}
	if err != nil {
		return nil, err
	}
	made := &program{key: key, js: compiled.JS, mapped: compiled.SourceMap}
	if made.js == "" {
		made.problem = "it cannot be compiled"
		for _, d := range compiled.Diagnostics {
			if d.Severity == typescript.Error {
				made.problem = fmt.Sprintf("line %d: %s", d.Line, d.Message)
				break
			}
		}
	}
	p.keep(made)
	return made, nil
}

func (p *programCache) keep(made *program) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.entries[made.key] = p.recent.PushFront(made)
	for p.size += made.size(); p.size > p.limit && p.recent.Len() > 1; {
		last := p.recent.Back()
		old := p.recent.Remove(last).(*program) //nolint:errcheck // the list holds nothing else
		delete(p.entries, old.key)
		p.size -= old.size()
	}
}
