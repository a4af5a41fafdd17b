import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { describe, expect, it } from "vitest";
import { ConnectionLost, Problem } from "./problem";
import { useWrite } from "./write";

/** Runs writes whose outcomes are given in order, and returns the keys they were sent with. */
async function keysOf(outcomes: (Error | "done")[], variables: string[]): Promise<string[]> {
  const keys: string[] = [];
  const send = async (_: string, key: string) => {
    const outcome = outcomes[keys.length];
    keys.push(key);
    if (outcome instanceof Error) throw outcome;
  };
  const queryClient = new QueryClient();
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
  );
  const { result } = renderHook(() => useWrite({ send }), { wrapper });
  for (const [index, value] of variables.entries()) {
    act(() => result.current.mutate(value));
    await waitFor(() => expect(keys).toHaveLength(index + 1));
    await waitFor(() => expect(result.current.isPending).toBe(false));
  }
  return keys;
}

describe("useWrite", () => {
  it("repeats an intent under the same key when no answer came", async () => {
    const [first, second] = await keysOf([new ConnectionLost("test"), "done"], ["a", "a"]);
    expect(second).toBe(first);
  });

  it("uses a new key after the server has refused", async () => {
    const [first, second] = await keysOf([new Problem({ status: 409 }), "done"], ["a", "a"]);
    expect(second).not.toBe(first);
  });

  it("uses a new key after success", async () => {
    const [first, second] = await keysOf(["done", "done"], ["a", "a"]);
    expect(second).not.toBe(first);
  });

  it("uses a new key when something else is meant", async () => {
    const [first, second] = await keysOf([new ConnectionLost("test"), "done"], ["a", "b"]);
    expect(second).not.toBe(first);
  });
});
