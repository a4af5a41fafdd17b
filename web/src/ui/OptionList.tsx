import { Combobox as Base } from "@base-ui/react/combobox";

interface Listed {
  value: string;
  /** Its label; defaults to the value. */
  label?: string;
  /** Detail that helps to choose it. */
  detail?: string;
}

/** The list below a field that is typed in to search it. A Combobox and an Autocomplete have the same one. */
export function OptionList({ none }: { /** Said when nothing in it fits. */ none: string }) {
  return (
    <Base.Portal>
      <Base.Positioner className="z-50 outline-none" sideOffset={4}>
        <Base.Popup
          className={
            "max-h-[min(18rem,var(--available-height))] w-(--anchor-width) overflow-y-auto rounded-lg border " +
            "bg-card p-1 text-card-foreground shadow-floating"
          }
        >
          <Base.Empty className="px-2 py-1.5 text-sm text-muted-foreground empty:hidden">{none}</Base.Empty>
          <Base.List>
            {(one: Listed) => (
              <Base.Item
                className="flex cursor-pointer flex-col rounded-md px-2 py-1.5 text-sm data-highlighted:bg-muted data-selected:text-primary"
                key={one.value}
                value={one}
              >
                <span className="wrap-anywhere">{one.label ?? one.value}</span>
                {one.detail && <span className="text-xs wrap-anywhere text-muted-foreground">{one.detail}</span>}
              </Base.Item>
            )}
          </Base.List>
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  );
}
