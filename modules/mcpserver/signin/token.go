package signin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// Code returns the authorization code of the answer that the browser returned with. The answer must name this flow's
// issuer, or the authorization server must be one that names none (RFC 9207); the caller has compared the state.
func (f Flow) Code(answer url.Values) (string, error) {
	for name, values := range answer {
		if len(values) != 1 {
			return "", &ServerError{"its answer has the parameter " + shown(name) + " twice"}
		}
	}
	if issuer, sent := answer["iss"]; sent && issuer[0] != f.Issuer {
		return "", &ServerError{"the answer is that of another authorization server, and was thrown away"}
	} else if !sent && f.NamesIssuer {
		return "", &ServerError{"the answer names no authorization server, as those of this one do, and was thrown away"}
	}
	if refused := answer.Get("error"); refused != "" {
		return "", &ServerError{"it answered " + codeOf(refused)}
	}
	code := answer.Get("code")
	if code == "" || len(code) > maxToken {
		return "", &ServerError{"the answer has no code"}
	}
	return code, nil
}

// Exchange exchanges a code for tokens. secret is that of an administrator's client, "" for none.
func (c *Client) Exchange(ctx context.Context, f Flow, secret, code string) (Tokens, error) {
	return c.tokens(ctx, f.Connection, secret, url.Values{
		"grant_type": {
			"authorization_code",
		},
		"code":          {code},
		"redirect_uri":  {f.Redirect},
		"code_verifier": {f.Verifier},
		"resource":      {f.Resource},
	})
}

// Renew exchanges a refresh token, which may be consumed by that. The error wraps ErrRefused when no retry helps.
func (c *Client) Renew(ctx context.Context, from Connection, secret string) (Tokens, error) {
	if from.Refresh == "" {
		return Tokens{}, fmt.Errorf("%w: it has given no token to renew with", ErrRefused)
	}
	return c.tokens(
		ctx,
		from,
		secret,
		url.Values{"grant_type": {"refresh_token"}, "refresh_token": {from.Refresh}, "resource": {from.Resource}},
	)
}

// tokens requests a token endpoint. It uses the library's client credentials flow, which sends any grant with any
// parameters.
func (c *Client) tokens(ctx context.Context, from Connection, secret string, grant url.Values) (Tokens, error) {
	w, client := c.open()
	config := clientcredentials.Config{
		ClientID: from.ClientID, ClientSecret: from.secret(secret), TokenURL: from.Token, AuthStyle: from.style(), EndpointParams: grant,
	}
	got, err := config.Token(context.WithValue(ctx, oauth2.HTTPClient, client))
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && w.failure == nil {
		switch {
		case refused.ErrorCode == "" || !isPermanent(w.status, refused.ErrorCode):
			return Tokens{}, w.why(ctx, "")
		case secret != "" && slices.Contains(clientRefused, refused.ErrorCode):
			// The administrator's client data is wrong or missing: the tokens may still be valid.
			return Tokens{}, &ServerError{"it does not take the client id and secret that are kept for it"}
		}
		return Tokens{}, fmt.Errorf("%w: it answered %s", ErrRefused, codeOf(refused.ErrorCode))
	}
	if err != nil {
		return Tokens{}, w.why(ctx, "")
	}
	t := Tokens{Access: got.AccessToken, Refresh: got.RefreshToken}
	if !strings.EqualFold(got.Type(), "Bearer") {
		return Tokens{}, &ServerError{"its token is not a bearer token"}
	}
	if !isSendable(t.Access) || t.Refresh != "" && !isSendable(t.Refresh) {
		return Tokens{}, &ServerError{"its token cannot be sent: it is too long or too short, or has characters that no header can hold"}
	}
	if !got.Expiry.IsZero() {
		t.Lifetime = new(min(max(time.Until(got.Expiry), 0), maxTokenLifetime))
	}
	return t, nil
}

// clientRefused are the error codes about the client rather than the grant.
var clientRefused = []string{"invalid_client", "unauthorized_client"}

var errorCodePattern = regexp.MustCompile(`^[a-z][a-z_]{0,39}$`)

// codeOf returns an OAuth error code that is safe to store and show. Other text may be a token.
func codeOf(code string) string {
	if errorCodePattern.MatchString(code) {
		return code
	}
	return "an error of its own"
}

// isPermanent reports whether an OAuth error is permanent.
func isPermanent(status int, code string) bool {
	return status < http.StatusInternalServerError && status != http.StatusTooManyRequests &&
		!slices.Contains([]string{"server_error", "temporarily_unavailable", "slow_down"}, code)
}

// isSendable reports whether a token is valid in a header (RFC 6750) and long enough to be masked in texts.
func isSendable(token string) bool {
	const least = 4
	return len(token) >= least && len(token) <= maxToken && !strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })
}

func (f Connection) secret(given string) string {
	if given != "" {
		return given
	}
	return f.Secret
}

func (f Connection) style() oauth2.AuthStyle {
	if f.Method == basic {
		return oauth2.AuthStyleInHeader
	}
	return oauth2.AuthStyleInParams
}

// Revoke revokes tokens (RFC 7009), and reports whether the authorization server revoked all of them; false for one
// without a revocation endpoint.
func (c *Client) Revoke(ctx context.Context, from Connection, secret string) bool {
	if from.Revocation == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	_, client := c.open()
	// Most servers revoke the access tokens of a revoked refresh token.
	taken := true
	for _, one := range []struct{ token, hint string }{{from.Refresh, "refresh_token"}, {from.Access, "access_token"}} {
		if one.token != "" {
			taken = from.revoke(ctx, client, secret, one.token, one.hint) && taken
		}
	}
	return taken
}

func (f Connection) revoke(ctx context.Context, client *http.Client, secret, token, hint string) bool {
	form := url.Values{"token": {token}, "token_type_hint": {hint}}
	if secret = f.secret(secret); f.Method != basic {
		form.Set("client_id", f.ClientID)
		if secret != "" {
			form.Set("client_secret", secret)
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.Revocation, strings.NewReader(form.Encode()))
	if err != nil {
		return false
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if f.Method == basic {
		req.SetBasicAuth(url.QueryEscape(f.ClientID), url.QueryEscape(secret))
	}
	res, err := client.Do(req)
	if err != nil {
		return false
	}
	defer func() { _ = res.Body.Close() }()
	// Reading enforces the size limit.
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode == http.StatusOK
}
