/** Is told which system fares otherwise than before, undefined for any. */
type Reader = (system: string | undefined) => void;

/** How systems fare, as far as the stream of changes tells it: only while somebody asks. */
class HealthNews {
  #told = false;
  readonly #readers = new Set<Reader>();
  readonly #listeners = new Set<() => void>();

  /** Whether what changes is told. */
  readonly isTold = (): boolean => this.#told;

  readonly isAsked = (): boolean => this.#readers.size > 0;

  /** Hears when either becomes otherwise. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Asks for it and hears it, until the function that it returns is called. */
  hear(reader: Reader): () => void {
    this.#readers.add(reader);
    this.#changed();
    return () => {
      this.#readers.delete(reader);
      this.#changed();
    };
  }

  /** Is called by whoever follows the stream, as is setTold. */
  say(system?: string): void {
    for (const reader of this.#readers) reader(system);
  }

  setTold(told: boolean): void {
    if (this.#told === told) return;
    this.#told = told;
    this.#changed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

export const healthNews = new HealthNews();
