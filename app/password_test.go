package app_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app/apptest"
	"countersign/auth"
)

func TestTheFirstPasswordHasToBeChanged(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{FirstPassword: true})
	admin := p.Admin
	var me struct{ MustChangePassword bool }
	admin.Get(t, "/api/me", &me)
	require.True(t, me.MustChangePassword)
	admin.Get(t, "/api/settings", nil)

	refused := func(c *apptest.Client) {
		for _, call := range []struct{ method, path string }{
			{http.MethodGet, "/api/users"},
			{http.MethodGet, "/api/ai/tools"},
			{http.MethodPost, "/api/ai/conversations"},
			{http.MethodPost, "/api/ai/chat"},
			{http.MethodGet, "/api/auth/sessions"},
			{http.MethodPost, "/api/applications"},
			{http.MethodDelete, "/api/auth/sessions"},
			{http.MethodGet, "/api/me/"},
			{http.MethodGet, "/api/ai/chat/0199aa00-0000-7000-8000-000000000001/stream"},
		} {
			answer := c.Call(t, call.method, call.path, nil)
			require.Equal(t, http.StatusForbidden, answer.Status, call.path)
			require.Contains(t, string(answer.Body), `"own_password"`, call.path)
		}
	}
	refused(admin)
	refused(admin.SignInAgain(t, p))
	file := filepath.Join(p.Data(), auth.CredentialsFile)
	require.FileExists(t, file)

	change := func(c *apptest.Client, from, to string) apptest.Answer {
		return c.Call(t, http.MethodPost, "/api/auth/password", map[string]any{"currentPassword": from, "newPassword": to})
	}
	require.Equal(t, http.StatusUnprocessableEntity, change(admin, admin.Password, admin.Password).Status, "the same one is no new one")
	refused(admin)
	require.Equal(t, http.StatusUnprocessableEntity, change(admin, "not the password", "correct horse battery staple").Status)
	refused(admin)
	require.Equal(t, http.StatusNoContent, change(admin, admin.Password, "correct horse battery staple").Status)
	admin.Get(t, "/api/users", nil)
	me.MustChangePassword = true
	admin.Get(t, "/api/me", &me)
	require.False(t, me.MustChangePassword)
	require.NoFileExists(t, file, "nobody needs the old one any more")

	// An application that an administrator has made is not asked, and one that is restarted makes no new password.
	admin.Password = "correct horse battery staple"
	app := p.Application(t)
	p.Restart(t)
	require.NoFileExists(t, file)
	app.Get(t, "/api/me", nil)
	admin.SignInAgain(t, p).Get(t, "/api/users", nil)
}

// A password that an administrator chooses for somebody can be one that has to be changed; a turn in their name is refused too.
func TestAPasswordFromAnAdministratorCanHaveToBeChanged(t *testing.T) {
	t.Parallel()
	p := apptest.Start(t, apptest.Options{})
	as := apptest.Credentials{Email: "ann@example.com", Password: "chosen by the admin"}
	var user struct {
		ID                 string
		MustChangePassword bool
	}
	p.Admin.Post(t, "/api/users", map[string]any{"email": as.Email, "name": "Ann", "password": as.Password, "mustChangePassword": true}, &user)
	require.True(t, user.MustChangePassword)
	ann := p.SignIn(t, as)
	require.Equal(t, http.StatusForbidden, ann.Call(t, http.MethodGet, "/api/ai/tools", nil).Status)
	ann.Post(t, "/api/auth/password", map[string]any{"currentPassword": as.Password, "newPassword": "chosen by ann herself"}, nil)
	ann.Get(t, "/api/ai/tools", nil)

	p.Admin.Patch(t, "/api/users/"+user.ID, map[string]any{"password": "chosen again for ann", "mustChangePassword": true}, &user)
	require.True(t, user.MustChangePassword)
	ann = p.SignIn(t, apptest.Credentials{Email: as.Email, Password: "chosen again for ann"})
	require.Equal(t, http.StatusForbidden, ann.Call(t, http.MethodPost, "/api/ai/conversations", map[string]any{}).Status)
	_, err := os.Stat(filepath.Join(p.Data(), auth.CredentialsFile))
	require.NoError(t, err, "that of the first administrator is none of hers")
}
