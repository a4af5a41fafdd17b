import { describe, expect } from "vitest";
import { unique } from "./names";
import { test } from "./test";

describe("A source of alerts", () => {
  test("is set up, tried, heard, and gets another secret", async ({ visit, administrator }) => {
    const system = unique("Lighthouse");
    const north = unique("Northern light");
    for (const one of [system, north]) await administrator.post("/api/catalog/systems", { name: one });
    const here = await visit();
    const { page } = here;
    const name = unique("Buoys");
    await page.goto("/admin/alert-sources");
    await page.getByTestId("new-source").click();
    const form = page.getByTestId("form-dialog");
    await form.getByLabel("Name").fill(name);
    await form.getByLabel("Affected systems").fill(system);
    await page.getByRole("option", { name: system }).click();
    // Rules of labels: one of systems, and one of severities, which takes the place of the usual ones.
    await form.getByRole("button", { name: "Add a rule of systems" }).click();
    const aside = form.getByRole("group", { name: "Systems, rule 1", exact: true });
    await aside.getByLabel("Label").fill("coast");
    await aside.getByLabel("Value").fill("north");
    await form.getByRole("button", { name: "Add a rule of severities" }).click();
    const worst = form.getByRole("group", { name: "Severities, rule 1", exact: true });
    await worst.getByLabel("Value").fill("page");
    await worst.getByLabel("Severity of rule 1").selectOption("critical");
    await form.getByTestId("form-submit").click();
    await aside.getByText("Choose a system.").waitFor();
    await aside.getByLabel("Systems of rule 1").fill(north);
    await page.getByRole("option", { name: north }).click();
    await here.look("alert-source-form");
    await form.getByTestId("form-submit").click();
    const shown = page.getByTestId("source-secret");
    await shown.waitFor();
    const [url = "", secret = ""] = await shown.locator("code").allInnerTexts();
    await here.look("alert-source-secret");
    expect(secret).toMatch(/^whsec_/);
    await shown.getByRole("button", { name: "Done" }).click();
    const row = page.getByTestId("row").filter({ hasText: name });
    await row.getByText("Nothing received yet").waitFor();

    await row.getByRole("button", { name: `Try a payload of ${name}` }).click();
    const trial = page.getByTestId("try-payload");
    await trial.getByRole("button", { name: "Try", exact: true }).click();
    await trial.getByText("Shop answers with errors").waitFor();
    await here.look("alert-source-trial");
    await trial.getByRole("button", { name: "Close", exact: true }).last().click();

    const send = (token: string) =>
      fetch(`${administrator.base}${new URL(url).pathname}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
        body: JSON.stringify({
          groupKey: name,
          alerts: [
            {
              status: "firing",
              labels: { alertname: "Fog", coast: "north", severity: "page" },
              annotations: { summary: `Fog at ${system}` },
              startsAt: "2026-01-02T03:04:05Z",
            },
          ],
        }),
      });
    expect((await send("wrong")).status).toBe(401);
    expect((await send(secret)).status).toBe(200);
    await page.reload();
    await row.getByText("1 firing").waitFor();
    await row.getByText(/last refused .*not known/).waitFor();

    await row.getByRole("button", { name: `Replace the secret of ${name}` }).click();
    await page.getByRole("button", { name: "Replace", exact: true }).click();
    await shown.locator("code").waitFor();
    expect(await shown.locator("code").innerText()).not.toBe(secret);
    await shown.getByRole("button", { name: "Done" }).click();
    await page.goto("/incidents");
    await page.getByText(`Fog at ${system}`).first().click();
    await page.getByText(`${name} reported alerts`).waitFor();
    await page.getByText("Critical").first().waitFor();
    await page.getByText(north).first().waitFor();
    await here.look("incident-of-alerts");
  });
});
