import { Skeleton } from "../ui/Notice";

export function TranscriptSkeleton() {
  return (
    <div
      aria-label="Loading the conversation"
      className="mx-auto flex w-full max-w-3xl flex-1 flex-col gap-6 p-6"
      role="status"
    >
      <Skeleton className="h-10 w-2/5 self-end" />
      <Skeleton className="h-4 w-4/5" />
      <Skeleton className="-mt-3 h-4 w-3/5" />
      <Skeleton className="h-32 w-full" />
    </div>
  );
}
