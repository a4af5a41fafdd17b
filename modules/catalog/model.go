package catalog

import (
	"time"

	"github.com/google/uuid"

	"countersign/access"
	"countersign/rest"
)

// Limits of the catalog. Lengths count characters.
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
	// maxPlaces is how many groups and how many environments a system can be put into at once, maxMembers how many systems into one.
	maxPlaces  = 50
	maxMembers = 100
)

// Record is a free JSON object, as rest.Object says.
type Record = rest.Object

// Reference names another record.
type Reference struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// Owner is a team that owns a record.
type Owner struct {
	TeamID   uuid.UUID `json:"teamId"`
	TeamName string    `json:"teamName"`
}

// ContactType says whom a contact names.
type ContactType string

// A contact is a user of the product, a mailbox, a telephone, a chat room or a pager.
const (
	UserContact    ContactType = "user"
	MailboxContact ContactType = "mailbox"
	PhoneContact   ContactType = "phone"
	ChatContact    ContactType = "chat"
	PagerContact   ContactType = "pager"
)

// Contact is whom to ask about a system. UserID is set for a user, Email for a mailbox, Address for the others; the name and
// address of a user are missing when the user is gone.
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

// System is something that the organisation runs. Groups are only those that the reader may see.
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

// Group puts systems together, flat and many-to-many. SystemIDs are only those that the reader may see.
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

// Environment is where systems run, such as production, with free fields of its own.
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

// NewSystem is what a system is made of. Without an owner team only the rules of roles open it.
type NewSystem struct {
	Name        string     `json:"name" jsonschema:"minLength=1,maxLength=120,description=Unique whatever its case." doc:"1 to 120 characters, unique whatever the case."`
	Description string     `json:"description,omitempty" jsonschema:"maxLength=2000" doc:"At most 2,000 characters."`
	Metadata    Record     `json:"metadata,omitempty" jsonschema:"description=Free JSON object of at most 16 KB; only what was asked for."`
	Tags        []string   `json:"tags,omitempty" jsonschema:"maxItems=20,description=Short labels; kept in lower case." doc:"At most 20; kept in lower case, sorted."`
	OwnerTeamID *uuid.UUID `json:"ownerTeamId,omitempty" nullable:"true" jsonschema:"description=The team that owns it; ids come from catalog_listTeams."`
	// What else it has from the beginning.
	Contacts       []NewContact `json:"contacts,omitempty" maxItems:"50" nullable:"false" jsonschema:"maxItems=50" doc:"Whom to ask about it."`
	Links          []NewLink    `json:"links,omitempty" maxItems:"50" nullable:"false" jsonschema:"maxItems=50"`
	EnvironmentIDs []uuid.UUID  `json:"environmentIds,omitempty" maxItems:"50" nullable:"false" jsonschema:"maxItems=50"`
	GroupIDs       []uuid.UUID  `json:"groupIds,omitempty" maxItems:"50" nullable:"false" jsonschema:"maxItems=50"`
}

// SystemChange is what changes of a system; what is nil stays.
type SystemChange struct {
	Name        *string   `json:"name,omitempty" jsonschema:"minLength=1,maxLength=120" doc:"1 to 120 characters, unique whatever the case."`
	Description *string   `json:"description,omitempty" nullable:"true" jsonschema:"maxLength=2000,description=An empty text clears it." doc:"At most 2,000 characters."`
	Metadata    *Record   `json:"metadata,omitempty" nullable:"true" jsonschema:"description=Replaces the whole metadata; include what is to stay." doc:"Replaces the whole metadata."`
	Tags        *[]string `json:"tags,omitempty" nullable:"true" jsonschema:"maxItems=20,description=Replaces all tags; include those that are to stay." doc:"Replaces all tags; at most 20, kept in lower case, sorted."`
}

// over is the system's own fields after the change.
func (c SystemChange) over(s NewSystem) NewSystem {
	rest.Replace(&s.Name, c.Name)
	rest.Replace(&s.Description, c.Description)
	rest.Replace(&s.Metadata, c.Metadata)
	rest.Replace(&s.Tags, c.Tags)
	return s
}

// NewGroup is what a group is made of.
type NewGroup struct {
	Name        string `json:"name" jsonschema:"minLength=1,maxLength=120,description=Unique whatever its case." doc:"1 to 120 characters, unique whatever the case."`
	Description string `json:"description,omitempty" jsonschema:"maxLength=2000" doc:"At most 2,000 characters."`
	Metadata    Record `json:"metadata,omitempty" jsonschema:"description=Free JSON object of at most 16 KB; only what was asked for."`
	// SystemIDs are in it from the beginning.
	SystemIDs []uuid.UUID `json:"systemIds,omitempty" maxItems:"100" nullable:"false" jsonschema:"maxItems=100,description=Ids of the systems that are in it from the beginning."`
}

// GroupChange is what changes of a group; what is nil stays.
type GroupChange struct {
	Name        *string `json:"name,omitempty" jsonschema:"minLength=1,maxLength=120" doc:"1 to 120 characters, unique whatever the case."`
	Description *string `json:"description,omitempty" nullable:"true" jsonschema:"maxLength=2000,description=An empty text clears it." doc:"At most 2,000 characters."`
	Metadata    *Record `json:"metadata,omitempty" nullable:"true" jsonschema:"description=Replaces the whole metadata; include what is to stay." doc:"Replaces the whole metadata."`
}

// over is the group's own fields after the change.
func (c GroupChange) over(g NewGroup) NewGroup {
	rest.Replace(&g.Name, c.Name)
	rest.Replace(&g.Description, c.Description)
	rest.Replace(&g.Metadata, c.Metadata)
	return g
}

// NewEnvironment is what an environment is made of.
type NewEnvironment struct {
	Name        string `json:"name" jsonschema:"minLength=1,maxLength=120,description=Unique whatever its case." doc:"1 to 120 characters, unique whatever the case."`
	Description string `json:"description,omitempty" jsonschema:"maxLength=2000" doc:"At most 2,000 characters."`
	Fields      Record `json:"fields,omitempty" jsonschema:"description=Free fields such as region or baseUrl; id and name are reserved." doc:"Free fields; id and name are reserved."`
	// SystemIDs are in it from the beginning.
	SystemIDs []uuid.UUID `json:"systemIds,omitempty" maxItems:"100" nullable:"false" jsonschema:"maxItems=100"`
}

// EnvironmentChange is what changes of an environment; what is nil stays.
type EnvironmentChange struct {
	Name        *string `json:"name,omitempty" jsonschema:"minLength=1,maxLength=120" doc:"1 to 120 characters, unique whatever the case."`
	Description *string `json:"description,omitempty" nullable:"true" jsonschema:"maxLength=2000,description=An empty text clears it." doc:"At most 2,000 characters."`
	Fields      *Record `json:"fields,omitempty" nullable:"true" jsonschema:"description=Replaces all fields; include those that are to stay. id and name are reserved." doc:"Replaces all fields; id and name are reserved."`
}

// over is the environment's own fields after the change.
func (c EnvironmentChange) over(e NewEnvironment) NewEnvironment {
	rest.Replace(&e.Name, c.Name)
	rest.Replace(&e.Description, c.Description)
	rest.Replace(&e.Fields, c.Fields)
	return e
}

// NewContact is what a contact is made of.
type NewContact struct {
	Type    ContactType `json:"type" enum:"user,mailbox,phone,chat,pager" jsonschema:"enum=user,enum=mailbox,enum=phone,enum=chat,enum=pager"`
	Label   string      `json:"label,omitempty" jsonschema:"maxLength=120,description=What the contact is for; such as on-call." doc:"What the contact is for, such as on-call."`
	UserID  *uuid.UUID  `json:"userId,omitempty" nullable:"true" jsonschema:"description=The user; for type user only." doc:"For type user."`
	Email   string      `json:"email,omitempty" jsonschema:"maxLength=254,description=The address; for type mailbox only." doc:"For type mailbox."`
	Address string      `json:"address,omitempty" jsonschema:"maxLength=500,description=A number for phone; https for chat; either for pager." doc:"For type phone a telephone number, for chat an https address, for pager either of them."`
}

// address is where the contact is reached, whatever its type; nil for a user.
func (c NewContact) address() *string {
	switch c.Type {
	case UserContact:
		return nil
	case MailboxContact:
		return &c.Email
	}
	return &c.Address
}

// NewLink is what a link is made of.
type NewLink struct {
	Label string `json:"label,omitempty" jsonschema:"maxLength=120,description=What the page is; such as runbook."`
	URL   string `json:"url" jsonschema:"minLength=8,maxLength=2000,description=http or https; no credentials." doc:"http or https, without credentials."`
}
