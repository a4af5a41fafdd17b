import { expect, it, vi } from "vitest";
import { answer, api } from "./client";

/** Whether the browser would ask before the page is left. */
function asks(): boolean {
  const event = new Event("beforeunload", { cancelable: true });
  window.dispatchEvent(event);
  return event.defaultPrevented;
}

/** Server that answers on command. */
function serve() {
  const waiting: ((response: Response) => void)[] = [];
  vi.stubGlobal("fetch", () => new Promise<Response>((respond) => void waiting.push(respond)));
  return async (status = 200) => {
    await vi.waitFor(() => expect(waiting.length).toBeGreaterThan(0));
    waiting.shift()?.(Response.json({}, { status }));
  };
}

const save = () => answer(api.POST("/api/teams", { body: { name: "Platform" } }));

it("asks before the page is left while something is being saved, and not before or after", async () => {
  const respond = serve();
  expect(asks()).toBe(false);
  const saves = [save(), save()];
  await vi.waitFor(() => expect(asks()).toBe(true));
  await respond();
  await respond(409);
  const [one, other] = await Promise.allSettled(saves);
  expect([one?.status, other?.status].toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(asks()).toBe(false);
});

it("does not ask for what is only read, or for a sign-in", async () => {
  const respond = serve();
  const read = answer(api.GET("/api/me"));
  const signIn = answer(api.POST("/api/auth/login", { body: { email: "ada@example.org", password: "x" } }));
  expect(asks()).toBe(false);
  await respond();
  await respond();
  await Promise.all([read, signIn]);
});
