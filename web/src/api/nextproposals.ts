import { answer, api } from "./client";

/** Follow-up of an ended proposal: the same again, or its undo. */
export type NextStep = "again" | "undo";

/** Makes a new proposal of an ended one, or finds the one that this person has made of it before. */
export const proposeNext = (id: string, step: NextStep) =>
  answer(
    step === "again"
      ? api.POST("/api/ai/proposals/{id}/again", { params: { path: { id } } })
      : api.POST("/api/ai/proposals/{id}/undo", { params: { path: { id } } }),
  );
