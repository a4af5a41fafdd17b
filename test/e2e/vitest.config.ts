import { defineConfig } from "vitest/config";

/** Everything runs against real processes, so a test may wait for one to be killed and replaced. */
const patience = 300_000;

export default defineConfig({
  test: {
    include: ["clients/*.test.ts", "browser/*.test.ts"],
    testTimeout: patience,
    hookTimeout: patience,
    expect: { poll: { timeout: 60_000 } },
    // The servers and the browser need the processors more than the tests do.
    maxWorkers: 2,
    maxConcurrency: 6,
    reporters: ["verbose"],
    chaiConfig: { truncateThreshold: 0 },
  },
});
