import {
  useMutation,
  useQueryClient,
  type MutationKey,
  type Query,
  type QueryKey,
  type UseMutationResult,
} from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { notify } from "../ui/Toast";
import { newId, Proposed, type ProposedWrite } from "./client";
import { isAboutDeleted } from "./deletion";
import { governedQuery } from "./governed";
import { Problem } from "./problem";

interface Write<Variables, Result> {
  /** Kind of the write, for those that look for it in the cache of mutations. */
  mutationKey?: MutationKey;
  send: (variables: Variables, idempotencyKey: string) => Promise<Result>;
  /** Queries that the write makes stale. */
  invalidates?: QueryKey[];
  onSuccess?: (result: Result, variables: Variables) => void;
  /** The write is pending approval: nothing has changed. */
  onProposed?: (proposed: ProposedWrite, variables: Variables) => void;
}

/**
 * A write with one idempotency key per intent. When no definite answer came
 * (connection lost, server restarting) and the person tries the same thing
 * again, the same key goes out and the server answers with the first outcome.
 */
export function useWrite<Variables, Result>(
  write: Write<Variables, Result>,
): UseMutationResult<Result, Error, Variables> & {
  /** Proposal that the last attempt became, when a policy requires a decision first. */
  proposed: ProposedWrite | null;
} {
  const queryClient = useQueryClient();
  const intent = useRef<{ key: string; content: string } | null>(null);
  // A user who has left the page does not see notices beside the button.
  const gone = useRef(false);
  useEffect(() => {
    gone.current = false;
    return () => {
      gone.current = true;
    };
  }, []);

  const invalidate = () => {
    const deleted = isAboutDeleted(queryClient);
    const predicate = (query: Query) => !deleted(query);
    return Promise.all(
      (write.invalidates ?? []).map((queryKey) => queryClient.invalidateQueries({ queryKey, predicate })),
    );
  };

  const mutation = useMutation<Result, Error, Variables>({
    mutationKey: write.mutationKey,
    mutationFn: (variables) => {
      const content = JSON.stringify(variables) ?? "";
      if (intent.current?.content !== content) intent.current = { key: newId(), content };
      return write.send(variables, intent.current.key);
    },
    onSuccess: async (result, variables) => {
      intent.current = null;
      await invalidate();
      write.onSuccess?.(result, variables);
    },
    onError: (error, variables) => {
      if (error instanceof Proposed) {
        intent.current = null;
        void queryClient.invalidateQueries({ queryKey: ["proposals"] });
        notify(({ showProposed }) => showProposed(error.write));
        write.onProposed?.(error.write, variables);
        return;
      }
      if (gone.current) notify(({ showFailure }) => showFailure(error));
      if (!(error instanceof Problem) || error.status >= 500) return;
      intent.current = null;
      const outdated = error.status === 412 || error.status === 404 || error.status === 409;
      // A policy may have changed since the page asked.
      if (error.status === 403) void queryClient.invalidateQueries({ queryKey: governedQuery.queryKey });
      if (outdated) void invalidate();
    },
  });
  const proposed = mutation.error instanceof Proposed ? mutation.error.write : null;
  // A proposal is no failure, whatever the machinery takes it for.
  return Object.assign({}, mutation, { proposed }, proposed && { error: null }) as UseMutationResult<
    Result,
    Error,
    Variables
  > & { proposed: ProposedWrite | null };
}
