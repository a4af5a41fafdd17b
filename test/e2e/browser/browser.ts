import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium, type Browser } from "playwright-core";

/** The shell comes first: it draws no window, for a fifth less of CPU time. */
const executables = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Pictures of all that is looked at would take a third of the time of the tests. Those of failures are always taken. */
export const takesPictures = process.env.COUNTERSIGN_TEST_PICTURES === "1";

/** Where pictures of what people see are kept; they are not part of the repository. */
export const screenshots = fileURLToPath(new URL("../screenshots/", import.meta.url));

let launched: Promise<Browser> | undefined;

/** The browser of a worker of the test run, in which each visit has a context of its own. One that has crashed is replaced. */
export async function sharedBrowser(): Promise<Browser> {
  if (!launched || !(await launched).isConnected()) launched = launch();
  return launched;
}

/** Starts the Chromium of this machine, or the one that COUNTERSIGN_CHROMIUM names. */
export function launch(): Promise<Browser> {
  mkdirSync(screenshots, { recursive: true });
  return chromium.launch({ executablePath: findExecutable(), args: flags });
}

function findExecutable(): string {
  const { COUNTERSIGN_CHROMIUM: named } = process.env;
  if (named) return named;
  for (const name of executables) {
    try {
      return execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
    } catch {
      // The next name may be there.
    }
  }
  throw new Error(`none of ${executables.join(", ")} is installed; \`make chromium\` installs it`);
}
