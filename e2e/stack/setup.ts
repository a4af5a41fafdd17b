import type { TestProject } from "vitest/node";
import { Installation } from "./installation";
import { Person } from "./person";
import { scriptedModel } from "./script";

/** What every test file finds: one installation with one process, and its administrator. */
export interface Provided {
  url: string;
  email: string;
  password: string;
}

declare module "vitest" {
  interface ProvidedContext {
    product: Provided;
  }
}

/** Slow enough that an answer is still running when a second client attaches to it. */
export const pace = { COUNTERSIGN_DEMO_FIRST_DELAY: "300ms", COUNTERSIGN_DEMO_TOKEN_DELAY: "40ms" };

/** Many tests share one administrator, and none of them is about how many calls a person may make. */
const budget = { COUNTERSIGN_TOOL_BUDGET_CALLS: "10000" };

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const installation = await Installation.create({ ...pace, ...budget, COUNTERSIGN_MODEL_STALL_TIMEOUT: "2s" });
  const product = await installation.start("all");
  const { email, password } = await installation.administrator();
  await offerScriptedModel(await Person.signIn(product.url, { email, password }));
  project.provide("product", { url: product.url, email, password });
  return () => installation.stop();
}

/** The model that does what a test tells it is there for everybody, but not in the list that people choose from. */
async function offerScriptedModel(administrator: Person): Promise<void> {
  const { connections } = await administrator.get<{ connections: { id: string; kind: string }[] }>("/api/ai/connections");
  const demo = connections.find(({ kind }) => kind === "demo");
  await administrator.patch(`/api/ai/connections/${demo?.id}`, { availableModels: [scriptedModel] });
}
