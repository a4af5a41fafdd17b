import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { systemSearchQuery } from "../api/catalog";
import { chatSearchQuery, conversationsQuery } from "../api/conversations";
import { docsRule, docsSearchQuery } from "../api/docs";
import { Problem } from "../api/problem";
import { proposalSearchQuery, proposalsQuery, type Proposal } from "../api/proposals";
import { holds, type Principal } from "../api/session";
import { describeAction } from "../chat/verbs";
import { statusLabels } from "../proposals/status";
import type { IconName } from "../ui/Icon";
import { ranked, type Entry } from "./rank";

/** An entry with a place in the application. */
export interface Place extends Entry {
  icon: IconName;
  href: string;
}

export interface Source {
  group: string;
  places: Place[];
  loading: boolean;
  error: Error | null;
}

/** How many of each kind are shown. */
const shown = 5;
/** Shorter texts are in nearly everything. */
const leastText = 2;

/**
 * What the server has found for a text, group by group. It asks what the pages themselves ask, so everybody is shown what they
 * may see and nothing else.
 */
export function useSources(text: string, me: Principal | undefined): Source[] {
  const asked = text.trim().length >= leastText;
  const chats = useQuery({ ...chatSearchQuery(text.trim(), shown), enabled: asked, placeholderData: keepPreviousData });
  const latest = useInfiniteQuery(conversationsQuery);
  const systems = useQuery({ ...systemSearchQuery(text.trim()), enabled: asked, placeholderData: keepPreviousData });
  const proposals = useQuery({ ...proposalsQuery("all"), refetchInterval: false, staleTime: 15_000 });
  const proposed = useQuery({
    ...proposalSearchQuery(text.trim(), shown),
    enabled: asked,
    placeholderData: keepPreviousData,
  });
  const docs = useQuery({ ...docsSearchQuery(text.trim()), enabled: asked && holds(me, docsRule) });

  const found = chats.data?.hits.map(({ conversation, message }) => chatPlace(conversation, message));
  const newest = (proposals.data ?? []).map(proposalPlace);
  return [
    {
      group: asked ? "Chats" : "Latest chats",
      places: (asked ? (found ?? []) : (latest.data ?? []).map((chat) => chatPlace(chat))).slice(0, shown),
      loading: asked ? chats.isFetching : latest.isLoading,
      error: refused(asked ? chats.error : latest.error),
    },
    {
      group: "Systems",
      places: asked
        ? (systems.data ?? []).slice(0, shown).map(({ id, name, description }) => ({
            key: `system ${id}`,
            label: name,
            detail: description || undefined,
            icon: "catalog" as const,
            href: `/catalog/systems/${id}`,
          }))
        : [],
      loading: asked && systems.isFetching,
      error: refused(systems.error),
    },
    {
      group: asked ? "Proposals" : "Waiting for a decision",
      places: asked
        ? foundProposals(newest, (proposed.data ?? []).map(proposalPlace), text)
        : newest.filter(({ waits }) => waits).slice(0, shown),
      loading: proposals.isLoading || (asked && proposed.isFetching),
      error: refused(proposals.error ?? (asked ? proposed.error : null)),
    },
    {
      group: "Documentation",
      places: asked
        ? (docs.data?.hits ?? []).slice(0, shown).map(({ title, heading, link, slug, anchor }) => ({
            key: `docs ${slug} ${anchor ?? ""}`,
            label: heading || title,
            detail: heading ? title : undefined,
            icon: "book" as const,
            href: link,
          }))
        : [],
      loading: docs.isFetching,
      error: refused(docs.error),
    },
  ];
}

/** A search that the reader may not make is no error: it just has no results. */
function refused(error: Error | null): Error | null {
  return error instanceof Problem && error.status === 403 ? null : error;
}

/**
 * The proposals for a text: of the newest those that fit it by the words that people read, a slip in them included; behind them those
 * that the server has found among all, and the way to the rest of these.
 */
export function foundProposals<P extends Place>(newest: readonly P[], found: readonly P[], text: string): Place[] {
  const near = ranked(newest, text, []);
  const known = new Set(near.map(({ key }) => key));
  const all = [...near, ...found.filter(({ key }) => !known.has(key))];
  if (all.length <= shown && found.length < shown) return all;
  const query = text.trim();
  return [
    ...all.slice(0, shown),
    {
      key: "ask proposals",
      label: `All proposals with “${query}”`,
      icon: "inbox",
      href: `/proposals?status=all&query=${encodeURIComponent(JSON.stringify(query))}`,
    },
  ];
}

function proposalPlace({ proposalId, summary, status, toolName, proposer, blocked }: Proposal) {
  return {
    key: `proposal ${proposalId}`,
    label: summary,
    detail: statusLabels[status],
    words: `${describeAction(toolName)} ${statusLabels[status]} ${proposer?.name ?? ""}`,
    icon: "inbox" as const,
    href: `/proposals?status=all&proposal=${proposalId}`,
    waits: status === "proposed" && !blocked,
  };
}

interface Chat {
  id: string;
  title: string | null;
  archivedAt?: string;
}

function chatPlace(
  { id, title, archivedAt }: Chat,
  message?: { id: string; snippet: readonly { text: string }[] },
): Place {
  return {
    key: `chat ${id}`,
    label: title ?? "Untitled chat",
    detail: [archivedAt && "Deleted", message?.snippet.map((piece) => piece.text).join("")].filter(Boolean).join(" · "),
    icon: "chat",
    href: message ? `/chat/${id}?message=${encodeURIComponent(message.id)}` : `/chat/${id}`,
  };
}
