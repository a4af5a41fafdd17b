import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { memoriesQuery, type MemoryFilter, type MemoryScope } from "../api/memories";
import { holds, meQuery } from "../api/session";
import { ToggleFilter } from "../ui/Filters";
import { ListPage, pagedList } from "../ui/ListPage";
import { SearchField } from "../ui/SearchField";
import { useToast } from "../ui/Toast";
import { emptyText } from "./describe";
import { MemoryForm } from "./MemoryForm";
import { MemoryRow } from "./MemoryRow";

const route = getRouteApi("/app/memory");

const scopes: { value: MemoryScope | undefined; label: string }[] = [
  { value: undefined, label: "All" },
  { value: "user", label: "Only me" },
  { value: "system", label: "Shared on systems" },
];

export function MemoryPage() {
  const filter = route.useSearch();
  const navigate = useNavigate();
  const toast = useToast();
  const { data: me } = useQuery(meQuery);
  const writable = holds(me, "ai.memory.manage");
  const memories = useInfiniteQuery({ ...memoriesQuery(filter), placeholderData: keepPreviousData });
  const change = (changes: MemoryFilter, replace = false) =>
    void navigate({ to: "/memory", search: { ...filter, ...changes }, replace });
  return (
    <ListPage
      create={
        writable
          ? (close) => (
              <MemoryForm
                onClose={close}
                onSaved={() => {
                  toast("Memory saved");
                  close();
                }}
              />
            )
          : undefined
      }
      createLabel="Add memory"
      description="What the assistant remembers between chats, for you and your systems."
      empty={emptyText(filter)}
      filters={
        <>
          <SearchField
            label="Search memories"
            onSearch={(text) => change({ query: text || undefined }, true)}
            placeholder="Search by topic, content or tag"
            testId="memory-search"
            value={filter.query ?? ""}
          />
          <ToggleFilter label="Scope" onChange={(scope) => change({ scope })} options={scopes} value={filter.scope} />
        </>
      }
      itemKey={({ id }) => id}
      list={pagedList(memories, (page) => page.memories)}
      name={({ recallHint }) => recallHint}
      noun="memory"
      row={(memory) => <MemoryRow memory={memory} writable={writable} />}
      testId="memory-page"
      title="Assistant memory"
    />
  );
}
