import type { Locator, Page } from "playwright-core";
import { describe, expect } from "vitest";
import { violations } from "./axe";
import { Chat } from "./chat";
import { unique } from "./names";
import { test } from "./test";
import { phone } from "./visit";

/** A question that the assistant has asked, as a person uses it. */
class Question {
  readonly element: Locator;
  readonly options: Locator;
  readonly field: Locator;

  constructor(element: Locator) {
    this.element = element;
    this.options = element.getByTestId("question-option");
    this.field = element.getByTestId("question-text");
  }

  /** Waits for one that can be answered. */
  static async open(page: Page, words: string): Promise<Question> {
    const card = page.getByTestId("question-card").and(page.locator('[data-status="open"]')).filter({ hasText: words });
    await card.getByTestId("question-option").first().and(page.locator(":enabled")).waitFor();
    return new Question(page.getByTestId("question-card").filter({ hasText: words }));
  }

  option(label: string): Locator {
    return this.options.filter({ hasText: label });
  }

  /** Chosen options, as the card shows them. */
  async outcome(): Promise<{ chosen: string[]; text: string }> {
    await this.element.and(this.element.page().locator('[data-status="answered"]')).waitFor();
    const chosen = await this.element.locator('[data-testid="question-option"][aria-pressed="true"]').allInnerTexts();
    return {
      chosen: chosen.map((label) => label.trim()),
      text: await this.element.getByTestId("question-outcome").innerText(),
    };
  }
}

describe("A question of the assistant", () => {
  test("is answered step by step with keys and clicks, and the answers stay", async ({ visit, administrator }) => {
    const name = unique("Checkout");
    const here = await visit();
    const { page } = here;
    const chat = await Chat.open(page);
    await chat.ask("Create a system");

    const naming = await Question.open(page, "What should the system be called?");
    expect(await naming.element.getAttribute("role")).toBe("group");
    await naming.options.first().and(page.locator(":focus")).waitFor();
    await here.picture("question-open");
    // Typing on an option goes to the field.
    await page.keyboard.type(name);
    expect(await naming.field.inputValue()).toBe(name);
    await page.keyboard.press("Enter");

    const owner = await Question.open(page, "Which team should own");
    expect(await naming.outcome()).toEqual({ chosen: [], text: `Answered: ${name}` });
    const labels = await owner.options.allInnerTexts();
    const at = labels.findIndex((label) => label.includes("Platform")) + 1;
    expect(at).toBeGreaterThan(0);
    await owner.options.first().and(page.locator(":focus")).waitFor();
    await page.keyboard.press("ArrowRight");
    await owner.options.nth(1).and(page.locator(":focus")).waitFor();
    await here.picture("question-options");
    await page.keyboard.press(String(at));

    const card = await chat.card();
    expect((await owner.outcome()).chosen).toEqual(["Platform"]);
    await card.apply.click();
    await chat.answers.last().getByText("applied and live").waitFor();
    const { systems } = await administrator.get<{ systems: { owners: { teamName: string }[] }[] }>(
      `/api/catalog/systems?query=${encodeURIComponent(name)}`,
    );
    expect(systems.map(({ owners }) => owners.map(({ teamName }) => teamName))).toEqual([["Platform"]]);
    expect(await chat.questions.allInnerTexts()).toEqual(["Create a system", name, "Platform"]);

    const other = await here.tab(page.url());
    await page.reload();
    for (const tab of [page, other]) {
      const again = new Question(tab.getByTestId("question-card").filter({ hasText: "Which team should own" }));
      expect(await again.outcome()).toEqual({ chosen: ["Platform"], text: "Answered." });
      for (const option of await again.options.all()) expect(await option.isDisabled()).toBe(true);
      expect(await tab.getByTestId("question-text").count()).toBe(0);
    }
    await here.picture("question-answered");
  });

  test("offers the systems that a name fits, and works after a reload", async ({ visit, administrator }) => {
    const stem = unique("Orders");
    for (const part of ["API", "UI"]) await administrator.post("/api/catalog/systems", { name: `${stem} ${part}` });
    const here = await visit();
    const chat = await Chat.open(here.page);
    await chat.ask(`Change the description of ${stem} to Takes orders`);
    const before = await Question.open(here.page, `Which system do you mean by “${stem}”?`);
    expect(await before.options.count()).toBe(2);
    await here.page.reload();
    const question = await Question.open(here.page, "Which system do you mean");
    expect(await violations(here.page)).toEqual([]);
    await question.option("UI").click();
    const card = await chat.card();
    await card.element.getByText(`${stem} UI`).first().waitFor();
    expect((await question.outcome()).chosen).toEqual([`${stem} UI`]);
    await card.decline.click();
    await card.outcome.getByText("Declined").waitFor();
  });

  test("does not take the focus from somebody who types, and any message closes it", async ({ visit }) => {
    const here = await visit();
    const { page } = here;
    const chat = await Chat.open(page);
    await chat.ask("Create a group");
    await chat.composer.pressSequentially("Which systems");
    const question = await Question.open(page, "What should the group be called?");
    expect(await chat.composer.evaluate((box) => document.activeElement === box)).toBe(true);
    await chat.composer.pressSequentially(" do we have?");
    await chat.composer.press("Enter");
    expect((await question.outcome()).text).toBe("Answered: Which systems do we have?");
    await chat.idle();
    expect(await chat.questions.count()).toBe(2);
    await here.picture("question-passed-over");
  });

  test("fits on a phone, in dark colours", async ({ visit }) => {
    const here = await visit(undefined, { viewport: phone, hasTouch: true, colorScheme: "dark" });
    const { page } = here;
    const chat = await Chat.open(page);
    await chat.ask("Add a system called Pocket owned by the marketing team");
    const question = await Question.open(page, "There is no team called “marketing”");
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);
    await here.picture("question-phone-dark");
    await question.option("No team").tap();
    await chat.card();
    expect((await question.outcome()).chosen).toEqual(["No team"]);
  });
});
