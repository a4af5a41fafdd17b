import type { ReactNode } from "react";

/** A list of things, one per row, with room for actions at the end. */
export function Rows({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul aria-label={label} className="divide-y overflow-hidden rounded-xl border bg-card shadow-raised">
      {children}
    </ul>
  );
}

interface RowProps {
  title: ReactNode;
  detail?: ReactNode;
  badges?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}

export function Row({ title, detail, badges, actions, children }: RowProps) {
  return (
    <li className="px-4 py-3" data-testid="row">
      <div className="flex items-center gap-3">
        <div className="min-w-0 flex-1">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="min-w-0 font-medium wrap-anywhere">{title}</span>
            {badges}
          </div>
          {detail && <div className="text-sm text-muted-foreground wrap-anywhere">{detail}</div>}
        </div>
        {actions && <div className="flex shrink-0 items-center gap-1">{actions}</div>}
      </div>
      {children}
    </li>
  );
}
