package httprequest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/google/uuid"

	"countersign/audit"
	"countersign/internal/egress"
	"countersign/internal/principal"
	"countersign/internal/problem"
	"countersign/internal/secret"
	"countersign/modules/httprequest/httprequestdb"
	"countersign/tool"
)

// placeholderPattern matches placeholders.
var placeholderPattern = regexp.MustCompile(`nonce_[0-9a-f]{32}`)

const (
	placeholderBytes = 16
	// maxPlaceholders bounds the placeholders of one request.
	maxPlaceholders = 16
)

// Run is one run of a custom tool.
type Run struct {
	Principal       principal.Principal
	Agent, Revision uuid.UUID
	Tool            string
}

// Mint creates a placeholder for each of these secrets, by name. Only the run's principal can use them.
func (m *Module) Mint(ctx context.Context, r Run, secrets []string) (map[string]string, error) {
	made := make(map[string]string, len(secrets))
	for _, name := range secrets {
		var random [placeholderBytes]byte
		_, _ = rand.Read(random[:])
		made[name] = "nonce_" + hex.EncodeToString(random[:])
	}
	err := m.DB.InTx(ctx, func(ctx context.Context) error {
		for _, name := range slices.Sorted(maps.Keys(made)) {
			err := m.queries(ctx).AddPlaceholder(ctx, httprequestdb.AddPlaceholderParams{
				Hash: hashOf(
					made[name],
				),
				PrincipalKind: string(r.Principal.Kind),
				PrincipalID:   r.Principal.ID,
				AgentID:       r.Agent,
				RevisionID:    r.Revision,
				ToolID:        r.Tool,
				Secret:        name,
				Seconds:       m.Expire.Seconds(),
			})
			if err != nil {
				return fmt.Errorf("store a placeholder: %w", err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

func hashOf(placeholder string) []byte {
	sum := sha256.Sum256([]byte(placeholder))
	return sum[:]
}

// stand is a placeholder with its secret.
type stand struct {
	placeholder, secret string
	agent               uuid.UUID
	agentName           string
	pins                []egress.Pin
}

// stands returns the current values behind a request's placeholders, in order. Each has to belong to the caller; the
// error does not reveal whether another principal has such a placeholder.
func (m *Module) stands(ctx context.Context, placeholders []string) ([]stand, error) {
	if len(placeholders) == 0 {
		return nil, nil
	}
	if len(placeholders) > maxPlaceholders {
		return nil, problem.InvalidInput(fmt.Sprintf("A request can have at most %d placeholders of secrets.", maxPlaceholders))
	}
	hashes := make([][]byte, len(placeholders))
	for i, p := range placeholders {
		hashes[i] = hashOf(p)
	}
	rows, err := m.queries(ctx).Placeholders(ctx, hashes)
	if err != nil {
		return nil, fmt.Errorf("find placeholders: %w", err)
	}
	found := make([]stand, len(placeholders))
	for i, p := range placeholders {
		at := slices.IndexFunc(rows, func(row httprequestdb.SecretPlaceholder) bool { return string(row.Hash) == string(hashes[i]) })
		if at < 0 || !asks(ctx, rows[at]) {
			return nil, worthless()
		}
		if found[i], err = m.stand(ctx, p, rows[at]); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// owned is the name of the secret, with that of its agent.
func (s stand) owned() string {
	if s.agentName == "" {
		return s.secret
	}
	return s.secret + " of the agent " + s.agentName
}

func worthless() error {
	return problem.Errorf(
		problem.Conflict,
		"The request has a placeholder of a secret that is worth nothing here: it has expired, was made for another user, "+
			"or another revision of its agent is live now. Call the custom tool again to get a new one.",
	)
}

// asks reports whether a placeholder belongs to the acting principal, or to the proposer of the request being applied.
func asks(ctx context.Context, row httprequestdb.SecretPlaceholder) bool {
	p := principal.FromContext(ctx)
	if row.PrincipalKind == string(p.Kind) && row.PrincipalID == p.ID {
		return true
	}
	proposal, applying := audit.Carries(ctx)
	return applying && tool.Carried(ctx) == toolName && row.PrincipalKind == string(proposal.AskedByKind) &&
		row.PrincipalID == proposal.AskedBy
}

func (m *Module) stand(ctx context.Context, placeholder string, row httprequestdb.SecretPlaceholder) (stand, error) {
	name, pins, err := m.Agents.Pins(ctx, row.AgentID, row.RevisionID)
	if problem.CodeOf(err) == problem.Internal {
		return stand{}, err
	}
	hosts, declared := pins[row.Secret]
	if err != nil || !declared {
		return stand{}, worthless()
	}
	s := stand{placeholder: placeholder, secret: row.Secret, agent: row.AgentID, agentName: name}
	for _, host := range hosts {
		pin, err := egress.ParsePin(host)
		if err != nil {
			return stand{}, fmt.Errorf("pin of the secret %s of the agent %s: %w", row.Secret, row.AgentID, err)
		}
		s.pins = append(s.pins, pin)
	}
	return s, nil
}

// allows refuses a target that one of the secrets is not pinned to.
func allows(stands []stand, to egress.Target) error {
	for _, s := range stands {
		if !slices.ContainsFunc(s.pins, func(p egress.Pin) bool { return p.Allows(to) }) {
			return problem.InvalidInput(
				fmt.Sprintf(
					"The secret %s is not pinned to %s, so it is not sent there, and neither is the request.",
					s.owned(),
					origin(to),
				),
				problem.Issue{Path: "url", Message: "is not a host that the secret " + s.secret + " is pinned to"},
			)
		}
	}
	return nil
}

// origin returns scheme, host and port of a target.
func origin(t egress.Target) string { return t.URL.Scheme + "://" + t.URL.Host }

// values returns the values behind the placeholders, by placeholder.
func (m *Module) values(ctx context.Context, stands []stand, to egress.Target) (map[string]secret.Value, error) {
	if len(stands) == 0 {
		return nil, nil
	}
	if m.Secrets == nil {
		return nil, worthless()
	}
	var names []string
	for _, s := range stands {
		names = append(names, s.secret)
	}
	purpose := "request to " + to.Host + " for the agent " + stands[0].agent.String()
	if stands[0].agent == uuid.Nil {
		purpose = "request to " + to.Host + " of an automation"
	}
	const longest = 200
	found, err := m.Secrets.Use(ctx, principal.FromContext(ctx), names, purpose[:min(len(purpose), longest)])
	if err != nil {
		return nil, err
	}
	values := make(map[string]secret.Value, len(stands))
	for _, s := range stands {
		value, ok := found[s.secret]
		if !ok {
			return nil, worthless()
		}
		values[s.placeholder] = value
	}
	return values, nil
}
