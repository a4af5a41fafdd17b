import { Toast } from "@base-ui/react/toast";

const visibleMilliseconds = 4_000;
const toasts = Toast.createToastManager();
let latest: string | undefined;

/** Shows a text in place of the one before it. */
export function show(text: string): void {
  if (latest) toasts.close(latest);
  latest = toasts.add({ title: text, timeout: visibleMilliseconds });
}

export function Toaster() {
  return (
    <Toast.Provider toastManager={toasts}>
      <Toast.Portal>
        <Toast.Viewport className="pointer-events-none fixed inset-x-0 bottom-6 z-50 flex flex-col items-center gap-2 outline-none">
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function List() {
  const { toasts: shown } = Toast.useToastManager();
  return shown.map((toast) => (
    <Toast.Root
      className="rise pointer-events-auto rounded-full bg-foreground px-4 py-2 text-sm text-background shadow-floating"
      data-testid="toast"
      key={toast.id}
      swipeDirection="down"
      toast={toast}
    >
      <Toast.Title render={<p />} />
    </Toast.Root>
  ));
}
