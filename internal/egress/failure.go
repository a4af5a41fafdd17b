package egress

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"syscall"

	"countersign/internal/problem"
)

// refuse makes the error for a target that may not be reached. reason completes "This URL cannot be requested: ".
func refuse(reason string, args ...any) *problem.Error {
	return failure(ErrRefused, "This URL cannot be requested: "+fmt.Sprintf(reason, args...)+".")
}

// refusedAddress is one text for names and addresses of every kind, so that it tells nothing about the network.
func (g *Guard) refusedAddress() *problem.Error {
	return refuse("its host is not a public internet address. %s", g.advice)
}

// refusedTarget repeats the caller's input, and so reveals nothing about the network.
func (g *Guard) refusedTarget(host string, port uint16) *problem.Error {
	return refuse("%s on port %d is not on the list of allowed targets. %s", host, port, g.advice)
}

// unreachable makes the error for an allowed target that does not answer. reason completes "The URL did not answer: ".
func unreachable(cause error, reason string, args ...any) *problem.Error {
	wrapped := ErrUnreachable
	// An OpError prints the address it was about; the error inside does not.
	if op, ok := errors.AsType[*net.OpError](cause); ok {
		cause = op.Err
	}
	if cause != nil {
		wrapped = fmt.Errorf("%w: %w", ErrUnreachable, cause)
	}
	return failure(wrapped, "The URL did not answer: "+fmt.Sprintf(reason, args...)+".")
}

// failure blames the input field, because the caller can change it. It is not retryable: an unreachable endpoint is a
// valid answer.
func failure(cause error, detail string) *problem.Error {
	return problem.InvalidInput(detail, problem.Issue{Path: "url", Message: detail}).WithCause(cause)
}

// Reason describes a network error without an address, as the end of a sentence.
func Reason(err error) string { return reasonOf(err) }

// reasonOf names what went wrong on the network without naming an address.
func reasonOf(err error) string {
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "its TLS certificate is not signed by a known authority"
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "its TLS certificate is for another host"
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		if invalid.Reason == x509.Expired {
			return "its TLS certificate has expired or is not valid yet"
		}
		return "its TLS certificate is not valid"
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "it does not speak TLS on this port"
	}
	if _, ok := errors.AsType[tls.AlertError](err); ok {
		return "the TLS handshake failed"
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return "it took too long"
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "it took too long"
	case errors.Is(err, context.Canceled):
		return "the request was stopped"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection was refused"
	case errors.Is(err, syscall.ECONNRESET):
		return "the connection was reset"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "the network has no route to it"
	default:
		return "the connection failed or the answer was not HTTP"
	}
}
