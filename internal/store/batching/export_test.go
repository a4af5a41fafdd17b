package batching

// Waiting is the number of waiting requests of a key.
func (l *Batcher[K, Q, A]) Waiting(key K) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting[key])
}
