import { expect } from "vitest";
import { unique } from "./names";
import { test } from "./test";

/** A definition whose run waits until it is cancelled, behind a choice that nothing was chosen in. */
const waits = (name: string) => `# Waits for the keeper.
name: ${name}
group: Harbour
triggers:
  - id: by-hand
    event: automation.manual
actions:
  - variables: { blasts: 2 }
  - choose:
      - when: var.blasts > 5
        sequence:
          - stop: { reason: Too many }
  - id: rest
    delay: 1h
`;

test("An automation is written, checked, run, cancelled, run again and brought back", async ({
  visit,
  administrator,
}) => {
  const application = unique("Foghorn");
  await administrator.post("/api/applications", { name: application, roleIds: [] });
  const here = await visit();
  // A definition with issues is not saved.
  here.expects(/status of 422.*automations/);
  const { page } = here;
  const name = unique("Blow the horn");

  await page.goto("/automations?query=nothing-like-it");
  await page.getByText("No matching automations").waitFor();
  await page.getByTestId("new-automation").click();
  const definition = page.getByTestId("definition");
  await page.getByLabel("Acts as").selectOption({ label: application });
  await definition.fill(waits(name).replace("var.blasts > 5", "var.blast > 5"));
  await page.getByTestId("validate-automation").click();
  await page.getByTestId("issue").first().waitFor();
  await here.look("automation-issues");
  await page.getByTestId("save-automation").click();
  await page.getByTestId("error").waitFor();
  // Leads to the line.
  await page.getByRole("button", { name: /^Line 10,/ }).click();
  expect(await definition.evaluate((field: HTMLTextAreaElement) => field === document.activeElement)).toBe(true);
  await definition.fill(waits(name));
  await page.getByTestId("validate-automation").press("Enter");
  await page.locator("[data-testid=verdict][data-valid=true]").waitFor();
  await page.getByTestId("save-automation").click();

  await page.getByRole("heading", { name }).waitFor();
  await page.getByTestId("run-now").click();
  await page.getByLabel("Payload of the trigger").fill("[]");
  await page.getByTestId("form-submit").click();
  await page.getByText("Enter a JSON object.").waitFor();
  await page.getByLabel("Payload of the trigger").fill('{"fog": true}');
  await page.getByTestId("form-submit").click();

  const status = (is: string) => page.locator(`[data-testid=run-status][data-status=${is}]`).first();
  await page.locator("[data-testid=run-step][data-status=waiting]").waitFor();
  await page.getByText("Waiting until").waitFor();
  await page.getByTestId("saw").getByText("var.blasts").waitFor();
  await page.getByTestId("run-trigger").getByText('"fog": true').waitFor();
  await here.look("automation-run");
  await here.shrink("automation-run-phone");
  await page.getByTestId("cancel-run").click();
  await status("cancelled").waitFor();
  await page.getByTestId("run-again").click();
  await status("running").waitFor();
  await page.getByTestId("cancel-run").click();
  await status("cancelled").waitFor();

  await page.getByRole("link", { name }).click();
  await page.getByTestId("automation-run").nth(1).waitFor();
  await definition.fill(waits(name).replace("blasts: 2", "blasts: 9"));
  await page.getByTestId("save-automation").click();
  await page.getByRole("heading", { name: "Definition, revision 2" }).waitFor();
  await page.getByRole("button", { name: "Changes since" }).click();
  await page.getByTestId("diff").getByText("blasts: 9").first().waitFor();
  await here.look("automation");
  await here.shrink("automation-phone");
  await page.getByRole("button", { name: "Go back to revision 1" }).click();
  await page.getByRole("heading", { name: "Definition, revision 3" }).waitFor();
  expect(await definition.inputValue()).toBe(waits(name));
  await page.getByTestId("toggle-automation").click();
  await page.locator("[data-testid=automation-status][data-status=disabled]").waitFor();

  await page.goto("/automations?status=disabled");
  const row = page.getByTestId("automation-row").filter({ hasText: name });
  await row.getByRole("img", { name: "Last 2 runs, newest first: Cancelled, Cancelled" }).waitFor();
  await page.getByTestId("automation-group").selectOption("Harbour");
  await row.waitFor();
  await here.look("automations");
  await here.shrink("automations-phone");
});
