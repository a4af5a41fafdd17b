//go:build linux

package image_test

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/internal/egress/porttest"
	"countersign/internal/store/storetest"
)

// patience is how long a test waits for what has to happen. It is no measure of speed.
const patience = 5 * time.Minute

// Scripts run in the containers of docker-compose.yml: the worker finds the guests in its binary, compiles them, and keeps what it has
// compiled where it may write.
func TestScriptsRunInContainers(t *testing.T) {
	t.Parallel()
	mounts(t)
	site := newSite(t)
	api := site.run(t, "api")
	person := api.signIn(t, site.volume(t, "data"))
	worker := site.run(t, "worker")

	var ts struct {
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	person.test(
		t,
		map[string]any{"context": "healthcheck-script", "source": "const n: number = 6 * 7;\nreturn { success: true, value: n };\n"},
		&ts,
	)
	require.JSONEq(t, `{"success":true,"value":42}`, string(ts.Result), "%s", ts.Error)
	var sh struct {
		Stdout   string `json:"stdout"`
		ExitCode *int   `json:"exitCode"`
	}
	person.test(t, map[string]any{"context": "healthcheck-shell", "source": "echo '[1,2,39]' | jq 'add' | sed 's/^/sum /'\n"}, &sh)
	require.Equal(t, "sum 42\n", sh.Stdout)
	require.Zero(t, *sh.ExitCode)

	require.NotContains(t, worker.printed.String(), "cannot be written")
	kept := 0
	require.NoError(t, filepath.WalkDir(site.volume(t, "engines"), func(_ string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			kept++
		}
		return err
	}))
	require.Positive(t, kept, "compiled engines are kept for the next start")
}

// site is an installation in containers.
type site struct {
	root     string
	image    stage
	services map[string]service
	volumes  map[string]string
	shared   map[string]string
	account  int
}

func newSite(t *testing.T) *site {
	t.Helper()
	temporal := os.Getenv("COUNTERSIGN_TEST_TEMPORAL_ADDRESS")
	if temporal == "" {
		t.Skip("COUNTERSIGN_TEST_TEMPORAL_ADDRESS is not set: run `make test`, or `bin/devstack exec -- go test ./...`")
	}
	stages := dockerfile(t)
	s := &site{root: t.TempDir(), image: stages[len(stages)-1], volumes: map[string]string{}}
	s.services = compose(t, map[string]string{"POSTGRES_PASSWORD": "secret"})
	s.shared = map[string]string{
		"DATABASE_URL": storetest.URL(
			t,
		),
		"TEMPORAL_ADDRESS":         temporal,
		"COUNTERSIGN_QUEUE_PREFIX": uuid.NewString() + "-",
		"COUNTERSIGN_HOST":         "127.0.0.1",
	}
	if namespace := os.Getenv("TEMPORAL_NAMESPACE"); namespace != "" {
		s.shared["TEMPORAL_NAMESPACE"] = namespace
	}
	account := regexp.MustCompile(`adduser .*-u (\d+)`).FindStringSubmatch(strings.Join(s.image.of("RUN"), "\n"))
	require.NotEmpty(t, account, "the image has an account of its own")
	require.Equal(t, []string{"countersign"}, s.image.of("USER"))
	var err error
	s.account, err = strconv.Atoi(account[1])
	require.NoError(t, err)
	for _, dir := range []string{"/usr/local/bin", "/tmp", "/proc", "/dev"} {
		require.NoError(t, os.MkdirAll(filepath.Join(s.root, dir), 0o755))
	}
	require.NoError(t, os.Chmod(s.root, 0o755))
	built := product(t)
	require.NoError(t, copyFile(built, filepath.Join(s.root, binary)))
	require.NoError(t, os.Chmod(filepath.Join(s.root, binary), 0o755))
	return s
}

// product is the binary of the image: what the Dockerfile builds, when that is asked for, and else what `make build`
// has made of the same files.
func product(t *testing.T) string {
	t.Helper()
	if os.Getenv("COUNTERSIGN_TEST_IMAGE") != "" {
		return built(t)
	}
	const made = repository + "/bin/countersign"
	if _, err := os.Stat(made); err != nil {
		t.Skip("there is no bin/countersign: run `make build`")
	}
	return made
}

// built does what the Dockerfile does, with its files and in its words. The web app and the engine of JavaScript, which npm packages are
// needed for, are those of the repository.
func built(t *testing.T) string {
	t.Helper()
	src := t.TempDir()
	copyContext(t, src)
	require.NoFileExists(
		t,
		filepath.Join(src, "sandbox/shell/embed/shell.wasm.gz"),
		"the guest does not come with the context: the image builds it",
	)
	for _, made := range []string{"web/dist", "sandbox/javascript/engine/dist"} {
		if entries, err := os.ReadDir(filepath.Join(repository, made)); err != nil || len(entries) < 2 {
			t.Skipf("%s is empty: run `make build`", made)
		}
		require.NoError(t, os.CopyFS(filepath.Join(src, made, "made"), os.DirFS(filepath.Join(repository, made))))
		// A folder is not copied onto one that is there already.
		require.NoError(t, os.RemoveAll(filepath.Join(src, made, ".gitkeep")))
		require.NoError(t, os.Rename(filepath.Join(src, made, "made"), filepath.Join(src, "made")))
		require.NoError(t, os.Remove(filepath.Join(src, made)))
		require.NoError(t, os.Rename(filepath.Join(src, "made"), filepath.Join(src, made)))
	}
	stages := dockerfile(t)
	at := slices.IndexFunc(stages, func(s stage) bool { return s.name == "build" })
	require.GreaterOrEqual(t, at, 0)
	runs := stages[at].of("RUN")
	command := regexp.MustCompile(`--mount=\S+`).ReplaceAllString(runs[len(runs)-1], "")
	out := filepath.Join(src, "countersign.built")
	require.Contains(t, command, "-o /countersign ")
	command = strings.Replace(command, "-o /countersign ", "-o "+out+" ", 1)
	// It would compile every dependency once more, and changes nothing but the names of files.
	command = strings.ReplaceAll(command, "-trimpath", "")
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", command)
	cmd.Dir, cmd.Env = src, append(os.Environ(), environ(stages[at].env())...)
	printed, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", printed)
	linked, err := elf.Open(out)
	require.NoError(t, err)
	defer func() { _ = linked.Close() }()
	require.False(
		t,
		slices.ContainsFunc(linked.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }),
		"the image has nothing to link with",
	)
	return out
}

// volume is the folder of a volume, which the containers share.
func (s *site) volume(t *testing.T, name string) string {
	t.Helper()
	if s.volumes[name] == "" {
		dir := t.TempDir()
		require.NoError(t, os.Chmod(dir, 0o700))
		if os.Getuid() == 0 {
			require.NoError(t, os.Chown(dir, s.account, s.account))
		}
		s.volumes[name] = dir
	}
	return s.volumes[name]
}

// running is a container that serves HTTP.
type running struct {
	url     string
	printed *output
}

// run starts a service and waits until it is ready.
func (s *site) run(t *testing.T, name string) *running {
	t.Helper()
	of, ok := s.services[name]
	require.True(t, ok)
	require.True(t, of.ReadOnly, "%s writes to its volumes only", name)
	require.Equal(t, []string{"ALL"}, of.CapDrop)
	c := container{Root: s.root, ReadOnly: true, Account: s.account, Args: of.Command}
	mounted := map[string]bool{}
	add := func(from, to string, readOnly bool) {
		require.NoError(t, os.MkdirAll(filepath.Join(s.root, to), 0o755))
		c.Folders, mounted[to] = append(c.Folders, folder{from, to, readOnly}), true
	}
	for _, v := range of.Volumes {
		parts := strings.Split(v, ":")
		add(s.volume(t, parts[0]), parts[1], len(parts) > 2 && parts[2] == "ro")
	}
	for _, to := range of.Tmpfs {
		add(s.volume(t, "tmpfs of "+name), to, false)
	}
	for to := range strings.FieldsSeq(strings.Join(s.image.of("VOLUME"), " ")) {
		if !mounted[to] {
			add(s.volume(t, "anonymous of "+name), to, false)
		}
	}
	for _, dir := range []string{"/proc", "/dev"} {
		add(dir, dir, false)
	}
	for _, libraries := range linkedWith(t, filepath.Join(s.root, binary)) {
		add(libraries, libraries, true)
	}
	port := strconv.Itoa(porttest.Free(t))
	c.Env = environ(s.image.env(), of.Environment, s.shared, map[string]string{"PORT": port, "COUNTERSIGN_URL": "http://127.0.0.1:" + port})
	if file := of.Environment["COUNTERSIGN_KEYSET_FILE"]; file != "" {
		require.FileExists(t, filepath.Join(s.volume(t, "data"), filepath.Base(file)))
	}
	r := &running{url: "http://127.0.0.1:" + port, printed: c.start(t)}
	eventually(t, name+" is ready", func() bool {
		status, _ := r.call(t, nil, http.MethodGet, "/readyz", nil)
		return status == http.StatusOK
	})
	return r
}

// linkedWith are the folders of libraries that a binary needs, none for one that stands for itself, as the image's does.
func linkedWith(t *testing.T, file string) []string {
	t.Helper()
	linked, err := elf.Open(file)
	require.NoError(t, err)
	defer func() { _ = linked.Close() }()
	var dirs []string
	if slices.ContainsFunc(linked.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		for _, dir := range []string{"/lib", "/lib64"} {
			if _, err := os.Stat(dir); err == nil {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	require.Eventually(t, so, patience, 50*time.Millisecond, what)
}

// call makes a request; the status is 0 when there was no answer.
func (r *running) call(t *testing.T, jar http.CookieJar, method, path string, in any) (status int, body []byte) {
	t.Helper()
	var sent io.Reader
	if in != nil {
		raw, err := json.Marshal(in)
		require.NoError(t, err)
		sent = bytes.NewReader(raw)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, r.url+path, sent)
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Jar: jar}
	answer, err := client.Do(request)
	if err != nil {
		return 0, []byte(err.Error())
	}
	defer func() { _ = answer.Body.Close() }()
	body, err = io.ReadAll(answer.Body)
	if err != nil {
		return 0, []byte(err.Error())
	}
	return answer.StatusCode, body
}

// person is signed in.
type person struct {
	*running

	jar http.CookieJar
}

// signIn signs the first administrator in, who finds their password in the volume, as the top of docker-compose.yml says.
func (r *running) signIn(t *testing.T, data string) person {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(data, "credentials.json"))
	require.NoError(t, err)
	var first struct{ Email, Password string }
	require.NoError(t, json.Unmarshal(raw, &first))
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	p := person{r, jar}
	status, body := p.call(t, jar, http.MethodPost, "/api/auth/login", map[string]string{"email": first.Email, "password": first.Password})
	require.Equal(t, http.StatusOK, status, "%s", body)
	status, body = p.call(
		t,
		jar,
		http.MethodPost,
		"/api/auth/password",
		map[string]string{"currentPassword": first.Password, "newPassword": uuid.NewString()},
	)
	require.Equal(t, http.StatusNoContent, status, "%s", body)
	return p
}

// test has a script tested, again while the engines of a worker that has just started are compiled.
func (p person) test(t *testing.T, in map[string]any, out any) {
	t.Helper()
	var status int
	var body []byte
	eventually(t, "the script runs", func() bool {
		status, body = p.call(t, p.jar, http.MethodPost, "/api/healthcheck/script-tests", in)
		return status != http.StatusServiceUnavailable && status != http.StatusTooManyRequests
	})
	require.Equal(t, http.StatusOK, status, "%s", body)
	require.NoError(t, json.Unmarshal(body, out))
}
