// Package port finds free TCP ports of this machine.
package port

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"syscall"
)

// Free ports are taken from below the ranges that operating systems use for
// outgoing connections (Linux from 32768, macOS from 49152), so that a port that
// was free when looked at is still free a moment later.
const (
	lowest  = 15000
	highest = 32000
)

// Free returns count different ports without a listener.
func Free(count int) ([]int, error) {
	ports := make([]int, 0, count)
	held := make([]net.Listener, 0, count)
	defer func() {
		for _, listener := range held {
			_ = listener.Close()
		}
	}()
	for range 1000 {
		if len(ports) == count {
			return ports, nil
		}
		candidate := lowest + rand.IntN(highest-lowest)
		listener, err := net.Listen("tcp", loopback(candidate))
		if err != nil {
			continue
		}
		ports = append(ports, candidate)
		held = append(held, listener)
	}
	return nil, fmt.Errorf("find %d free ports between %d and %d", count, lowest, highest)
}

// Check explains why port cannot be used, or returns nil. The message names variable, the environment variable for
// another port.
func Check(port int, variable string) error {
	// A listener on all addresses does not keep every system from handing out
	// the same port on the loopback address, so both are tried.
	for _, address := range []string{loopback(port), ":" + strconv.Itoa(port)} {
		listener, err := net.Listen("tcp", address)
		switch {
		case err == nil:
			_ = listener.Close()
		case errors.Is(err, syscall.EADDRINUSE):
			return fmt.Errorf("port %d is already in use: stop the program that listens there, or set %s to another port", port, variable)
		case errors.Is(err, syscall.EACCES):
			return fmt.Errorf("port %d needs privileges that this user does not have: set %s to a port above 1023", port, variable)
		default:
			return fmt.Errorf("port %d cannot be used (%w): set %s to another port", port, err, variable)
		}
	}
	return nil
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
