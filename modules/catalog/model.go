package catalog

import (
	"time"

	"github.com/google/uuid"

	"countersign/internal/access"
	"countersign/internal/rest"
)

// Limits of the catalog. Lengths are in characters.
const (
	MaxName        = 120
	MaxDescription = 2000
	MaxLabel       = 120
	MaxTags        = 20
	MaxTag         = 40
	MaxURL         = 2000
	MaxRecordBytes = 16 << 10
	MaxContacts    = 50
	MaxLinks       = 50
	// maxPlaces limits the groups and environments of a new system, maxMembers the systems of a new group or
	// environment.
	maxPlaces  = 50
	maxMembers = 100
)

// Record is a free JSON object, as rest.Object says.
type Record = rest.Object

// Reference is the id and name of another record.
type Reference struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// Owner is a team that owns a record.
type Owner struct {
	TeamID   uuid.UUID `json:"teamId"`
	TeamName string    `json:"teamName"`
}

// ContactType is the type of a contact.
type ContactType string

// A contact is a user of the product, a mailbox, a telephone, a chat room or a pager.
const (
	UserContact    ContactType = "user"
	MailboxContact ContactType = "mailbox"
	PhoneContact   ContactType = "phone"
	ChatContact    ContactType = "chat"
	PagerContact   ContactType = "pager"
)

// Contact is a contact for a system. UserID is set for a user, Email for a mailbox, Address for others; name and
// address of a deleted user are missing.
type Contact struct {
	ID        uuid.UUID   `json:"id"`
	Type      ContactType `json:"type" enum:"user,mailbox,phone,chat,pager"`
	Label     string      `json:"label"`
	UserID    *uuid.UUID  `json:"userId,omitempty"`
	UserName  string      `json:"userName,omitempty"`
	UserEmail string      `json:"userEmail,omitempty"`
	Email     string      `json:"email,omitempty"`
	Address   string      `json:"address,omitempty" doc:"A telephone number, or an address that begins with https://."`
}

// Link points to a page about a system.
type Link struct {
	ID        uuid.UUID `json:"id"`
	Label     string    `json:"label"`
	URL       string    `json:"url"`
	CreatedAt time.Time `json:"createdAt"`
}

// System is a system that the organisation runs. Groups lists those that the reader may see.
type System struct {
	ID           uuid.UUID    `json:"id"`
	Name         string       `json:"name"`
	Description  string       `json:"description"`
	Metadata     Record       `json:"metadata"`
	Tags         []string     `json:"tags" nullable:"false"`
	Owners       []Owner      `json:"owners" nullable:"false"`
	Groups       []Reference  `json:"groups" nullable:"false"`
	Environments []Reference  `json:"environments" nullable:"false"`
	Contacts     []Contact    `json:"contacts" nullable:"false"`
	Links        []Link       `json:"links" nullable:"false"`
	Access       access.Level `json:"access" enum:"viewer,editor,owner"`
	rest.Revised
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// Group is a flat set of systems, many-to-many. SystemIDs lists those that the reader may see.
type Group struct {
	ID          uuid.UUID    `json:"id"`
	Name        string       `json:"name"`
	Description string       `json:"description"`
	Metadata    Record       `json:"metadata"`
	SystemIDs   []uuid.UUID  `json:"systemIds" nullable:"false"`
	Access      access.Level `json:"access" enum:"viewer,editor,owner"`
	rest.Revised
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// Environment is an environment such as production, with free fields.
type Environment struct {
	ID          uuid.UUID    `json:"id"`
	Name        string       `json:"name"`
	Description string       `json:"description"`
	Fields      Record       `json:"fields"`
	SystemIDs   []uuid.UUID  `json:"systemIds" nullable:"false"`
	Access      access.Level `json:"access" enum:"viewer,editor,owner"`
	rest.Revised
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// NewSystem is the input for creating a system. Without an owner team only the rules of roles give access.
type NewSystem struct {
	Name        string     `json:"name" jsonschema:"minLength=1,maxLength=120,description=Unique whatever its case." doc:"1 to 120 characters, unique whatever the case."`
	Description string     `json:"description,omitempty" jsonschema:"maxLength=2000" doc:"At most 2,000 characters."`
	Metadata    Record     `json:"metadata,omitempty" jsonschema:"description=Free JSON object of at most 16 KB; only what was asked for."`
	Tags        []string   `json:"tags,omitempty" jsonschema:"maxItems=20,description=Short labels; kept in lower case." doc:"At most 20; kept in lower case, sorted."`
	OwnerTeamID *uuid.UUID `json:"ownerTeamId,omitempty" nullable:"true" jsonschema:"description=The team that owns it; ids come from catalog_listTeams."`
	// Initial parts of the system.
	Contacts       []NewContact `json:"contacts,omitempty" maxItems:"50" nullable:"false" jsonschema:"maxItems=50" doc:"Whom to ask about it."`
	Links          []NewLink    `json:"links,omitempty" maxItems:"50" nullable:"false" jsonschema:"maxItems=50"`
	EnvironmentIDs []uuid.UUID  `json:"environmentIds,omitempty" maxItems:"50" nullable:"false" jsonschema:"maxItems=50"`
	GroupIDs       []uuid.UUID  `json:"groupIds,omitempty" maxItems:"50" nullable:"false" jsonschema:"maxItems=50"`
}

// SystemChange changes a system; nil fields stay.
type SystemChange struct {
	Name        *string   `json:"name,omitempty" jsonschema:"minLength=1,maxLength=120" doc:"1 to 120 characters, unique whatever the case."`
	Description *string   `json:"description,omitempty" nullable:"true" jsonschema:"maxLength=2000,description=An empty text clears it." doc:"At most 2,000 characters."`
	Metadata    *Record   `json:"metadata,omitempty" nullable:"true" jsonschema:"description=Replaces the whole metadata; include what is to stay." doc:"Replaces the whole metadata."`
	Tags        *[]string `json:"tags,omitempty" nullable:"true" jsonschema:"maxItems=20,description=Replaces all tags; include those that are to stay." doc:"Replaces all tags; at most 20, kept in lower case, sorted."`
}

// over returns the system's own fields after the change.
func (c SystemChange) over(s NewSystem) NewSystem {
	rest.Replace(&s.Name, c.Name)
	rest.Replace(&s.Description, c.Description)
	rest.Replace(&s.Metadata, c.Metadata)
	rest.Replace(&s.Tags, c.Tags)
	return s
}

// NewGroup is the input for creating a group.
type NewGroup struct {
	Name        string `json:"name" jsonschema:"minLength=1,maxLength=120,description=Unique whatever its case." doc:"1 to 120 characters, unique whatever the case."`
	Description string `json:"description,omitempty" jsonschema:"maxLength=2000" doc:"At most 2,000 characters."`
	Metadata    Record `json:"metadata,omitempty" jsonschema:"description=Free JSON object of at most 16 KB; only what was asked for."`
	// SystemIDs are the initial members.
	SystemIDs []uuid.UUID `json:"systemIds,omitempty" maxItems:"100" nullable:"false" jsonschema:"maxItems=100,description=Ids of the systems that are in it from the beginning."`
}

// GroupChange changes a group; nil fields stay.
type GroupChange struct {
	Name        *string `json:"name,omitempty" jsonschema:"minLength=1,maxLength=120" doc:"1 to 120 characters, unique whatever the case."`
	Description *string `json:"description,omitempty" nullable:"true" jsonschema:"maxLength=2000,description=An empty text clears it." doc:"At most 2,000 characters."`
	Metadata    *Record `json:"metadata,omitempty" nullable:"true" jsonschema:"description=Replaces the whole metadata; include what is to stay." doc:"Replaces the whole metadata."`
}

// over returns the group's own fields after the change.
func (c GroupChange) over(g NewGroup) NewGroup {
	rest.Replace(&g.Name, c.Name)
	rest.Replace(&g.Description, c.Description)
	rest.Replace(&g.Metadata, c.Metadata)
	return g
}

// NewEnvironment is the input for creating an environment.
type NewEnvironment struct {
	Name        string `json:"name" jsonschema:"minLength=1,maxLength=120,description=Unique whatever its case." doc:"1 to 120 characters, unique whatever the case."`
	Description string `json:"description,omitempty" jsonschema:"maxLength=2000" doc:"At most 2,000 characters."`
	Fields      Record `json:"fields,omitempty" jsonschema:"description=Free fields such as region or baseUrl; id and name are reserved." doc:"Free fields; id and name are reserved."`
	// SystemIDs are the initial members.
	SystemIDs []uuid.UUID `json:"systemIds,omitempty" maxItems:"100" nullable:"false" jsonschema:"maxItems=100"`
}

// EnvironmentChange changes an environment; nil fields stay.
type EnvironmentChange struct {
	Name        *string `json:"name,omitempty" jsonschema:"minLength=1,maxLength=120" doc:"1 to 120 characters, unique whatever the case."`
	Description *string `json:"description,omitempty" nullable:"true" jsonschema:"maxLength=2000,description=An empty text clears it." doc:"At most 2,000 characters."`
	Fields      *Record `json:"fields,omitempty" nullable:"true" jsonschema:"description=Replaces all fields; include those that are to stay. id and name are reserved." doc:"Replaces all fields; id and name are reserved."`
}

// over returns the environment's own fields after the change.
func (c EnvironmentChange) over(e NewEnvironment) NewEnvironment {
	rest.Replace(&e.Name, c.Name)
	rest.Replace(&e.Description, c.Description)
	rest.Replace(&e.Fields, c.Fields)
	return e
}

// NewContact is the input for adding a contact.
type NewContact struct {
	Type    ContactType `json:"type" enum:"user,mailbox,phone,chat,pager" jsonschema:"enum=user,enum=mailbox,enum=phone,enum=chat,enum=pager"`
	Label   string      `json:"label,omitempty" jsonschema:"maxLength=120,description=What the contact is for; such as on-call." doc:"What the contact is for, such as on-call."`
	UserID  *uuid.UUID  `json:"userId,omitempty" nullable:"true" jsonschema:"description=The user; for type user only." doc:"For type user."`
	Email   string      `json:"email,omitempty" jsonschema:"maxLength=254,description=The address; for type mailbox only." doc:"For type mailbox."`
	Address string      `json:"address,omitempty" jsonschema:"maxLength=500,description=A number for phone; https for chat; either for pager." doc:"For type phone a telephone number, for chat an https address, for pager either of them."`
}

// address returns the address of a contact of any type; nil for a user.
func (c NewContact) address() *string {
	switch c.Type {
	case UserContact:
		return nil
	case MailboxContact:
		return &c.Email
	}
	return &c.Address
}

// NewLink is the input for adding a link.
type NewLink struct {
	Label string `json:"label,omitempty" jsonschema:"maxLength=120,description=What the page is; such as runbook."`
	URL   string `json:"url" jsonschema:"minLength=8,maxLength=2000,description=http or https; no credentials." doc:"http or https, without credentials."`
}
