import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, renderHook, screen, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { describe, expect, it } from "vitest";
import { Toaster } from "../ui/Toaster";
import { Proposed } from "./client";
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

describe("a write that a policy holds back", () => {
  it("is a proposal and no failure", async () => {
    const write = {
      proposalId: "1",
      status: "proposed",
      summary: "Delete the system Payments",
      detail: "A second person has to apply this.",
      twoPerson: true,
      expiresAt: "2026-01-01T00:00:00Z",
      link: "/proposals?proposal=1",
    } as const;
    const seen: unknown[] = [];
    const queryClient = new QueryClient();
    const wrapper = ({ children }: { children: ReactNode }) => (
      <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
    );
    const { result } = renderHook(
      () =>
        useWrite<string, void>({
          send: async (): Promise<void> => {
            throw new Proposed(write);
          },
          onSuccess: () => seen.push("success"),
          onProposed: (proposed) => seen.push(proposed.link),
        }),
      { wrapper },
    );
    act(() => result.current.mutate("a"));
    await waitFor(() => expect(result.current.proposed).toEqual(write));
    expect(result.current.error).toBeNull();
    expect(seen).toEqual([write.link]);
  });
});

describe("a write whose page was left", () => {
  it("says why it failed, and one whose page is there says it there", async () => {
    const client = new QueryClient();
    const wrapper = ({ children }: { children: ReactNode }) => (
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    );
    render(<Toaster />);
    const run = (refusal: Error) => {
      const { promise, reject } = Promise.withResolvers<void>();
      const { result, unmount } = renderHook(() => useWrite<string, void>({ send: () => promise }), { wrapper });
      act(() => result.current.mutate("a"));
      return { result, unmount, refuse: () => reject(refusal) };
    };
    const stays = run(new Problem({ status: 409, detail: "The name is taken." }));
    stays.refuse();
    await waitFor(() => expect(stays.result.current.error).not.toBeNull());
    const left = run(new Problem({ status: 409, detail: "The address is taken." }));
    left.unmount();
    left.refuse();
    await screen.findByText("That did not work: The address is taken.");
  });
});
