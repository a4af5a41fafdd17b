package strategy_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"countersign/check"
	"countersign/internal/egress/porttest"
)

// keyPair is a key in the form of OpenSSH, with a passphrase if there is one, and its signer.
func keyPair(t testing.TB, passphrase string) (string, ssh.Signer) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(key, "")
	if passphrase != "" {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(key, "", []byte(passphrase))
	}
	require.NoError(t, err)
	signer, err := ssh.NewSignerFromKey(key)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(block)), signer
}

// machine is a host whose user runs commands with known answers.
type machine struct {
	key   ssh.Signer
	users ssh.PublicKey
	over  <-chan struct{}
	// refusesInteractive has the host offer keyboard-interactive logins, and refuse them without a question.
	refusesInteractive bool
	// stats are what /proc/stat says, one after the other.
	stats atomic.Int32
}

const meminfo = "MemTotal:       16384000 kB\nMemFree:         1024000 kB\nMemAvailable:   12288000 kB\nBuffers: 100 kB\nCached: 200 kB\nSwapTotal:       2048000 kB\nSwapFree:        1536000 kB\n"

// answer is what a command writes, and its exit code.
func (m *machine) answer(command string) (stdout, stderr string, code uint32) {
	stat := func() string {
		n := uint64(m.stats.Add(1))
		// Of 100 ticks between two looks, 75 are busy.
		return fmt.Sprintf("cpu  %d 0 0 %d 0 0 0 0 0 0\ncpu0 1 0 0 1\ncpu1 1 0 0 1\nintr 5\n", 75*n, 25*n)
	}
	switch command {
	case "uptime":
		return "up 3 days\n", "", 0
	case "false":
		return "", "disk is on fire\n", 1
	case "hang":
		<-m.over
		return "", "", 0
	case "yes":
		return strings.Repeat("y\n", 1<<17), "", 0
	case "cat /proc/loadavg /proc/stat":
		return "0.50 0.40 0.30 1/100 12345\n" + stat(), "", 0
	case "cat /proc/stat":
		return stat(), "", 0
	case "cat /proc/meminfo":
		return meminfo, "", 0
	case "env LC_ALL=C df -P -k -- '/'":
		return "Filesystem     1024-blocks     Used Available Capacity Mounted on\n/dev/disk one    104857600 52428800  47185920      53% /\n", "", 0
	default:
		return "", "sh: not found\n", 127
	}
}

// start serves SSH and answers the port.
func (m *machine) start(t testing.TB) int {
	config := &ssh.ServerConfig{
		PasswordCallback: func(c ssh.ConnMetadata, given []byte) (*ssh.Permissions, error) {
			if c.User() == "watcher" && string(given) == password {
				return nil, nil
			}
			return nil, errors.New("no")
		},
		PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			if m.users != nil && string(key.Marshal()) == string(m.users.Marshal()) {
				return nil, nil
			}
			return nil, errors.New("no")
		},
	}
	if m.refusesInteractive {
		config.KeyboardInteractiveCallback = func(ssh.ConnMetadata, ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			return nil, errors.New("no questions without PAM")
		}
	}
	config.AddHostKey(m.key)
	return serve(t, func(conn net.Conn) {
		_, channels, requests, err := ssh.NewServerConn(conn, config)
		if err != nil {
			return
		}
		go ssh.DiscardRequests(requests)
		for offered := range channels {
			channel, asked, err := offered.Accept()
			if err != nil {
				return
			}
			go m.session(channel, asked)
		}
	})
}

func (m *machine) session(channel ssh.Channel, asked <-chan *ssh.Request) {
	defer func() { _ = channel.Close() }()
	for request := range asked {
		_ = request.Reply(request.Type == "exec", nil)
		if request.Type != "exec" {
			continue
		}
		var wanted struct{ Command string }
		_ = ssh.Unmarshal(request.Payload, &wanted)
		stdout, stderr, code := m.answer(wanted.Command)
		_, _ = io.WriteString(channel, stdout)
		_, _ = io.WriteString(channel.Stderr(), stderr)
		_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Code uint32 }{code}))
		return
	}
}

func onMachine(t testing.TB, m *machine) probe {
	_, m.key = keyPair(t, "")
	m.over = t.Context().Done()
	return probe{
		strategy: "healthcheck-ssh.ssh", collector: "healthcheck-ssh.command", about: object{"command": "uptime"},
		config: object{
			"host": "known.test", "port": m.start(t), "username": "watcher", "password": "${{ secrets.PASSWORD }}",
			"hostKey": ssh.FingerprintSHA256(m.key.PublicKey()),
		},
	}
}

func TestSSHCommand(t *testing.T) {
	t.Parallel()
	p := onMachine(t, &machine{})
	unreachable(t, p, "SSH")
	var found struct {
		ExitCode        int
		Success         bool
		Stdout, Stderr  string
		ExecutionTimeMs float64
	}
	p.passes(t, &found)
	require.Equal(t, "up 3 days\n", found.Stdout)
	require.True(t, found.Success)
	p.asking(object{"command": "false"}).fails(t, check.WrongAnswer, "ended with exit code 1: disk is on fire")
	outcome, _ := p.asking(object{"command": "false"}).run(t, &found)
	require.Equal(t, int16(1), outcome.Code)
	require.Equal(t, 1, found.ExitCode)
	p.asking(object{"command": "false", "successCodes": []int{0, 1}}).passes(t, &found)
	p.asking(object{"command": "nonsense"}).fails(t, check.WrongAnswer, "exit code 127: sh: not found")
	p.with(object{"timeout": 300}).asking(object{"command": "hang"}).fails(t, check.TimedOut, "did not end in time")
	p.asking(object{"command": "yes"}).passes(t, &found)
	require.LessOrEqual(t, len(found.Stdout), 64<<10)
}

func TestSSHKnowsTheHostByItsKey(t *testing.T) {
	t.Parallel()
	m := &machine{}
	p := onMachine(t, m)
	line := string(ssh.MarshalAuthorizedKey(m.key.PublicKey()))
	p.with(object{"hostKey": line}).passes(t, nil)
	p.with(object{"hostKey": nil}).fails(t, check.NotRunnable, "with the fingerprint "+ssh.FingerprintSHA256(m.key.PublicKey()))
	_, other := keyPair(t, "")
	p.with(object{"hostKey": ssh.FingerprintSHA256(other.PublicKey())}).fails(t, check.BadCertificate, "The host shows another key")
	p.with(object{"hostKey": string(ssh.MarshalAuthorizedKey(other.PublicKey()))}).fails(t, check.BadCertificate, "The host shows another key")
}

func TestSSHLogin(t *testing.T) {
	t.Parallel()
	plain, user := keyPair(t, "")
	m := &machine{users: user.PublicKey()}
	p := onMachine(t, m)
	p.with(object{"username": "nobody"}).fails(t, check.NotAdmitted, "did not let nobody in")
	byKey := p.with(object{"password": nil, "privateKey": "${{ secrets.KEY }}"})
	byKey.secrets = map[string]string{"KEY": plain}
	byKey.passes(t, nil)
	stranger, _ := keyPair(t, "")
	byKey.secrets = map[string]string{"KEY": stranger}
	byKey.fails(t, check.NotAdmitted, "did not let watcher in")
	byKey.secrets = map[string]string{"KEY": "no key at all"}
	byKey.fails(t, check.NotRunnable, "cannot be read")

	// A server without PAM offers keyboard-interactive and refuses it before its first question.
	withoutPAM := onMachine(t, &machine{refusesInteractive: true})
	withoutPAM.passes(t, nil)
	withoutPAM.with(object{"username": "nobody"}).fails(t, check.NotAdmitted, "did not let nobody in")

	locked, user := keyPair(t, "opens it")
	m2 := &machine{users: user.PublicKey()}
	p = onMachine(t, m2).with(object{"password": nil, "privateKey": "${{ secrets.KEY }}"})
	p.secrets = map[string]string{"KEY": locked, "PHRASE": "opens it"}
	p.fails(t, check.NotRunnable, "has a passphrase")
	p.with(object{"passphrase": "${{ secrets.PHRASE }}"}).passes(t, nil)
}

func TestHardware(t *testing.T) {
	t.Parallel()
	p := onMachine(t, &machine{}).asking(nil)
	var cpu struct {
		UsagePercent         float64
		LoadAvg1m, LoadAvg5m *float64
		CoreCount            *int
	}
	p.collector = "collector-hardware.cpu"
	p.passes(t, &cpu)
	require.InDelta(t, 75, cpu.UsagePercent, 0.01)
	require.InDelta(t, 0.5, *cpu.LoadAvg1m, 0)
	require.Equal(t, 2, *cpu.CoreCount)
	cpu.CoreCount = nil
	p.asking(object{"includeCoreCount": false}).passes(t, &cpu)
	require.Nil(t, cpu.CoreCount)

	var memory struct {
		TotalMb, UsedMb, FreeMb, UsedPercent, AvailablePercent float64

		SwapUsedMb, SwapTotalMb *float64
	}
	p.collector = "collector-hardware.memory"
	p.passes(t, &memory)
	require.InDelta(t, 25, memory.UsedPercent, 0.01)
	require.InDelta(t, 16000, memory.TotalMb, 0.01)
	require.InDelta(t, 500, *memory.SwapUsedMb, 0.01)
	p.asking(object{"includeBuffersCache": true}).passes(t, &memory)
	require.InDelta(t, 93.8, memory.UsedPercent, 0.01)
	require.InDelta(t, 75, memory.AvailablePercent, 0.01, "whatever counts as used")

	var disk struct {
		Filesystem, MountPoint                    string
		TotalGb, UsedGb, AvailableGb, UsedPercent float64
	}
	p.collector = "collector-hardware.disk"
	p.passes(t, &disk)
	require.Equal(t, "/dev/disk one", disk.Filesystem)
	require.Equal(t, "/", disk.MountPoint)
	require.InDelta(t, 100, disk.TotalGb, 0.01)
	require.InDelta(t, 52.6, disk.UsedPercent, 0.01)
	p.asking(object{"mountPoint": "/x'; rm -rf '/"}).fails(t, check.NotRunnable, "quotation mark")
	p.asking(object{"mountPoint": "/missing"}).fails(t, check.WrongAnswer, "exit code 127")
}

// TestOpenSSH is about the real server, where this machine has one: it looks at this machine.
func TestOpenSSH(t *testing.T) {
	t.Parallel()
	server, err := exec.LookPath("/usr/sbin/sshd")
	if err != nil || os.Getuid() != 0 {
		t.Skip("there is no sshd that this user can run")
	}
	home := t.TempDir()
	host, signer := keyPair(t, "")
	key, user := keyPair(t, "")
	at := porttest.Free(t)
	for name, text := range map[string]string{
		"host": host, "users": string(ssh.MarshalAuthorizedKey(user.PublicKey())),
		"config": fmt.Sprintf("Port %d\nListenAddress 127.0.0.1\nHostKey %s/host\nAuthorizedKeysFile %s/users\nPidFile %s/pid\nStrictModes no\nUsePAM no\nPermitRootLogin yes\nPasswordAuthentication no\n", at, home, home, home),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(home, name), []byte(text), 0o600))
	}
	_ = os.MkdirAll("/run/sshd", 0o755) // sshd wants it for its own protection
	run := exec.CommandContext(t.Context(), server, "-D", "-e", "-f", filepath.Join(home, "config"))
	require.NoError(t, run.Start())
	t.Cleanup(func() { _ = run.Process.Kill(); _ = run.Wait() })

	p := probe{
		strategy:  "healthcheck-ssh.ssh",
		collector: "healthcheck-ssh.command",
		about:     object{"command": "echo hello; exit 3", "successCodes": []int{3}},
		config: object{
			"host":       "known.test",
			"port":       at,
			"username":   "root",
			"privateKey": "${{ secrets.KEY }}",
			"hostKey":    ssh.FingerprintSHA256(signer.PublicKey()),
		},
		secrets: map[string]string{"KEY": key},
	}
	require.Eventually(t, func() bool {
		outcome, _ := p.run(t, nil)
		return outcome.Verdict == check.Passed
	}, time.Minute, 50*time.Millisecond)
	for collector, field := range map[string]string{"cpu": "coreCount", "memory": "totalMb", "disk": "totalGb"} {
		p.collector = "collector-hardware." + collector
		found := map[string]any{}
		p.asking(nil).passes(t, &found)
		require.Positive(t, found[field])
	}
	p.collector = "healthcheck-ssh.command"
	p.with(object{"username": "nobody"}).fails(t, check.NotAdmitted, "did not let nobody in")
}

// A host that takes no more sessions says so in a message of the protocol, which a failure quotes.
func TestAHostThatEndsTheSession(t *testing.T) {
	t.Parallel()
	payload := append([]byte{1, 0, 0, 0, 2, 0, 0, 0, 17}, "Too many sessions\x00\x00\x00\x00"...)
	padding := 8 - (5+len(payload))%8 + 8
	packet := append([]byte{0, 0, 0, byte(1 + len(payload) + padding), byte(padding)}, payload...)
	packet = append(packet, make([]byte, padding)...)
	at := serve(t, func(conn net.Conn) {
		_, _ = io.WriteString(conn, "SSH-2.0-full\r\n"+string(packet))
		_, _ = io.Copy(io.Discard, conn)
	})
	strategies["ssh"].at("known.test", at).fails(t, check.WrongAnswer, " ended the session: reason 2: \"Too many sessions\".")
}
