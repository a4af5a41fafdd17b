import type { ReactNode } from "react";

export type Tone = "neutral" | "primary" | "success" | "warning" | "danger";

const tones: Record<Tone, string> = {
  neutral: "bg-muted text-muted-foreground",
  primary: "bg-primary-soft text-primary",
  success: "bg-success-soft text-success",
  warning: "bg-warning-soft text-warning",
  danger: "bg-danger-soft text-danger",
};

interface BadgeProps {
  tone?: Tone;
  children: ReactNode;
  title?: string;
  /** It holds a text that people have written, of any length. */
  wraps?: boolean;
}

export function Badge({ tone = "neutral", children, title, wraps = false }: BadgeProps) {
  const lines = wraps ? "min-w-0 rounded-xl wrap-anywhere" : "rounded-full whitespace-nowrap";
  return (
    <span
      className={`inline-flex items-center gap-1 px-2 py-0.5 text-xs font-medium ${lines} ${tones[tone]}`}
      title={title}
    >
      {children}
    </span>
  );
}
