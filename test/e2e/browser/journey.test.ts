import { describe, expect } from "vitest";
import { Chat } from "./chat";
import { installedWith } from "./test";

/** Slow enough that an answer is seen being written. */
const test = installedWith({ COUNTERSIGN_DEMO_FIRST_DELAY: "300ms", COUNTERSIGN_DEMO_TOKEN_DELAY: "40ms" });

describe("A new person", () => {
  test("asks for a system, countersigns it, and finds it in the catalog and in Temporal", async ({
    visit,
    product: { credentials },
  }) => {
    const guest = await visit(null);
    const { page } = guest;

    // Nothing is shown to strangers, and a wrong password is refused in words.
    guest.expects(/status of 401/);
    await page.goto("/");
    await page.waitForURL("**/sign-in**");
    await page.getByLabel("E-mail").fill(credentials.email);
    await page.getByLabel("Password").fill("not the password");
    await page.getByTestId("sign-in-submit").click();
    await page.getByTestId("error").waitFor();
    await guest.picture("sign-in");
    await page.getByLabel("Password").fill(credentials.password);
    await page.getByTestId("sign-in-submit").click();
    await page.waitForURL("**/chat");
    await page.getByTestId("demo-label").waitFor();
    await guest.picture("chat-empty");

    // The answer streams in, and a reload in the middle of it loses nothing.
    const chat = new Chat(page);
    await chat.ask("Add a system called Payments API owned by the platform team");
    await page.waitForURL(/\/chat\/[0-9a-f-]{36}$/);
    await chat.says("Let me see which teams there are");
    await guest.picture("chat-streaming");
    await page.reload();
    await (await chat.card()).element.getByText("Payments API").first().waitFor();
    expect(await chat.questions.count()).toBe(1);
    expect(await chat.answers.count()).toBe(1);
    expect(await chat.cards.count()).toBe(1);

    // The card waits, also for the person who comes back to it.
    await page.reload();
    const card = await chat.card();
    expect(await card.element.getByTestId("payload").innerText()).toContain("Payments API");
    expect(await card.element.getByTestId("proposal-countdown").innerText()).toMatch(/^(10:00|9:\d\d)$/);
    expect(await page.getByTestId("pending-count").innerText()).toMatch(/^\d+/);
    await chat.answers.getByText("**").waitFor({ state: "detached" });
    await guest.picture("chat-card");

    // One click changes the catalog, once, and the model acknowledges it.
    await card.apply.click();
    await card.outcome.getByText("Applied by Administrator").waitFor();
    await chat.answers.nth(1).getByText("applied and live").waitFor();
    await chat.idle();
    await guest.picture("chat-applied");

    // Operators find the turn and the proposal in Temporal.
    for (const [link, kind] of [
      [chat.answers.first().getByTestId("temporal-link"), "turn"],
      [card.element.getByText("Open in Temporal"), "proposal"],
    ] as const) {
      const url = await link.getAttribute("href");
      const id = new RegExp(`${kind}/[0-9a-f-]{36}`).exec(decodeURIComponent(url ?? ""))?.[0];
      expect(id, `the link of the ${kind} names its workflow`).toBeDefined();
      const temporal = await guest.elsewhere(url ?? "");
      await temporal
        .getByText(id ?? "")
        .first()
        .waitFor();
      await temporal.getByText("Completed").first().waitFor();
      await guest.picture(`temporal-${kind}`, temporal);
      await temporal.close();
    }

    // The system is there, with its owner.
    await page.getByTestId("nav-catalog").click();
    const row = page.getByTestId("row").filter({ hasText: "Payments API" });
    await row.getByText("Platform").waitFor();
    expect(await row.count()).toBe(1);
    await guest.picture("catalog");
    await row.getByTestId("system-link").click();
    await page.getByTestId("system-page").getByRole("link", { name: "Platform" }).waitFor();
    await guest.picture("system");

    // Signing out ends the session, also for what the browser still shows.
    await page.getByTestId("sign-out").click();
    await page.waitForURL("**/sign-in**");
    await page.goto("/chat");
    await page.waitForURL("**/sign-in?next=%2Fchat");
    await page.getByTestId("sign-in").waitFor();
  });
});
