import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { test } from "../browser/test";

/** The "Slow 4G" profile of Chrome's developer tools: milliseconds and bytes a second. */
const slow = { offline: false, latency: 562.5, downloadThroughput: 180_000, uploadThroughput: 84_375 };

/** First pages of a browser without a cache, and when each can be used. */
const loads: { page: string; path: string; signedIn: boolean; usable: Record<string, string> }[] = [
  { page: "sign-in", path: "/", signedIn: false, usable: { "can be typed in": "[data-testid=sign-in] input" } },
  { page: "chat", path: "/chat", signedIn: true, usable: { "can be typed in": "[data-testid=composer]:enabled" } },
  {
    page: "scripts",
    path: "/scripts",
    signedIn: true,
    usable: {
      "can be typed in": "[data-testid=plain-editor], [data-testid=script-editor] .view-line",
      "editor is there": "[data-testid=script-editor] .view-line",
    },
  },
];

/** Counts what comes over the wire from now on. */
async function received(page: Page): Promise<() => number> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", slow);
  let bytes = 0;
  session.on("Network.dataReceived", ({ encodedDataLength }) => (bytes += encodedDataLength));
  return () => bytes;
}

describe("On a slow network", () => {
  test.for(loads)("$page", async ({ page: name, path, signedIn, usable }, { visit }) => {
    const { page } = await visit(signedIn ? undefined : null);
    const bytes = await received(page);
    await page.goto(path, { waitUntil: "commit" });
    for (const [what, selector] of Object.entries(usable)) {
      await page.locator(selector).first().waitFor();
      const seconds = (await page.evaluate(() => performance.now())) / 1_000;
      console.log(`| ${name} | ${what} | ${seconds.toFixed(1)} s | ${Math.round(bytes() / 1_000)} kB |`);
      expect(seconds).toBeGreaterThan(0);
    }
  });
});
