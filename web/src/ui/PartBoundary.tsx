import { Component, type ReactNode } from "react";
import { PartMissing, reloadForPart } from "../api/partmissing";

/** Goes around what stands beside the pages and is loaded later: one that is missing takes nothing else with it. */
export class PartBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: undefined as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidCatch(error: unknown): void {
    if (error instanceof PartMissing) reloadForPart();
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error !== undefined && !(error instanceof PartMissing)) throw error;
    return error === undefined && this.props.children;
  }
}
