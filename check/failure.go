package check

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"os"
	"syscall"

	"countersign/internal/egress"
)

// Cause is the reason why a run did not pass. Its number is stored with each result and never changes its meaning.
type Cause int16

// The causes. Those up to WrongAnswer are about the target; the others mean that the run could not be made, which says
// nothing about the target.
const (
	None            Cause = 0
	Refused         Cause = 1 // the connection was refused
	TimedOut        Cause = 2
	NameNotFound    Cause = 3
	Unreachable     Cause = 4 // no route, network down
	Broken          Cause = 5 // the connection was interrupted
	BadCertificate  Cause = 6 // expired, wrong name, unknown authority
	BadProtocol     Cause = 7 // it answered something that is not the protocol
	NotAdmitted     Cause = 8 // credentials or rights were refused
	WrongAnswer     Cause = 9 // an answer of the protocol that says no: a query error, NOT_SERVING
	AssertionFailed Cause = 10
	Silent          Cause = 11 // no heartbeat came in

	EgressRefused  Cause = 32 // the operator does not let checks reach that address
	SecretMissing  Cause = 33
	TemplateFailed Cause = 34
	NotRunnable    Cause = 35 // a configuration that does not fit any more, a script policy that says no
	HostFailed     Cause = 36 // our own fault
	Overloaded     Cause = 37 // shed: too many probes in flight
)

// AboutTarget reports whether the cause says something about the target.
func (c Cause) AboutTarget() bool { return c > None && c < EgressRefused }

// Failure explains why a run did not pass, with a sentence for people that holds no secret.
type Failure struct { //nolint:errname // it is not an error of the program but what a run has found
	Cause   Cause
	Message string
	err     error
}

func (f *Failure) Error() string { return f.Message }
func (f *Failure) Unwrap() error { return f.err }

// Fail makes a failure.
func Fail(cause Cause, message string) *Failure { return &Failure{Cause: cause, Message: message} }

// ErrTooMuch is the error of reading a target that sends more than a check takes.
var ErrTooMuch = errors.New("the target sends more than a check takes")

// Classify finds the cause of a network, TLS or deadline error; an unknown error is a Broken connection, or TimedOut
// when ctx has ended. A Failure is returned unchanged. doing describes the action, such as "connect to
// db.example.com:5432".
func Classify(ctx context.Context, doing string, err error) *Failure {
	if known, ok := errors.AsType[*Failure](err); ok {
		return known
	}
	cause, text := causeOf(ctx, err)
	return &Failure{Cause: cause, Message: "Could not " + doing + ": " + text + ".", err: err}
}

func causeOf(ctx context.Context, err error) (Cause, string) {
	var dns *net.DNSError
	var family *egress.NoAddressError
	var invalid x509.CertificateInvalidError
	var name x509.HostnameError
	var unknown x509.UnknownAuthorityError
	var record tls.RecordHeaderError
	var timeout net.Error
	switch {
	case errors.Is(err, ErrTooMuch):
		return WrongAnswer, "it sends more than a check takes"
	case errors.Is(err, egress.ErrRefused):
		return EgressRefused, "checks may not reach that address"
	case errors.As(err, &family):
		return NameNotFound, family.Error()
	case errors.As(err, &dns) && dns.IsNotFound:
		return NameNotFound, "the name " + dns.Name + " does not exist"
	case errors.As(err, &dns) && (dns.IsTimeout || ctx.Err() != nil):
		return TimedOut, "looking up the name " + dns.Name + " took too long"
	case errors.As(err, &dns):
		return Unreachable, "the name " + dns.Name + " could not be looked up"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return BadCertificate, "the certificate has expired or is not valid yet"
	case errors.As(err, &name):
		return BadCertificate, "the certificate is for another name"
	case errors.As(err, &unknown):
		return BadCertificate, "the certificate is signed by an authority that is not known"
	case errors.As(err, &invalid):
		return BadCertificate, "the certificate is not valid"
	case errors.As(err, &record):
		return BadProtocol, "the server does not speak TLS there"
	case errors.Is(err, syscall.ECONNREFUSED):
		return Refused, "the connection was refused"
	case errors.Is(err, syscall.EMFILE),
		errors.Is(err, syscall.ENFILE),
		errors.Is(err, syscall.EADDRNOTAVAIL),
		errors.Is(err, syscall.ENOBUFS):
		return Overloaded, "the machine that runs the check has no more connections to give"
	case errors.Is(err, syscall.EHOSTUNREACH),
		errors.Is(err, syscall.ENETUNREACH),
		errors.Is(err, syscall.EACCES),
		errors.Is(err, syscall.EPERM):
		return Unreachable, "there is no way to it"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), ctx.Err() != nil,
		errors.As(err, &timeout) && timeout.Timeout():
		return TimedOut, "it took too long"
	default:
		return Broken, "the connection was interrupted"
	}
}
