import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ConnectionLost, Problem } from "./api/problem";

const networkRetries = 3;

/**
 * Reads are repeated when the server could not be reached, never when it has
 * answered. Any answer that the session is over clears what was read for it, and so does one
 * that the password has to be changed first.
 */
export function createQueryClient(onSignedOut: () => void, onOwnPassword: () => void): QueryClient {
  const onError = (error: Error) => {
    if (!(error instanceof Problem)) return;
    const ownPassword = error.code === "own_password";
    if (error.status !== 401 && !ownPassword) return;
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
        retry: (failures, error) =>
          failures < networkRetries &&
          (error instanceof ConnectionLost || (error instanceof Problem && error.status >= 502)),
      },
    },
  });
  return queryClient;
}
