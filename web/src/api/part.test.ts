import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { part } from "./part";
import { canReloadForPart, holdsUnsaved, missingParts, PartMissing, reloadForPart } from "./partmissing";
import { loaded, reach } from "./reach";

let names = 0;
/** A file that no other test has the outcome of. */
const file = () => `./Part-${names++}.js`;

/** A browser that keeps the failure of an import by its address, as some do. */
function browser(answers: (address: string) => boolean) {
  const failed = new Set<string>();
  const imported: string[] = [];
  return {
    imported,
    import: async (address: string) => {
      imported.push(address);
      if (failed.has(address) || !answers(address)) {
        failed.add(address);
        throw new TypeError(`Failed to fetch dynamically imported module: ${address}`);
      }
      return { address };
    },
  };
}

const ask = (event: BeforeUnloadEvent) => event.preventDefault();

beforeEach(() => void sessionStorage.clear());
afterEach(() => void vi.useRealTimers());

describe("A part whose import failed", () => {
  it("is imported under another address, and under that one from then on", async () => {
    let up = false;
    const name = file();
    const { imported, import: load } = browser(() => up);
    const open = () => part((address) => load(address(name)));
    await expect(open()).rejects.toThrow("Failed to fetch");
    up = true;
    expect(await open()).toEqual({ address: `${name}?retry=1` });
    expect(await open()).toEqual({ address: `${name}?retry=1` });
    expect(imported).toEqual([name, `${name}?retry=1`, `${name}?retry=1`]);
  });

  it("comes back by itself", async () => {
    const name = file();
    let requests = 0;
    const { import: load } = browser(() => ++requests > 1);
    expect(await loaded(() => part((address) => load(address(name))))).toEqual({ address: `${name}?retry=1` });
  });

  it("is missing in the end, and not before nothing unsaved is on the page", async () => {
    vi.useFakeTimers();
    const name = file();
    const { imported, import: load } = browser(() => false);
    const open = () => loaded(() => part((address) => load(address(name))));
    await expect(open()).rejects.toBeInstanceOf(PartMissing);
    expect(new Set(imported).size).toBe(imported.length);

    window.addEventListener("beforeunload", ask);
    expect(holdsUnsaved()).toBe(true);
    const outcome = vi.fn<(error: unknown) => void>();
    void open().catch(outcome);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(outcome).not.toHaveBeenCalled();
    expect(missingParts.any()).toBe(true);
    expect(imported.length).toBeLessThan(20);
    window.removeEventListener("beforeunload", ask);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(outcome).toHaveBeenCalledWith(expect.any(PartMissing));
    expect(missingParts.any()).toBe(false);
  });
});

describe("The files that a part needs", () => {
  it("are fetched before it is imported, once, and none that is in the document", async () => {
    const requests: string[] = [];
    vi.stubGlobal("fetch", async (url: URL) => {
      requests.push(url.pathname);
      return new Response("");
    });
    const link = document.createElement("link");
    link.href = "/assets/known.js";
    document.head.append(link);
    const order: string[] = [];
    const open = () =>
      part(async () => {
        order.push(...requests.splice(0), "import");
      }, ["assets/one.js", "assets/two.js", "assets/known.js"]);
    await open();
    await open();
    expect(order).toEqual(["/assets/one.js", "/assets/two.js", "import", "import"]);
    link.remove();
  });

  it("keep it from being imported while the server is away", async () => {
    const load = vi.fn<() => Promise<string>>(async () => "the part");
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
    const state = vi.spyOn(reach, "state").mockReturnValue("away");
    await expect(part(load, ["assets/away.js"])).rejects.toThrow("Failed to fetch");
    expect(load).not.toHaveBeenCalled();
    // A server that answers and lacks one of them: the import says so.
    state.mockReturnValue("answers");
    expect(await part(load, ["assets/away.js"])).toBe("the part");
  });
});

it("A document is reloaded once for a part that stays missing", () => {
  const reload = vi.fn<() => void>();
  vi.stubGlobal("location", { ...window.location, reload });
  vi.stubGlobal(
    "window",
    new Proxy(window, { get: (on, name) => (name === "location" ? { reload } : Reflect.get(on, name)) }),
  );
  expect(canReloadForPart()).toBe(true);
  reloadForPart();
  reloadForPart();
  expect(canReloadForPart()).toBe(false);
  expect(reload).toHaveBeenCalledOnce();
});
