import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { presence } from "./api/presence";
import { isUnanswered, Problem } from "./api/problem";
import { Unanswered, type Reachability } from "./api/reach";

const networkRetries = 3;

/**
 * Reads are repeated when the server could not be reached, never when it has
 * answered, so that after less than five seconds it is said that it could not. Any answer that the session is over clears
 * what was read for it, unless the page waits for its person to sign in again, and so does one that the password has to be
 * changed first.
 */
export function createQueryClient(onSignedOut: () => void, onOwnPassword: () => void): QueryClient {
  const onError = (error: Error) => {
    if (!(error instanceof Problem)) return;
    const ownPassword = error.code === "own_password";
    if (!ownPassword && (error.status !== 401 || presence.person())) return;
    queryClient.removeQueries({ queryKey: ["me"] });
    if (ownPassword) onOwnPassword();
    else onSignedOut();
  };
  const queryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // The browser may report offline on the very machine that the server runs on.
        networkMode: "always",
        retry: (failures, error) => failures < networkRetries && !(error instanceof Unanswered) && isUnanswered(error),
        retryDelay: (failures) => 500 * 2 ** failures,
      },
      mutations: { networkMode: "always" },
    },
  });
  return queryClient;
}

/** Retries failed queries as soon as the server is back. */
export function readAgainWhenBack(queryClient: QueryClient, reach: Reachability): () => void {
  let before = reach.state();
  return reach.subscribe(() => {
    const now = reach.state();
    if (before === "away" && now !== "away")
      void queryClient.refetchQueries({ type: "active", predicate: ({ state }) => isUnanswered(state.error) });
    before = now;
  });
}
