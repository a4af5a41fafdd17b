import { useRouter } from "@tanstack/react-router";
import type { ComponentProps, MouseEvent } from "react";

/**
 * Link to a page of this application of which only the address is known, such as one in a text: it opens without a
 * reload, so that streams continue.
 */
export function LocalLink({ href, children, ...rest }: ComponentProps<"a"> & { href: string }) {
  // Texts are drawn in tests without a router.
  const router = useRouter({ warn: false }) as ReturnType<typeof useRouter> | undefined;
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0;
    if (!router || elsewhere) return;
    event.preventDefault();
    router.history.push(href);
  };
  return (
    <a {...rest} href={href} onClick={follow}>
      {children}
    </a>
  );
}
