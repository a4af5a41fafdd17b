import { createVitest, parseCLI, type CliOptions, type TestModule } from "vitest/node";

/** More files than this do not fail by a hitch. */
const mostHitches = 3;

const { filter, options } = parseCLI(["vitest", "run", ...process.argv.slice(2)]);

/** Runs test files and returns those that failed. */
async function run(files: string[], how: CliOptions): Promise<TestModule[]> {
  const vitest = await createVitest("test", { ...options, ...how, watch: false });
  try {
    const { testModules, unhandledErrors } = await vitest.start(files);
    if (unhandledErrors.length > 0) process.exit(1);
    return testModules.filter((module) => !module.ok());
  } finally {
    await vitest.close();
  }
}

const failed = await run(filter, {});
if (process.env.COUNTERSIGN_TEST_RETRIES !== "0" && failed.length > 0 && failed.length <= mostHitches) {
  // One hitch of a browser in ten minutes is no reason to hold a change back. A whole file runs again, as its tests share
  // an installation in which the first run has left things. It is listed, and test-busy allows none.
  const names = failed.flatMap((module) => [
    module.relativeModuleId,
    ...[...module.children.allTests("failed")].map((test) => `   ${test.fullName}`),
  ]);
  console.error(`== once more, in new installations:\n   ${names.join("\n   ")}`);
  const again = await run(
    failed.map((module) => module.moduleId),
    { reporters: ["verbose"] },
  );
  process.exitCode = again.length > 0 ? 1 : 0;
  if (again.length === 0) console.error(`== failed once and passed then:\n   ${names.join("\n   ")}`);
}
