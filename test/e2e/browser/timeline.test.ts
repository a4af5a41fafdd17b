import type { Locator } from "playwright-core";
import { expect } from "vitest";
import { Chat } from "./chat";
import { scripted as test } from "./test";

/** Runs for long enough to be seen running for more than a second, where the machine is busy too. */
const slow = {
  context: "healthcheck-script",
  source: "await new Promise((done) => setTimeout(done, 4_000));\nreturn true;",
};

const calls = [
  'r1.text="Let me look."',
  "r1.tool=catalog.listSystems",
  "r1.tool=ai.listDocs",
  'r1.tool=ai.getDoc r1.input={"slug":"no/such-page"}',
  'r2.tool=ai.getDoc r2.input={"slug":"concepts/plans","section":"Order and failure"}',
  `r3.tool=healthcheck.testScript r3.input=${JSON.stringify(slow)}`,
].join(" ");

/** How long each step took, as the page says it. */
const times = (answer: Locator) => answer.getByTestId("tool-took").allInnerTexts();

test("Steps of an answer have their times, also while they run and after a reload, and fold without hiding a failure", async ({
  visit,
}) => {
  const here = await visit();
  const { page } = here;
  const chat = await Chat.open(page);
  await chat.perform(`${calls} text="That is all."`);
  const answer = chat.answers.last();
  const running = answer.locator('[data-testid="tool-line"][data-state="running"]');
  await running
    .getByTestId("tool-clock")
    .getByText(/^[1-9]\d*\.\d s$/)
    .waitFor();
  await here.picture("timeline-running");
  await chat.says("That is all.");
  await chat.idle();
  const fold = answer.getByTestId("timeline-fold");
  expect(await fold.getAttribute("aria-expanded")).toBe("true");
  const seen = await times(answer);
  expect(seen).toHaveLength(5);
  expect(Number.parseFloat(seen.at(-1) ?? "")).toBeGreaterThanOrEqual(4);
  const summary = await fold.innerText();
  expect(summary).toMatch(/^5 steps, [\d.]+ s/);

  await page.reload();
  await answer.getByText("That is all.").waitFor();
  expect(await fold.innerText()).toBe(summary);
  expect(await fold.getAttribute("aria-expanded")).toBe("false");
  const lines = answer.getByTestId("tool-line");
  expect(await lines.evaluateAll((all) => all.map((line) => line.getAttribute("data-state")))).toEqual(["error"]);
  await here.look("timeline-folded");
  await fold.focus();
  await page.keyboard.press("Enter");
  await lines.nth(4).waitFor();
  expect(await times(answer)).toEqual(seen);
  await here.look("timeline");
  await here.shrink("timeline-phone");

  await lines.nth(1).getByRole("button").click();
  await lines.nth(1).getByTestId("tool-table").getByRole("cell").first().waitFor();
  await lines.nth(1).scrollIntoViewIfNeeded();
  await here.look("timeline-result");
  await here.shrink("timeline-result-phone");

  await answer.getByTestId("tool-source").click();
  await page.locator('[id="order-and-failure"]:focus').waitFor();
});
