import { createContext, use, useEffect, useState, type ReactNode } from "react";
import { useArrivingHeading } from "./arrival";
import { useScrollPlace } from "./scrollplace";

const Scroll = createContext<HTMLElement | null>(null);

/** Scroll container of the page, for long lists. Null until the page is in the document. */
export const usePageScroll = () => use(Scroll);

interface PageProps {
  title: string;
  /** Where the page is, above its title. */
  trail?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  testId?: string;
  /** It has rows that use a large screen. */
  wide?: boolean;
}

/** The frame of every page except the chat: heading, actions, one column. */
export function Page({ title, trail, description, actions, children, testId, wide = false }: PageProps) {
  useDocumentTitle(title);
  // A list from the cache is mounted before the element, so it subscribes to it.
  const [scroll, setScroll] = useState<HTMLDivElement | null>(null);
  useScrollPlace(scroll);
  const heading = useArrivingHeading();
  return (
    <div className="h-full overflow-y-auto" data-testid={testId} ref={setScroll}>
      <div
        className={`mx-auto flex flex-col gap-5 px-4 py-6 sm:px-8 sm:py-8 ${wide ? "max-w-screen-2xl" : "max-w-5xl"}`}
      >
        <header className="flex flex-wrap items-start justify-between gap-3">
          <div className="min-w-0 flex-1 basis-64">
            {trail}
            <h1 className="text-xl font-semibold tracking-tight wrap-anywhere" ref={heading}>
              {title}
            </h1>
            {description && <p className="mt-0.5 text-sm wrap-anywhere text-muted-foreground">{description}</p>}
          </div>
          {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
        </header>
        <Scroll value={scroll}>{children}</Scroll>
      </div>
    </div>
  );
}

export function Panel({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="min-w-0 rounded-xl border bg-card shadow-raised">
      <header className="flex h-13 items-center justify-between gap-3 border-b px-4">
        <h2 className="text-sm font-semibold">{title}</h2>
        {actions && <div className="-mr-2 flex shrink-0 items-center gap-1">{actions}</div>}
      </header>
      <div className="p-4">{children}</div>
    </section>
  );
}

export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Countersign`;
  }, [title]);
}
