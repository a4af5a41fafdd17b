import { act, renderHook, waitFor } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { useCopied } from "./copied";

it("says that a text was copied, and nothing where the browser refuses", async () => {
  const writeText = vi.fn<(text: string) => Promise<void>>();
  vi.stubGlobal("navigator", { clipboard: { writeText } });
  const { result } = renderHook(useCopied);
  const refused = Promise.reject(new DOMException("Not allowed", "NotAllowedError"));
  writeText.mockReturnValueOnce(refused).mockResolvedValueOnce();
  act(() => result.current.copy("a"));
  // An unhandled rejection would fail the run.
  await expect(refused).rejects.toThrow("Not allowed");
  expect(result.current.copied).toBe(false);
  act(() => result.current.copy("a"));
  await waitFor(() => expect(result.current.copied).toBe(true));
});
