package auditdb

import "github.com/jackc/pgx/v5"

// QueueNoteProgram is NoteProgram in the trip and the transaction of other statements.
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
