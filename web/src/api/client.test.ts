import { describe, expect, it, vi } from "vitest";
import { newId, request } from "./client";
import { ConnectionLost, Problem } from "./problem";

function answer(status: number, body: string | null, headers: Record<string, string> = {}) {
  const fetch = vi.fn<(path: string, init: RequestInit) => Promise<Response>>();
  fetch.mockImplementation(async () => new Response(body, { status, headers }));
  vi.stubGlobal("fetch", fetch);
  return fetch;
}

describe("request", () => {
  it("sends the seen revision and the idempotency key", async () => {
    const fetch = answer(200, "{}");
    await request("PATCH", "/api/x", { body: { name: "a" }, revision: 7, idempotencyKey: "k1" });
    expect(fetch.mock.calls[0]?.[1].headers).toMatchObject({
      "if-match": '"7"',
      "idempotency-key": "k1",
      "content-type": "application/json",
    });
  });

  it("returns nothing for an empty answer", async () => {
    answer(204, null);
    await expect(request("DELETE", "/api/x")).resolves.toBeUndefined();
  });

  it("throws the problem that the server describes", async () => {
    answer(412, JSON.stringify({ title: "Changed", detail: "Somebody changed it.", code: "changed" }));
    const refused = request("PATCH", "/api/x");
    await expect(refused).rejects.toThrow("Somebody changed it.");
    await expect(refused).rejects.toMatchObject({ status: 412, code: "changed" });
    await expect(refused).rejects.toBeInstanceOf(Problem);
  });

  it("makes a sentence of a proxy's page of HTML", async () => {
    answer(502, "<html>Bad Gateway</html>");
    await expect(request("GET", "/api/x")).rejects.toThrow("The server is not ready to answer.");
  });

  it("tells a lost connection from an answer", async () => {
    vi.stubGlobal("fetch", async () => {
      throw new TypeError("Failed to fetch");
    });
    await expect(request("GET", "/api/x")).rejects.toBeInstanceOf(ConnectionLost);
  });
});

describe("newId", () => {
  it("makes version 4 UUIDs where randomUUID is missing", () => {
    const { getRandomValues } = crypto;
    vi.stubGlobal("crypto", { getRandomValues: getRandomValues.bind(crypto) });
    const ids = [newId(), newId()];
    expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(ids[0]).not.toBe(ids[1]);
  });
});
