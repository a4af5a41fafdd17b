import { Link, type LinkProps } from "@tanstack/react-router";

/** A page above another: where a breadcrumb leads. */
export interface Crumb {
  label: string;
  link: LinkProps;
}

/** Where a page is, below the pages above it. */
export function Trail({ crumbs, here }: { crumbs: readonly Crumb[]; here?: string }) {
  return (
    <nav aria-label="Breadcrumb" className="mb-1 text-sm text-muted-foreground">
      <ol className="flex flex-wrap items-center gap-x-1.5">
        {crumbs.map(({ label, link }, index) => (
          <li className="flex items-center gap-x-1.5" key={label}>
            <Link {...link} className="underline underline-offset-2 hover:text-foreground">
              {label}
            </Link>
            {(here || index < crumbs.length - 1) && <span aria-hidden="true">/</span>}
          </li>
        ))}
        {here && (
          <li aria-current="page" className="max-w-full truncate">
            {here}
          </li>
        )}
      </ol>
    </nav>
  );
}
