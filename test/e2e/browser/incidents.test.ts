import { describe, expect } from "vitest";
import { unique } from "./names";
import { test } from "./test";
import { phone, resize } from "./visit";

interface Opened {
  id: string;
}

describe("An incident", () => {
  test("is opened, taken on with a thumb, written about and resolved", async ({ visit, administrator }) => {
    const name = unique("Payments");
    const { id: system } = await administrator.post<Opened>("/api/catalog/systems", { name });
    await administrator.request(`/api/catalog/systems/${system}`, {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ description: "Two nodes since today" }),
    });
    const here = await visit();
    const { page } = here;
    await page.goto("/incidents?state=open");
    await page.getByText("No matching incidents").waitFor();
    await here.look("incidents-empty");

    const title = unique("Payments are slow");
    await page.getByTestId("new-incident").click();
    const form = page.getByTestId("form-dialog");
    await form.getByLabel("What is wrong").fill(title);
    await form.getByTestId("form-submit").click();
    await form.getByText("Choose at least one system.").waitFor();
    await form.getByLabel("Affected systems").fill(name);
    await page.getByRole("option", { name }).click();
    await form.getByTestId("chosen-systems").getByText(name).waitFor();
    await form.getByLabel("Severity").selectOption("critical");
    await form.getByLabel("First update").fill("We look at it.");
    await form.getByLabel("Health of the systems").selectOption("degraded");
    await here.look("incident-form");
    await form.getByTestId("form-submit").click();

    await page.getByRole("heading", { name: title }).waitFor();
    const timeline = page.getByTestId("timeline");
    await timeline.getByText("We look at it.").waitFor();
    await timeline.getByText("Two nodes").or(timeline.getByText("System changed")).first().waitFor();
    await timeline.locator("[data-kind=health]").getByText("Degraded").waitFor();
    await here.look("incident");

    // A colleague's update appears without a click.
    const incident = page.url().split("/").at(-1) ?? "";
    await administrator.post(`/api/incidents/${incident}/updates`, {
      message: "<b>The database</b> is full.",
      statusChange: "identified",
      visibility: "internal",
    });
    await timeline.getByText("<b>The database</b> is full.").waitFor();

    await resize(page, phone);
    const thumb = page.getByTestId("thumb-bar");
    const acknowledge = thumb.getByTestId("acknowledge");
    const box = await acknowledge.boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(44);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeGreaterThan(phone.height - 80);
    await here.look("incident-phone");
    await acknowledge.click();
    await page.getByTestId("acknowledged").waitFor();
    await acknowledge.waitFor({ state: "detached" });

    await thumb.getByRole("button", { name: "Resolve" }).click();
    await form.getByLabel("Last update").fill("There is room again.");
    await here.look("incident-resolve-phone");
    await form.getByTestId("form-submit").click();
    await timeline.getByText("There is room again.").waitFor();
    await thumb.getByRole("button", { name: "Reopen" }).waitFor();
    await page.goto("/incidents?state=resolved");
    await page.getByTestId("incident-link").filter({ hasText: title }).waitFor();
    await here.look("incidents-phone");
  });

  test("is found, merged, and resolved with others", async ({ visit, administrator }) => {
    const { id: system } = await administrator.post<Opened>("/api/catalog/systems", { name: unique("Search") });
    const open = async (title: string) => {
      const body = { title: unique(title), severity: "minor", systemIds: [system] };
      await administrator.post("/api/incidents", body);
      return body.title;
    };
    const [first, second, third] = [
      await open("Index is late"),
      await open("Index is old"),
      await open("Index is gone"),
    ];
    const here = await visit();
    const { page } = here;
    const link = (title: string) => page.getByTestId("incident-link").filter({ hasText: title });
    await page.goto("/incidents?state=open");
    await page.getByTestId("incident-search").fill("index is old");
    await page.waitForURL(/query=/);
    await link(first).waitFor({ state: "detached" });
    await link(second).click();
    await page.getByRole("button", { name: "Merge" }).click();
    const form = page.getByTestId("form-dialog");
    await form.getByLabel("Incident that stays").fill(first);
    await page.getByRole("option", { name: first }).click();
    await form.getByTestId("form-submit").click();
    await page.getByRole("heading", { name: first }).waitFor();

    await page.goto("/incidents?state=open");
    for (const title of [first, third]) await page.getByLabel(`Choose ${title}`).check();
    await here.look("incidents-bulk");
    await page.getByTestId("bulk").getByRole("button", { name: "Resolve" }).click();
    await page.getByTestId("confirm-dialog-confirm").click();
    await link(first).waitFor({ state: "detached" });
    await link(third).waitFor({ state: "detached" });
  });
});
