package foreign_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/assertion"
	"countersign/check/foreign"
	"countersign/check/strategy"
	"countersign/internal/problem"
)

var record = flag.Bool("record", false, "write the expected plans")

func registry(t testing.TB) *check.Registry {
	t.Helper()
	r, err := check.NewRegistry(strategy.All()...)
	require.NoError(t, err)
	return r
}

// described is a plan as text: checks, findings by line, and secrets.
func described(p *foreign.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d of %d\n", p.Format, p.Mapped, p.Monitors)
	for _, c := range p.Checks {
		paused := ""
		if c.Paused {
			paused = ", paused"
		}
		thresholds, _ := json.Marshal(c.Thresholds)
		fmt.Fprintf(&b, "\n%d: %s, for %s, every %d s%s, %s\n", c.Line, c.Name, c.System, c.Interval, paused, thresholds)
		if c.Description != "" {
			fmt.Fprintf(&b, "  %s\n", c.Description)
		}
		fmt.Fprintf(&b, "  %s %s\n", c.Configuration.Strategy, c.Configuration.Config)
		for _, one := range c.Configuration.Collectors {
			fmt.Fprintf(&b, "  %s %s\n", one.CollectorID, one.Config)
			for _, a := range one.Assertions {
				fmt.Fprintf(&b, "  %s\n", assertion.Expectation(a))
			}
		}
	}
	b.WriteString("\n")
	for _, f := range p.Findings {
		fmt.Fprintf(&b, "%d %s: %s\n", f.Line, strings.Join([]string{f.Kind, f.Monitor, f.Setting}, " | "), f.Message)
	}
	b.WriteString("\n")
	for _, s := range p.Secrets {
		fmt.Fprintf(&b, "%d %s at %d+%d for %s\n", s.Line, s.Name, s.Column, s.Length, strings.Join(s.Monitors, ", "))
	}
	return b.String()
}

// The files in testdata have the shapes of each product, with every kind of monitor and of loss. Each check is valid, and no
// password of a file is in what it becomes.
func TestAFileBecomesChecksAndFindings(t *testing.T) {
	t.Parallel()
	kinds := registry(t)
	files, err := filepath.Glob("testdata/*.[yj]*")
	require.NoError(t, err)
	require.Len(t, files, 4)
	passwords := []string{
		"hunter2secret", "eyTheOrdersToken", "secretOfTheShell1", "abcdefgh12345678", "thePushedToken99", "hooks.example.net", "proxyPass123",
		"session=abcdef", "cartPassword1", "pgSecret99", "mySecret99", "redisSecret1", "oauthSecret1", "kumaBearer123", "webToken123",
		"basicPass1", "oauthSecret2", "rpcToken123", "checklyPass1", "aaaabbbbccccdddd", "mqttSecret1", "mongoSecret1",
		"snmpSecret1",
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		format := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		require.Equal(t, format, foreign.Detect(string(raw)))
		p, err := foreign.Read(format, string(raw))
		require.NoError(t, err)
		for _, c := range p.Checks {
			require.Empty(t, kinds.Validate(t.Context(), c.Configuration), "%s %s", file, c.Name)
			require.Empty(t, c.Thresholds.Issues())
		}
		got := described(p)
		for _, password := range passwords {
			require.NotContains(t, got, password, file)
		}
		lines := strings.Split(string(raw), "\n")
		for _, s := range p.Secrets {
			require.LessOrEqual(t, s.Line, len(lines))
			require.LessOrEqual(t, s.Column+s.Length, len(lines[s.Line-1]), s.Name)
		}
		golden := strings.TrimSuffix(file, filepath.Ext(file)) + ".txt"
		if *record {
			require.NoError(t, os.WriteFile(golden, []byte(got), 0o600))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		require.Equal(t, string(want), got, file)
	}
}

// Where a value stands in the file is where a client takes it from.
func TestASecretIsWhereItsValueStands(t *testing.T) {
	t.Parallel()
	content := "endpoints:\n- name: a\n  url: https://é😀.example.com/\n  headers: {X-Token: \"ü😀pass\"}\n  conditions: ['[STATUS] == 200']\n"
	p, err := foreign.Read(foreign.Gatus, content)
	require.NoError(t, err)
	require.Len(t, p.Secrets, 1)
	s := p.Secrets[0]
	require.Equal(t, 4, s.Line)
	require.Equal(t, "A_X_TOKEN", s.Name)
	require.Equal(t, []int{strings.Index("  headers: {X-Token: \"", "\"") + 1, 7}, []int{s.Column, s.Length}, "in UTF-16 code units")
}

func TestWhatIsNoFileIsRefused(t *testing.T) {
	t.Parallel()
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for i := range 8 {
		bomb += fmt.Sprintf("%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", 'b'+i, 'b'+i,
			'a'+i, 'a'+i, 'a'+i, 'a'+i, 'a'+i, 'a'+i, 'a'+i, 'a'+i, 'a'+i, 'a'+i)
	}
	for name, c := range map[string]struct{ content, want string }{
		"nothing":        {"", "empty"},
		"text":           {"just words", "no monitors"},
		"another format": {`{"monitorList": []}`, "no monitors"},
		"broken YAML":    {"endpoints: [", "not YAML"},
		"broken JSON":    {"{\n\"endpoints\": [}", "line 2"},
		"half JSON":      {`{"endpoints": [`, "too early"},
		"more JSON":      {`{"endpoints": []} 1`, "more text"},
		"expansion":      {bomb + "endpoints: []", "values"},
		"a cycle":        {"endpoints: &a [*a]", ""},
		"depth":          {"endpoints: " + strings.Repeat("[", 50) + strings.Repeat("]", 50), "levels deep"},
		"depth in JSON":  {`{"endpoints": ` + strings.Repeat("[", 50) + strings.Repeat("]", 50) + "}", "levels deep"},
		"twice":          {"endpoints: []\nendpoints: []", "second time"},
		"twice in JSON":  {"{\"endpoints\": [],\n \"endpoints\": []}", "second time"},
		"a merged text":  {"<<: x\nendpoints: []", "merges"},
		"no text":        {"? [a]\n: 1\nendpoints: []", "no text"},
		"size":           {strings.Repeat("a", foreign.MaxBytes+1), "bytes"},
		"no UTF-8":       {"endpoints: [\"\xff\"]", "UTF-8"},
		"too many":       {"endpoints:\n" + strings.Repeat("- {name: a}\n", foreign.MaxMonitors+1), "too many"},
	} {
		_, err := foreign.Read(foreign.Gatus, c.content)
		require.Error(t, err, name)
		require.True(t, problem.Is(err, problem.Invalid), name)
		require.Contains(t, err.Error(), c.want, name)
	}
	_, err := foreign.Read("nagios", "endpoints: []")
	require.True(t, problem.Is(err, problem.Invalid))
}

// fuzz reads texts: what is read is valid, has lines of the text, and the same plan each time.
func fuzz(f *testing.F, format, seed string) {
	raw, err := os.ReadFile(seed)
	require.NoError(f, err)
	f.Add(string(raw))
	f.Add("- a")
	f.Add("[1, {}]")
	kinds := registry(f)
	f.Fuzz(func(t *testing.T, content string) {
		p, err := foreign.Read(format, content)
		if err != nil {
			require.True(t, problem.Is(err, problem.Invalid), "%v", err)
			return
		}
		require.LessOrEqual(t, p.Mapped, p.Monitors)
		lines := strings.Split(content, "\n")
		for _, finding := range p.Findings {
			require.GreaterOrEqual(t, finding.Line, 0)
			require.LessOrEqual(t, finding.Line, len(lines))
		}
		for _, s := range p.Secrets {
			require.LessOrEqual(t, s.Line, len(lines))
		}
		for _, c := range p.Checks {
			// A check may be refused, such as for a host that is none, and never breaks the validator.
			_ = kinds.Validate(t.Context(), c.Configuration)
			require.NotEmpty(t, c.System)
		}
		again, err := foreign.Read(format, content)
		require.NoError(t, err)
		require.Equal(t, described(p), described(again))
	})
}

func FuzzGatus(f *testing.F)      { fuzz(f, foreign.Gatus, "testdata/gatus.yaml") }
func FuzzUptimeKuma(f *testing.F) { fuzz(f, foreign.UptimeKuma, "testdata/uptime-kuma.json") }
func FuzzBlackbox(f *testing.F)   { fuzz(f, foreign.Blackbox, "testdata/blackbox.yaml") }
func FuzzCheckly(f *testing.F)    { fuzz(f, foreign.Checkly, "testdata/checkly.json") }

// A short file can stand for very much: what is shared by aliases, between targets, or by name is counted.
func TestAShortFileOfVeryMuchIsRefusedSoon(t *testing.T) {
	t.Parallel()
	const endpoint = `{name: a, url: "http://a.example.com", conditions: ["[STATUS] == 200"]}`
	var headers, modules, bomb strings.Builder
	for i := range 20_000 {
		if i < 8192 {
			separators := strings.NewReplacer("0", "-", "1", "_").Replace(fmt.Sprintf("%013b", i))
			fmt.Fprintf(&headers, "      token%s: v%d\n", separators, i)
		}
		fmt.Fprintf(&modules, "        h%d: v\n", i)
	}
	for i := range 400 {
		fmt.Fprintf(&bomb, "  f%d: 'x: [&a [1,2,3,4,5,6,7,8,9,0], &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a], &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b], "+
			"&d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c], [*d,*d,*d,*d,*d]]'\n", i)
	}
	for name, c := range map[string]struct{ format, content string }{
		"one name for all": {foreign.Gatus, "endpoints: [&a " + endpoint + strings.Repeat(",*a", 20_000) + "]"},
		"targets of a module": {foreign.Blackbox, "modules:\n  m:\n    prober: http\n    http:\n      headers:\n" + modules.String() +
			"scrape_configs: [{metrics_path: /probe, params: {module: [m]}, static_configs: [{targets: [a" + strings.Repeat(",b", 900) + "]}]}]"},
		"rules of targets": {foreign.Blackbox, `x: &r {source_labels: [__address__], regex: "(.{900}){0,1}(.*)", replacement: "` +
			strings.Repeat("$2", 900) + `", target_label: l}` + "\nmodules: {m: {prober: http}}\nscrape_configs: [{metrics_path: /probe, " +
			"params: {module: [m]}, relabel_configs: [*r" + strings.Repeat(",*r", 900) + "], static_configs: [{targets: [" +
			strings.Repeat("a", 900) + strings.Repeat(",b", 900) + "]}]}]"},
		"one long body": {foreign.Gatus, "x: &b " + strings.Repeat("y", 500_000) + "\nendpoints: [&a {name: a, url: 'http://a.example.com', body: *b}" +
			strings.Repeat(",*a", 900) + "]"},
		"values within a text": {foreign.UptimeKuma, "- &a {name: a, type: dns, hostname: a.example.com, conditions: '[[0" +
			strings.Repeat(",0", 199_000) + "]]'}\n" + strings.Repeat("- *a\n", 900)},
	} {
		_, err := foreign.Read(c.format, c.content)
		require.ErrorContains(t, err, "too many", name)
	}
	names, err := foreign.Read(
		foreign.Gatus,
		"endpoints:\n  - name: a\n    url: http://a.example.com\n    conditions: ['[STATUS] == 200']\n    headers:\n"+headers.String(),
	)
	require.NoError(t, err)
	require.Len(t, names.Secrets, 8192, "each with a name of its own")
	config := "kind: ConfigMap\ndata:\n" + bomb.String() + "  last: 'endpoints: [" + endpoint + "]'\n"
	require.Empty(t, foreign.Detect(config), "400 texts with 60,000 values each are not read up to the end")
	codes, err := foreign.Read(
		foreign.UptimeKuma,
		`[{"name": "a", "type": "http", "url": "http://a.example.com", "accepted_statuscodes": ["100-999"`+
			strings.Repeat(`,"100-999"`, 90_000)+`]}]`,
	)
	require.NoError(t, err)
	require.Len(t, codes.Checks, 1)
}

// The files in testdata/examples have the monitors of the example files of each project, and a backup of Uptime Kuma, which
// publishes none, with the common types. At least 95 % of the monitors become valid checks, and each loss has its line.
func TestExampleFilesOfOtherProductsAreMapped(t *testing.T) {
	t.Parallel()
	kinds := registry(t)
	documentation, err := os.ReadFile("../../docs/how-to/import-from-other-products.md")
	require.NoError(t, err)
	for file, product := range map[string]string{
		"gatus.yaml": "Gatus", "blackbox.yaml": "blackbox exporter", "uptime-kuma.json": "Uptime Kuma",
	} {
		raw, err := os.ReadFile(filepath.Join("testdata", "examples", file))
		require.NoError(t, err)
		p, err := foreign.Read(foreign.Detect(string(raw)), string(raw))
		require.NoError(t, err)
		require.GreaterOrEqual(t, float64(p.Mapped), 0.95*float64(p.Monitors), file)
		require.Contains(t, string(documentation), fmt.Sprintf("%d of %d", p.Mapped, p.Monitors), product)
		left := map[string]bool{}
		for _, f := range p.Findings {
			require.Positive(t, f.Line, "%s: %s", file, f.Message)
			if strings.HasPrefix(f.Message, "The monitor is left out") {
				left[fmt.Sprint(f.Line, f.Monitor)] = true
			}
		}
		require.Len(t, left, p.Monitors-p.Mapped, file)
		for _, c := range p.Checks {
			require.Empty(t, kinds.Validate(t.Context(), c.Configuration), "%s %s", file, c.Name)
		}
	}
}
