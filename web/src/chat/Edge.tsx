import { useEffect, useRef } from "react";
import { Button } from "../ui/Button";

interface EdgeProps {
  /** Triggers itself when it is almost visible. */
  auto: boolean;
  working?: boolean;
  /** Changes when what stands beside it has changed, so that it may have come near again. */
  step: string;
  onReach: () => void;
  children: string;
}

/** Prefetch distance: the next messages arrive before the reader scrolls to them. */
const near = "1000px 0px";

/** Where the messages of a chat that are there end, at either side. */
export function Edge({ auto, working, step, onReach, children }: EdgeProps) {
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(onReach);
  useEffect(() => {
    latest.current = onReach;
  });
  useEffect(() => {
    const element = place.current;
    if (!element || !auto || typeof IntersectionObserver === "undefined") return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.at(-1)?.isIntersecting) latest.current();
      },
      { root: element.closest("[role=log]"), rootMargin: near },
    );
    observer.observe(element);
    return () => observer.disconnect();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- it reports again only what has moved away meanwhile
  }, [auto, step]);
  return (
    <div className="flex justify-center py-2" ref={place}>
      {/* Not disabled while it works: it would lose the focus. */}
      <Button aria-busy={working} data-testid="more-messages" onClick={() => working || onReach()} variant="quiet">
        {children}
      </Button>
    </div>
  );
}
