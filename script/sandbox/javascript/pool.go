package javascript

import "sync"

// pool keeps some instances that are as the snapshot says, the one used last first.
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

// put answers whether there was room.
func (p *pool) put(in *instance) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) >= p.most {
		return false
	}
	p.idle = append(p.idle, in)
	return true
}
