package problem

import "net/http"

// Code names a kind of failure. It is stable: clients may switch on it.
type Code string

// The codes of the product.
const (
	Invalid       Code = "invalid"        // the input is wrong; Issues say where
	Unauthorized  Code = "unauthorized"   // no or no longer valid credentials
	Forbidden     Code = "forbidden"      // MissingRules or an object grant is missing
	NotFound      Code = "not_found"      // does not exist, or is none of the caller's business
	Conflict      Code = "conflict"       // the state does not allow it, such as a name that is taken
	Busy          Code = "busy"           // a turn runs in this conversation
	Drift         Code = "drift"          // the target has changed since the proposal was made
	Precondition  Code = "precondition"   // If-Match names another revision
	Expired       Code = "expired"        // the proposal or token is too old
	TooLarge      Code = "too_large"      // the input is over a size limit
	LateBody      Code = "late_body"      // the request body did not arrive in time
	KeyReused     Code = "key_reused"     // an Idempotency-Key came with another request
	Unknown       Code = "unknown"        // an effect that may have happened, and is not repeated
	Budget        Code = "budget"         // the tool-call budget is used up
	Spend         Code = "spend"          // the token spend cap is reached
	Throttled     Code = "throttled"      // too many attempts
	ModelRefused  Code = "model_refused"  // the provider refused: key, model or request
	ModelContext  Code = "model_context"  // the conversation is longer than the model's window
	ModelFailed   Code = "model_failed"   // the provider failed after retries
	Stopped       Code = "stopped"        // the person stopped it
	Unavailable   Code = "unavailable"    // a part of the product is away for the moment
	Internal      Code = "internal"       // a host failure
	NotAcceptable Code = "not_acceptable" // the request's media type or form does not fit
	// WrongMethod is for a path that exists for other methods; the header Allow lists them.
	WrongMethod Code = "method_not_allowed"
	// PreconditionRequired is for an operation that needs If-Match, without it.
	PreconditionRequired Code = "precondition_required"
	// OwnPassword requires a new password, known only to the user, before anything else is served.
	OwnPassword Code = "own_password"
)

type mapping struct {
	status int
	title  string
	// retry reports whether the same call can succeed later without any change.
	retry bool
}

var table = map[Code]mapping{
	Invalid:       {http.StatusUnprocessableEntity, "Invalid input", false},
	Unauthorized:  {http.StatusUnauthorized, "Sign in", false},
	Forbidden:     {http.StatusForbidden, "Not allowed", false},
	NotFound:      {http.StatusNotFound, "Not found", false},
	Conflict:      {http.StatusConflict, "Conflict", false},
	Busy:          {http.StatusConflict, "Busy", true},
	Drift:         {http.StatusConflict, "Changed meanwhile", false},
	Precondition:  {http.StatusPreconditionFailed, "Changed meanwhile", false},
	Expired:       {http.StatusGone, "Expired", false},
	TooLarge:      {http.StatusRequestEntityTooLarge, "Too large", false},
	LateBody:      {http.StatusRequestTimeout, "Request timeout", true},
	KeyReused:     {http.StatusUnprocessableEntity, "Idempotency key reused", false},
	Unknown:       {http.StatusConflict, "Outcome unknown", false},
	Budget:        {http.StatusTooManyRequests, "Tool budget used up", true},
	Spend:         {http.StatusTooManyRequests, "Spend cap reached", true},
	Throttled:     {http.StatusTooManyRequests, "Too many attempts", true},
	ModelRefused:  {http.StatusBadGateway, "The model provider refused", false},
	ModelContext:  {http.StatusBadGateway, "Conversation too long", false},
	ModelFailed:   {http.StatusBadGateway, "The model provider failed", true},
	Stopped:       {http.StatusConflict, "Stopped", false},
	Unavailable:   {http.StatusServiceUnavailable, "Unavailable", true},
	Internal:      {http.StatusInternalServerError, "Internal error", true},
	NotAcceptable: {http.StatusBadRequest, "Request does not fit", false},
	WrongMethod:   {http.StatusMethodNotAllowed, "Method not allowed", false},
	OwnPassword:   {http.StatusForbidden, "Change your password", false},

	PreconditionRequired: {http.StatusPreconditionRequired, "If-Match is missing", false},
}

// Status is the HTTP status of the code.
func (c Code) Status() int { return table[c.known()].status }

// Title is the short, human-readable name of the code.
func (c Code) Title() string { return table[c.known()].title }

// Retryable reports whether the same call can succeed later; Temporal retries an activity only then.
func (c Code) Retryable() bool { return table[c.known()].retry }

// Error codes of JSON-RPC. RateLimited and Refused lie in the range that the protocol leaves to servers.
const (
	RateLimited   = -32010
	Refused       = -32011
	InvalidParams = -32602
	InternalError = -32603
)

// RPC is the error code of JSON-RPC, as MCP clients get it.
func (c Code) RPC() int64 {
	switch c.known() {
	case Budget, Spend, Throttled:
		return RateLimited
	case Internal:
		return InternalError
	case Invalid, NotFound, NotAcceptable, TooLarge, KeyReused, PreconditionRequired:
		return InvalidParams
	}
	return Refused
}

// Codes lists every code; the reference documentation is checked against it.
func Codes() []Code {
	all := make([]Code, 0, len(table))
	for c := range table {
		all = append(all, c)
	}
	return all
}

func (c Code) known() Code {
	if _, ok := table[c]; ok {
		return c
	}
	return Internal
}

// CodeForStatus is the code that fits an HTTP status written by a layer that knows no codes.
func CodeForStatus(status int) Code {
	switch status {
	case http.StatusMethodNotAllowed:
		return WrongMethod
	case http.StatusBadRequest, http.StatusNotAcceptable, http.StatusUnsupportedMediaType:
		return NotAcceptable
	case http.StatusUnauthorized:
		return Unauthorized
	case http.StatusForbidden:
		return Forbidden
	case http.StatusNotFound:
		return NotFound
	case http.StatusConflict:
		return Conflict
	case http.StatusGone:
		return Expired
	case http.StatusPreconditionFailed:
		return Precondition
	case http.StatusPreconditionRequired:
		return PreconditionRequired
	case http.StatusRequestTimeout:
		return LateBody
	case http.StatusRequestEntityTooLarge:
		return TooLarge
	case http.StatusUnprocessableEntity:
		return Invalid
	case http.StatusTooManyRequests:
		return Throttled
	case http.StatusServiceUnavailable:
		return Unavailable
	default:
		return Internal
	}
}
