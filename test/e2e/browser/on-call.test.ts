import { expect } from "vitest";
import { unique } from "./names";
import { test } from "./test";
import { phone, resize } from "./visit";

interface Made {
  id: string;
}

/** A moment as a field for local date and time takes it. */
const local = (at: Date) => new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

const calendar = (address: string) =>
  [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "BEGIN:VEVENT",
    "UID:1",
    "DTSTART:20260105T090000Z",
    "DTEND:20260106T090000Z",
    `SUMMARY:${address}`,
    "END:VEVENT",
    "END:VCALENDAR",
  ].join("\r\n");

test("A schedule and a policy are made by keyboard, and the page says who is called when", async ({
  visit,
  administrator,
}) => {
  const [first, second] = [unique("Ada"), unique("Bob")];
  for (const name of [first, second]) {
    const email = `${name.replaceAll(/\W/g, "")}@example.com`;
    await administrator.post("/api/users", { name, email, password: "a long password", mustChangePassword: false });
  }
  const shop = unique("Shop");
  await administrator.post<Made>("/api/catalog/systems", { name: shop });
  const here = await visit();
  // A zone that does not exist is refused by the server.
  here.expects(/status of 422.*schedules/);
  const { page } = here;
  const { keyboard } = page;
  const form = page.getByTestId("form-dialog");
  const pick = async (label: string, name: string, at = 0) => {
    await form.getByLabel(label, { exact: true }).nth(at).fill(name);
    await page.getByRole("option", { name }).first().waitFor();
    await keyboard.press("Enter");
    await form.getByTestId("picked").getByText(name).first().waitFor();
  };

  await page.goto("/on-call");
  await page.getByTestId("new-schedule").click();
  const rota = unique("Weekly");
  await form.getByLabel("Name", { exact: true }).fill(rota);
  await form.getByTestId("form-submit").click();
  await form.getByText("Add at least one person.").waitFor();
  await pick("People", first);
  await pick("People", second);
  await form.getByRole("button", { name: `Move ${second} up` }).press("Enter");
  await form.getByText(`1. ${second}`).waitFor();
  await form.getByLabel("Time zone").fill("Atlantis/Nowhere");
  await form.getByTestId("form-submit").click();
  await form.locator('[aria-invalid="true"]').first().waitFor();
  await form.getByLabel("Time zone").fill("Europe/Berlin");
  await here.look("schedule-form");
  await form.getByTestId("form-submit").press("Enter");
  await page.getByRole("heading", { name: rota }).waitFor();
  await page.getByTestId("shift").getByText(second).first().waitFor();

  await page.getByTestId("add-override").click();
  await form.getByLabel("On call", { exact: true }).fill(first);
  await page.getByRole("option", { name: first }).first().waitFor();
  await keyboard.press("Enter");
  const now = new Date();
  await form.getByLabel("Begins at").fill(local(now));
  await form.getByLabel("Ends at").fill(local(new Date(now.getTime() + 3_600_000)));
  await form.getByTestId("form-submit").click();
  await page.getByText(`${first} for everybody`).waitFor();
  await page.getByTestId("import-calendar").click();
  await form.getByLabel("Or a file").setInputFiles({
    name: "on-call.ics",
    mimeType: "text/calendar",
    buffer: Buffer.from(calendar(second)),
  });
  await form.getByTestId("form-submit").click();
  await page.getByText("1 events from a file").waitFor();
  await here.look("schedule");
  await page.getByRole("button", { name: `Remove the override of ${first}` }).click();
  await page.getByText(`${first} for everybody`).waitFor({ state: "hidden" });

  await page.goto("/on-call");
  await page.getByTestId("new-policy").click();
  const policy = unique("Everything");
  await form.getByLabel("Name", { exact: true }).fill(policy);
  await pick("Step 1 calls", `On call in ${rota}`);
  await form.getByTestId("add-step").click();
  await pick("Step 2 calls", first);
  await form.getByLabel("Minutes to wait").nth(1).fill("two");
  await form.getByTestId("form-submit").click();
  await form.getByText("Enter minutes").waitFor();
  await form.getByLabel("Minutes to wait").nth(1).fill("2.5");
  await form.getByLabel("Default policy").check();
  await here.look("policy-form");
  await here.shrink("policy-form-phone");
  await form.getByTestId("form-submit").click();
  await page.getByRole("heading", { name: policy }).waitFor();
  expect(await page.getByTestId("policy-steps").getByRole("listitem").allTextContents()).toEqual([
    `1. At once: on call in ${rota}`,
    `2. 150 s later: ${first}`,
  ]);

  await resize(page, phone);
  await page.getByLabel("System").fill(shop);
  await page.getByRole("option", { name: shop }).first().waitFor();
  await keyboard.press("Enter");
  const run = page.getByTestId("simulated-run");
  await run.getByText(second).first().waitFor();
  await run.getByText(first).first().waitFor();
  await here.look("simulated-run-phone");
});
