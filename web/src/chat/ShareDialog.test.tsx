import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { isCalled } from "./PersonField";
import { ShareDialog } from "./ShareDialog";

const rita = { id: "p1", name: "Rita Reader", email: "rita@example.org", sharedAt: "2026-11-23T10:00:00Z" };

const users = [
  { id: "p1", name: "Rita Reader", email: "rita@example.org", status: "active" },
  { id: "p2", name: "Grace Hopper", email: "gh@example.org", status: "invited" },
  { id: "p3", name: "Grace Kelly", email: "kelly@example.org", status: "disabled" },
  { id: "me", name: "Ada", email: "ada@example.org", status: "active" },
];

/** Server with the readers of a chat, for a user with these rules. Writes wait for goOn. */
function serve(people: (typeof rita)[], rules: string[] = []) {
  const { promise, resolve: goOn } = Promise.withResolvers<void>();
  const sent: string[] = [];
  const looked: string[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/api/me") return Response.json({ id: "me", name: "Ada", kind: "user", rules });
    if (pathname === "/api/users") {
      looked.push(pathname);
      return Response.json({ users, total: users.length });
    }
    if (request.method === "GET") return Response.json({ people });
    sent.push(await request.clone().text());
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
  return { goOn, client, sent, looked };
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

it("finds a colleague by a part of the name for who may see addresses, and sends the address", async () => {
  const { goOn, sent } = serve([], ["auth.users.manage"]);
  const field = await screen.findByRole("combobox", { name: "Name or e-mail of a colleague" });
  await userEvent.type(field, "grace");
  // Neither disabled accounts nor the sharing user are offered.
  expect(await screen.findAllByRole("option")).toHaveLength(1);
  await userEvent.type(field, "{Enter}");
  await waitFor(() => expect((field as HTMLInputElement).value).toBe("gh@example.org"));
  await userEvent.click(screen.getByTestId("share-add"));
  goOn();
  await waitFor(() => expect(sent).toEqual([JSON.stringify({ email: "gh@example.org" })]));
});

it("asks nobody about people for who may not see them", async () => {
  const { looked } = serve([]);
  await screen.findByText("Only you can read this chat.");
  const field = screen.getByTestId<HTMLInputElement>("share-email");
  expect(field.type).toBe("email");
  expect(screen.queryByRole("combobox")).toBeNull();
  expect(looked).toEqual([]);
});

it("asks for a whole address where a name is none", async () => {
  const { sent } = serve([], ["auth.users.manage"]);
  const field = await screen.findByRole("combobox");
  await userEvent.type(field, "nobody");
  await userEvent.click(screen.getByTestId("share-add"));
  await screen.findByText("Choose a person from the list, or type a full address.");
  expect(field.getAttribute("aria-invalid")).toBe("true");
  expect(sent).toEqual([]);
});

it.each([
  ["hop gra", true],
  ["GH", true],
  ["example", false],
  ["gh@example", true],
  ["@example.org", true],
  ["kelly", false],
])("the text %s finds Grace Hopper: %s", (text, found) => {
  expect(isCalled({ label: "Grace Hopper", value: "gh@example.org" }, text)).toBe(found);
});
