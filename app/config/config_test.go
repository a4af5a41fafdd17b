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
