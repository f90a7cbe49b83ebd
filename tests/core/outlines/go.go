package store

import "sync"

const Limit = 10

const (
	Low = iota
	High
	a, b = 1, 2
)

var x, y int = 1, 2

var (
	ready bool
	hook  = func() {}
)

// Close comes before its type.
func (s *Set[T]) Close() error {
	return nil
}

type Set[T comparable] struct {
	mu       sync.Mutex
	from, to int
	Embedded
}

func (a A) Close() {}
func (b *B) Close() {
	done := func() {}
	done()
}
func (A) unnamed()           {}
func (p *Pair[K, V]) Swap() {}

type Closer interface {
	Close() error
	Embedded
}

type (
	ID    = string
	Names []string
	Inner struct{ n int }
)

type Handler func(name string) error

func init() {}
func init() {
	type local struct{ n int }
	const inside = 1
}

func Map[T, U any](list []T, f func(T) U) []U { return nil }

func assembly(x int) int
