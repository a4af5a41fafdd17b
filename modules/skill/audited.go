package skill

import (
	"context"
	"reflect"

	"countersign/audit"
	"countersign/modules/skill/skilldb"
)

const skillType = "ai.skill"

// The type in the audit log, as people read it.
var auditedSkill = audit.Declare(audit.Type{
	ID: skillType, Label: "Skill", Plural: "Skills", Page: "/skills/{id}", Kept: []string{"name", "targets", "tags"},
})

// Audited lets callers who may see skills read their history.
func (m *Module) Audited() []audit.Kind {
	return []audit.Kind{audit.Ruled(auditedSkill, Read, func(ctx context.Context, id string) error {
		_, err := m.Get(ctx, id)
		return err
	})}
}

// record writes an audit event about a change, in its transaction.
func (m *Module) record(ctx context.Context, action audit.Action, row skilldb.AiSkill, summary string, fields audit.Fields) error {
	return audit.Record(
		ctx,
		m.db,
		audit.Event{Action: action, Object: audit.Object(skillType, row.ID, row.Name), Summary: summary, Fields: fields},
	)
}

func changedFields(row skilldb.AiSkill, n NewSkill) (fields audit.Fields) {
	fields.Compare("name", row.Name, n.Name)
	fields.Compare("targets", row.Targets, n.Targets)
	fields.Compare("tags", row.Tags, n.Tags)
	fields.Mention("description", row.Description != n.Description)
	fields.Mention("systemPrompt", row.SystemPrompt != n.SystemPrompt)
	fields.Mention("promptTemplate", row.PromptTemplate != n.PromptTemplate)
	fields.Mention("suggestedOutputFields", !reflect.DeepEqual(row.OutputFields, n.SuggestedOutputFields))
	return fields
}
