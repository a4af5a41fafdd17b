import { Icon } from "../ui/Icon";

export function Reasoning({ text, streaming }: { text: string; streaming: boolean }) {
  return (
    <details className="group/thoughts text-sm text-muted-foreground">
      <summary
        className={
          "flex w-fit list-none items-center gap-1.5 rounded-md select-none hover:text-foreground " +
          "[&::-webkit-details-marker]:hidden"
        }
      >
        <Icon className="transition-transform group-open/thoughts:rotate-90" name="chevron" size={15} />
        {streaming ? "Thinking…" : "Thoughts"}
      </summary>
      <p className="mt-1 border-l-2 pl-3 wrap-anywhere whitespace-pre-wrap">{text}</p>
    </details>
  );
}
