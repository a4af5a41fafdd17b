package config_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/app/config"
)

const database = "DATABASE_URL=postgres://u:p@localhost/db"

func TestDefaultsAreEnoughBesideADatabase(t *testing.T) {
	t.Parallel()
	c, err := config.Load([]string{database, "PORT=9000"})
	require.NoError(t, err)
	require.Equal(t, "http://localhost:9000", c.URL)
	require.Equal(t, 60, c.ToolBudgetCalls)
	require.Equal(t, 10*time.Minute, c.ProposalTTL)
	require.False(t, c.Secure())
}

func TestEveryWrongVariableIsNamed(t *testing.T) {
	t.Parallel()
	_, err := config.Load([]string{"PORT=70000", "COUNTERSIGN_PROPOSAL_TTL=0s", "TEMPORAL_ADDRESS=nowhere", "COUNTERSIGN_URL=ftp://x"})
	for _, name := range []string{"DATABASE_URL", "PORT", "COUNTERSIGN_PROPOSAL_TTL", "TEMPORAL_ADDRESS", "COUNTERSIGN_URL"} {
		require.ErrorContains(t, err, name)
	}
}

func TestASecretCanComeFromAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(path, []byte("sk-from-a-file\n"), 0o600))

	c, err := config.Load([]string{database, "OPENAI_API_KEY_FILE=" + path})
	require.NoError(t, err)
	require.Equal(t, "sk-from-a-file", c.OpenAIKey)

	c, err = config.Load([]string{database, "OPENAI_API_KEY_FILE=" + path, "OPENAI_API_KEY=direct"})
	require.NoError(t, err)
	require.Equal(t, "direct", c.OpenAIKey, "the variable itself wins")

	_, err = config.Load([]string{database, "OPENAI_API_KEY_FILE=/does/not/exist"})
	require.ErrorContains(t, err, "OPENAI_API_KEY_FILE")
}

func TestPathsCanBeAppendedToTheAddress(t *testing.T) {
	t.Parallel()
	for _, written := range []string{"https://ops.example.org", "https://ops.example.org/", "https://ops.example.org//"} {
		c, err := config.Load([]string{database, "COUNTERSIGN_URL=" + written})
		require.NoError(t, err)
		require.Equal(t, "https://ops.example.org", c.URL)
	}
}

func TestHTTPSMakesCookiesSecure(t *testing.T) {
	t.Parallel()
	c, err := config.Load([]string{database, "COUNTERSIGN_URL=https://ops.example.org"})
	require.NoError(t, err)
	require.True(t, c.Secure())
}

func TestNoVariableMakesPasswordsCheaper(t *testing.T) {
	t.Parallel()
	c, err := config.Load([]string{database, "COUNTERSIGN_PASSWORD_COST=1", "PASSWORDCOST_MEMORYKIB=8", "MEMORYKIB=8", "TIME=1", "THREADS=1"})
	if err == nil {
		require.Zero(t, c.PasswordCost)
	}
}

func TestAnIdentityProviderIsNamedWhole(t *testing.T) {
	t.Parallel()
	c, err := config.Load([]string{
		database,
		"COUNTERSIGN_OIDC_ISSUER=https://login.example.org",
		"COUNTERSIGN_OIDC_CLIENT_ID=countersign",
		"COUNTERSIGN_OIDC_GROUPS=staff,ops",
		"COUNTERSIGN_OIDC_ROLES=ops=operator,sre=admin",
	})
	require.NoError(t, err)
	require.Equal(t, []string{"profile", "email"}, c.OIDC.Scopes)
	require.Equal(t, []string{"staff", "ops"}, c.OIDC.Groups)
	require.Equal(t, map[string]string{"ops": "operator", "sre": "admin"}, c.OIDC.Roles)
	require.False(t, c.OIDC.LinkByEmail)
	for _, bad := range [][]string{
		{"COUNTERSIGN_OIDC_ISSUER=https://login.example.org"},
		{"COUNTERSIGN_OIDC_CLIENT_ID=x"},
		{"COUNTERSIGN_OIDC_CLIENT_ID=x", "COUNTERSIGN_OIDC_ISSUER=http://login.example.org"},
		{"COUNTERSIGN_OIDC_CLIENT_ID=x", "COUNTERSIGN_OIDC_ISSUER=login.example.org"},
	} {
		_, err := config.Load(append(bad, database))
		require.ErrorContains(t, err, "COUNTERSIGN_OIDC_", bad)
	}
	_, err = config.Load([]string{database, "COUNTERSIGN_OIDC_CLIENT_ID=x", "COUNTERSIGN_OIDC_ISSUER=http://127.0.0.1:8081/realms/x"})
	require.NoError(t, err)
}

func TestSettingsOfHealthChecks(t *testing.T) {
	t.Parallel()
	c, err := config.Load([]string{database})
	require.NoError(t, err)
	require.Equal(t, "https://data.iana.org/rdap/dns.json", c.RDAPBootstrap)
	require.Empty(t, c.CheckDockerSockets)
	c, err = config.Load([]string{
		database,
		"COUNTERSIGN_CHECK_DOCKER_SOCKETS=local=/var/run/docker.sock,pod=/run/podman.sock",
		"COUNTERSIGN_RDAP_BOOTSTRAP=http://rdap.test/l",
	})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"local": "/var/run/docker.sock", "pod": "/run/podman.sock"}, c.CheckDockerSockets)
	require.Equal(t, "http://rdap.test/l", c.RDAPBootstrap)
	_, err = config.Load([]string{database, "COUNTERSIGN_CHECK_DOCKER_SOCKETS=local=docker.sock", "COUNTERSIGN_RDAP_BOOTSTRAP=iana"})
	require.ErrorContains(t, err, "COUNTERSIGN_CHECK_DOCKER_SOCKETS must be names with absolute paths")
	require.ErrorContains(t, err, "COUNTERSIGN_RDAP_BOOTSTRAP must look like")
}
