import type { Reporter, TestModule } from "vitest/node";

/** Says which tests have failed before they passed: each of them is a fault of the product or of the test that nobody has found yet. */
export class Flaky implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const names = modules.flatMap((module) =>
      [...module.children.allTests()]
        .filter((test) => test.diagnostic()?.flaky)
        .map((test) => `${module.relativeModuleId} > ${test.fullName}`),
    );
    if (names.length > 0) console.error(`== failed once and passed then:\n   ${names.join("\n   ")}`);
  }
}
