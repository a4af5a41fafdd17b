import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer, api, type Schema } from "./client";

export type DocRef = Schema<"DocsindexPageRef">;
export type Doc = Schema<"DocsindexDocument">;
export type DocHit = Schema<"DocsindexHit">;

/** The rule without which nobody reads the documentation. */
export const docsRule = "ai.chat.read";

// The pages are part of the server: they change with it and not before.
const built = { staleTime: Number.POSITIVE_INFINITY };

export const docsQuery = queryOptions({
  queryKey: ["docs", "list"],
  queryFn: ({ signal }) => answer(api.GET("/api/docs", { signal })),
  ...built,
});

export const docQuery = (slug: string) =>
  queryOptions({
    queryKey: ["docs", "page", slug],
    queryFn: ({ signal }) => answer(api.GET("/api/docs/page", { params: { query: { slug } }, signal })),
    ...built,
  });

/** Sections that match a question, best first. Earlier results stay until the answer arrives. */
export const docsSearchQuery = (query: string) =>
  queryOptions({
    queryKey: ["docs", "search", query],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/docs/search", { params: { query: { query: query.slice(0, 400), limit: 10 } }, signal })),
    placeholderData: keepPreviousData,
    ...built,
  });
