import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { ShareDialog } from "./ShareDialog";

const rita = { id: "p1", name: "Rita Reader", email: "rita@example.org", sharedAt: "2026-11-23T10:00:00Z" };

/** A server with the readers of a chat. What is written waits for goOn. */
function serve(people: (typeof rita)[]) {
  const { promise, resolve: goOn } = Promise.withResolvers<void>();
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method === "GET") return Response.json({ people });
    await promise;
    if (request.method === "DELETE") people.length = 0;
    else people.push(rita);
    return Response.json({ person: rita });
  });
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={client}>
      <ShareDialog conversationId="c1" onClose={() => {}} />
    </QueryClientProvider>,
  );
  return { goOn, client };
}

it("gives the focus to the list when a reader is gone with the button that took them away", async () => {
  const { goOn } = serve([rita]);
  const remove = await screen.findByRole("button", { name: "Stop sharing with Rita Reader" });
  remove.focus();
  fireEvent.click(remove);
  goOn();
  const nobody = await screen.findByText("Only you can read this chat.");
  await waitFor(() => expect(document.activeElement).toBe(nobody.parentElement));
});

it("leaves the focus to who writes the next address by then", async () => {
  const { goOn, client } = serve([rita]);
  fireEvent.click(await screen.findByRole("button", { name: "Stop sharing with Rita Reader" }));
  const field = screen.getByTestId("share-email");
  field.focus();
  goOn();
  await screen.findByText("Only you can read this chat.");
  await waitFor(() => expect(client.isMutating()).toBe(0));
  expect(document.activeElement).toBe(field);
});

it("keeps an address that is typed while another one is taken", async () => {
  const { goOn } = serve([]);
  const field = await screen.findByTestId<HTMLInputElement>("share-email");
  fireEvent.change(field, { target: { value: rita.email } });
  fireEvent.click(screen.getByTestId("share-add"));
  fireEvent.change(field, { target: { value: "next@example.org" } });
  goOn();
  await screen.findByText("Rita Reader");
  await waitFor(() => expect(screen.getByTestId("share-add").getAttribute("aria-busy")).toBeNull());
  expect(field.value).toBe("next@example.org");
});
