package stack_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"countersign/dev/stack/stack"
)

// TestMain lets the test binary stand in for two other programs, by the name that
// it is called with: devstack itself, so that tests can interrupt and kill it as a
// process, and a countersign that remembers its starts in the database.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "devstack":
		os.Exit(stack.Main(os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
	case "countersign":
		os.Exit(runCountersign())
	}
	os.Exit(m.Run())
}

// runCountersign does what the stack expects of the product: `migrate` prepares
// the database, `all` answers on PORT until it is asked to stop.
func runCountersign() int {
	ctx, restore := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer restore()
	if os.Getenv("FAKE_CRASHES") != "" {
		return 3
	}
	db, err := pgx.Connect(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer db.Close(context.WithoutCancel(ctx))

	if os.Args[1] == "migrate" {
		_, err = db.Exec(ctx, "create table if not exists starts (pid int)")
	} else {
		err = serve(ctx, db)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// report is what the fake product answers about itself.
type report struct {
	Pid     int
	Starts  int
	Setting map[string]string
}

func serve(ctx context.Context, db *pgx.Conn) error {
	answer := report{Pid: os.Getpid(), Setting: map[string]string{}}
	if _, err := db.Exec(ctx, "insert into starts values ($1)", answer.Pid); err != nil {
		return err
	}
	if err := db.QueryRow(ctx, "select count(*) from starts").Scan(&answer.Starts); err != nil {
		return err
	}
	for _, name := range []string{"COUNTERSIGN_DATA", "TEMPORAL_ADDRESS", "TEMPORAL_NAMESPACE", "TEMPORAL_UI_URL", "OPENAI_API_KEY"} {
		answer.Setting[name] = os.Getenv(name)
	}
	data := os.Getenv("COUNTERSIGN_DATA")
	err := os.WriteFile(filepath.Join(data, "credentials.json"),
		[]byte(`{"email":"admin@example.test","password":"first-password","url":"http://localhost"}`), 0o600)
	if err != nil {
		return err
	}

	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(answer) })
	mux.HandleFunc("POST /crash", func(http.ResponseWriter, *http.Request) { os.Exit(3) })
	server := &http.Server{Addr: "127.0.0.1:" + os.Getenv("PORT"), Handler: mux}
	go func() {
		<-ctx.Done()
		// The database still answers here, because the product stops first.
		_, err := db.Exec(context.WithoutCancel(ctx), "select 1")
		_ = os.WriteFile(filepath.Join(data, "drained"), strconv.AppendBool(nil, err == nil), 0o600)
		_ = server.Close()
	}()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-ctx.Done()
	return nil
}
