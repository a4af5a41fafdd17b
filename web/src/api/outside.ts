import { answer, api, once, type Schema } from "./client";

/** Content that a chat holds and its person has not written. */
export type OutsideContent = Schema<"DispositionTaint">;

/** Accepts untrusted content for auto mode, up to the content with the highest `seq`. */
export const acceptOutside = (id: string, through: number, key: string) =>
  answer(
    api.POST("/api/ai/conversations/{id}/outside/accept", {
      params: { path: { id }, header: once(key) },
      body: { through },
    }),
  );
