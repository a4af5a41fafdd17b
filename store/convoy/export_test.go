package convoy

// Waiting is how many wait for a key at this moment.
func (l *Line[K, Q, A]) Waiting(key K) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting[key])
}
