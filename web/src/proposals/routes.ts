import { createRoute } from "@tanstack/react-router";
import { proposalQuery } from "../api/proposals";
import { lazyPage } from "../shell/lazypage";
import { appRoute } from "../shell/root";
import { searchText } from "../shell/searchparams";
import { inboxPages, longestQuery, type Inbox } from "./inbox";

const filters: Inbox["status"][] = [
  "proposed",
  "applying",
  "applied",
  "declined",
  "failed",
  "skipped",
  "expired",
  "all",
];

const proposalsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: "/proposals",
  validateSearch: (search): Inbox & { proposal?: string } => ({
    status: filters.find((filter) => filter === search.status) ?? "proposed",
    whose: (["toDecide", "mine", "decided"] as const).find((whose) => whose === search.whose),
    query: searchText(search.query)?.slice(0, longestQuery),
    proposal: searchText(search.proposal),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps: { proposal, ...inbox } }) => {
    if (proposal) void queryClient.prefetchQuery(proposalQuery(proposal));
    else if (!inbox.whose) void queryClient.prefetchInfiniteQuery(inboxPages(inbox, undefined));
  },
  component: lazyPage(() => import("./ProposalsPage"), "ProposalsPage"),
});

export const proposalsRoutes = [proposalsRoute] as const;
