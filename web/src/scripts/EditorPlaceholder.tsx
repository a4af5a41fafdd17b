import { Skeleton } from "../ui/Notice";

/** Stands where the editor will be: it is larger than the rest of the application. */
export function EditorPlaceholder() {
  return (
    <div aria-label="Loading the editor" className="flex h-full flex-col gap-2 p-4" role="status">
      <Skeleton className="h-4 w-2/3" />
      <Skeleton className="h-4 w-1/2" />
      <Skeleton className="h-4 w-3/5" />
    </div>
  );
}
