import { randomUUID } from "node:crypto";
import { Person } from "../stack/person";
import { Chat } from "./chat";
import { scripted as test } from "./test";

// Each window shows by itself what happens in another one: nobody reloads, and no page asks again and again.
test("a decision by another shows, and two windows on one chat stay in step", async ({
  visit,
  administrator,
  product,
}) => {
  const { id: role } = await administrator.post<{ id: string }>("/api/roles", {
    name: `Operators ${randomUUID()}`,
    rules: ["catalog.system.manage"],
  });
  const credentials = { email: `${randomUUID()}@example.com`, password: "correct horse battery" };
  await administrator.post("/api/users", { ...credentials, name: "Ada", roleIds: [role] });
  const ada = await Person.signIn(product.url, credentials);
  const system = await ada.post<{ id: string }>("/api/catalog/systems", { name: `Payments ${randomUUID()}` });

  const here = await visit(ada);
  const one = await Chat.open(here.page);
  const input = JSON.stringify({ id: system.id, description: "Takes cards" });
  await one.perform(`r1.tool=catalog.updateSystem r1.input=${input} text="Shall I?"`);
  await one.card();
  await one.idle();
  const two = new Chat(await here.tab(here.page.url()));
  await two.card();

  // Another user decides, elsewhere.
  const waiting = await administrator.get<{ proposals: { proposalId: string }[] }>("/api/ai/proposals?status=proposed");
  await administrator.post(`/api/ai/proposals/${waiting.proposals[0]?.proposalId}/decline`);
  for (const { page, cards, answers } of [one, two]) {
    await cards.and(page.locator('[data-status="declined"]')).waitFor();
    // The assistant takes note of it.
    await answers.nth(1).waitFor();
  }
  await one.idle();

  // A message sent in one window appears in the other, where the answer streams too and can be stopped.
  await one.perform("tokens=10000 delay_token=20ms");
  await two.questions.last().getByText("tokens=10000").waitFor();
  await two.stop.click();
  await one.idle();
  await two.idle();
  await two.perform('text="And from there."');
  await one.says("And from there.");
});
