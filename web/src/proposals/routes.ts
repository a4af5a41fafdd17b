import { createRoute } from "@tanstack/react-router";
import { proposalQuery } from "../api/proposals";
import { lazyPage } from "../shell/lazypage";
import { appRoute } from "../shell/root";
import { searchText } from "../shell/searchparams";
import { inboxPages, type Whose } from "./inbox";
import type { ProposalFilter } from "./ProposalsPage";

const filters: ProposalFilter[] = [
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
  validateSearch: (search): { status: ProposalFilter; whose?: Whose; proposal?: string } => ({
    status: filters.find((filter) => filter === search.status) ?? "proposed",
    whose: (["toDecide", "mine", "decided"] as const).find((whose) => whose === search.whose),
    proposal: searchText(search.proposal),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps: { status, whose, proposal } }) => {
    if (proposal) void queryClient.prefetchQuery(proposalQuery(proposal));
    else if (!whose) void queryClient.prefetchInfiniteQuery(inboxPages(status, undefined, undefined));
  },
  component: lazyPage(() => import("./ProposalsPage"), "ProposalsPage"),
});

export const proposalsRoutes = [proposalsRoute] as const;
