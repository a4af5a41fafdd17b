import { answer, api, once, type Schema } from "./client";

/** Content that a chat holds and its person has not written. */
export type OutsideContent = Schema<"DispositionTaint">;

/** Lets auto mode go on in spite of what has been seen, through the content with the highest `seq`. */
export const acceptOutside = (id: string, through: number, key: string) =>
  answer(
    api.POST("/api/ai/conversations/{id}/outside/accept", {
      params: { path: { id }, header: once(key) },
      body: { through },
    }),
  );
