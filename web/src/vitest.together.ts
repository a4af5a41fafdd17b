import { afterAll, vi } from "vitest";

const refuse = () => {
  throw new Error(
    "Modules that are put in the place of others stay there for the next file: name this one *.apart.test.",
  );
};
Object.assign(vi, { mock: refuse, doMock: refuse });

// The next file is tested in the same document.
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  localStorage.clear();
  sessionStorage.clear();
  document.body.replaceChildren();
  window.history.replaceState(null, "", "/");
});
