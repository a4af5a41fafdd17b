package connection

import (
	"bytes"
	"context"
	"maps"
	"net/url"

	"countersign/audit"
	"countersign/modules/connection/connectiondb"
)

const connectionType = "ai.connection"

// The type in the audit log, as people read it.
var auditedConnection = audit.Declare(audit.Type{
	ID: connectionType, Label: "Model connection", Plural: "Model connections",
	Kept: []string{
		"name", "server", "defaultModel", "availableModels", "contextWindowTokens", "modelFamily", "spendCap", "unattendedSpendCap",
		"price", "disableTopicalClassifier", "enabled", "isDefault", "reasoningEffort", "streaming", "textCalls", "firstTokenSeconds", "maxTools",
		"smallCallSeconds",
	},
})

// Audited lets managers of connections read their history.
func (m *Module) Audited() []audit.Kind {
	return []audit.Kind{audit.Ruled(auditedConnection, Manage, audit.ByUUID(m.Get))}
}

// record writes an audit event about a change, in its transaction.
func (m *Module) record(
	ctx context.Context,
	action audit.Action,
	row connectiondb.AiConnection,
	summary string,
	fields audit.Fields,
) error {
	return audit.Record(
		ctx,
		m.db,
		audit.Event{Action: action, Object: audit.Object(connectionType, row.ID, row.Name), Summary: summary, Fields: fields},
	)
}

func changedFields(a, b connectiondb.AiConnection) (fields audit.Fields) {
	before, after := fromRow(a), fromRow(b)
	fields.Compare("name", before.Name, after.Name)
	fields.Compare("server", server(before.BaseURL), server(after.BaseURL))
	fields.Mention("baseUrl", before.BaseURL != after.BaseURL)
	fields.Mention("apiKey", !bytes.Equal(a.ApiKeySealed, b.ApiKeySealed))
	fields.Compare("defaultModel", before.DefaultModel, after.DefaultModel)
	fields.Compare("availableModels", before.AvailableModels, after.AvailableModels)
	fields.Compare("contextWindowTokens", before.ContextWindowTokens, after.ContextWindowTokens)
	fields.Compare("modelFamily", before.ModelFamily, after.ModelFamily)
	fields.Compare("spendCap", before.SpendCap, after.SpendCap)
	fields.Compare("unattendedSpendCap", before.UnattendedSpendCap, after.UnattendedSpendCap)
	fields.Compare("price", before.Price, after.Price)
	fields.Compare("disableTopicalClassifier", before.DisableTopicalClassifier, after.DisableTopicalClassifier)
	fields.Compare("smallCallSeconds", before.SmallCallSeconds, after.SmallCallSeconds)
	fields.Mention("extraHeaders", !bytes.Equal(a.HeadersSealed, b.HeadersSealed))
	fields.Mention("extraBody", !bytes.Equal(a.ExtraBody, b.ExtraBody))
	fields.Compare("reasoningEffort", before.ReasoningEffort, after.ReasoningEffort)
	fields.Compare("streaming", before.Streaming, after.Streaming)
	fields.Compare("textCalls", before.TextCalls, after.TextCalls)
	fields.Compare("firstTokenSeconds", before.FirstTokenSeconds, after.FirstTokenSeconds)
	fields.Compare("maxTools", before.MaxTools, after.MaxTools)
	fields.Compare("enabled", before.Enabled, after.Enabled)
	fields.Mention("lessons", !bytes.Equal(a.Lessons, b.Lessons))
	fields.Mention("figures", !maps.Equal(a.Figures, b.Figures))
	fields.Compare("isDefault", a.IsDefault, b.IsDefault)
	return fields
}

// server returns an address without path and parameters, which could hold secrets.
func server(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
