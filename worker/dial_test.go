package worker_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"countersign/worker"
)

func TestATemporalThatIsAwayIsToldFromOneThatRefuses(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		serviceerror.NewUnavailable("connection refused"), serviceerror.NewDeadlineExceeded("too late"), context.DeadlineExceeded,
		status.Error(codes.Unavailable, "connection refused"), fmt.Errorf("health check error: %w", status.Error(codes.DeadlineExceeded, "too late")),
	} {
		require.True(t, worker.Unavailable(fmt.Errorf("connect: %w", err)), "%v", err)
	}
	for _, err := range []error{
		nil, context.Canceled, errors.New("no"), serviceerror.NewPermissionDenied("no", ""), serviceerror.NewNamespaceNotFound("nobody"),
		status.Error(codes.Unauthenticated, "the API key is not known"),
		serviceerror.NewUnavailable(`connection error: desc = "transport: authentication handshake failed: tls: failed to verify certificate: x509: certificate signed by unknown authority"`),
	} {
		require.False(t, worker.Unavailable(err), "%v", err)
	}
}
