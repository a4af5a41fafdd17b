package strategy_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/stretchr/testify/require"

	"countersign/check"
)

// TestNothingIsConcludedFromACutAnswer holds for every kind that looks at the beginning of an answer: what the part shows is
// true, and what it does not show is not known.
func TestNothingIsConcludedFromACutAnswer(t *testing.T) {
	t.Parallel()
	type assertion struct{ field, path, operator, value string }
	concludes := func(name string, p probe, says string, known, unknown []assertion) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, a := range known {
				p.asserting(a.field, a.path, a.operator, a.value).passes(t, nil)
			}
			for _, a := range unknown {
				p.asserting(a.field, a.path, a.operator, a.value).fails(t, check.AssertionFailed, says+".")
			}
		})
	}
	long := strings.Repeat("x", 100<<10) + "END"
	unseen := func(field string) []assertion {
		return []assertion{
			{field, "", "notContains", `"END"`},
			{field, "", "notMatches", `"END"`},
			{field, "", "endsWith", `"x"`},
			{field, "", "contains", `"END"`},
			{field, "", "lengthLessThan", "100000"},
		}
	}
	seen := func(field string) []assertion {
		return []assertion{
			{field, "", "contains", `"xx"`},
			{field, "", "startsWith", `"x"`},
			{field, "", "lengthGreaterThan", "4000"},
			{field, "", "notEquals", `"x"`},
		}
	}

	sql := postgresProbe(t)
	concludes("text of SQL", sql.asking(object{"query": "SELECT repeat('x', 100000) || 'END' AS text, 1 AS small"}),
		"only the first 64 KiB was looked at", seen("value"), unseen("value"))
	concludes("row of SQL", sql.asking(object{"query": "SELECT 1 AS small, repeat('x', 100000) || 'END' AS text, repeat('y', 9000) AS whole"}),
		"columns beyond the first 64 KiB of the row were not looked at",
		[]assertion{{"row", "$.small", "lessThan", "2"}, {"row", "$.whole", "lengthEquals", "9000"}, {"value", "", "equals", `"1"`}},
		[]assertion{{"row", "$.text", "notExists", ""}, {"row", "$.text", "notContains", `"END"`}, {"row", "", "notContains", `"END"`}})
	columns := make([]string, 120)
	for i := range columns {
		columns[i] = fmt.Sprintf("%d AS c%d", i, i)
	}
	concludes("columns of SQL", sql.asking(object{"query": "SELECT " + strings.Join(columns, ", ")}),
		"only the first 100 columns were looked at",
		[]assertion{{"row", "$.c99", "equals", "99"}},
		[]assertion{{"row", "$.c110", "notExists", ""}, {"row", "$[*]", "lessThan", "110"}, {"row", "$", "lengthLessThan", "110"}})
	concludes("rows of SQL", sql.asking(object{"query": "SELECT generate_series(1, 12000)"}),
		"only the first 10,000 rows were counted",
		[]assertion{{"rowCount", "", "greaterThan", "5000"}, {"rowCount", "", "notEquals", "0"}},
		[]assertion{{"rowCount", "", "lessThan", "11000"}, {"rowCount", "", "equals", "10000"}, {"rowCount", "", "notEquals", "12000"}})

	memory := miniredis.RunT(t)
	require.NoError(t, memory.Set("text", long))
	require.NoError(t, memory.Set("digits", "1"+strings.Repeat("0", 100<<10)))
	port, err := strconv.Atoi(memory.Port())
	require.NoError(t, err)
	redis := probe{
		strategy: "healthcheck-redis.redis", collector: "healthcheck-redis.command",
		config: object{"host": "known.test", "port": port},
	}
	concludes("answer of Redis", redis.asking(object{"command": "GET", "args": []string{"text"}}),
		"only the first 64 KiB was looked at", seen("response"), unseen("response"))
	concludes("number of Redis", redis.asking(object{"command": "GET", "args": []string{"digits"}}), "only the first 64 KiB was looked at",
		[]assertion{{"found", "", "isTrue", ""}}, []assertion{{"number", "", "lessThan", "5"}, {"number", "", "greaterThan", "5"}})

	machine := onMachine(t, &machine{})
	concludes("output of SSH", machine.asking(object{"command": "yes"}), "only the first 64 KiB was looked at",
		[]assertion{{"stdout", "", "contains", `"y"`}, {"stderr", "", "isEmpty", ""}},
		[]assertion{{"stdout", "", "notContains", `"n"`}, {"stdout", "", "lengthLessThan", "100000"}})

	shell := inSandbox(&sandboxed{out: check.ScriptOutput{Stdout: long, Stderr: "x", OutputCut: true}}, "execute", object{"script": "yes"})
	concludes("output of a script", shell, "only the first 64 KiB was looked at", seen("stdout"), unseen("stdout"))
	concludes("output beyond the limits of a script", shell,
		"only the beginning of the output was looked at, as much as the script policy allows",
		[]assertion{{"stderr", "", "contains", `"x"`}}, []assertion{{"stderr", "", "notContains", `"END"`}})

	banner := probe{
		strategy: "healthcheck-tcp.tcp", collector: "healthcheck-tcp.banner",
		config: object{"host": "known.test", "port": serve(t, func(conn net.Conn) { _, _ = io.WriteString(conn, long) })},
	}
	concludes("banner", banner, "only the first 4 KiB was looked at", seen("banner")[:2], unseen("banner"))

	series := make([]string, 60)
	for i := range series {
		series[i] = fmt.Sprintf(`{"metric":{"instance":"host%d"},"value":[1700000000.1,"%d"]}`, i, i)
	}
	at := web(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"status":"success","data":{"resultType":"vector","result":[%s]}}`, strings.Join(series, ","))
	})
	concludes("series of Prometheus", prometheus(at, "up"), "only the first 50 series were looked at",
		[]assertion{
			{"series", "$[49].value", "equals", "49"},
			{"series", "$[?@.value == 7]", "exists", ""},
			{"seriesCount", "", "lessThan", "61"},
			{"maximum", "", "lessThan", "60"},
		},
		[]assertion{
			{"series", "$[*].value", "lessThan", "50"},
			{"series", "$[?@.value == 55]", "notExists", ""},
			{"series", "$[-1].value", "equals", "49"},
			{"series", "", "notContains", `"host55"`},
		})
}
