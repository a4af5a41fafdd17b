import type { CustomTool } from "@countersign/sdk/tool";

interface Args {
  city: string;
}

export default {
  actions: {
    default: async (args: Args, ctx) => {
      ctx.log("info", "called", { city: args.city });
      return { url: `https://api.example.com/weather?city=${encodeURIComponent(args.city)}` };
    },
  },
} satisfies CustomTool;
