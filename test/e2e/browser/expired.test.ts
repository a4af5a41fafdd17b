import { expect } from "vitest";
import { Chat } from "./chat";
import { unique } from "./names";
import { scriptedWith } from "./test";

const test = scriptedWith({ COUNTERSIGN_PROPOSAL_TTL: "5s" });

test("A card that nobody has decided in time says so, and is proposed again with a click", async ({
  visit,
  administrator,
}) => {
  const name = unique("Late");
  const here = await visit();
  const chat = await Chat.open(here.page);
  await chat.perform(`r1.tool=catalog.createGroup r1.input=${JSON.stringify({ name })} text="It waits for you."`);
  const card = here.page.locator('[data-testid="proposal-card"][data-status="expired"]').first();
  await card.getByTestId("proposal-outcome").getByText("Expired without a decision").waitFor();
  expect(await card.getByTestId("proposal-apply").count()).toBe(0);
  await chat.idle();
  await card.getByTestId("propose-again").click();
  await card.getByTestId("again-link").waitFor();
  await here.look("card-expired");
  const { proposals } = await administrator.get<{ proposals: { payload: { name?: string } }[] }>("/api/ai/proposals");
  expect(proposals.filter(({ payload }) => payload.name === name)).toHaveLength(2);
});
