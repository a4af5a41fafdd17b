import { defineConfig } from "vitest/config";

/**
 * Tests run against real processes, so one may wait for a killed process to be replaced. Single waits have limits of
 * their own.
 */
const patience = 900_000;

/** File for the durations of the tests. */
const times = process.env.COUNTERSIGN_TEST_TIMES;

export default defineConfig({
  test: {
    include: ["clients/*.test.ts", "browser/*.test.ts"],
    testTimeout: patience,
    hookTimeout: patience,
    expect: { poll: { timeout: 60_000 } },
    // The servers and the browser need the processors more than the tests do, which wait for a third of their time.
    maxWorkers: 3,
    // Files that a worker runs one after another share its modules and its browser, not their installations.
    isolate: false,
    maxConcurrency: 6,
    reporters: ["verbose", ...(times ? [["json", { outputFile: times }] as ["json", { outputFile: string }]] : [])],
    chaiConfig: { truncateThreshold: 0 },
  },
});
