package app

import (
	"fmt"

	"countersign/auth"
	"countersign/auth/oidc"
)

// federation is the configured identity provider for sign-in; none by default.
func (a *App) federation() (auth.Federation, error) {
	o := a.config.OIDC
	if o.Issuer == "" {
		return auth.Federation{}, nil
	}
	claim := o.GroupsClaim
	if len(o.Groups) == 0 && len(o.Roles) == 0 {
		claim = ""
	}
	provider, err := oidc.New(oidc.Options{
		Issuer: o.Issuer, ClientID: o.ClientID, ClientSecret: o.ClientSecret, Scopes: o.Scopes, GroupsClaim: claim,
		RedirectURL: a.config.URL + auth.CallbackPath(),
	})
	if err != nil {
		return auth.Federation{}, fmt.Errorf("identity provider: %w", err)
	}
	return auth.Federation{Provider: provider, Name: o.Name, Groups: o.Groups, Roles: o.Roles, LinkByEmail: o.LinkByEmail}, nil
}
