import { expect } from "vitest";
import { violations } from "./axe";
import { Card, Chat } from "./chat";
import { unique } from "./names";
import { scripted as test } from "./test";

interface System {
  id: string;
  description: string;
}

test("A card says what it does and where, is proposed again when it failed, and is taken back by another card", async ({
  visit,
  administrator,
}) => {
  const name = unique("Judged");
  const { id } = await administrator.post<System>("/api/catalog/systems", { name, description: "Before" });
  const described = async () => (await administrator.get<System>(`/api/catalog/systems/${id}`)).description;
  const here = await visit();
  const chat = await Chat.open(here.page);
  await chat.perform(
    `r1.tool=catalog.updateSystem r1.input=${JSON.stringify({ id, description: "After" })} text="It waits for you."`,
  );
  const card = await chat.card();
  expect(await card.apply.innerText()).toBe("Update system");
  expect(await card.element.getByTestId("target-link").getAttribute("href")).toBe(`/catalog/systems/${id}`);
  await chat.idle();

  // Another user decides first.
  await administrator.patch(`/api/catalog/systems/${id}`, { description: "Meanwhile" });
  here.expects(/status of 409/);
  await card.apply.click();
  await card.element.getByTestId("propose-again").dblclick();
  await card.element.getByTestId("again-link").waitFor();
  expect(await violations(here.page)).toEqual([]);
  await here.picture("card-again");
  await card.element.getByTestId("again-link").click();

  const again = new Card(here.page.getByTestId("proposal-card"));
  await again.pending();
  await again.element.getByTestId("diff").locator("del", { hasText: "Meanwhile" }).waitFor();
  expect(await described()).toBe("Meanwhile");
  await again.apply.click();
  await again.outcome.getByText("Applied by").waitFor();
  expect(await described()).toBe("After");

  await again.element.getByTestId("propose-undo").press("Enter");
  // The button is gone: a keyboard user continues from its replacement.
  await again.element.getByTestId("undo-link").and(here.page.locator(":focus")).press("Enter");
  const undo = new Card(here.page.getByTestId("proposal-card").filter({ hasText: "takes back" }));
  await undo.pending();
  expect(await described()).toBe("After");
  await here.look("card-undo");
  await here.shrink("card-undo-phone");
  await undo.apply.click();
  await here.page.getByTestId("proposal-outcome").getByText("Applied by").waitFor();
  expect(await described()).toBe("Meanwhile");
});

test("The last card of the inbox leaves it when it is decided, and the focus is at the heading", async ({ visit }) => {
  const { page } = await visit();
  const chat = await Chat.open(page);
  await chat.perform(
    `r1.tool=catalog.createGroup r1.input=${JSON.stringify({ name: unique("Last") })} text="It waits for you."`,
  );
  await chat.card();
  await chat.idle();
  await page.goto("/proposals?status=proposed");
  const card = await chat.card();
  await card.decline.press("Enter");
  await card.element.waitFor({ state: "detached" });
  await page.getByRole("heading", { level: 1, name: "Proposals" }).and(page.locator(":focus")).waitFor();
});
