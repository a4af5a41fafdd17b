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
  stale: "That sign-in expired or was started elsewhere. Start again.",
  denied: "The identity provider did not sign you in.",
  provider: "The identity provider sent an invalid response. Try again.",
  group: "None of your groups may sign in. Ask an administrator.",
  email: "The identity provider did not verify your e-mail address. Ask an administrator.",
  taken: "An account with your e-mail address exists here. Sign in with its password, or ask an administrator.",
  disabled: "Your account is disabled. Ask an administrator to enable it.",
  wait: "Too many failed sign-ins from your address. Wait a minute and try again.",
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
