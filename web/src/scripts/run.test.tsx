import { act, renderHook, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import type { ScriptTest } from "../api/scripts";
import { useRun } from "./run";

const sent: ScriptTest = { context: "automation-action-script", source: "1", timeoutMs: 1_000, checkTypes: true };

test("A run is sent once however often it is asked for, and its answer is kept with the source that ran", async () => {
  const answers = [{ durationMs: 1 }];
  const fetch = vi.fn<(request: Request) => Promise<Response>>(async () => new Response(JSON.stringify(answers[0])));
  vi.stubGlobal("fetch", fetch);
  const { result } = renderHook(() => useRun("automation"));
  act(() => {
    void result.current.start(sent);
    void result.current.start(sent);
  });
  expect(result.current.run.state).toBe("running");
  await waitFor(() => expect(result.current.run.state).toBe("done"));
  expect(result.current.run).toMatchObject({ outcome: { durationMs: 1 }, source: "1" });
  expect(fetch).toHaveBeenCalledTimes(1);
  expect(new URL(fetch.mock.calls[0]?.[0].url ?? "").pathname).toBe("/api/automation/script-tests");
});

test("Cancel gives the request up", async () => {
  const signals: AbortSignal[] = [];
  vi.stubGlobal("fetch", (request: Request) => {
    signals.push(request.signal);
    return new Promise((_resolve, reject) => {
      request.signal.addEventListener("abort", () => reject(new DOMException("Aborted", "AbortError")));
    });
  });
  const { result, unmount } = renderHook(() => useRun("healthcheck"));
  act(() => void result.current.start(sent));
  await waitFor(() => expect(signals).toHaveLength(1));
  act(() => result.current.cancel());
  await waitFor(() => expect(result.current.run.state).toBe("cancelled"));
  expect(signals[0]?.aborted).toBe(true);
  act(() => void result.current.start(sent));
  await waitFor(() => expect(signals).toHaveLength(2));
  unmount();
  expect(signals[1]?.aborted).toBe(true);
});

test("A refusal is shown, and the next run may begin", async () => {
  vi.stubGlobal("fetch", async () => new Response(JSON.stringify({ detail: "Busy." }), { status: 429 }));
  const { result } = renderHook(() => useRun("healthcheck"));
  await act(() => result.current.start(sent));
  expect(result.current.run).toMatchObject({ state: "refused", error: { message: "Busy." } });
  await act(() => result.current.start(sent));
  expect(result.current.run.state).toBe("refused");
});
