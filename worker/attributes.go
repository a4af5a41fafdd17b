package worker

import (
	"context"
	"fmt"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"countersign/internal/durable"
	"countersign/workflows"
)

// Search attributes by which operators find workflows. They hold ids and names only, never what people wrote.
var (
	attributeConversation = temporal.NewSearchAttributeKeyKeyword("CountersignConversation")
	attributePrincipal    = temporal.NewSearchAttributeKeyKeyword("CountersignPrincipal")
	attributeModel        = temporal.NewSearchAttributeKeyKeyword("CountersignModel")
	attributeConnection   = temporal.NewSearchAttributeKeyKeyword("CountersignConnection")
	attributeTool         = temporal.NewSearchAttributeKeyKeyword("CountersignTool")
)

// EnsureSearchAttributes registers the product's search attributes in the namespace where they are missing; without
// them no workflow starts.
func EnsureSearchAttributes(ctx context.Context, c client.Client, namespace string) error {
	known, err := c.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
	if err != nil {
		return fmt.Errorf("list Temporal search attributes: %w", err)
	}
	missing := map[string]enums.IndexedValueType{}
	for _, name := range []string{
		attributeConversation.GetName(), attributePrincipal.GetName(), attributeModel.GetName(), attributeConnection.GetName(),
		attributeTool.GetName(), workflows.StatusAttribute.GetName(),
		durable.AutomationAttribute.GetName(), durable.TriggerAttribute.GetName(),
	} {
		if _, ok := known.GetCustomAttributes()[name]; !ok {
			missing[name] = enums.INDEXED_VALUE_TYPE_KEYWORD
		}
	}
	if len(missing) == 0 {
		return nil
	}
	_, err = c.OperatorService().AddSearchAttributes(
		ctx,
		&operatorservice.AddSearchAttributesRequest{Namespace: namespace, SearchAttributes: missing},
	)
	if err != nil {
		return fmt.Errorf("add Temporal search attributes %v; an operator can add them as type Keyword: %w", missing, err)
	}
	return nil
}
