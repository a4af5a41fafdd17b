import { createContext, useCallback, useContext, useEffect, useRef, useState, type ReactNode } from "react";

const visibleMilliseconds = 4_000;

const ToastContext = createContext<(text: string) => void>(() => {});

/** Says briefly that something worked. Failures stay next to what failed instead. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [text, setText] = useState<string | null>(null);
  const timer = useRef<number | undefined>(undefined);

  const show = useCallback((next: string) => {
    window.clearTimeout(timer.current);
    setText(next);
    timer.current = window.setTimeout(() => setText(null), visibleMilliseconds);
  }, []);
  useEffect(() => () => window.clearTimeout(timer.current), []);

  return (
    <ToastContext value={show}>
      {children}
      <div
        aria-live="polite"
        className="pointer-events-none fixed inset-x-0 bottom-6 z-50 flex justify-center"
        role="status"
      >
        {text && (
          <p
            className="rise rounded-full bg-foreground px-4 py-2 text-sm text-background shadow-floating"
            data-testid="toast"
          >
            {text}
          </p>
        )}
      </div>
    </ToastContext>
  );
}

export const useToast = () => useContext(ToastContext);
