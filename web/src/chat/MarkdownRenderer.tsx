import type { ComponentProps } from "react";
import { Streamdown } from "streamdown";

/**
 * The model's text is untrusted: links open apart and say nothing about this
 * page, and images become links, because fetching one could leak what a
 * hostile text put into its address.
 */
const components = {
  a: ({ href, children }: ComponentProps<"a">) => (
    <a href={href} rel="noopener noreferrer nofollow" target={href?.startsWith("/") ? undefined : "_blank"}>
      {children}
    </a>
  ),
  img: ({ src, alt }: ComponentProps<"img">) =>
    typeof src === "string" ? (
      <a href={src} rel="noopener noreferrer nofollow" target="_blank">
        {alt || "Image"}
      </a>
    ) : null,
};

const controls = { code: { copy: true, download: false }, table: false };

export default function MarkdownRenderer({ text, streaming }: { text: string; streaming: boolean }) {
  return (
    <Streamdown
      className="answer"
      components={components}
      controls={controls}
      isAnimating={streaming}
      lineNumbers={false}
      linkSafety={{ enabled: false }}
      mode={streaming ? "streaming" : "static"}
    >
      {text}
    </Streamdown>
  );
}
