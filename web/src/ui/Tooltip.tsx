import { Tooltip } from "@base-ui/react/tooltip";
import type { ReactElement } from "react";

const handle = Tooltip.createHandle<string>();

/** The one tooltip of the page: whatever is hovered or focused lends it its words. Once, at the root. */
export function Tooltips() {
  return (
    <Tooltip.Root handle={handle}>
      {({ payload }) => (
        <Tooltip.Portal>
          <Tooltip.Positioner className="z-50" sideOffset={6}>
            <Tooltip.Popup className="max-w-72 rounded-md bg-foreground px-2 py-1 text-xs wrap-anywhere text-background shadow-floating">
              {payload}
            </Tooltip.Popup>
          </Tooltip.Positioner>
        </Tooltip.Portal>
      )}
    </Tooltip.Root>
  );
}

/** Shows a text beside an element on hover and on keyboard focus. What only the text would say, the element says in its label. */
export function Hint({ text, children }: { text: string; children: ReactElement }) {
  return <Tooltip.Trigger handle={handle} payload={text} render={children} />;
}
