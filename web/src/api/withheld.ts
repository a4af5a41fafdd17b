import { answer, api, once } from "./client";

/** Lets the next message send again what a model provider has refused to read. */
export const sendWithheld = (id: string, key: string) =>
  answer(
    api.POST("/api/ai/conversations/{id}/withheld/send", {
      params: { path: { id }, header: once(key) },
    }),
  );
