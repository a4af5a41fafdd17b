package temporal

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"github.com/temporalio/ui-server/v2/server/api"
	"github.com/temporalio/ui-server/v2/server/auth"
	uiconfig "github.com/temporalio/ui-server/v2/server/config"
	"github.com/temporalio/ui-server/v2/server/cors"
	"github.com/temporalio/ui-server/v2/server/csrf"
	"github.com/temporalio/ui-server/v2/server/headers"
	"github.com/temporalio/ui-server/v2/server/route"
	"github.com/temporalio/ui-server/v2/ui"

	"countersign/dev/stack/port"
)

// UIConfig configures the server that a Web UI shows, and its access.
type UIConfig struct {
	Server *Server
	// Port is the port on 127.0.0.1 and, where there is one, ::1; 0 picks a free one.
	Port int
	// Hosts are the accepted host names besides localhost and addresses, for a reverse proxy.
	Hosts []string
	// Codec is the address of the product's remote codec; empty when payloads are not encrypted.
	Codec string
}

// UI is a running Temporal Web UI.
type UI struct {
	port   int
	server *http.Server
	ended  chan struct{}
}

// StartUI starts the Web UI and returns once it answers.
func StartUI(ctx context.Context, cfg UIConfig) (*UI, error) {
	if cfg.Port == 0 {
		free, err := port.Free(1)
		if err != nil {
			return nil, err
		}
		cfg.Port = free[0]
	}
	handler, err := uiHandler(&uiconfig.Config{
		Host:                host,
		Port:                cfg.Port,
		TemporalGRPCAddress: cfg.Server.Address(),
		DefaultNamespace:    Namespace,
		EnableUI:            true,
		HideLogs:            true,
		// It would send a request to a host on the internet.
		DisableNewsFetch: true,
		// Browsers send cookies marked secure over TLS only.
		CORS: uiconfig.CORS{CookieInsecure: true},
		// The codec authenticates a person by the product's session cookie, which is forwarded.
		Codec: uiconfig.Codec{
			Endpoint: cfg.Codec, IncludeCredentials: cfg.Codec != "",
			DefaultErrorMessage: "Sign in to Countersign in this browser to read encrypted values; it needs the access rule temporal.payload.read.",
		},
	})
	if err != nil {
		return nil, fmt.Errorf("start the Temporal Web UI: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address(cfg.Port))
	if err != nil {
		return nil, fmt.Errorf("start the Temporal Web UI: %w", err)
	}
	u := &UI{
		port:   cfg.Port,
		server: &http.Server{Handler: guard(handler, cfg.Hosts), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute},
		ended:  make(chan struct{}),
	}
	listeners := []net.Listener{listener}
	// Some browsers try ::1 first for localhost. It is optional.
	if six, err := (&net.ListenConfig{}).Listen(ctx, "tcp6", net.JoinHostPort("::1", strconv.Itoa(cfg.Port))); err == nil {
		listeners = append(listeners, six)
	}
	go u.serve(listeners)
	if err := u.await(ctx); err != nil {
		u.Stop()
		return nil, fmt.Errorf("start the Temporal Web UI: %w", err)
	}
	return u, nil
}

func (u *UI) serve(listeners []net.Listener) {
	defer close(u.ended)
	served := make(chan struct{})
	for _, l := range listeners {
		go func() {
			_ = u.server.Serve(l)
			served <- struct{}{}
		}()
	}
	for range listeners {
		<-served
	}
}

// uiHandler returns the handler of the package's own server, which would listen by itself and could not be restricted
// to host names.
func uiHandler(cfg *uiconfig.Config) (http.Handler, error) {
	provider, err := uiconfig.NewConfigProviderWithRefresh(cfg)
	if err != nil {
		return nil, err
	}
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	secure := !cfg.CORS.CookieInsecure
	e.Use(
		middleware.Recover(),
		middleware.Gzip(),
		cors.CORSMiddleware(cors.CORSConfig{ConfigProvider: provider}),
		middleware.Secure(),
		csrf.EnsureTokenCookie(secure),
		middleware.CSRFWithConfig(csrf.MiddlewareConfig(provider, secure)),
	)
	e.Pre(route.PublicPath(cfg.PublicPath))
	route.SetHealthRoute(e)
	forward := []api.Middleware{headers.WithForwardHeaders([]string{auth.AuthorizationExtrasHeader, "Caller-Type"})}
	if err := route.SetAPIRoutes(e, provider, forward); err != nil {
		return nil, err
	}
	route.SetAuthRoutes(e, provider)
	assets, err := ui.Assets()
	if err != nil {
		return nil, err
	}
	local, err := fs.Sub(assets, "local")
	if err != nil {
		return nil, err
	}
	if err := route.SetUIRoutes(e, cfg.PublicPath, local, provider); err != nil {
		return nil, err
	}
	route.SetRenderRoute(e, "/")
	return e, nil
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
	_ = u.server.Close()
	<-u.ended
}
