import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { docsQuery, docsSearchQuery, type DocHit } from "../api/docs";
import { LocalLink } from "../ui/LocalLink";
import { EmptyState, ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page, Panel } from "../ui/Page";
import { plainSnippet, sectionsOf } from "./sections";

const route = getRouteApi("/app/docs");

/** All pages, or what a search has found. */
export function OverviewPage() {
  const { query } = route.useSearch();
  return query ? <Found query={query} /> : <Overview />;
}

function Overview() {
  const { data, error, refetch } = useQuery(docsQuery);
  return (
    <Page
      description="Guides and reference. The assistant answers from the same pages."
      testId="docs-page"
      title="Documentation"
    >
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!data && !error && <SkeletonRows />}
      {sectionsOf(data?.pages ?? []).map(({ title, pages }) => (
        <Panel key={title} title={title}>
          <ul className="grid gap-x-8 gap-y-4 sm:grid-cols-2">
            {pages.map(({ slug, title: name, description }) => (
              <li className="min-w-0" key={slug}>
                <LocalLink
                  className="font-medium text-primary hover:underline"
                  data-testid="doc-link"
                  href={`/docs/${slug}`}
                >
                  {name}
                </LocalLink>
                <p className="text-sm text-muted-foreground wrap-anywhere">{description}</p>
              </li>
            ))}
          </ul>
        </Panel>
      ))}
    </Page>
  );
}

function Found({ query }: { query: string }) {
  const { data, error, refetch } = useQuery(docsSearchQuery(query));
  const hits = data?.hits ?? [];
  return (
    <Page testId="docs-found" title="Search the documentation">
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!data && !error && <SkeletonRows />}
      <p className="sr-only" role="status">
        {data && `${hits.length} ${hits.length === 1 ? "section" : "sections"} found for ${query}`}
      </p>
      {data && hits.length === 0 && (
        <EmptyState title="Nothing found">Try other words, or clear the search to see all pages.</EmptyState>
      )}
      {data?.weak && hits.length > 0 && (
        <p className="text-sm text-muted-foreground" data-testid="docs-weak">
          No section matches every word. The documentation may not cover this.
        </p>
      )}
      <ol aria-label="Sections found" className="flex flex-col gap-2">
        {hits.map((hit) => (
          <li key={hit.link}>
            <Hit hit={hit} />
          </li>
        ))}
      </ol>
    </Page>
  );
}

function Hit({ hit }: { hit: DocHit }) {
  return (
    <LocalLink
      className="block rounded-xl border bg-card px-4 py-3 shadow-raised hover:border-primary"
      data-found=""
      data-testid="doc-hit"
      href={hit.link}
    >
      <span className="block font-medium wrap-anywhere">
        <span className="text-primary">{hit.heading ?? hit.title}</span>
        {hit.heading && <span className="text-muted-foreground"> · {hit.title}</span>}
      </span>
      <span className="mt-1 line-clamp-2 text-sm text-muted-foreground wrap-anywhere">{plainSnippet(hit.snippet)}</span>
    </LocalLink>
  );
}
