import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { expect, it, onTestFinished, vi } from "vitest";
import type { ToolFields } from "../../api/agents";
import { useCheck } from "./usecheck";

const place = { agent: "a", rev: "r", tool: "add" };
const fields = (source: string): ToolFields => ({ description: "x", args_schema: {}, source, effect: "read" });

/** Server that answers on command and records aborted requests. */
function serve() {
  const asked: { source: string; answer: () => void; aborted: () => boolean }[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const { source } = (await request.json()) as ToolFields;
    return new Promise<Response>((resolve, reject) => {
      const given = { up: false };
      request.signal.addEventListener("abort", () => {
        given.up = true;
        reject(new DOMException("given up", "AbortError"));
      });
      asked.push({
        source,
        aborted: () => given.up,
        answer: () =>
          resolve(
            Response.json({
              ok: true,
              tool_id: "add",
              checked: true,
              diagnostics: [{ code: source, severity: "error", message: source, line: 1, column: 1 }],
              capabilities: { secret_refs: [], dynamic_secret_refs: false, modules: [], actions: [] },
            }),
          ),
      });
    });
  });
  return asked;
}

function watch(first: ToolFields | null) {
  const client = new QueryClient();
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  return renderHook(({ now }) => useCheck(place, now), { wrapper, initialProps: { now: first } });
}

it("Asks after a pause in typing, and never shows the answer to an older question", async () => {
  const asked = serve();
  const { result, rerender } = watch(fields("first"));
  await waitFor(() => expect(asked).toHaveLength(1));
  rerender({ now: fields("second, not yet whole") });
  rerender({ now: fields("second") });
  expect(result.current.fresh).toBe(false);
  await waitFor(() => expect(asked.map(({ source }) => source)).toEqual(["first", "second"]));
  expect(asked[0]?.aborted()).toBe(true);
  act(() => asked[0]?.answer());
  act(() => asked[1]?.answer());
  await waitFor(() => expect(result.current.fresh).toBe(true));
  expect(result.current.answer).toMatchObject({ source: "second", diagnostics: [{ code: "second" }] });

  // While the next one is on its way, the last answer stays, and is said to be old.
  rerender({ now: fields("third") });
  expect(result.current).toMatchObject({ fresh: false, busy: true, answer: { source: "second" } });
});

it("Asks nothing while there is nothing to send", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const asked = serve();
  const { result } = watch(null);
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect(asked).toEqual([]);
  expect(result.current.answer).toBeUndefined();
});
