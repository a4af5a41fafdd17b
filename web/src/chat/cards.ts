import { lazy } from "react";
import { loaded } from "../api/reach";

// Cards are loaded with the first message that has one: most chats begin without.
export const PlanCard = lazy(async () => ({ default: (await loaded(() => import("../proposals/PlanCard"))).PlanCard }));
export const ProposalCard = lazy(async () => ({
  default: (await loaded(() => import("../proposals/ProposalCard"))).ProposalCard,
}));
export const AppliedCard = lazy(async () => ({
  default: (await loaded(() => import("../proposals/AppliedCard"))).AppliedCard,
}));
