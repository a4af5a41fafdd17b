package skilldb

// AnswerField is one value that an analysis returns.
type AnswerField struct {
	Key         string   `json:"key" maxLength:"64" pattern:"^[A-Za-z][A-Za-z0-9_]*$" doc:"Under this name the value is read later"`
	Type        string   `json:"type" enum:"string,number,boolean,enum"`
	Description string   `json:"description" maxLength:"500" doc:"Tells the model what to put there"`
	Options     []string `json:"options,omitempty" maxItems:"50" doc:"The allowed values of an enum, and only of an enum"`
}
