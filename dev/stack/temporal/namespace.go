package temporal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sqliteschema "go.temporal.io/server/schema/sqlite"
	"google.golang.org/protobuf/types/known/durationpb"
)

const (
	// retention is the retention of closed workflows.
	retention  = 72 * time.Hour
	readyLimit = 3 * time.Minute
)

// createNamespace writes the namespace, with its search attributes, into the
// database of a server that is not running yet, unless it is there. Asking a
// running server would do as well, but its services notice a new attribute only
// seconds later.
func createNamespace(database Database, attributes []string) error {
	types := make(map[string]enumspb.IndexedValueType, len(attributes))
	for _, name := range attributes {
		types[name] = enumspb.INDEXED_VALUE_TYPE_KEYWORD
	}
	namespace, err := sqliteschema.NewNamespaceConfig(clusterName, Namespace, false, types)
	if err != nil {
		return fmt.Errorf("configure the namespace %s: %w", Namespace, err)
	}
	namespace.Detail.Config.Retention = durationpb.New(retention)
	// Despite its name and home the function works on any SQL store.
	execution, _ := stores()
	if err := sqliteschema.CreateNamespaces(database.sql(execution), namespace); err != nil {
		return fmt.Errorf("create the namespace %s: %w", Namespace, err)
	}
	return nil
}

// prepare adds search attributes that an existing namespace lacks and waits until
// every service answers for the namespace.
func (s *Server) prepare(ctx context.Context, attributes []string) error {
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()

	var dialled client.Client
	err := retry(ctx, func() (err error) {
		dialled, err = client.DialContext(ctx, client.Options{
			HostPort:  s.Address(),
			Namespace: Namespace,
			Logger:    slog.New(slog.DiscardHandler),
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("connect to Temporal: %w", err)
	}
	defer dialled.Close()

	err = retry(ctx, func() error { return addSearchAttributes(ctx, dialled, attributes) })
	if err != nil {
		return fmt.Errorf("register search attributes with Temporal: %w", err)
	}
	if err := retry(ctx, func() error { return probe(ctx, dialled, attributes) }); err != nil {
		return fmt.Errorf("wait for Temporal: %w", err)
	}
	return nil
}

func addSearchAttributes(ctx context.Context, c client.Client, attributes []string) error {
	existing, err := c.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: Namespace})
	if err != nil {
		return err
	}
	missing := map[string]enumspb.IndexedValueType{}
	for _, name := range attributes {
		if _, ok := existing.GetCustomAttributes()[name]; !ok {
			missing[name] = enumspb.INDEXED_VALUE_TYPE_KEYWORD
		}
	}
	if len(missing) == 0 {
		return nil
	}
	_, err = c.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
		Namespace:        Namespace,
		SearchAttributes: missing,
	})
	return err
}

// probe sends each service one harmless query: visibility for workflows by all search attributes, history for a missing
// workflow, matching for an unused task queue.
func probe(ctx context.Context, c client.Client, attributes []string) error {
	const nothing = "devstack-probe"
	conditions := []string{`WorkflowId = "` + nothing + `"`}
	for _, name := range slices.Sorted(slices.Values(attributes)) {
		conditions = append(conditions, name+` = "`+nothing+`"`)
	}
	_, err := c.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{
		Namespace: Namespace,
		Query:     strings.Join(conditions, " AND "),
	})
	if err != nil {
		return err
	}
	_, err = c.DescribeWorkflowExecution(ctx, nothing, "")
	if _, missing := errors.AsType[*serviceerror.NotFound](err); err != nil && !missing {
		return err
	}
	_, err = c.DescribeTaskQueue(ctx, nothing, enumspb.TASK_QUEUE_TYPE_WORKFLOW)
	return err
}

// retry repeats attempt until it succeeds or ctx ends, and then returns the last
// error.
func retry(ctx context.Context, attempt func() error) error {
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := attempt()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		case <-ticker.C:
		}
	}
}
