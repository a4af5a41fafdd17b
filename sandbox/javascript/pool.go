package javascript

import "sync"

// pool keeps a few instances in the state of the snapshot, last used first.
type pool struct {
	mu   sync.Mutex
	idle []*instance
	most int
}

func (p *pool) get() *instance {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return nil
	}
	last := p.idle[len(p.idle)-1]
	p.idle = p.idle[:len(p.idle)-1]
	return last
}

// put reports whether there was room.
func (p *pool) put(in *instance) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) >= p.most {
		return false
	}
	p.idle = append(p.idle, in)
	return true
}
