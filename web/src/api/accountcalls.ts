import { answer, api, once, type Schema } from "./client";
import type { ChatToken } from "./account";

// Changes of the own account stand apart from the queries, which area.ts brings into the first load.

export const endSignIn = (id: string, key: string) =>
  answer(api.DELETE("/api/auth/sessions/{id}", { params: { path: { id }, header: once(key) } }));

/** Ends all but the one that asks, and says how many there were. */
export const endOtherSignIns = async (key: string): Promise<number> =>
  (await answer(api.DELETE("/api/auth/sessions", { params: { header: once(key) } }))).revoked;

/** Carries no idempotency key, as the server must not keep the token. */
export const makeChatToken = (body: Schema<"AuthNewChatToken">) => answer(api.POST("/api/auth/chat-tokens", { body }));

export const revokeChatToken = ({ id }: ChatToken, key: string) =>
  answer(api.DELETE("/api/auth/chat-tokens/{id}", { params: { path: { id }, header: once(key) } }));

/** Carries no idempotency key, as the server must not keep a fast hash of a password. */
export const changePassword = (body: Schema<"ChangePasswordInputBody">) =>
  answer(api.POST("/api/auth/password", { body }));
