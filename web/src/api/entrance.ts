import { answer, api, type Schema } from "./client";
import { isUnanswered } from "./problem";
import { reach } from "./reach";

// Requests of signed-out people. Only their pages are loaded for them.

export const signIn = (body: Schema<"LoginInputBody">) => answer(api.POST("/api/auth/login", { body }));

export type SignInWays = Schema<"AuthSignInWays">;

/** How people can sign in beside a password. */
export const signInWays = (signal: AbortSignal): Promise<SignInWays> => answer(api.GET("/api/auth/ways", { signal }));

/** Where the browser goes to sign in at the identity provider. */
export const providerAddress = (next?: string) =>
  `/api/auth/oidc/start${next ? `?${new URLSearchParams({ next })}` : ""}`;

/** Why a sign-in at the identity provider came to nothing. */
export const providerFailures: Record<string, string> = {
  stale: "That sign-in was begun elsewhere, or too long ago. Begin again.",
  denied: "The identity provider did not sign you in.",
  provider: "The identity provider did not answer as it should. Try again.",
  group: "You are in none of the groups that may sign in. Ask an administrator.",
  email: "The identity provider does not say that an e-mail address is yours. Ask an administrator.",
  taken: "An account with your e-mail address exists here. Sign in with its password, or ask an administrator.",
  disabled: "Your account is disabled. Ask an administrator to enable it.",
  wait: "Too many sign-ins from your address came to nothing. Wait a minute and try again.",
};

/** How many characters the server takes for a new password. */
export const leastPassword = 8;
export const longestPassword = 256;

export type PasswordLink = Schema<"AuthLinked">;

/** Whose password a link sets. The token goes in the body: addresses are kept in logs. */
export const passwordLink = (token: string, signal: AbortSignal): Promise<PasswordLink> =>
  answer(api.POST("/api/auth/password-link/look", { body: { token }, signal }));

export const setPasswordByLink = (body: Schema<"UseInputBody">) =>
  answer(api.POST("/api/auth/password-link", { body }));

const mostReads = 4;

/** Reads what nobody has answered again, as soon as the server is back. */
export async function patiently<Answer>(read: (signal: AbortSignal) => Promise<Answer>, signal: AbortSignal) {
  for (let reads = 1; ; reads++) {
    try {
      return await read(signal);
    } catch (error) {
      if (signal.aborted || reads === mostReads || !isUnanswered(error)) throw error;
      await reach.back();
    }
  }
}
