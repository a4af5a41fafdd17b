import { describe, expect } from "vitest";
import { unique } from "./names";
import { test } from "./test";
import { phone, resize } from "./visit";

interface Made {
  id: string;
}

const pad = (n: number) => String(n).padStart(2, "0");

/** A moment as a field for local date and time takes it. */
const local = (at: Date) =>
  `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}T${pad(at.getHours())}:${pad(at.getMinutes())}`;

describe("A maintenance", () => {
  test("is scheduled, extended, written about and ended", async ({ visit, administrator }) => {
    const name = unique("Warehouse");
    const { id: system } = await administrator.post<Made>("/api/catalog/systems", { name });
    const here = await visit();
    const { page } = here;
    await page.goto("/maintenances?query=nothing-like-it");
    await page.getByText("No matching maintenances").waitFor();

    const title = unique("New shelves");
    await page.getByTestId("new-maintenance").click();
    const form = page.getByTestId("form-dialog");
    await form.getByLabel("What is done").fill(title);
    await form.getByLabel("Affected systems").fill(name);
    await page.getByRole("option", { name }).click();
    const begin = new Date(Date.now() - 60_000);
    await form.getByLabel("Begins at").fill(local(begin));
    await form.getByLabel("Ends at").fill(local(new Date(begin.getTime() - 3_600_000)));
    await form.getByTestId("form-submit").click();
    await form.getByText("Choose a time after the start.").waitFor();
    await form.getByLabel("Ends at").fill(local(new Date(begin.getTime() + 3_600_000)));
    await form.getByLabel("Suppress notifications").check();
    await here.look("maintenance-form");
    await form.getByTestId("form-submit").click();

    await page.getByRole("heading", { name: title }).waitFor();
    await page.locator("[data-testid=maintenance-status][data-status=in_progress]").waitFor();
    await here.look("maintenance");
    await page.goto(`/health/systems/${system}`);
    await page
      .getByText(`The maintenance ${title} is in progress until`)
      .or(page.getByText("No checks yet"))
      .first()
      .waitFor();
    await page.goBack();

    await page.getByRole("button", { name: "Extend" }).click();
    await form.getByLabel("Ends at").fill(local(new Date(begin.getTime() + 7_200_000)));
    await form.getByTestId("form-submit").click();
    await page.getByText("In progress, extended").waitFor();
    await page.getByRole("button", { exact: true, name: "Update" }).click();
    await form.getByLabel("What is new").fill("<i>Half</i> of the shelves are there.");
    await form.getByTestId("form-submit").click();
    await page.getByTestId("updates").getByText("<i>Half</i> of the shelves are there.").waitFor();

    await resize(page, phone);
    await here.look("maintenance-phone");
    await page.getByRole("button", { name: "End now" }).click();
    await form.getByLabel("Last update").fill("All shelves are there.");
    await form.getByTestId("form-submit").click();
    await page.locator("[data-testid=maintenance-status][data-status=completed]").waitFor();
    await page.getByText("Ended early").waitFor();
  });

  test("recurs in the calendar, where one occurrence is moved", async ({ visit, administrator }) => {
    const { id: system } = await administrator.post<Made>("/api/catalog/systems", { name: unique("Backups") });
    const title = unique("Backup");
    const start = new Date(Date.now() + 86_400_000);
    start.setUTCHours(2, 0, 0, 0);
    const { id } = await administrator.post<Made>("/api/maintenances", {
      title,
      systemIds: [system],
      startAt: start.toISOString(),
      endAt: new Date(start.getTime() + 3_600_000).toISOString(),
      zone: "Europe/Berlin",
      rule: "FREQ=DAILY",
    });
    const here = await visit();
    const { page } = here;
    const following = new Date(start.getFullYear(), start.getMonth() + 1, 1);
    const month = `${following.getFullYear()}-${pad(following.getMonth() + 1)}`;
    await page.goto(`/maintenances/calendar?month=${month}`);
    const entries = page.getByTestId("calendar-entry").filter({ hasText: title });
    await entries.first().waitFor();
    expect(await entries.count()).toBeGreaterThanOrEqual(28);
    await here.look("maintenance-calendar");

    // The keyboard alone goes from entry to entry, to another month, and to the page of one.
    await page.getByTestId("calendar-entry").first().focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("data-testid"))).toBe("calendar-entry");
    await page.keyboard.press("PageDown");
    await page.waitForURL((url) => url.searchParams.get("month") !== month);
    await entries.first().focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: title }).waitFor();

    const upcoming = page.getByTestId("occurrence");
    await upcoming.nth(1).getByRole("button", { name: "Skip" }).click();
    await upcoming.nth(1).getByText("Cancelled").waitFor();
    await upcoming.nth(1).getByRole("button", { name: "Restore" }).click();
    await upcoming.nth(1).getByText("Scheduled").waitFor();
    await upcoming.first().getByRole("button", { name: "Move" }).click();
    const form = page.getByTestId("form-dialog");
    await form.getByLabel("Begins at").fill(local(new Date(start.getTime() + 6 * 3_600_000)));
    await form.getByTestId("form-submit").click();
    await upcoming.first().getByText("Moved").waitFor();
    await here.look("maintenance-recurring");

    await resize(page, phone);
    await page.goto(`/maintenances/calendar?month=${month}`);
    await entries.first().waitFor();
    await here.look("maintenance-calendar-phone");
    await page.getByTestId("subscribe").click();
    const address = await page.getByTestId("application-token").textContent();
    const feed = await page.request.get(new URL(address ?? "").pathname);
    expect(await feed.text()).toContain(id);
  });
});
