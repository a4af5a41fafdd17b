package auditdb

import "github.com/jackc/pgx/v5"

// QueueNoteProgram adds NoteProgram to a batch.
func QueueNoteProgram(b *pgx.Batch, p NoteProgramParams) {
	b.Queue(
		noteProgram,
		p.Part,
		p.ProgramID,
		p.Summary,
		p.PrincipalKind,
		p.PrincipalID,
		p.SessionID,
		p.Transport,
		p.PersonID,
		p.Personal,
		p.CallIds,
	)
}
