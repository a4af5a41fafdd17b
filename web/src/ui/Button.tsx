import type { ComponentProps } from "react";
import { Icon, type IconName } from "./Icon";

type Variant = "primary" | "secondary" | "quiet" | "danger";

const variants: Record<Variant, string> = {
  primary: "bg-primary text-primary-foreground hover:bg-primary-strong border-transparent",
  secondary: "bg-card text-foreground border-input hover:bg-muted",
  quiet: "bg-transparent text-muted-foreground border-transparent hover:bg-muted hover:text-foreground",
  danger: "bg-danger text-background hover:opacity-90 border-transparent",
};

interface ButtonProps extends ComponentProps<"button"> {
  variant?: Variant;
  icon?: IconName;
  /** Shows progress and blocks a second click. */
  busy?: boolean;
}

export const buttonShape =
  "inline-flex min-h-9 items-center justify-center gap-1.5 rounded-lg border px-3 py-1.5 text-sm font-medium whitespace-nowrap transition-colors disabled:opacity-50";

export function Button({
  variant = "secondary",
  icon,
  busy,
  disabled,
  className = "",
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      aria-busy={busy || undefined}
      className={`${buttonShape} ${variants[variant]} ${className}`}
      disabled={disabled || busy}
      type="button"
      {...rest}
    >
      {busy ? <Spinner /> : icon ? <Icon name={icon} size={16} /> : null}
      {children}
    </button>
  );
}

export const iconButtonShape =
  "inline-flex size-8 items-center justify-center rounded-lg text-muted-foreground transition-colors hover:bg-muted hover:text-foreground disabled:opacity-40";

export function Spinner() {
  return (
    <span
      aria-hidden="true"
      className="inline-block size-3.5 animate-spin rounded-full border-2 border-current border-r-transparent"
    />
  );
}
