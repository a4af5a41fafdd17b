import type { Query, QueryClient } from "@tanstack/react-query";
import { isRecord } from "./record";

/** Key of the mutations that delete something; their variables are what is deleted. */
export const deletionKey = ["delete"] as const;

/** Selects the queries that read an object, or parts of it, by its id. An assignment has no id, and none reads it. */
export function isAbout(object: unknown): (query: Query) => boolean {
  const id = isRecord(object) && typeof object.id === "string" ? object.id : null;
  return ({ queryKey }) => id !== null && queryKey.includes(id);
}

/**
 * Selects the queries about objects whose deletion is under way or done in this tab. The change stream may announce a
 * deletion before the object's page is left, and a read would then fail.
 */
export function isAboutDeleted(client: QueryClient): (query: Query) => boolean {
  const deletions = client.getMutationCache().findAll({ mutationKey: deletionKey });
  const deleted = deletions
    .filter(({ state: { status } }) => status === "pending" || status === "success")
    .map(({ state }) => isAbout(state.variables));
  return (query) => deleted.some((about) => about(query));
}
