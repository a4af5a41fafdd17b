import { describe, expect, it, vi } from "vitest";
import { Presence, type Person } from "./presence";

const ada: Person = { id: "ada", name: "Ada Lovelace", email: "ada@example.org" };
const bob: Person = { id: "bob", name: "Bob Kahn", email: "bob@example.org" };

const status = (code: number) => new Response(null, { status: code });

/** A page of Ada, with who is signed in when it looks. */
function page(signedIn: Person | null = null) {
  const look = vi.fn<() => Promise<Person | null>>(async () => signedIn);
  const onOther = vi.fn<() => void>();
  const presence = new Presence({ look, onOther });
  presence.begin(ada);
  return { presence, look, onOther };
}

/** A request that is refused so often, and then answered. */
const refused = (times: number) => {
  let left = times;
  return vi.fn<() => Promise<Response>>(async () => status(left-- > 0 ? 401 : 200));
};

/** Waits until the sign-in is requested. */
const asked = (presence: Presence) => vi.waitFor(() => expect(presence.asks()).toBe(true));

describe("a page whose session is over", () => {
  it("asks the person to sign in, and sends what was refused once more", async () => {
    const { presence } = page();
    const request = refused(1);
    const sending = presence.send(request);
    await asked(presence);
    expect(request).toHaveBeenCalledOnce();
    presence.resume(ada);
    expect((await sending).status).toBe(200);
    expect(request).toHaveBeenCalledTimes(2);
    expect(presence.asks()).toBe(false);
  });

  it("sends all that waits, and looks once", async () => {
    const { presence, look } = page();
    const requests = [refused(1), refused(1), refused(1)];
    const sending = requests.map((request) => presence.send(request));
    await asked(presence);
    presence.resume(ada);
    expect((await Promise.all(sending)).map((response) => response.status)).toEqual([200, 200, 200]);
    expect(look).toHaveBeenCalledOnce();
  });

  it("goes on without asking when the person has signed in elsewhere", async () => {
    const { presence } = page(ada);
    const asks = vi.fn<() => void>();
    presence.subscribe(() => presence.asks() && asks());
    expect((await presence.send(refused(1))).status).toBe(200);
    expect(asks).not.toHaveBeenCalled();
  });

  it("goes on when it looks again after that", async () => {
    const { presence, look } = page();
    const sending = presence.send(refused(1));
    await asked(presence);
    look.mockResolvedValue(ada);
    await presence.check();
    expect((await sending).status).toBe(200);
  });

  it.each([
    ["over the page", async (presence: Presence) => presence.resume(bob)],
    [
      "in another tab",
      async (presence: Presence, look: { mockResolvedValue: (person: Person) => unknown }) => {
        look.mockResolvedValue(bob);
        await presence.check();
      },
    ],
  ])("sends nothing again when somebody else signs in %s", async (_, signIn) => {
    const { presence, look, onOther } = page();
    const request = refused(1);
    void presence.send(request);
    await asked(presence);
    await signIn(presence, look);
    expect(onOther).toHaveBeenCalledOnce();
    expect(request).toHaveBeenCalledOnce();
  });

  it("lets what waits fail when the person leaves", async () => {
    const { presence } = page();
    const sending = presence.send(refused(1));
    await asked(presence);
    presence.end();
    expect((await sending).status).toBe(401);
  });

  it("forgets a request that nobody waits for any more", async () => {
    const { presence } = page();
    const leaving = new AbortController();
    const request = refused(1);
    const sending = presence.send(request, leaving.signal);
    await asked(presence);
    leaving.abort();
    await expect(sending).rejects.toThrow("cancelled");
    presence.resume(ada);
    expect(request).toHaveBeenCalledOnce();
  });

  it("gives up on what is refused however often somebody signs in", async () => {
    const { presence } = page(ada);
    const request = refused(1_000);
    expect((await presence.send(request)).status).toBe(401);
    expect(request).toHaveBeenCalledTimes(4);
  });

  it("asks nobody because of something that nobody has asked for, until they want to sign in", async () => {
    const { presence, look } = page();
    await presence.suspect();
    expect([presence.over(), presence.asks()]).toEqual([true, false]);
    await presence.suspect();
    expect(look).toHaveBeenCalledOnce();
    presence.ask();
    expect(presence.asks()).toBe(true);
    presence.resume(ada);
    expect([presence.over(), presence.asks()]).toEqual([false, false]);
    presence.ask();
    expect(presence.asks()).toBe(false);
  });

  it("asks after that as soon as the person does something", async () => {
    const { presence } = page();
    await presence.suspect();
    const sending = presence.send(refused(1));
    await asked(presence);
    presence.resume(ada);
    expect((await sending).status).toBe(200);
  });

  it("asks for a request that is refused while it looks, although nobody knows", async () => {
    const { presence, look } = page();
    const answer = Promise.withResolvers<Person | null>();
    look.mockReturnValue(answer.promise);
    const suspecting = presence.suspect();
    void presence.send(refused(1));
    answer.reject(new Error("The server does not answer."));
    await suspecting;
    await asked(presence);
    expect(look).toHaveBeenCalledOnce();
  });

  it("takes a session for what it was while nobody knows", async () => {
    const { presence, look } = page();
    look.mockRejectedValue(new Error("The server does not answer."));
    await presence.suspect();
    expect(presence.over()).toBe(false);
  });

  it("asks nobody on a page that is for nobody", async () => {
    const { presence, look } = page();
    presence.end();
    expect((await presence.send(refused(1))).status).toBe(401);
    expect(look).not.toHaveBeenCalled();
  });
});
