//go:build !linux

package store

import "syscall"

func boundUnanswered(string, string, syscall.RawConn) error { return nil }
