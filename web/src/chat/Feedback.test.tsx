import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { Feedback } from "./Feedback";

it("says no longer that something failed once something else was said", async () => {
  let verdict = "up";
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method === "DELETE") return Response.json({ status: 422, detail: "Not now." }, { status: 422 });
    if (request.method === "PUT") ({ verdict } = (await request.json()) as { verdict: string });
    return Response.json({ feedback: [{ turnId: "t1", verdict, at: "2026-11-23T10:00:00Z" }] });
  });
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <Feedback conversationId="c1" turnId="t1" />
    </QueryClientProvider>,
  );
  fireEvent.click(await screen.findByRole("button", { name: "This helped: undo" }));
  expect((await screen.findByTestId("error")).textContent).toContain("Not now.");
  fireEvent.click(screen.getByRole("button", { name: "This did not help" }));
  await screen.findByRole("button", { name: "This did not help: undo" });
  await waitFor(() => expect(screen.queryByTestId("error")).toBeNull());
});

it("gives the focus back when a comment is saved, unless somebody writes elsewhere by then", async () => {
  let saved = Promise.withResolvers<void>();
  let comment: string | undefined;
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method === "PUT") {
      await saved.promise;
      ({ comment } = (await request.json()) as { comment: string });
    }
    return Response.json({ feedback: [{ turnId: "t1", verdict: "up", comment, at: "2026-11-23T10:00:00Z" }] });
  });
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <Feedback conversationId="c1" turnId="t1" />
      <input aria-label="Elsewhere" />
    </QueryClientProvider>,
  );
  for (const elsewhere of [undefined, screen.getByLabelText("Elsewhere")]) {
    saved = Promise.withResolvers<void>();
    await userEvent.click(await screen.findByTestId("feedback-why"));
    await userEvent.type(screen.getByTestId("feedback-comment"), "Because.");
    await userEvent.click(screen.getByTestId("feedback-save"));
    elsewhere?.focus();
    saved.resolve();
    const why = await screen.findByTestId("feedback-why");
    await act(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    expect(document.activeElement).toBe(elsewhere ?? why);
  }
});
