package strategy

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"countersign/check"
	"countersign/internal/problem"
)

// dockerConfig configures the Engine API to ask.
type dockerConfig struct {
	Host   string `json:"host,omitempty" jsonschema:"maxLength=253" jsonschema_description:"Host name or address of the Docker Engine; empty with a socket" check:"template,label=Host"`
	Port   int    `json:"port,omitempty" jsonschema:"minimum=1,maximum=65535,default=2376" jsonschema_description:"Port of the Engine API: 2376 with TLS, 2375 without" check:"label=Port"`
	Plain  bool   `json:"withoutTls,omitempty" jsonschema_description:"Connect without TLS. Whoever reaches such a port controls the machine." check:"label=Without TLS"`
	Socket string `json:"socket,omitempty" jsonschema:"maxLength=64" jsonschema_description:"A socket of the machine that runs the check, by the name that the operator gave it" check:"label=Socket"`
	Encryption
	check.Deadline
	check.Tries
	check.Addressing
}

// Check implements check.Checker.
func (c *dockerConfig) Check() []problem.Issue {
	issues := c.issues()
	if c.Plain || c.Socket != "" {
		issues = append(issues, c.without("connect with TLS")...)
	}
	if (c.Host == "") == (c.Socket == "") {
		issues = append(issues, problem.Issue{Path: "host", Message: "or socket is required, and not both"})
	}
	return issues
}

// dockerContainerConfig names a container.
type dockerContainerConfig struct {
	Container string `json:"container" jsonschema:"minLength=1,maxLength=200" jsonschema_description:"Name or id of the container" check:"template,label=Container"`
}

var containerName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// Check implements check.Checker.
func (c *dockerContainerConfig) Check() []problem.Issue {
	if containerName.MatchString(c.Container) {
		return nil
	}
	return []problem.Issue{{Path: "container", Message: "must be the name or id of a container: letters, digits, and _ . - between them"}}
}

// dockerContainerResult is the state of a container.
type dockerContainerResult struct {
	State          string  `json:"state" jsonschema_description:"What Docker says: running, paused, restarting, exited, dead, created, removing" check:"label=State"`
	Running        bool    `json:"running" jsonschema_description:"Whether it runs" check:"label=Running"`
	Health         string  `json:"health" jsonschema_description:"What its own health check says: healthy, unhealthy, starting; none without one" check:"label=Health"`
	FailingStreak  int     `json:"failingStreak" jsonschema_description:"How often its health check failed in a row" check:"chart=line,label=Failing streak"`
	HealthOutput   string  `json:"healthOutput,omitempty" jsonschema_description:"The last output of its health check" check:"label=Health output"`
	RestartCount   int     `json:"restartCount" jsonschema_description:"How often Docker has restarted it" check:"chart=line,label=Restarts,keep"`
	ExitCode       int     `json:"exitCode" jsonschema_description:"Exit code of its last end; 0 while it runs for the first time" check:"label=Exit code"`
	OOMKilled      bool    `json:"oomKilled" jsonschema_description:"Whether it was killed because memory ran out" check:"label=Out of memory"`
	StartedAt      string  `json:"startedAt,omitempty" jsonschema_description:"When it was started last" check:"label=Started"`
	UptimeSeconds  float64 `json:"uptimeSeconds" jsonschema_description:"For how long it runs" check:"chart=line,unit=s,label=Uptime"`
	Image          string  `json:"image" jsonschema_description:"The image that it was made of" check:"label=Image"`
	ResponseTimeMs float64 `json:"responseTimeMs" jsonschema_description:"From the request until the whole answer" check:"chart=line,unit=ms,label=Response time"`
	CertificateDays
	cutFields
}

func dockerStrategy(sockets map[string]string) check.Strategy {
	return check.NewStrategy(
		check.Kind{
			ID: "healthcheck-docker.docker", Name: "Docker", Category: "Infrastructure",
			Description: "Asks a Docker Engine, or Podman, about its containers.",
		},
		func(_ context.Context, run check.Run, c *dockerConfig) (*webCall, error) {
			return openDocker(run, c, sockets)
		}, nil,
		check.NewCollector(check.Kind{
			ID: "healthcheck-docker.container", Name: "Docker container", Category: "Infrastructure",
			Description: "Whether a container runs, and what its own health check says. Anything but running and healthy is a failure.",
		}, dockerContainer),
	)
}

func openDocker(run check.Run, c *dockerConfig, sockets map[string]string) (*webCall, error) {
	call := &webCall{run: run, service: "Docker", base: &url.URL{Scheme: "https", Host: hostPort(c.Host, otherwise(c.Port, 2376))}}
	if c.Socket != "" {
		path, ok := sockets[c.Socket]
		if !ok {
			return nil, check.Fail(
				check.NotRunnable,
				"No socket of Docker has the name "+brief(
					c.Socket,
				)+" where this check runs. An operator names sockets in COUNTERSIGN_CHECK_DOCKER_SOCKETS.",
			)
		}
		call.base = &url.URL{Scheme: "http", Host: "docker"}
		call.named = "the Docker socket " + c.Socket
		call.connect = func(ctx context.Context) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
				return nil, check.Fail(check.Unreachable, "Could not connect to "+call.named+": it is missing, or closed to this process.")
			}
			if err != nil {
				return nil, check.Classify(ctx, "connect to "+call.named, err)
			}
			return conn, nil
		}
		return call, nil
	}
	if c.Plain {
		call.base.Scheme = "http"
	}
	var err error
	call.secured, err = c.trust(c.Host)
	return call, err
}

// dockerInspection is the part of the answer of /containers/{id}/json that a check needs.
type dockerInspection struct {
	State *struct {
		Status    string `json:"Status"`
		Running   bool   `json:"Running"`
		OOMKilled bool   `json:"OOMKilled"`
		ExitCode  int    `json:"ExitCode"`
		StartedAt string `json:"StartedAt"`
		Health    *struct {
			Status        string `json:"Status"`
			FailingStreak int    `json:"FailingStreak"`
			Log           []struct {
				Output string `json:"Output"`
			} `json:"Log"`
		} `json:"Health"`
	} `json:"State"`
	RestartCount int `json:"RestartCount"`
	Config       struct {
		Image string `json:"Image"`
	} `json:"Config"`
}

func dockerContainer(ctx context.Context, run check.Run, call *webCall, c *dockerContainerConfig) (*dockerContainerResult, error) {
	a, err := call.get(ctx, "/containers/"+c.Container+"/json", nil)
	if err != nil {
		return nil, err
	}
	if err := call.refusal(a); err != nil {
		return nil, err
	}
	var said struct {
		Message string `json:"message"`
	}
	var found dockerInspection
	switch {
	case json.Unmarshal(a.body, &said) != nil, json.Unmarshal(a.body, &found) != nil, a.status == http.StatusOK && found.State == nil:
		return nil, check.Fail(
			check.BadProtocol, sentence(call.address()+" does not have the Engine API of Docker: it answered with status "+itoa(a.status)),
		)
	case a.status == http.StatusNotFound && strings.Contains(said.Message, "ontainer"):
		return nil, check.Fail(check.WrongAnswer, "Docker has no container "+c.Container+".")
	case a.status != http.StatusOK:
		return nil, check.Fail(check.WrongAnswer, "Docker answered with status "+itoa(a.status)+": "+brief(said.Message)+".")
	}
	s := found.State
	r := &dockerContainerResult{
		State: clip(s.Status, 50), Running: s.Running, Health: "none", RestartCount: found.RestartCount, ExitCode: s.ExitCode,
		OOMKilled: s.OOMKilled, Image: clip(found.Config.Image, 300), ResponseTimeMs: milliseconds(a.took),
		CertificateDays: a.certificate.days,
	}
	if started, err := time.Parse(time.RFC3339Nano, s.StartedAt); err == nil && started.Year() > 1970 {
		r.StartedAt = started.UTC().Format(time.RFC3339)
		if s.Running {
			r.UptimeSeconds = max(run.Now().Sub(started).Seconds(), 0)
		}
	}
	if h := s.Health; h != nil && h.Status != "" {
		r.Health, r.FailingStreak = clip(h.Status, 50), h.FailingStreak
		if len(h.Log) > 0 {
			r.HealthOutput = r.clip("healthOutput", strings.TrimSpace(h.Log[len(h.Log)-1].Output), mostHealthOutput)
		}
	}
	if err := r.failure(c.Container); err != nil {
		return r, err
	}
	return r, a.certificate.failure(run)
}

// mostHealthOutput bounds the output of a health check of Docker, in bytes.
const mostHealthOutput = 2000

// failure explains the state of a container that is not well.
func (r *dockerContainerResult) failure(name string) error {
	output := ""
	if line := brief(r.HealthOutput); line != "" {
		output = ": " + line
	}
	switch {
	case r.OOMKilled && !r.Running:
		return check.Fail(check.WrongAnswer, "The container "+name+" was killed because memory ran out.")
	case r.State == "exited" || r.State == "dead":
		return check.Fail(check.WrongAnswer, "The container "+name+" has ended with exit code "+itoa(r.ExitCode)+".")
	case r.State != "running":
		return check.Fail(check.WrongAnswer, "The container "+name+" does not run: its state is "+otherwise(brief(r.State), "unknown")+".")
	case r.Health == "starting":
		return check.Fail(check.NotRunnable, "The container "+name+" has just started, and its health check has not passed yet.")
	case r.Health != "healthy" && r.Health != "none":
		return check.Fail(check.WrongAnswer, "The container "+name+" is "+brief(r.Health)+", says its health check"+output+".")
	default:
		return nil
	}
}

// Sends implements check.Sender.
func (c *dockerConfig) Sends() check.Sending {
	to := hostPort(c.Host, otherwise(c.Port, 2376))
	if c.Socket != "" {
		to = "the socket " + c.Socket
	}
	return unlessLines(check.Sending{Reads: true, Lines: []string{"It asks the Docker Engine at " + to + "."}}, c.ServerName)
}

// Sends implements check.Sender.
func (c *dockerContainerConfig) Sends() check.Sending {
	return check.Sending{Reads: true, Lines: []string{"It asks about the container " + c.Container + "."}}
}
