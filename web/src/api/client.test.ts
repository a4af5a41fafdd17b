import { describe, expect, it, vi } from "vitest";
import { answer, api, everyPage, newId, of } from "./client";
import { ConnectionLost, Problem } from "./problem";

/** A server that answers every request like this; returns the requests. */
function serve(status: number, body: string | null) {
  const requests: Request[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    requests.push(request);
    return new Response(body, { status });
  });
  return requests;
}

const group = { id: "g/1", revision: 7 };
const rename = () =>
  answer(api.PATCH("/api/catalog/groups/{id}", { params: of(group, "k1"), body: { name: "Retail" } }));

describe("a call", () => {
  it("sends the seen revision and the idempotency key", async () => {
    const requests = serve(200, "{}");
    await rename();
    const [request] = requests;
    expect(request?.method).toBe("PATCH");
    expect(new URL(request?.url ?? "").pathname).toBe("/api/catalog/groups/g%2F1");
    expect(Object.fromEntries(request?.headers ?? [])).toEqual({
      accept: "application/json",
      "content-type": "application/json",
      "idempotency-key": "k1",
      "if-match": '"7"',
    });
    expect(await request?.json()).toEqual({ name: "Retail" });
  });

  it("returns nothing for an empty answer", async () => {
    serve(204, null);
    await expect(answer(api.POST("/api/auth/logout"))).resolves.toBeUndefined();
  });

  it("throws the problem that the server describes", async () => {
    serve(412, JSON.stringify({ title: "Changed", detail: "Somebody changed it.", code: "changed" }));
    const refused = rename();
    await expect(refused).rejects.toThrow("Somebody changed it.");
    await expect(refused).rejects.toMatchObject({ status: 412, code: "changed" });
    await expect(refused).rejects.toBeInstanceOf(Problem);
  });

  it("makes a sentence of a proxy's page of HTML", async () => {
    serve(502, "<html>Bad Gateway</html>");
    await expect(answer(api.GET("/api/me"))).rejects.toThrow("The server is not ready to answer.");
  });

  it("tells a lost connection from an answer", async () => {
    vi.stubGlobal("fetch", async () => {
      throw new TypeError("Failed to fetch");
    });
    await expect(answer(api.GET("/api/me"))).rejects.toBeInstanceOf(ConnectionLost);
  });

  it("tells an answer that breaks off from a whole one", async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new TypeError("network error")) });
    vi.stubGlobal("fetch", async () => new Response(broken));
    await expect(answer(api.GET("/api/me"))).rejects.toBeInstanceOf(ConnectionLost);
  });
});

describe("everyPage", () => {
  it("asks until there is no next page", async () => {
    const pages: Record<string, { items: number[]; nextCursor?: string }> = {
      "": { items: [1, 2], nextCursor: "b" },
      b: { items: [], nextCursor: "c" },
      c: { items: [3] },
    };
    const asked: unknown[] = [];
    const all = await everyPage(
      async (query) => {
        asked.push(query);
        return pages[query.cursor ?? ""] ?? { items: [] };
      },
      ({ items }) => items,
    );
    expect(all).toEqual([1, 2, 3]);
    expect(asked).toEqual([{ limit: 500 }, { limit: 500, cursor: "b" }, { limit: 500, cursor: "c" }]);
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
