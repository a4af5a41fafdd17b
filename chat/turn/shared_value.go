package turn

import "sync"

// SharedValue is a value that the steps of a turn share in one process. Its zero value is empty, and its methods are safe for
// concurrent use.
type SharedValue[T any] struct {
	mu    sync.Mutex
	value *T
}

// GetOrCompute computes the value the first time and caches it. Errors are not cached.
func (s *SharedValue[T]) GetOrCompute(compute func() (T, error)) (T, error) {
	if v, ok := s.Get(); ok {
		return v, nil
	}
	v, err := compute()
	if err == nil {
		s.Put(v)
	}
	return v, err
}

// Put stores a value.
func (s *SharedValue[T]) Put(v T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.value = &v
}

// Update replaces the value by one that is made of it, or of the zero value where there is none.
func (s *SharedValue[T]) Update(change func(T) T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var v T
	if s.value != nil {
		v = *s.value
	}
	v = change(v)
	s.value = &v
}

// Get returns the value, if there is one.
func (s *SharedValue[T]) Get() (v T, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.value != nil {
		v, ok = *s.value, true
	}
	return v, ok
}

// Take is Get, and empties the slot.
func (s *SharedValue[T]) Take() (v T, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.value != nil {
		v, ok = *s.value, true
	}
	s.value = nil
	return v, ok
}
