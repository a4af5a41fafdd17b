import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { config } from "zod/v4/core";
import { reach } from "./api/reach";
import { createQueryClient, readAgainWhenBack } from "./queryclient";
import { createAppRouter } from "./router";
import { Overlay } from "./shell/Overlay";
import type { SessionOver } from "./shell/session";
import "./styles.css";
import { Floating } from "./ui/Floating";

// The AI SDK parses its stream with zod, which probes for eval at first use.
// The content security policy forbids eval and would report the probe.
config({ jitless: true });

const goTo = (to: SessionOver) => () => {
  const { pathname, href } = router.state.location;
  if (pathname !== "/sign-in" && pathname !== to) void router.navigate({ to, search: { next: href } });
};
const queryClient = createQueryClient(goTo("/sign-in"), goTo("/own-password"));
const router = createAppRouter(queryClient);

reach.start();
readAgainWhenBack(queryClient, reach);
for (const event of ["online", "offline"]) window.addEventListener(event, () => void reach.look());

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no element with the id root");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <CSPProvider disableStyleElements>
        <RouterProvider router={router} />
        <Floating />
        <Overlay />
      </CSPProvider>
    </QueryClientProvider>
  </StrictMode>,
);
