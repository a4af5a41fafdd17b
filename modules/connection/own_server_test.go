package connection_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/modules/connection"
)

func TestOwnServersAreKnownByTheirAddress(t *testing.T) {
	t.Parallel()
	for base, own := range map[string]bool{
		"http://127.0.0.1:8080/v1": true, "http://[::1]:8080/v1": true, "http://10.1.2.3/v1": true, "http://100.100.1.2:11434/v1": true,
		"http://localhost:1234/v1": true, "http://ollama:11434/v1": true, "http://GPU.lan/v1": true, "http://llm.corp.internal./v1": true,
		"http://[::ffff:192.168.1.1]/v1": true,
		"https://api.openai.com/v1":      false, "https://8.8.8.8/v1": false, "https://localhost.example.org/v1": false, "": false,
	} {
		require.Equal(t, own, connection.Connection{BaseURL: base}.IsOwnServer(), base)
	}
	require.False(t, connection.Connection{BaseURL: "http://127.0.0.1/v1", Kind: connection.Demo}.IsOwnServer())
}
