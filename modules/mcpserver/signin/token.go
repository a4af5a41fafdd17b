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

// Code is the code of the answer with which a browser has come back. The answer is that of this flow only if it names its issuer, or if
// the authorization server names none in its answers (RFC 9207); the caller has compared the state.
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

// Exchange gets tokens for a code. secret is that of an administrator's client, "" for none.
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

// Renew gets tokens for a refresh token, which may be used up by that. The error wraps ErrRefused when asking again is no use.
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

// tokens asks a token endpoint. The library of client credentials sends any grant, with whatever parameters it has.
func (c *Client) tokens(ctx context.Context, from Connection, secret string, grant url.Values) (Tokens, error) {
	w, client := c.open()
	config := clientcredentials.Config{
		ClientID: from.ClientID, ClientSecret: from.secret(secret), TokenURL: from.Token, AuthStyle: from.style(), EndpointParams: grant,
	}
	got, err := config.Token(context.WithValue(ctx, oauth2.HTTPClient, client))
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && w.failure == nil {
		switch {
		case refused.ErrorCode == "" || !final(w.status, refused.ErrorCode):
			return Tokens{}, w.why(ctx, "")
		case secret != "" && slices.Contains(clientRefused, refused.ErrorCode):
			// What an administrator has entered is wrong, or not there yet: the tokens may be good.
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
	if !sendable(t.Access) || t.Refresh != "" && !sendable(t.Refresh) {
		return Tokens{}, &ServerError{"its token cannot be sent: it is too long or too short, or has characters that no header can hold"}
	}
	if !got.Expiry.IsZero() {
		t.Lasts = new(min(max(time.Until(got.Expiry), 0), longest))
	}
	return t, nil
}

// clientRefused are the errors that speak of the client, and not of what it has sent.
var clientRefused = []string{"invalid_client", "unauthorized_client"}

var plainCode = regexp.MustCompile(`^[a-z][a-z_]{0,39}$`)

// codeOf is an error of OAuth as it can be kept and shown. Whatever else stands there may be a token.
func codeOf(code string) string {
	if plainCode.MatchString(code) {
		return code
	}
	return "an error of its own"
}

// final reports whether an error of OAuth stays when it is asked for again.
func final(status int, code string) bool {
	return status < http.StatusInternalServerError && status != http.StatusTooManyRequests &&
		!slices.Contains([]string{"server_error", "temporarily_unavailable", "slow_down"}, code)
}

// sendable reports whether a token can stand in a header (RFC 6750), and be recognised where it must not stand.
func sendable(token string) bool {
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

// Revoke gives tokens back (RFC 7009), and reports whether the authorization server has taken all of them. One that has
// no place for that takes none.
func (c *Client) Revoke(ctx context.Context, from Connection, secret string) bool {
	if from.Revocation == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	_, client := c.open()
	// With the refresh token most servers end what was made of it.
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
	// So that its bound is kept.
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode == http.StatusOK
}
