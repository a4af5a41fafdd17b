import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Entrance } from "./Entrance";

// jsdom has no media.
beforeEach(() => vi.stubGlobal("matchMedia", () => Object.assign(new EventTarget(), { matches: false })));
afterEach(() => {
  vi.unstubAllGlobals();
  window.history.replaceState(null, "", "/");
});

function serve() {
  const asked: { address: string; body: string }[] = [];
  vi.stubGlobal("fetch", async (input: Request | URL) => {
    const request = input instanceof Request ? input : new Request(input);
    asked.push({ address: request.url, body: await request.text() });
    if (request.url.endsWith("/ways")) return Response.json({ provider: { name: "Corp" } });
    if (!request.url.endsWith("/password-link/look")) return Response.json({});
    return Response.json({ kind: "reset", name: "Ada", email: "ada@example.org", expiresAt: "2030-01-01T00:00:00Z" });
  });
  return asked;
}

it.each(["/reset", "/reset/", "/invite", "/invite/", "/invite//"])(
  "opens the link at %s, and sends its secret in no address",
  async (path) => {
    const asked = serve();
    window.history.replaceState(null, "", `${path}#csl_secret`);
    render(<Entrance onIn={() => {}} />);
    expect(await screen.findByText("Welcome, Ada")).toBeTruthy();
    expect(asked.some(({ body }) => body.includes("csl_secret"))).toBe(true);
    expect(asked.some(({ address }) => address.includes("csl_secret"))).toBe(false);
    expect(window.location.search).toBe("");
  },
);

it.each(["//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)"])(
  "goes on to this site only, and not to %s",
  async (next) => {
    serve();
    window.history.replaceState(null, "", `/sign-in?${new URLSearchParams({ next })}`);
    const onIn = vi.fn<(path: string) => void>();
    render(<Entrance onIn={onIn} />);
    const provider = await screen.findByTestId("sign-in-provider");
    expect(provider.getAttribute("href")).toBe("/api/auth/oidc/start");
    fireEvent.change(screen.getByLabelText("E-mail"), { target: { value: "ada@example.org" } });
    fireEvent.change(screen.getByLabelText("Password"), { target: { value: "a password" } });
    fireEvent.click(screen.getByTestId("sign-in-submit"));
    await waitFor(() => expect(onIn).toHaveBeenCalledWith("/"));
  },
);
