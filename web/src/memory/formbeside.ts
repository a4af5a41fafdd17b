import { besidePage } from "../ui/beside";

export const [MemoryForm, useMemoryFormAhead] = besidePage(async () => (await import("./MemoryForm")).MemoryForm);
