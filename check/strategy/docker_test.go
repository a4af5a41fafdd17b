package strategy_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/strategy"
)

// engine answers as the Engine API of Docker does.
func engine(w http.ResponseWriter, r *http.Request) {
	name, ok := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/containers/"), "/json")
	states := map[string]string{
		"shop":     `"Status":"running","Running":true,"StartedAt":"%s","Health":{"Status":"healthy","FailingStreak":0,"Log":[]}`,
		"plain":    `"Status":"running","Running":true,"StartedAt":"%s"`,
		"sick":     `"Status":"running","Running":true,"StartedAt":"%s","Health":{"Status":"unhealthy","FailingStreak":4,"Log":[{"Output":"old"},{"Output":"curl: (7) refused\nmore"}]}`,
		"starting": `"Status":"running","Running":true,"StartedAt":"%s","Health":{"Status":"starting"}`,
		"paused":   `"Status":"paused","Running":true,"StartedAt":"%s"`,
		"gone":     `"Status":"exited","ExitCode":3,"StartedAt":"%s"`,
		"killed":   `"Status":"exited","ExitCode":137,"OOMKilled":true,"StartedAt":"%s"`,
	}
	w.Header().Set("Content-Type", "application/json")
	state, known := states[name]
	if !ok || !known {
		w.WriteHeader(http.StatusNotFound)
		_, _ = fmt.Fprintf(w, `{"message":"No such container: %s"}`, name)
		return
	}
	state = fmt.Sprintf(state, time.Now().Add(-time.Hour).Format(time.RFC3339Nano))
	_, _ = fmt.Fprintf(w, `{"Id":"4f","RestartCount":2,"Config":{"Image":"shop:1.2"},"State":{%s}}`, state)
}

func docker(port int, container string) probe {
	return probe{
		strategy: "healthcheck-docker.docker", collector: "healthcheck-docker.container",
		config: object{"host": "known.test", "port": port, "withoutTls": true}, about: object{"container": container},
	}
}

func portOf(t testing.TB, url string) (n int) {
	_, err := fmt.Sscanf(url[strings.LastIndexByte(url, ':')+1:], "%d", &n)
	require.NoError(t, err)
	return n
}

func TestTheHealthOfAContainer(t *testing.T) {
	t.Parallel()
	at := portOf(t, web(t, engine))
	var found struct {
		State, Health, HealthOutput, Image string
		Running                            bool
		RestartCount                       int
		UptimeSeconds                      float64
	}
	docker(at, "shop").passes(t, &found)
	require.Equal(t, []string{"running", "healthy", "shop:1.2"}, []string{found.State, found.Health, found.Image})
	require.InDelta(t, 3600, found.UptimeSeconds, 60)
	docker(at, "shop").asserting("restartCount", "", "lessThan", "2").fails(t, check.AssertionFailed, "Expected restartCount < 2, got 2.")
	docker(at, "plain").asserting("health", "", "equals", `"none"`).passes(t, nil)
	for name, says := range map[string]string{
		"sick":   "The container sick is unhealthy, says its health check: curl: (7) refused.",
		"paused": "The container paused does not run: its state is paused.", "gone": "The container gone has ended with exit code 3.",
		"killed": "The container killed was killed because memory ran out.", "other": "Docker has no container other.",
	} {
		docker(at, name).fails(t, check.WrongAnswer, says)
	}
	docker(at, "starting").fails(t, check.NotRunnable, "has just started")
	docker(portOf(t, web(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "<html>") })), "shop").
		fails(t, check.BadProtocol, "does not have the Engine API of Docker: it answered with status 200.")
	docker(portOf(t, web(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = fmt.Fprint(w, `{"message":"the daemon is shutting down"}`)
	})), "shop").fails(t, check.WrongAnswer, "Docker answered with status 500: the daemon is shutting down.")
}

func TestASocketOfDockerIsAnOperatorsSetting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "docker.sock")
	listener, err := net.Listen("unix", path)
	require.NoError(t, err)
	server := &http.Server{Handler: http.HandlerFunc(engine), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	p := docker(0, "shop")
	p.config = object{"socket": "local"}
	p.settings.DockerSockets = map[string]string{"local": path, "away": path + ".away"}
	p.passes(t, nil)
	p.with(object{"socket": "away"}).fails(t, check.Unreachable, "Could not connect to the Docker socket away: ")
	for _, elsewhere := range []string{path, "../" + path, "unix://" + path, "other"} {
		if len(elsewhere) < 64 {
			p.with(object{"socket": elsewhere}).fails(t, check.NotRunnable, "COUNTERSIGN_CHECK_DOCKER_SOCKETS")
		}
	}
	registry, err := check.NewRegistry(strategy.All()...)
	require.NoError(t, err)
	require.Contains(t, messages(t, registry, p.with(object{"host": "known.test"})), "or socket is required, and not both")
	require.Contains(t, messages(t, registry, p.with(object{"socket": nil})), "or socket is required, and not both")
	p.about = object{"container": "../images/json?x="}
	require.Contains(t, messages(t, registry, p), "must be the name or id of a container")
}

// clientPair is a certificate and its key in PEM.
type clientPair struct{ certificate, key string }

// shownCertificate is a certificate for a check to show.
func shownCertificate(t testing.TB, ca *authority) clientPair {
	own := ca.issue(t, "check.test", time.Hour)
	key, err := x509.MarshalPKCS8PrivateKey(own.PrivateKey)
	require.NoError(t, err)
	return clientPair{
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: own.Certificate[0]})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})),
	}
}

func TestCertificatesOfDocker(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	wrongCertificates(t, ca, func(t *testing.T, c tls.Certificate) probe {
		config := &tls.Config{Certificates: []tls.Certificate{c}, MinVersion: tls.VersionTLS12}
		at := serving(t, &http.Server{Handler: http.HandlerFunc(engine)}, config, "https")
		return docker(portOf(t, at), "shop").with(object{"withoutTls": nil})
	})
}
