import type { TestProject } from "vitest/node";
import { Installation } from "./installation";

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
const pace = { COUNTERSIGN_DEMO_FIRST_DELAY: "300ms", COUNTERSIGN_DEMO_TOKEN_DELAY: "40ms" };

/** Many tests share one administrator, and none of them is about how many calls a person may make. */
const budget = { COUNTERSIGN_TOOL_BUDGET_CALLS: "10000" };

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const installation = await Installation.create({ ...pace, ...budget, COUNTERSIGN_MODEL_STALL_TIMEOUT: "2s" });
  const product = await installation.start("all");
  const { email, password } = await installation.administrator();
  project.provide("product", { url: product.url, email, password });
  return () => installation.stop();
}
