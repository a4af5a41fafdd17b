import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { Person } from "../stack/person";
import { Chat } from "./chat";
import { test } from "./test";

describe("A privacy request", () => {
  test("deletes what is kept of a person, once their address is typed", async ({ visit, administrator }) => {
    const credentials = { email: `grace-${randomUUID().slice(0, 6)}@example.org`, password: "correct horse battery" };
    await administrator.post("/api/users", { ...credentials, name: "Grace Hopper", roleIds: [] });
    const grace = await Person.signIn(administrator.base, credentials);
    const hers = await visit(grace);
    // Her window hears that its chat has gone.
    hers.expects(/status of 404/);
    const theirs = await Chat.open(hers.page);
    await theirs.ask("Which systems do we have?");
    await theirs.answers.first().waitFor();
    await theirs.idle();
    const kept = async () =>
      (await grace.get<{ conversations: object[] }>("/api/ai/conversations")).conversations.length;
    expect(await kept()).toBe(1);

    const here = await visit();
    const { page } = here;
    await page.goto("/admin/privacy");
    await page.getByTestId("row").filter({ hasText: credentials.email }).getByTestId("erase").click();
    const dialog = page.getByTestId("erase-dialog");
    await dialog.getByTestId("erase-counts").waitFor();
    const confirm = dialog.getByTestId("erase-confirm");
    const typed = dialog.getByLabel(/to confirm$/).and(page.locator(":focus"));
    await typed.waitFor();
    await typed.fill("somebody@example.org");
    expect(await confirm.isDisabled()).toBe(true);
    await page.keyboard.press("Enter");
    await here.look("erase");
    expect(await kept()).toBe(1);
    await typed.fill(credentials.email);
    await confirm.click();
    await dialog.waitFor({ state: "detached" });
    const erasure = page
      .getByRole("region", { name: "Erasures" })
      .getByTestId("row")
      .filter({ hasText: "Grace Hopper" });
    await erasure.getByText("finished").waitFor();
    await page
      .getByRole("region", { name: "Privacy requests" })
      .getByText(credentials.email)
      .waitFor({ state: "detached" });
    await here.look("erased");
    expect(await kept()).toBe(0);
    await hers.page.getByRole("heading", { name: "There is no such chat" }).waitFor();
  });
});
