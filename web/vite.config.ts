import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { loadEnv, type Plugin } from "vite";
import { defineConfig } from "vitest/config";

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

export default defineConfig(({ mode }) => {
  // The server that /api requests go to during development.
  const proxy = { "/api": loadEnv(mode, ".", "COUNTERSIGN_").COUNTERSIGN_URL ?? "http://localhost:8080" };
  return {
    plugins: [react(), tailwindcss(), entrance],
    build: {
      target: "es2022",
      // Anything inlined as a data: URI would need an exception in the content
      // security policy of the server.
      assetsInlineLimit: 0,
      // Two documents: the app, and the little of it that people need who have not signed in.
      rolldownOptions: { input: ["index.html", "sign-in.html"] },
    },
    // The workers of the script editor are modules.
    worker: { format: "es" },
    server: { proxy },
    preview: { proxy },
    test: {
      environment: "jsdom",
      include: ["src/**/*.test.{ts,tsx}"],
      setupFiles: ["src/vitest.setup.ts"],
      // Nothing here is about time, and the machine may be busy.
      testTimeout: 120_000,
      hookTimeout: 120_000,
      restoreMocks: true,
      unstubGlobals: true,
    },
  };
});
