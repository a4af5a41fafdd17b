import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense, useMemo } from "react";
import { docQuery, type Doc } from "../api/docs";
import { loaded } from "../api/reach";
import { Trail, type Crumb } from "../ui/Trail";
import { LocalLink } from "../ui/LocalLink";
import { isMissing, MissingPage } from "../ui/Missing";
import { ErrorNotice, SkeletonRows } from "../ui/Notice";
import { Page } from "../ui/Page";
import { linkedHeadings } from "./headings";
import { Picture } from "./pictures";

const Renderer = lazy(() => loaded(() => import("../markdown/MarkdownRenderer")));

const route = getRouteApi("/app/docs/$");
const trail: Crumb[] = [{ label: "Documentation", link: { to: "/docs", search: {} } }];

/** One page of the documentation, at the section that the address names. */
export function DocPage() {
  const { _splat: slug = "" } = route.useParams();
  const { data: doc, error, refetch } = useQuery(docQuery(slug));
  if (isMissing(error))
    return (
      <MissingPage key={slug} noun="page" trail={trail}>
        It may have been renamed. Search above, or browse all pages.
      </MissingPage>
    );
  return (
    <Page
      description={doc?.description}
      key={slug}
      testId="doc-page"
      title={doc?.title ?? "Documentation"}
      trail={<Trail crumbs={trail} here={doc?.title} />}
    >
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {!doc && !error && <SkeletonRows />}
      {doc && <Content doc={doc} />}
    </Page>
  );
}

function Content({ doc }: { doc: Doc }) {
  const parts = useMemo(() => ({ ...linkedHeadings(doc), img: Picture }), [doc]);
  const sections = doc.headings?.filter(({ level }) => level === 2) ?? [];
  return (
    <div className="flex items-start gap-10">
      <article aria-label={doc.title} className="min-w-0 flex-1" data-testid="doc-content">
        <Suspense fallback={<SkeletonRows />}>
          <Renderer className="manual" parts={parts} streaming={false} text={doc.content} />
        </Suspense>
      </article>
      {sections.length > 1 && (
        <nav
          aria-label="On this page"
          className="sticky top-0 hidden w-48 shrink-0 text-sm xl:block"
          data-testid="doc-sections"
        >
          <h2 className="pb-1 text-xs font-semibold text-muted-foreground">On this page</h2>
          <ul>
            {sections.map(({ anchor, text }) => (
              <li key={anchor}>
                <LocalLink
                  className="block py-0.5 text-muted-foreground hover:text-primary"
                  href={`/docs/${doc.slug}#${anchor}`}
                >
                  {text}
                </LocalLink>
              </li>
            ))}
          </ul>
        </nav>
      )}
    </div>
  );
}
