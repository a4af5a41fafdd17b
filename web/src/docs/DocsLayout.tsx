import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { docsQuery } from "../api/docs";
import { LocalLink } from "../ui/LocalLink";
import { SearchField } from "../ui/SearchField";
import { sectionsOf } from "./sections";

const route = getRouteApi("/app/docs");

/** The documentation: a search that stays, the list of pages beside it where there is room, and the page. */
export function DocsLayout() {
  const { query } = route.useSearch();
  const navigate = useNavigate();
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = frame.current;
    element?.addEventListener("keydown", moveAmongResults);
    return () => element?.removeEventListener("keydown", moveAmongResults);
  }, []);
  return (
    <div className="flex h-full" ref={frame}>
      <PageList />
      <div className="flex min-w-0 flex-1 flex-col">
        <search className="flex border-b px-4 py-2 sm:px-8">
          <SearchField
            label="Search the documentation"
            onSearch={(text) =>
              void navigate({ to: "/docs", search: { query: text || undefined }, replace: query !== undefined })
            }
            placeholder="Search, or ask: how long does a proposal wait?"
            testId="docs-search"
            value={query ?? ""}
          />
        </search>
        <div className="min-h-0 flex-1">
          <Outlet />
        </div>
      </div>
    </div>
  );
}

function PageList() {
  const { data } = useQuery(docsQuery);
  const path = useLocation({ select: ({ pathname }) => pathname });
  const here = useRef<HTMLAnchorElement>(null);
  // With each page that is opened, and once the list is there.
  useEffect(() => {
    if (data && path) here.current?.scrollIntoView({ block: "nearest" });
  }, [path, data]);
  return (
    <nav
      aria-label="Documentation"
      className="hidden w-64 shrink-0 flex-col gap-4 overflow-y-auto border-r px-3 py-4 text-sm lg:flex"
      data-testid="docs-nav"
    >
      {sectionsOf(data?.pages ?? []).map(({ title, pages }) => (
        <section key={title}>
          <h2 className="px-2 pb-1 text-xs font-semibold text-muted-foreground">{title}</h2>
          <ul>
            {pages.map((page) => {
              const current = path === `/docs/${page.slug}`;
              return (
                <li key={page.slug}>
                  <LocalLink
                    aria-current={current ? "page" : undefined}
                    className={
                      "block rounded-md px-2 py-1 text-muted-foreground hover:bg-muted hover:text-foreground " +
                      "aria-[current=page]:bg-primary-soft aria-[current=page]:text-primary"
                    }
                    href={`/docs/${page.slug}`}
                    ref={current ? here : undefined}
                  >
                    {page.title}
                  </LocalLink>
                </li>
              );
            })}
          </ul>
        </section>
      ))}
    </nav>
  );
}

/** Arrow keys move from the search field to the results, and between them. */
function moveAmongResults(event: KeyboardEvent) {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  if (!(event.currentTarget instanceof HTMLElement) || !(event.target instanceof HTMLElement)) return;
  const search = event.currentTarget.querySelector<HTMLElement>("[type=search]");
  const found = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-found]")];
  const at = found.indexOf(event.target);
  if (found.length === 0 || (at < 0 && event.target !== search)) return;
  event.preventDefault();
  const next = at + (event.key === "ArrowDown" ? 1 : -1);
  if (next < 0) search?.focus();
  else found[Math.min(next, found.length - 1)]?.focus();
}
