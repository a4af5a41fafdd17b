package strategy

import (
	"bytes"
	"context"
	"errors"
	"math"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"countersign/check"
	"countersign/internal/problem"
)

// mostOutput bounds the stored output of a command, in bytes per stream.
const mostOutput = 64 << 10

// sshConfig configures the login on a host.
type sshConfig struct {
	Host       string `json:"host" jsonschema:"minLength=1,maxLength=253" jsonschema_description:"Host name or address" check:"template,label=Host"`
	Port       int    `json:"port,omitempty" jsonschema:"minimum=1,maximum=65535,default=22" jsonschema_description:"Port of the SSH server" check:"label=Port"`
	Username   string `json:"username" jsonschema:"minLength=1,maxLength=100" jsonschema_description:"Who logs in" check:"template,label=User"`
	Password   string `json:"password,omitempty" jsonschema:"maxLength=4096" jsonschema_description:"Password of the user" check:"secret,label=Password"`
	PrivateKey string `json:"privateKey,omitempty" jsonschema:"maxLength=16384" jsonschema_description:"Private key of the user, in PEM or the format of OpenSSH" check:"secret,label=Private key"`
	Passphrase string `json:"passphrase,omitempty" jsonschema:"maxLength=4096" jsonschema_description:"Passphrase of the private key" check:"secret,label=Passphrase"`
	HostKey    string `json:"hostKey,omitempty" jsonschema:"maxLength=2000" jsonschema_description:"The key that the host has to show: a fingerprint such as SHA256:..., or a line of known_hosts without the name (ssh-ed25519 AAAA...). Without it a run says which key the host shows, and logs in nowhere." check:"template,label=Host key"`
	check.Deadline
	check.Tries
	check.Addressing
}

// Check implements check.Checker.
func (c *sshConfig) Check() []problem.Issue {
	var issues []problem.Issue
	if c.Password == "" && c.PrivateKey == "" {
		issues = append(issues, problem.Issue{Path: "password", Message: "or privateKey has to be set, to log in with"})
	}
	if c.HostKey != "" && wholeKey(c.HostKey) == nil && !strings.HasPrefix(c.HostKey, "SHA256:") {
		issues = append(
			issues,
			problem.Issue{Path: "hostKey", Message: "must be a fingerprint such as SHA256:..., or a key such as ssh-ed25519 AAAA..."},
		)
	}
	return issues
}

// sshCommandConfig is a command.
type sshCommandConfig struct {
	Command string `json:"command" jsonschema:"minLength=1,maxLength=4000" jsonschema_description:"What the shell of the user runs" check:"editor=shell,template,label=Command"`
	// SuccessCodes is nil for 0 only.
	SuccessCodes []int `json:"successCodes,omitempty" jsonschema:"maxItems=32" jsonschema_description:"Exit codes that are no failure; 0 alone when left out" check:"label=Exit codes of success"`
}

// commandResult is the result of a command.
type commandResult struct {
	ExitCode        int     `json:"exitCode" jsonschema_description:"Exit code" check:"chart=line,label=Exit code"`
	Success         bool    `json:"success" jsonschema_description:"Whether the exit code is one of the success codes" check:"label=Success"`
	Stdout          string  `json:"stdout" jsonschema_description:"What was written to stdout, at most 64 KiB" check:"jsonpath,label=Stdout"`
	Stderr          string  `json:"stderr" jsonschema_description:"What was written to stderr, at most 64 KiB" check:"label=Stderr"`
	ExecutionTimeMs float64 `json:"executionTimeMs" jsonschema_description:"How long it ran" check:"chart=line,unit=ms,label=Execution time,keep"`
	cutFields
}

// Code returns the exit code, which is stored with each run.
func (r *commandResult) Code() int16 { return codeOf(r.ExitCode) }

// codeOf clamps an exit code to 16 bits.
func codeOf(exit int) int16 { return int16(max(math.MinInt16, min(exit, math.MaxInt16))) }

// sshSession is a login on a host.
type sshSession struct {
	client *ssh.Client
	wire   *wire
}

func sshStrategy() check.Strategy {
	return check.NewStrategy(
		check.Kind{
			ID: "healthcheck-ssh.ssh", Name: "SSH", Category: "Hosts",
			Description: "Logs in to a host by SSH, runs commands, and reads how busy its processor, memory and disks are.",
		},
		openSSH, (*sshSession).close,
		check.NewCollector(check.Kind{
			ID: "healthcheck-ssh.command", Name: "SSH command", Category: "Hosts",
			Description: "Runs one command and keeps its exit code and what it wrote.",
		}, sshCommand),
		cpuCollector(), memoryCollector(), diskCollector(),
	)
}

func openSSH(ctx context.Context, run check.Run, c *sshConfig) (*sshSession, error) {
	methods, err := c.methods()
	if err != nil {
		return nil, err
	}
	w, err := reach(ctx, run, c.Host, c.Port)
	if err != nil {
		return nil, err
	}
	shown := false
	conn, channels, requests, err := ssh.NewClientConn(w, w.address, &ssh.ClientConfig{
		User: c.Username, Auth: methods, ClientVersion: "SSH-2.0-countersign",
		HostKeyAlgorithms: c.algorithms(),
		HostKeyCallback:   hostKey(c.HostKey, &shown),
	})
	if err != nil {
		_ = w.Close()
		return nil, c.failure(ctx, w, shown, err)
	}
	return &sshSession{client: ssh.NewClient(conn, channels, requests), wire: w}, nil
}

// methods returns the authentication methods. The failure is about the key.
func (c *sshConfig) methods() ([]ssh.AuthMethod, error) {
	var methods []ssh.AuthMethod
	if c.PrivateKey != "" {
		key, err := c.signer()
		if err != nil {
			return nil, err
		}
		methods = append(methods, ssh.PublicKeys(key))
	}
	if c.Password != "" {
		methods = append(methods, ssh.Password(c.Password),
			ssh.KeyboardInteractive(func(_, _ string, questions []string, _ []bool) ([]string, error) {
				return slices.Repeat([]string{c.Password}, len(questions)), nil
			}))
	}
	return methods, nil
}

func (c *sshConfig) signer() (ssh.Signer, error) {
	text := []byte(strings.ReplaceAll(strings.TrimSpace(c.PrivateKey), "\r\n", "\n") + "\n")
	var key ssh.Signer
	var err error
	if c.Passphrase == "" {
		key, err = ssh.ParsePrivateKey(text)
	} else {
		key, err = ssh.ParsePrivateKeyWithPassphrase(text, []byte(c.Passphrase))
	}
	switch {
	case errors.As(err, new(*ssh.PassphraseMissingError)):
		return nil, check.Fail(check.NotRunnable, "The private key of this check has a passphrase. Set it, too.")
	case err != nil:
		return nil, check.Fail(check.NotRunnable, "The private key of this check cannot be read, or its passphrase is wrong.")
	default:
		return key, nil
	}
}

// algorithms restricts host keys to the type of the known key, if the config has the whole key; nil for any.
func (c *sshConfig) algorithms() []string {
	key := wholeKey(c.HostKey)
	if key == nil {
		return nil
	}
	if key.Type() == ssh.KeyAlgoRSA {
		return []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256}
	}
	return []string{key.Type()}
}

// wholeKey parses a key such as ssh-ed25519 AAAA..., nil for other text.
func wholeKey(text string) ssh.PublicKey {
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(text)) //nolint:dogsled // what stands beside a key is of no matter
	if err != nil {
		return nil
	}
	return key
}

// hostKey accepts only the known key. shown is set once the host has presented it.
func hostKey(known string, shown *bool) ssh.HostKeyCallback {
	return func(_ string, _ net.Addr, key ssh.PublicKey) error {
		fingerprint := ssh.FingerprintSHA256(key)
		if known == "" {
			return check.Fail(
				check.NotRunnable,
				"This check has no hostKey. The host shows a key of type "+key.Type()+" with the fingerprint "+fingerprint+
					"; if that is the right one, make it the hostKey.",
			)
		}
		if whole := wholeKey(known); whole != nil {
			*shown = bytes.Equal(whole.Marshal(), key.Marshal())
		} else {
			*shown = strings.TrimRight(strings.TrimSpace(known), "=") == fingerprint
		}
		if !*shown {
			return check.Fail(
				check.BadCertificate,
				"The host shows another key than the hostKey of this check: one of type "+key.Type()+" with the fingerprint "+fingerprint+".",
			)
		}
		return nil
	}
}

// failure explains why the login failed.
func (c *sshConfig) failure(ctx context.Context, w *wire, shown bool, err error) error {
	head := w.began()
	switch {
	case errors.As(err, new(*check.Failure)):
		return check.Classify(ctx, "", err)
	case ctx.Err() != nil:
		return check.Classify(ctx, "log in to "+w.address, ctx.Err())
	case len(head) > 0 && !bytes.Contains(head, []byte("SSH-")):
		return misspoken(w.address, "SSH")
	case shown && (strings.Contains(err.Error(), "unable to authenticate") || strings.Contains(err.Error(), "unexpected message type 51")):
		// 51 is SSH_MSG_USERAUTH_FAILURE of RFC 4252, which some servers send in the middle of a keyboard-interactive exchange.
		return check.Fail(check.NotAdmitted, "The host did not let "+c.Username+" in. Check the user, the password or the key.")
	case !shown && len(head) > 0 && strings.Contains(err.Error(), "no common algorithm"):
		return check.Fail(
			check.BadProtocol,
			"The host at "+w.address+" and this check have no way of encryption, or no type of host key, in common.",
		)
	}
	said := strings.TrimPrefix(err.Error(), "ssh: handshake failed: ")
	if reason, ended := strings.CutPrefix(said, "ssh: disconnect, "); ended {
		return check.Fail(check.WrongAnswer, "The host at "+w.address+" ended the session: "+brief(reason)+".")
	}
	if len(head) > 0 && strings.HasPrefix(said, "ssh: ") {
		return check.Fail(check.BadProtocol, "The host at "+w.address+" does not keep to SSH: "+brief(strings.TrimPrefix(said, "ssh: "))+".")
	}
	return check.Classify(ctx, "log in to "+w.address, err)
}

func (s *sshSession) close() {
	_ = s.client.Close() // the run is over
	_ = s.wire.Close()
}

func sshCommand(ctx context.Context, _ check.Run, s *sshSession, c *sshCommandConfig) (*commandResult, error) {
	r, err := s.run(ctx, c.Command)
	if err != nil {
		return nil, err
	}
	return r, r.judge("The command", c.SuccessCodes)
}

// judge returns the failure for an exit code that is no success.
func (r *commandResult) judge(what string, success []int) error {
	if success == nil {
		success = []int{0}
	}
	if r.Success = slices.Contains(success, r.ExitCode); r.Success {
		return nil
	}
	message := what + " ended with exit code " + strconv.Itoa(r.ExitCode)
	if said := brief(r.Stderr); said != "" {
		message += ": " + said
	}
	return check.Fail(check.WrongAnswer, message+".")
}

// run runs a command until it exits.
func (s *sshSession) run(ctx context.Context, command string) (*commandResult, error) {
	session, err := s.client.NewSession()
	if err != nil {
		if refusal, ok := errors.AsType[*ssh.OpenChannelError](err); ok {
			return nil, check.Fail(check.NotAdmitted, "The host does not let the user run commands: "+brief(refusal.Message)+".")
		}
		return nil, check.Classify(ctx, "run a command at "+s.wire.address, err)
	}
	defer func() { _ = session.Close() }()
	var stdout, stderr bounded
	session.Stdout, session.Stderr = &stdout, &stderr
	began := time.Now()
	err = session.Run(command)
	r := &commandResult{ExecutionTimeMs: milliseconds(time.Since(began))}
	r.Stdout, r.Stderr = stdout.of(&r.cutFields, "stdout"), stderr.of(&r.cutFields, "stderr")
	var exit *ssh.ExitError
	switch {
	case err == nil:
		return r, nil
	case errors.As(err, &exit):
		r.ExitCode = exit.ExitStatus()
		return r, nil
	case ctx.Err() != nil:
		return nil, check.Fail(check.TimedOut, "The command did not end in time.")
	case errors.As(err, new(*ssh.ExitMissingError)):
		return nil, check.Fail(check.WrongAnswer, "The command ended without an exit code.")
	default:
		return nil, check.Classify(ctx, "run a command at "+s.wire.address, err)
	}
}

// bounded keeps the beginning of an output.
type bounded struct {
	bytes.Buffer
	cut bool
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	room := max(mostOutput-b.Len(), 0)
	if room > 0 {
		_, _ = b.Buffer.Write(p[:min(len(p), room)]) // into memory
	}
	b.cut = b.cut || len(p) > room
	return len(p), nil
}

// of returns the output as a field of a result.
func (b *bounded) of(c *cutFields, field string) string {
	if b.cut {
		c.note(onlyFirst(mostOutput), field)
	}
	return c.clip(field, b.String(), mostOutput)
}

// Sends implements check.Sender.
func (c *sshConfig) Sends() check.Sending {
	return check.Sending{Lines: []string{"It logs in to " + hostPort(c.Host, otherwise(c.Port, 22)) + " by SSH as " + c.Username + "."}}
}

// Sends implements check.Sender.
func (c *sshCommandConfig) Sends() check.Sending {
	return check.Sending{Lines: []string{"It runs the command there: " + excerpt(c.Command)}}
}
