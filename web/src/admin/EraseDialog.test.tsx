import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { keptContentQuery, type KeptContent, type KeptPerson } from "../api/privacy";
import { EraseDialog } from "./EraseDialog";

const person = { id: "p1", name: "Ada", email: "ada@example.org", conversations: 1 } as KeptPerson;
const kept: KeptContent = { conversations: 1, messages: 2, turns: 1, proposals: 0, other: {} };

it("closes once the erasure waits for a second person", async () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  client.setQueryData(keptContentQuery(person.id).queryKey, kept);
  vi.stubGlobal("fetch", async () =>
    Response.json(
      { status: "proposed", proposalId: "x1", summary: "Erase Ada", link: "/proposals?proposal=x1", twoPerson: true },
      { status: 202 },
    ),
  );
  const onClose = vi.fn<() => void>();
  render(
    <QueryClientProvider client={client}>
      <EraseDialog onClose={onClose} person={person} />
    </QueryClientProvider>,
  );
  fireEvent.change(screen.getByRole("textbox"), { target: { value: "ada@example.org" } });
  fireEvent.click(screen.getByTestId("erase-confirm"));
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
});
