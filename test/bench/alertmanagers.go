package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/google/uuid"
)

// Sizes and times of the comparison with a cluster of Alertmanagers.
const (
	outageIncidents = 20
	outageTime      = 40 * time.Second
	// outageQuiet is how long nothing may arrive until all counts as arrived.
	outageQuiet = 30 * time.Second
	outageLimit = 4 * time.Minute
	peerPath    = "/alertmanager"
)

// counted is how often a receiver accepted one thing.
type counted struct{ problem, recovery int }

// besideAlertmanagers opens incidents at two processes of the product, and fires as many alerts at two Alertmanagers of one
// cluster, while the receiver of both answers 500; and again when they are resolved. It counts what the receiver has accepted.
func besideAlertmanagers(ctx context.Context, o options) error {
	o.clients = []int{1}
	os.Setenv("COUNTERSIGN_EGRESS_ALLOW", "127.0.0.0/8")
	s, err := startStack(ctx, o)
	if err != nil {
		return err
	}
	defer s.stop()
	second, err := s.another("all")
	if err != nil {
		return err
	}
	s.others = append(s.others, second)
	if err := second.ready(ctx); err != nil {
		return err
	}
	receiver, err := newSink(ctx)
	if err != nil {
		return err
	}
	defer receiver.close()
	channel, err := s.hook(ctx, s.people[0], receiver.url+nowPath)
	if err != nil {
		return err
	}
	if err := errors.Join(s.want(ctx, s.people[0], rule{channel, 0}), s.policy(ctx, 0)); err != nil {
		return err
	}
	c := &outage{stack: s, sink: receiver, apis: []string{s.url, second.url}}
	if o.alertmanager != "" {
		if err := c.startCluster(ctx, o.alertmanager); err != nil {
			return err
		}
		defer c.stopCluster()
	}
	fmt.Printf(
		"# Beside Alertmanagers, %s\n\nLoad at the start: %s. %d incidents and alerts; the receiver answers 500 for %s "+
			"at their begin and at their end.\n\n",
		time.Now().Format(time.DateOnly),
		load(),
		outageIncidents,
		outageTime,
	)
	if err := errors.Join(c.begin(ctx), c.resolve(ctx)); err != nil {
		return err
	}
	return c.report()
}

// outage is the product and the cluster with one receiver.
type outage struct {
	*stack
	sink      *sink
	apis      []string
	incidents []uuid.UUID
	peers     []*exec.Cmd
	peerURLs  []string
}

// startCluster starts two Alertmanagers that know of each other.
func (c *outage) startCluster(ctx context.Context, binary string) error {
	config := filepath.Join(c.folder, "alertmanager.yml")
	text := fmt.Sprintf(`route:
  receiver: sink
  group_by: [alertname]
  group_wait: 1s
  group_interval: 10s
  repeat_interval: 4h
receivers:
  - name: sink
    webhook_configs:
      - url: %s%s
        send_resolved: true
`, c.sink.url, peerPath)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return err
	}
	first := "127.0.0.1:" + strconv.Itoa(freePort())
	for i, cluster := range []string{first, "127.0.0.1:" + strconv.Itoa(freePort())} {
		web := "127.0.0.1:" + strconv.Itoa(freePort())
		cmd := exec.Command(
			binary,
			"--config.file="+config,
			"--web.listen-address="+web,
			"--storage.path="+filepath.Join(
				c.folder,
				"alertmanager"+strconv.Itoa(i),
			),
			"--cluster.listen-address="+cluster,
			"--cluster.advertise-address="+cluster,
			"--cluster.peer="+first,
			"--log.level=error",
		)
		// It writes a line for each refused message.
		cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("start an Alertmanager: %w", err)
		}
		c.peers, c.peerURLs = append(c.peers, cmd), append(c.peerURLs, "http://"+web)
	}
	return until(ctx, time.Minute, 200*time.Millisecond, func() (bool, error) {
		for _, address := range c.peerURLs {
			var status struct {
				Cluster struct {
					Status string
					Peers  []struct{ Name string }
				}
			}
			err := exchange(ctx, http.DefaultClient, http.MethodGet, address+"/api/v2/status", nil, &status)
			if err != nil || status.Cluster.Status != "ready" || len(status.Cluster.Peers) != 2 {
				return false, nil //nolint:nilerr // it does not answer yet
			}
		}
		return true, nil
	})
}

func (c *outage) stopCluster() {
	for _, cmd := range c.peers {
		end(cmd, syscall.SIGKILL)
	}
}

// fire posts all alerts to all Alertmanagers, as Prometheus does.
func (c *outage) fire(ctx context.Context, ends time.Time) error {
	var alerts []map[string]any
	for i := range outageIncidents {
		alerts = append(alerts, map[string]any{"labels": map[string]string{"alertname": fmt.Sprintf("Incident %d", i)}, "endsAt": ends})
	}
	for _, address := range c.peerURLs {
		if err := exchange(ctx, http.DefaultClient, http.MethodPost, address+"/api/v2/alerts", alerts, nil); err != nil {
			return fmt.Errorf("fire alerts: %w", err)
		}
	}
	return nil
}

// begin opens incidents at both processes and fires the alerts, while the receiver fails.
func (c *outage) begin(ctx context.Context) error {
	system, err := c.system(ctx, "Shop")
	if err != nil {
		return err
	}
	c.sink.breakFor(outageTime)
	if err := c.fire(ctx, time.Now().Add(time.Hour)); err != nil {
		return err
	}
	for i := range outageIncidents {
		id, err := c.incident(ctx, c.apis[i%len(c.apis)], fmt.Sprintf("Incident %d", i), system)
		if err != nil {
			return err
		}
		c.incidents = append(c.incidents, id)
	}
	return c.settle(ctx, 1)
}

// resolve ends all of them while the receiver fails.
func (c *outage) resolve(ctx context.Context) error {
	c.sink.breakFor(outageTime)
	if err := c.fire(ctx, time.Now()); err != nil {
		return err
	}
	for i, id := range c.incidents {
		err := post(ctx, c.people[0], c.apis[i%len(c.apis)], "/api/incidents/"+id.String()+"/resolve", map[string]any{}, nil)
		if err != nil {
			return err
		}
	}
	return c.settle(ctx, 2)
}

// settle waits until the receiver has accepted each as often as it should, and then for a while in which nothing more arrives.
func (c *outage) settle(ctx context.Context, each int) error {
	err := until(ctx, outageLimit, 100*time.Millisecond, func() (bool, error) {
		return c.sink.count(nowPath) >= each*outageIncidents && (len(c.peers) == 0 || c.sink.count(peerPath) >= each*outageIncidents), nil
	})
	if err != nil {
		// The counts show it.
		fmt.Printf("Not all was told: %v\n", err)
	}
	seen, quiet := -1, time.Now()
	return until(ctx, outageLimit, 100*time.Millisecond, func() (bool, error) {
		if n := c.sink.count(nowPath) + c.sink.count(peerPath); n != seen {
			seen, quiet = n, time.Now()
		}
		return time.Since(quiet) > outageQuiet, nil
	})
}

// report compares the counts, and fails when the receiver has not accepted each message of the product exactly once.
func (c *outage) report() error {
	fmt.Println("| | accepted problems | accepted recoveries | told once, of all | lost | told more than once | posts |")
	fmt.Println("|---|--:|--:|--:|--:|--:|--:|")
	own, err := c.counts(nowPath, func(body []byte) (string, bool, error) {
		var m struct {
			Data struct {
				Phase string
				URL   string
			}
		}
		err := json.Unmarshal(body, &m)
		return m.Data.URL, m.Data.Phase == "recovery", err
	})
	if err != nil {
		return err
	}
	exact := c.row("Countersign, two processes", nowPath, own)
	if len(c.peers) == 0 {
		fmt.Println("\nThere is no Alertmanager to compare with: name its binary with -alertmanager.")
	} else {
		peer, err := c.counts(peerPath, func(body []byte) (string, bool, error) {
			var m struct {
				Status      string
				GroupLabels map[string]string
			}
			err := json.Unmarshal(body, &m)
			return m.GroupLabels["alertname"], m.Status == "resolved", err
		})
		if err != nil {
			return err
		}
		c.row("Alertmanager, two in a cluster", peerPath, peer)
	}
	if !exact {
		return errors.New("the receiver has not accepted each message exactly once")
	}
	return nil
}

// counts are the accepted posts about each thing.
func (c *outage) counts(path string, read func([]byte) (about string, recovery bool, err error)) (map[string]counted, error) {
	counts := map[string]counted{}
	for _, p := range c.sink.got(path) {
		if !p.accepted {
			continue
		}
		about, recovery, err := read(p.body)
		if err != nil {
			return nil, fmt.Errorf("read what the receiver got: %w", err)
		}
		n := counts[about]
		if recovery {
			n.recovery++
		} else {
			n.problem++
		}
		counts[about] = n
	}
	return counts, nil
}

// row prints the counts, and reports whether each is there exactly once.
func (c *outage) row(name, path string, counts map[string]counted) bool {
	problems, recoveries, once, more, seen := 0, 0, 0, 0, 0
	for _, n := range counts {
		problems, recoveries = problems+n.problem, recoveries+n.recovery
		for _, times := range []int{n.problem, n.recovery} {
			switch {
			case times == 1:
				once, seen = once+1, seen+1
			case times > 1:
				more, seen = more+1, seen+1
			}
		}
	}
	all := 2 * outageIncidents
	fmt.Printf("| %s | %d | %d | %d of %d | %d | %d | %d |\n", name, problems, recoveries, once, all, all-seen, more, len(c.sink.got(path)))
	return once == all && more == 0 && len(counts) == outageIncidents
}
