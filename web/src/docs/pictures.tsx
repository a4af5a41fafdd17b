import type { ComponentProps } from "react";

/**
 * Picture of the documentation, by the path that a page names from its folder, after the check of addresses. The build
 * puts it under /manual.
 */
const own = /^(?:\/|(?:\.\.\/)+)images\/([\w-]+\.png)$/;

/** Pictures that come with the documentation are shown, in full when they are clicked; others are left out. */
export function Picture({ src, alt }: ComponentProps<"img">) {
  const name = typeof src === "string" && own.exec(src)?.[1];
  if (!name) return null;
  const address = `/manual/${name}`;
  return (
    <a className="my-4 block" href={address} rel="noopener" target="_blank">
      <img alt={alt ?? ""} className="w-full rounded-lg border border-border" loading="lazy" src={address} />
    </a>
  );
}
