import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { answer, api, of } from "../api/client";
import { personHeader, presence } from "../api/presence";
import { Overlay } from "./Overlay";

const ada = { id: "ada", name: "Ada Lovelace", email: "ada@example.org" };
const refusal = (detail: string) => Response.json({ title: "Sign in", detail, code: "unauthorized" }, { status: 401 });

beforeEach(() => {
  // jsdom has the element, but not what makes a dialog of it.
  Object.assign(HTMLDialogElement.prototype, {
    showModal(this: HTMLDialogElement) {
      this.open = true;
    },
    close(this: HTMLDialogElement) {
      this.open = false;
    },
  });
  presence.begin(ada);
});
afterEach(() => presence.end());

/** Server without a session until the password is entered. */
function serve() {
  const writes: { key: string | null; person: string | null; body: unknown }[] = [];
  let signedIn = false;
  vi.stubGlobal("fetch", async (input: Request | URL) => {
    const request = input instanceof Request ? input : new Request(input);
    const { pathname } = new URL(request.url);
    if (pathname === "/api/auth/ways") return Response.json({});
    if (pathname === "/api/auth/login") {
      const { email, password } = (await request.json()) as { email: string; password: string };
      if (email !== ada.email || password !== "correct") return refusal("The password is wrong.");
      signedIn = true;
      return Response.json({ principal: ada });
    }
    if (pathname === "/api/me") return signedIn ? Response.json(ada) : refusal("Sign in first.");
    const { headers } = request;
    writes.push({
      key: headers.get("idempotency-key"),
      person: headers.get(personHeader),
      body: await request.json(),
    });
    return signedIn ? Response.json({ id: "g", name: "Retail" }) : refusal("Sign in first.");
  });
  return { writes, signIn: () => (signedIn = true) };
}

function open() {
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={queryClient}>
      <Overlay />
    </QueryClientProvider>,
  );
}

const rename = () =>
  answer(
    api.PATCH("/api/catalog/groups/{id}", { params: of({ id: "g", revision: 1 }, "k1"), body: { name: "Retail" } }),
  );

describe("somebody whose session is over", () => {
  it("signs in over the page, and what was being saved is saved once", async () => {
    const { writes } = serve();
    open();
    const saving = rename();
    const password = await screen.findByLabelText("Password");
    await waitFor(() => expect(document.activeElement).toBe(password));
    expect(screen.getByLabelText<HTMLInputElement>("E-mail").value).toBe(ada.email);
    await userEvent.type(password, "wrong{Enter}");
    expect((await screen.findByTestId("error")).textContent).toContain("The password is wrong.");
    await userEvent.clear(password);
    await userEvent.type(password, "correct{Enter}");
    expect(await saving).toMatchObject({ name: "Retail" });
    await waitFor(() => expect(screen.queryByTestId("sign-in-again")).toBeNull());
    const write = { key: "k1", person: "ada", body: { name: "Retail" } };
    expect(writes).toEqual([write, write]);
  });

  it("is told when something was refused that nobody has asked for, and goes on typing", async () => {
    const { signIn } = serve();
    open();
    const field = document.body.appendChild(document.createElement("input"));
    field.focus();
    await act(() => presence.suspect());
    await screen.findByTestId("session-notice");
    expect(document.activeElement).toBe(field);
    expect(screen.queryByTestId("sign-in-again")).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Sign in" }));
    const password = await screen.findByLabelText("Password");
    await waitFor(() => expect(document.activeElement).toBe(password));
    expect(screen.queryByTestId("session-notice")).toBeNull();
    signIn();
    window.dispatchEvent(new Event("focus"));
    await waitFor(() => expect(screen.queryByTestId("sign-in-again")).toBeNull());
    field.remove();
  });

  it("is not asked any more after a sign-in in another tab", async () => {
    const { signIn } = serve();
    open();
    const saving = rename();
    await screen.findByTestId("sign-in-again");
    signIn();
    window.dispatchEvent(new Event("focus"));
    expect(await saving).toMatchObject({ name: "Retail" });
    await waitFor(() => expect(screen.queryByTestId("sign-in-again")).toBeNull());
  });
});
