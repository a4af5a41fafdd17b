package app_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/internal/problem"
)

// An address that exists for other methods says for which.
func TestAnotherMethodThanAnAddressHasIsSaidToBeThat(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	for path, has := range map[string]string{
		"/api/ai/proposals/apply": http.MethodPost, "/api/auth/login": http.MethodPost, "/api/ai/chat": http.MethodPost, "/api/users": http.MethodGet,
	} {
		for _, method := range []string{http.MethodPut, http.MethodPatch, http.MethodDelete} {
			answer := p.Admin.Call(t, method, path, nil)
			require.Equal(t, http.StatusMethodNotAllowed, answer.Status, "%s %s: %s", method, path, answer.Body)
			require.Equal(t, problem.WrongMethod, answer.Problem(t).Code)
			allow := strings.Split(answer.Header.Get("Allow"), ", ")
			require.Contains(t, allow, has, "%s %s", method, path)
			require.NotContains(t, allow, method)
		}
	}
	p.Admin.Refused(t, problem.NotFound, http.MethodPut, "/api/nothing", nil)
}
