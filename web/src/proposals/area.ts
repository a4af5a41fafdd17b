import { useQuery } from "@tanstack/react-query";
import { createRoute } from "@tanstack/react-router";
import { isSettled, proposalQuery, proposalsKey, proposalsQuery, type Proposal } from "../api/proposals";
import type { Principal } from "../api/session";
import type { Area } from "../area";
import type { Change } from "../changes/connection";
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

const routes = [proposalsRoute] as const;

const isProposal = ({ kind }: Change) => kind === "proposal";

/** Counts the proposals that the person may decide. */
function usePending(me: Principal | undefined): number {
  const { data: open } = useQuery({ ...proposalsQuery("proposed"), enabled: me !== undefined });
  return open?.filter(({ blocked }) => !blocked).length ?? 0;
}

export const proposalsArea: Area<typeof routes> = {
  routes,
  navigation: {
    to: "/proposals",
    label: "Proposals",
    icon: "inbox",
    words: "inbox approve approval cards changes countersign decide",
    useCount: usePending,
  },
  follows: {
    [proposalsKey[0]]: { on: isProposal },
    plan: { on: isProposal },
    proposal: {
      on: (change, { queryKey: [, id] }) => isProposal(change) && change.id === id,
      isFinal: (known) => isSettled((known as Proposal).status),
    },
  },
};
