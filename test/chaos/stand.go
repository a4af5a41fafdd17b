package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// stand is a separate PostgreSQL and Temporal, one of which is used through a relay, so that its address survives
// restarts.
type stand struct {
	devstack, data, log string
	relay               *relay
	// of extracts the address of the used server from the stack's output.
	of func(database, temporal string) (string, error)

	process  *process
	database string
	begun    int
}

func newStand(devstack, dir, name string, of func(database, temporal string) (string, error)) (*stand, error) {
	r, err := newRelay()
	if err != nil {
		return nil, err
	}
	s := &stand{devstack: devstack, data: filepath.Join(dir, name), log: filepath.Join(dir, name), relay: r, of: of}
	// PostgreSQL may run as another user, who must be able to traverse the folder.
	return s, os.Chmod(dir, 0o711)
}

// begin starts the servers on the existing data, and switches the relay once they answer.
func (s *stand) begin(ctx context.Context) error {
	s.begun++
	log := fmt.Sprintf("%s-%d.log", s.log, s.begun)
	told := `echo "database=$COUNTERSIGN_TEST_DATABASE_URL"; echo "temporal=$COUNTERSIGN_TEST_TEMPORAL_ADDRESS"; exec sleep 1000000`
	var err error
	if s.process, err = start(s.devstack, []string{"exec", "--data", s.data, "--", "sh", "-c", told}, basics(), log); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	for limited.Err() == nil {
		database, temporal := value(log, "database="), value(log, "temporal=")
		if temporal == "" {
			wait(limited, 50*time.Millisecond)
			continue
		}
		s.database = database
		to, err := s.of(database, temporal)
		if err != nil {
			return err
		}
		s.relay.turn(to)
		return nil
	}
	return fmt.Errorf("%s did not start; more in %s: %w", s.devstack, log, context.Cause(limited))
}

// value extracts the value of a complete log line with a prefix.
func value(path, begins string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, begins); ok && strings.HasSuffix(rest, "\n") {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// end stops the servers, gracefully or like a power failure, and waits until they are gone.
func (s *stand) end(signal syscall.Signal) {
	if s.process == nil {
		return
	}
	_ = s.process.cmd.Process.Signal(signal)
	<-s.process.done
	s.relay.turn("")
	s.process = nil
}

// gone reports whether the servers have exited by themselves.
func (s *stand) gone() bool {
	if s.process == nil {
		return true
	}
	select {
	case <-s.process.done:
		return true
	default:
		return false
	}
}

func (s *stand) close() {
	s.end(syscall.SIGTERM)
	s.relay.close()
}

// postgresOf and temporalOf extract the address of the used server.
func postgresOf(database, _ string) (string, error) {
	u, err := url.Parse(database)
	if err != nil {
		return "", errors.New("the stack has told no URL of a database")
	}
	return u.Host, nil
}

func temporalOf(_, temporal string) (string, error) { return temporal, nil }
