package temporal

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	uiserver "github.com/temporalio/ui-server/v2/server"
	uiconfig "github.com/temporalio/ui-server/v2/server/config"
	uioptions "github.com/temporalio/ui-server/v2/server/server_options"

	"countersign/dev/stack/port"
)

// UI is a running Temporal Web UI.
type UI struct {
	port   int
	server *uiserver.Server
	ended  chan struct{}
}

// StartUI starts the Web UI of server on 127.0.0.1:uiPort (0: a free port) and
// returns once it answers.
func StartUI(ctx context.Context, server *Server, uiPort int) (*UI, error) {
	if uiPort == 0 {
		free, err := port.Free(1)
		if err != nil {
			return nil, err
		}
		uiPort = free[0]
	}
	ui := &UI{
		port: uiPort,
		server: uiserver.NewServer(uioptions.WithConfigProvider(&uiconfig.Config{
			Host:                host,
			Port:                uiPort,
			TemporalGRPCAddress: server.Address(),
			DefaultNamespace:    Namespace,
			EnableUI:            true,
			HideLogs:            true,
			// It would ask a host on the internet.
			DisableNewsFetch: true,
			// Browsers send cookies marked secure over TLS only.
			CORS: uiconfig.CORS{CookieInsecure: true},
		})),
		ended: make(chan struct{}),
	}
	go func() {
		defer close(ui.ended)
		_ = ui.server.Start()
	}()
	if err := ui.await(ctx); err != nil {
		ui.Stop()
		return nil, fmt.Errorf("start the Temporal Web UI: %w", err)
	}
	return ui, nil
}

func (u *UI) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return retry(ctx, func() error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.URL()+"/healthz", nil)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("it answers with status %d", response.StatusCode)
		}
		return nil
	})
}

// URL is the address for a browser on this machine.
func (u *UI) URL() string { return "http://localhost:" + strconv.Itoa(u.port) }

// Stop stops the Web UI and waits for it.
func (u *UI) Stop() {
	u.server.Stop()
	<-u.ended
}
