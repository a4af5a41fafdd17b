import { useMutation, useQueryClient, type QueryKey, type UseMutationResult } from "@tanstack/react-query";
import { useRef } from "react";
import { newId } from "./client";
import { Problem } from "./problem";

interface Write<Variables, Result> {
  send: (variables: Variables, idempotencyKey: string) => Promise<Result>;
  /** Queries that the write makes stale. */
  invalidates?: QueryKey[];
  onSuccess?: (result: Result, variables: Variables) => void;
}

/**
 * A write with one idempotency key per intent. When no definite answer came
 * (connection lost, server restarting) and the person tries the same thing
 * again, the same key goes out and the server answers with the first outcome.
 */
export function useWrite<Variables, Result>(
  write: Write<Variables, Result>,
): UseMutationResult<Result, Error, Variables> {
  const queryClient = useQueryClient();
  const intent = useRef<{ key: string; content: string } | null>(null);

  return useMutation<Result, Error, Variables>({
    mutationFn: (variables) => {
      const content = JSON.stringify(variables) ?? "";
      if (intent.current?.content !== content) intent.current = { key: newId(), content };
      return write.send(variables, intent.current.key);
    },
    onSuccess: async (result, variables) => {
      intent.current = null;
      await Promise.all((write.invalidates ?? []).map((queryKey) => queryClient.invalidateQueries({ queryKey })));
      write.onSuccess?.(result, variables);
    },
    onError: (error) => {
      if (!(error instanceof Problem) || error.status >= 500) return;
      intent.current = null;
      const outdated = error.status === 412 || error.status === 404 || error.status === 409;
      if (outdated) for (const queryKey of write.invalidates ?? []) void queryClient.invalidateQueries({ queryKey });
    },
  });
}
