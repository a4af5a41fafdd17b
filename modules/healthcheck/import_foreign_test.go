package healthcheck_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"countersign/check"
	"countersign/check/foreign"
	"countersign/check/strategy"
	"countersign/internal/problem"
	"countersign/modules/catalog"
	"countersign/modules/healthcheck"
)

const gatusFile = `endpoints:
  - name: orders
    group: shop
    url: https://robot:hunter2secret@orders.example.com/health
    interval: 2m
    conditions:
      - "[STATUS] == 200"
      - "[IP] == 192.0.2.1"
  - name: packet
    url: udp://host.example.com:53
    conditions: ["[CONNECTED] == true"]
  - name: front
    url: https://www.example.com/
    conditions: ["[STATUS] == 200"]
`

// withStrategies is an app with the strategies of the product.
func withStrategies(t testing.TB) *app {
	t.Helper()
	return newAppOf(t, func(t testing.TB) *check.Registry {
		t.Helper()
		registry, err := check.NewRegistry(strategy.All()...)
		require.NoError(t, err)
		return registry
	})
}

// A file of another product is previewed without an effect, and what the preview answers with is imported: checks, the systems of its
// groups and hosts, assignments with thresholds. Secrets are named, and their values are nowhere.
func TestAFileOfAnotherProductIsImported(t *testing.T) {
	t.Parallel()
	a := withStrategies(t)
	shop := a.system(t, "Shop")
	answer := a.Do(t, "root", http.MethodPost, previewPath, object{"document": gatusFile})
	preview := decode[healthcheck.ImportPreview](t, answer)
	require.NotContains(t, answer.Body, "hunter2secret")
	require.Equal(t, foreign.Gatus, preview.Format)
	require.False(t, preview.Valid, "the secret does not exist")
	require.Contains(t, preview.Checks[0].Errors[0].Message, "SHOP_ORDERS_PASSWORD")
	c := preview.Conversion
	require.Equal(t, []int{3, 2, 2}, []int{c.Monitors, c.Mapped, len(preview.Checks)})
	require.Equal(t, []int{2, 12}, []int{preview.Checks[0].Line, preview.Checks[1].Line})
	require.Equal(t, []healthcheck.ImportFinding{
		{Kind: "leftOut", Line: 8, Monitor: "shop/orders", Setting: "conditions", Message: "[IP] == 192.0.2.1 cannot be said here"},
		{Kind: "leftOut", Line: 10, Monitor: "packet", Message: "The monitor is left out: there are no checks of udp addresses"},
	}, c.Findings)
	require.Len(t, c.Secrets, 1)
	secret := c.Secrets[0]
	require.False(t, secret.Exists)
	line := strings.Split(gatusFile, "\n")[secret.Line-1]
	require.Equal(t, "hunter2secret", line[secret.Column:secret.Column+secret.Length], "a client finds the value in its own text")

	a.ok(t, a.Do(t, "root", http.MethodPost, "/api/secrets", object{"name": secret.Name, "value": "hunter2secret"}))
	preview = decode[healthcheck.ImportPreview](
		t,
		a.Do(t, "root", http.MethodPost, previewPath, object{"document": gatusFile, "format": "gatus"}),
	)
	require.True(t, preview.Valid, "%+v", preview.Checks)
	require.True(t, preview.Conversion.Secrets[0].Exists)
	require.Equal(t, healthcheck.ImportFinding{
		Kind: "changes", Line: secret.Line, Monitor: "shop/orders",
		Message: "The secret SHOP_ORDERS_PASSWORD of the vault is sent to where this monitor says, whatever its value",
	}, preview.Conversion.Findings[0], "a file does not make use of a secret unnoticed")
	require.Equal(t, []string{"shop found 1", "www.example.com created 1"}, systemOutcomes(preview.ImportReport))
	require.Zero(t, a.Count(t, `SELECT count(*) FROM health_checks`), "a preview stores nothing")

	done := a.importing(t, object{"document": preview.Conversion.Document, "expected": preview.Fingerprint})
	require.Equal(t, 2, done.Created)
	require.False(t, done.Checks[0].Idle || done.Checks[1].Idle)
	assigned := a.assignments(t, *done.Checks[0].ID)
	require.Equal(t, shop, assigned[0].SystemID)
	require.Equal(t, 1, assigned[0].Thresholds.UnhealthyAfter, "as Gatus, which fails at once")
	require.Equal(t, []string{"shop/orders unchanged", "front unchanged"},
		outcomes(decode[healthcheck.ImportReport](t, a.Do(t, "root", http.MethodPost, previewPath, object{"document": gatusFile}))),
		"the same file again changes nothing")
	require.Zero(t, a.Count(t, `SELECT count(*) FROM ai_audit_entries e WHERE e::text LIKE '%hunter2secret%'`))
}

// An import takes no file of another product, whose secrets would be in it, and a preview needs the right to make checks.
func TestAFileOfAnotherProductIsOnlyPreviewed(t *testing.T) {
	t.Parallel()
	a := withStrategies(t)
	refused := a.Do(t, "root", http.MethodPost, importPath, object{"document": gatusFile}).Refused(t, problem.Invalid)
	require.Contains(t, refused.Detail, "gatus")
	a.Do(t, "root", http.MethodPost, previewPath, object{"document": gatusFile, "format": "checkly"}).Refused(t, problem.Invalid)
	a.member("reader", []uuid.UUID{}, healthcheck.Read, catalog.SystemRead)
	a.Do(t, "reader", http.MethodPost, previewPath, object{"document": gatusFile}).Refused(t, problem.Forbidden)
	many := "endpoints:\n" + strings.Repeat("- {name: a, url: 'https://example.com/', conditions: ['[STATUS] == 200']}\n", 201)
	refused = a.Do(t, "root", http.MethodPost, previewPath, object{"document": many}).Refused(t, problem.Invalid)
	require.Contains(t, refused.Detail, "201 monitors")
	empty := decode[healthcheck.ImportPreview](t, a.Do(t, "root", http.MethodPost, previewPath, object{"document": "endpoints: [{name: a}]"}))
	require.Equal(t, 0, empty.Conversion.Mapped)
}

// A model moves a team in: what it proposes says what is lost, by line, holds the document of this product and no file, and creates
// nothing before it is applied. A mask stands for each password, and the same mask for different ones.
func TestAToolImportsAFileOfAnotherProduct(t *testing.T) {
	t.Parallel()
	a := withStrategies(t)
	file := strings.ReplaceAll(gatusFile, "hunter2secret", "xxxx") +
		"  - {name: stock, url: 'https://robot:xxxx@stock.example.com/', conditions: ['[STATUS] == 200']}\n"
	_, err := a.Propose(t, "root", "healthcheck.import", object{"document": file})
	refused := problem.As(err)
	require.Equal(t, problem.Invalid, refused.Code)
	said := fmt.Sprint(refused.Issues)
	require.Contains(t, said, "line 4 holds a password or token, which becomes the secret SHOP_ORDERS_PASSWORD: a person has to create it")
	require.Contains(t, said, "the secret STOCK_PASSWORD")
	for _, name := range []string{"SHOP_ORDERS_PASSWORD", "STOCK_PASSWORD"} {
		a.ok(t, a.Do(t, "root", http.MethodPost, "/api/secrets", object{"name": name, "value": "a value"}))
	}
	p, err := a.Propose(t, "root", "healthcheck.import", object{"document": file})
	require.NoError(t, err)
	require.Equal(t, "Import 3 health checks: 3 created, 0 updated, 0 unchanged, from 3 of 4 monitors of gatus", p.Summary)
	effects := strings.Join(p.Effects, "\n")
	for _, effect := range []string{
		"front is created.", "The system shop is created.",
		"Line 10, packet: The monitor is left out: there are no checks of udp addresses.",
		"Line 8, shop/orders, conditions: [IP] == 192.0.2.1 cannot be said here.",
	} {
		require.Contains(t, effects, effect)
	}
	require.NotContains(t, string(p.Payload), "endpoints")
	require.Zero(t, a.Count(t, `SELECT count(*) FROM health_checks`), "a proposal creates nothing")
	done, err := a.Apply(t, "root", "healthcheck.import", p)
	require.NoError(t, err)
	require.JSONEq(t, `{"created": 3, "updated": 0, "unchanged": 0}`, done)
	_, err = a.Propose(t, "root", "healthcheck.import", object{"document": file})
	require.ErrorContains(t, err, "Nothing would change")
	_, err = a.Propose(t, "root", "healthcheck.import", object{"document": "endpoints:\n- {name: a, url: 'udp://a:1', conditions: [x]}"})
	require.Contains(t, fmt.Sprint(problem.As(err).Issues), "there are no checks of udp addresses")

	var many strings.Builder
	many.WriteString("endpoints:\n")
	for i := range 150 {
		fmt.Fprintf(&many, "- {name: m%d, url: 'https://m%d.example.com/', conditions: ['[STATUS] == 200', '[IP] == 192.0.2.1']}\n", i, i)
	}
	p, err = a.Propose(t, "root", "healthcheck.import", object{"document": many.String()})
	require.NoError(t, err)
	require.LessOrEqual(t, len(p.Effects), 17)
	require.Regexp(t, `And \d+ more\.$`, p.Effects[len(p.Effects)-1])
}
