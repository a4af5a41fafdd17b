import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { loadEnv, type Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { parts } from "./parts.ts";
import { unread } from "./unread.ts";

/** Serves the document that the product serves for these addresses, during development. */
const entrance: Plugin = {
  name: "entrance",
  configureServer(server) {
    server.middlewares.use((request: { url?: string }, _, next) => {
      if (/^\/(sign-in|invite|reset)(\?|$)/.test(request.url ?? "")) request.url = "/sign-in.html";
      next();
    });
  },
};

/**
 * What is loaded together comes in one file, as each costs a trip over the network and a browser makes six at a time: what the
 * sign-in is made of, what every page needs behind it, the pages that people begin with, what floats above pages, and what lists
 * and forms are made of. A part is taken with all that it imports; one that the first pages share has to be named as part of the
 * app, or one of them loads the other. The first group that fits counts. assets.mjs says what comes of it, and what it may come to.
 */
const groups = [
  {
    name: "base",
    test: /\/node_modules\/(react|react-dom|scheduler)\/|\/src\/(styles\.css|shell\/(Entrance|Overlay|SignIn|SetPassword)\.tsx)$/,
  },
  {
    name: "app",
    test: /\/src\/(app|shell\/AppShell|chat\/(kept|unsent)|api\/(governed|record|write)|ui\/(AskingNotice|Badge|Field|IconButton|LocalLink|Page|SearchField|copied|phone|time))\.tsx?$|\/useInfiniteQuery\.js$/,
  },
  { name: "chat", test: /\/src\/chat\/(ChatLayout|DraftPanel)\.tsx$/ },
  {
    name: "wording",
    test: /\/src\/(labels|\w+\/labels|chat\/(OutsideNotice|verbs)|proposals\/(afterdecision|fieldlabels|plan)|markdown\/(paced|Table))\.tsx?$/,
  },
  { name: "verdicts", test: /\/src\/scripts\/(problems|scripttest)\.ts$/ },
  { name: "scripts", test: /\/src\/scripts\/ScriptsPage\.tsx$/ },
  { name: "conversation", test: /\/src\/chat\/(ConversationPanel|session)\.tsx?$/ },
  { name: "floating", test: /\/src\/ui\/(Toaster|Tooltip)\.tsx$/ },
  {
    name: "lists",
    test: /\/src\/(catalog\/permission|health\/format|ui\/(ChoicesField|ConflictNotice|DeleteDialog|DiscardDialog|Drawer|Filters|FormPage|ListPage|Tabs|TokenDialog|recordform))\.tsx?$/,
  },
  {
    name: "board",
    test: /\/src\/(health\/(HealthLayout|NewCheckLink|StatusBadge|live|permission|statuswords)|changes\/health)\.tsx?$/,
  },
  { name: "catalog", test: /\/src\/(catalog\/(CatalogLayout|SystemRow|links)|api\/catalogcalls)\.tsx?$/ },
];

const tests = ["src/**/*.test.{ts,tsx}"];

const apart = ["src/**/*.apart.test.{ts,tsx}"];

export default defineConfig(({ mode }) => {
  // The server that /api requests go to during development.
  const proxy = { "/api": loadEnv(mode, ".", "COUNTERSIGN_").COUNTERSIGN_URL ?? "http://localhost:8080" };
  return {
    plugins: [parts, react(), tailwindcss(), entrance, unread],
    build: {
      // The oldest browsers that have all that is used here: AbortSignal.any, URL.canParse, color-mix() and @property. README.md says so.
      target: ["es2022", "chrome120", "edge120", "firefox128", "safari17.4"],
      // Browsers that cannot fetch modules ahead fetch them later: not worth a file that everybody waits for.
      modulePreload: { polyfill: false },
      // Anything inlined as a data: URI would need an exception in the content
      // security policy of the server.
      assetsInlineLimit: 0,
      // Two documents: the app, and the little of it that people need who have not signed in.
      rolldownOptions: { input: ["index.html", "sign-in.html"], output: { codeSplitting: { groups } } },
    },
    // The workers of the script editor are modules.
    worker: { format: "es" },
    server: { proxy },
    preview: { proxy },
    test: {
      environment: "jsdom",
      setupFiles: ["src/vitest.setup.ts"],
      // Nothing here is about time, and the machine may be busy.
      testTimeout: 120_000,
      hookTimeout: 120_000,
      restoreMocks: true,
      unstubGlobals: true,
      // Test files share one document, as a document for each takes ten times as long as its tests. Files that mock
      // modules (vi.mock) would affect the files after them, so they run apart.
      projects: [
        {
          extends: true,
          test: {
            name: "together",
            include: tests,
            exclude: apart,
            isolate: false,
            setupFiles: ["src/vitest.together.ts"],
          },
        },
        { extends: true, test: { name: "apart", include: apart } },
      ],
    },
  };
});
