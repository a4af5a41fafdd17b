import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { loadEnv } from "vite";
import { defineConfig } from "vitest/config";

export default defineConfig(({ mode }) => {
  // The server that /api requests go to during development.
  const proxy = { "/api": loadEnv(mode, ".", "COUNTERSIGN_").COUNTERSIGN_URL ?? "http://localhost:8080" };
  return {
    plugins: [react(), tailwindcss()],
    build: {
      target: "es2022",
      // Anything inlined as a data: URI would need an exception in the content
      // security policy of the server.
      assetsInlineLimit: 0,
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
