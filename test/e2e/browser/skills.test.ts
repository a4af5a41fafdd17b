import { describe, expect } from "vitest";
import { Chat } from "./chat";
import { unique } from "./names";
import { test } from "./test";

describe("A skill", () => {
  test("is chosen with a slash and goes out with the message", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    const chat = await Chat.open(page);
    await chat.composer.press("/");
    await page.getByTestId("skill-search").and(page.locator(":focus")).waitFor();
    await page.keyboard.type("incident");
    await page.getByTestId("skill-option").filter({ hasText: "Incident commander" }).waitFor();
    await here.look("skill-picker");
    await page.keyboard.press("Enter");
    const banner = page.getByTestId("skill-banner");
    await banner.getByText("Incident commander").waitFor();
    expect(await chat.composer.inputValue()).not.toContain("/");
    const sent = page.waitForRequest(
      (request) => request.method() === "POST" && request.postData()?.includes("Which systems do we have?") === true,
    );
    await chat.ask("Which systems do we have?");
    expect((await sent).postDataJSON()).toMatchObject({ skillId: "incident-commander" });
    await chat.answers.first().waitFor();
    await chat.idle();
    await banner.waitFor();
    await here.look("skill-banner");
    await page.getByTestId("remove-skill").click();
    await banner.waitFor({ state: "detached" });
  });

  test("is written, copied and deleted", async ({ visit }) => {
    const name = unique("Release checker");
    const here = await visit();
    const { page } = here;
    await page.goto("/skills");
    await page.getByTestId("new-skill").click();
    const form = page.getByTestId("form-dialog");
    await form.getByLabel("Name").and(page.locator(":focus")).waitFor();
    await page.keyboard.type(name);
    await form.getByLabel("Description").fill("Checks a release before it goes out.");
    await form.getByLabel("Instructions").fill("List the systems first.");
    await here.look("skill-form");
    await form.getByTestId("form-submit").click();
    const skill = page.getByTestId("skill-page");
    await skill.getByText("List the systems first.").waitFor();
    await page.getByTestId("toast").waitFor({ state: "detached" });
    await here.look("skill-page");

    await page.getByTestId("copy-skill").click();
    expect(await form.getByLabel("Name").inputValue()).toBe(`Copy of ${name}`);
    await form.getByTestId("form-submit").click();
    await skill.getByRole("heading", { name: `Copy of ${name}` }).waitFor();
    await page.getByTestId("delete-skill").click();
    await page.getByTestId("confirm-dialog-confirm").click();
    await page.getByTestId("skills-page").waitFor();
    await page.getByTestId("skills-search").fill(name);
    await page.getByTestId("skill-link").getByText(name, { exact: true }).waitFor();
    await expect.poll(() => page.getByTestId("skill-link").allInnerTexts()).toEqual([name]);
  });
});
