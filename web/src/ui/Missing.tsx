import { Link } from "@tanstack/react-router";
import { use, type ReactNode } from "react";
import { Problem } from "../api/problem";
import { Button, buttonShape } from "./Button";
import { Trail, type Crumb } from "./Trail";
import { Page } from "./Page";
import { SearchContext } from "./search";

/** Whether the server reports NotFound: for this person, or at all, as for an invalid id. */
export function isMissing(error: unknown): boolean {
  if (!(error instanceof Problem)) return false;
  const { issues } = error.document;
  const isAddress = issues !== undefined && issues.length > 0 && issues.every(({ path }) => path.startsWith("path."));
  return error.status === 404 || (error.status === 422 && isAddress);
}

interface MissingPageProps {
  /** Kind of the missing record, in lower case: "system". */
  noun: string;
  /** The parent pages, outermost first; the last one is offered as a link. */
  trail: readonly Crumb[];
  children?: ReactNode;
}

/** In place of the page of a thing that there is not: says so, and leads on. */
export function MissingPage({ noun, trail, children }: MissingPageProps) {
  return (
    <Page testId="missing" title={`There is no such ${noun}`} trail={trail.length > 0 && <Trail crumbs={trail} />}>
      <p className="text-muted-foreground">
        {children ?? "It may have been deleted, the address may be wrong, or you lack access."}
      </p>
      <WaysOn trail={trail} />
    </Page>
  );
}

/** From a page that has nothing to show: to the last of those above it, or to the search. */
export function WaysOn({ trail }: { trail: readonly Crumb[] }) {
  const search = use(SearchContext);
  const above = trail.at(-1);
  return (
    <div className="flex flex-wrap gap-2">
      {above && (
        <Link {...above.link} className={`${buttonShape} border-input bg-card hover:bg-muted`} data-testid="go-on">
          Go to: {above.label}
        </Link>
      )}
      {search && (
        <Button data-testid="search-instead" icon="search" onClick={search}>
          Search
        </Button>
      )}
    </div>
  );
}
