import { HttpAgent } from "@ag-ui/client";
import { CopilotChat, CopilotKitProvider } from "@copilotkit/react-core/v2";
import { createRoot } from "react-dom/client";

const assistant = new HttpAgent({ url: "/api/ai/agui" });

/** Stock use of CopilotKit: its chat, with the assistant as the agent. */
function Page() {
  return (
    <CopilotKitProvider agents__unsafe_dev_only={{ default: assistant }}>
      <CopilotChat agentId="default" />
    </CopilotKitProvider>
  );
}

const root = document.querySelector("#root");
if (root) createRoot(root).render(<Page />);
