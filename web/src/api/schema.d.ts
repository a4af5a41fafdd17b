// Made of the OpenAPI document of the product by `make generate`. Do not edit.

export interface paths {
    "/api/access-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List access rules
         * @description Needs one of auth.roles.manage, auth.users.manage and auth.applications.manage.
         */
        get: operations["list-access-rules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agent/script-contexts/{context}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what a custom tool can use
         * @description The declarations that its editor mounts, and an example.
         */
        get: operations["get-agent-script-context"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List agents
         * @description By slug, those that the caller may see: by agent.agent.read and by grants.
         */
        get: operations["list-agents"];
        put?: never;
        /**
         * Create an agent
         * @description Without revisions. The caller becomes its owner. Needs agent.agent.manage.
         */
        post: operations["create-agent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an agent */
        get: operations["get-agent"];
        put?: never;
        post?: never;
        /**
         * Delete an agent
         * @description With all of its revisions. For its owners. What its live tools are offered for ends at once.
         */
        delete: operations["delete-agent"];
        options?: never;
        head?: never;
        /**
         * Change an agent
         * @description Absent fields stay.
         */
        patch: operations["update-agent"];
        trace?: never;
    };
    "/api/agents/{id}/revisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the revisions of an agent
         * @description The newest first.
         */
        get: operations["list-agent-revisions"];
        put?: never;
        /**
         * Create a draft
         * @description With an empty bundle, or with a copy of that of another revision.
         */
        post: operations["create-agent-revision"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{id}/revisions/{rev}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a revision
         * @description Its ETag is that of its bundle.
         */
        get: operations["get-agent-revision"];
        put?: never;
        post?: never;
        /** Delete a draft */
        delete: operations["delete-agent-revision"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{id}/revisions/{rev}/agent_md": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Write agent.md of a draft */
        put: operations["put-agent-md"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{id}/revisions/{rev}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Archive a revision
         * @description A ready or the live one, after which none is live. For owners.
         */
        post: operations["archive-agent-revision"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{id}/revisions/{rev}/bundle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the bundle of a revision
         * @description In any state.
         */
        get: operations["get-agent-bundle"];
        /**
         * Replace the bundle of a draft
         * @description agent.md, spec and all tools; skills stay. All tools are compiled before anything is written, and nothing is when one has an error.
         */
        put: operations["put-agent-bundle"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{id}/revisions/{rev}/clone_from": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Copy a bundle into a draft
         * @description Replaces the draft's bundle by that of another revision, also of another agent that the caller sees. Tools of another compiler version are recompiled. A spec that names secrets needs vault.secret.read too.
         */
        post: operations["clone-agent-revision"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{id}/revisions/{rev}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare two bundles
         * @description File by file: what this revision has and the one before it, or another one, has not.
         */
        get: operations["diff-agent-revisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{id}/revisions/{rev}/freeze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Seal a draft
         * @description Recompiles and loads every tool, runs the examples and hashes the bundle. A sealed revision returns the same hash again. It takes at most 45 seconds: a freeze that is not done by then returns its progress, and the next one continues from there. For owners.
         */
        post: operations["freeze-agent-revision"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{id}/revisions/{rev}/manifest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the files of a bundle
         * @description With their sizes and hashes.
         */
        get: operations["get-agent-manifest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{id}/revisions/{rev}/promote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a revision the live one
         * @description A ready one, or an archived one to go back. The revision that was live is archived in the same transaction. For owners; one that names secrets needs vault.secret.read too.
         */
        post: operations["promote-agent-revision"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{id}/revisions/{rev}/skills/{skill}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Write a skill of a draft */
        put: operations["put-agent-skill"];
        post?: never;
        /** Remove a skill of a draft */
        delete: operations["delete-agent-skill"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{id}/revisions/{rev}/spec": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Write the spec of a draft
         * @description A spec that names secrets needs vault.secret.read too.
         */
        put: operations["put-agent-spec"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{id}/revisions/{rev}/tools/{tool}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Write a tool of a draft
         * @description It is compiled and checked; nothing is written when it has an error. The same bytes again change nothing. In a bundle whose spec names secrets it needs vault.secret.read too.
         */
        put: operations["put-agent-tool"];
        post?: never;
        /**
         * Remove a tool of a draft
         * @description With everything that is kept of it.
         */
        delete: operations["delete-agent-tool"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{id}/revisions/{rev}/tools/{tool}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See what is wrong with a tool
         * @description The same as writing it would say. Nothing is stored.
         */
        post: operations["check-agent-tool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{id}/revisions/{rev}/tools/{tool}/dry_run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a tool out
         * @description Calls a tool of a revision in any state in the sandbox: no network, placeholders in place of secrets. What the tool does wrong is an answer with ok false. With source or args_schema it is about what is not saved, which is for editors. A few run at once for each caller; more are refused with 429.
         */
        post: operations["dry-run-agent-tool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{id}/revisions/{rev}/tools/{tool}/examples": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the saved examples of a tool
         * @description Calls with what is expected of them. They are part of the bundle, and freezing runs them.
         */
        get: operations["get-agent-tool-examples"];
        /**
         * Write the saved examples of a tool of a draft
         * @description All of them, at most 20. Everyone who sees the source sees them, so mock_secrets are invented.
         */
        put: operations["put-agent-tool-examples"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{id}/revisions/{rev}/tools/{tool}/examples/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run the saved examples of a tool
         * @description One after the other, as dry runs, each judged by what is expected of it.
         */
        post: operations["run-agent-tool-examples"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{id}/revisions/{rev}/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See what keeps a revision from being frozen
         * @description Nothing is stored, and no tool is run.
         */
        post: operations["validate-agent-revision"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{id}/tools/{tool}/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call a live tool of an agent
         * @description For who may see the agent; a program that was let read alone calls tools that read. What the tool does is an answer: ok says whether it went well. A tool gets placeholders in place of secrets, which are worth something in http-requests of the same principal only. The policy of the tool holds, agent.<slug>.<tool>, and that of all tools of the agent, agent.<slug>. Counts against the tool budget and is in the audit log.
         */
        post: operations["call-agent-tool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/agents/{id}/uses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the calls of an agent's tools
         * @description The newest first, of the last 90 days. Who may write drafts sees all calls, others see their own.
         */
        get: operations["list-agent-uses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/agui": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Chat with the assistant as an agent user interface
         * @description A turn of a conversation, as in POST /api/ai/chat, in the AG-UI protocol. The thread names the conversation, and the last message is answered. Needs ai.chat.read.
         */
        post: operations["run-agent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tool calls
         * @description Newest first. Needs ai.audit.read, or mine=true and ai.chat.read.
         */
        get: operations["list-tool-calls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/audit/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List changes and sign-ins
         * @description Newest first. Needs ai.audit.read, or mine=true.
         */
        get: operations["list-changes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/audit/changes/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export changes and sign-ins
         * @description Needs ai.audit.read, or mine=true.
         */
        get: operations["export-changes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export tool calls
         * @description Needs ai.audit.read, or mine=true and ai.chat.read.
         */
        get: operations["export-tool-calls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/audit/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tools that were called lately
         * @description Needs ai.audit.read.
         */
        get: operations["list-called-tools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/audit/types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the types of audited objects
         * @description Each with its label, in the order of the labels.
         */
        get: operations["list-audited-types"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/audit/verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how the audit chain is
         * @description What the last verification in the background has found. The command countersign audit verify finds out itself. Needs ai.audit.read.
         */
        get: operations["get-audit-verification"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/audit/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a tool call with its history
         * @description Needs ai.audit.read, or mine=true and ai.chat.read.
         */
        get: operations["get-tool-call"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/chat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a message, or let the assistant acknowledge a decision
         * @description A message is answered once: the same messageId finds the same turn. 409 while the conversation is busy, or when the proposal is not in the state that the decision claims. The default request of an AI SDK chat is accepted too: see the page about stock clients. Needs ai.chat.read.
         */
        post: operations["chat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/chat/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop the running turn
         * @description The model call ends within two seconds; what it has said is kept. Needs ai.chat.read.
         */
        post: operations["stop-chat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/chat/{id}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the running turn
         * @description From its beginning, or after the event that Last-Event-ID names, on any process. Needs ai.chat.read.
         */
        get: operations["resume-chat"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List model connections
         * @description Needs ai.connection.read.
         */
        get: operations["list-connections"];
        put?: never;
        /**
         * Create a model connection
         * @description Needs ai.connection.manage.
         */
        post: operations["create-connection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/connections/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a model connection
         * @description Needs ai.connection.read.
         */
        get: operations["get-connection"];
        put?: never;
        post?: never;
        /**
         * Delete a model connection
         * @description Needs ai.connection.manage.
         */
        delete: operations["delete-connection"];
        options?: never;
        head?: never;
        /**
         * Change a model connection
         * @description Absent fields stay, null clears. Needs ai.connection.manage.
         */
        patch: operations["update-connection"];
        trace?: never;
    };
    "/api/ai/connections/{id}/confirmed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Confirm a model connection as it is
         * @description For administrators, by hand, of the revision in If-Match, which is required (428). Answers over a connection that less-privileged users or applications have changed taint the conversations of others until then. Needs ai.connection.manage.
         */
        put: operations["confirm-connection"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/connections/{id}/default": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Make a model connection the default
         * @description New chats begin with it from now on, in place of the one before. Needs ai.connection.manage.
         */
        put: operations["set-default-connection"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/connections/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a model connection
         * @description Makes a few short calls of the default model, offers it a tool and asks its server for models and window. Each finding is ok, not or unknown; when the model does not answer, the message is the provider's own. The window that the server tells is used where none is declared. Needs ai.connection.manage.
         */
        post: operations["test-connection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/conversations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your conversations
         * @description The latest first. Needs ai.chat.read.
         */
        get: operations["list-conversations"];
        put?: never;
        /**
         * Start a conversation
         * @description Needs ai.chat.read.
         */
        post: operations["create-conversation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/conversations/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download your conversations
         * @description All of them with their messages and your feedback, archived ones included, as one JSON document. Needs ai.chat.read.
         */
        get: operations["export-conversations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/conversations/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find words in your conversations
         * @description Those with all words in their title or in one message, archived ones included, the latest first. A word is found by its beginning. Needs ai.chat.read.
         */
        get: operations["search-conversations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/conversations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a conversation with its messages
         * @description The newest messages, in order; nextCursor leads to those before them. Needs ai.chat.read.
         */
        get: operations["get-conversation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Rename a conversation or change its settings
         * @description Needs ai.chat.read.
         */
        patch: operations["update-conversation"];
        trace?: never;
    };
    "/api/ai/conversations/{id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Archive a conversation
         * @description It disappears from lists and is kept. Needs ai.chat.read.
         */
        post: operations["archive-conversation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/conversations/{id}/feedback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your feedback on the answers of a conversation
         * @description Needs ai.chat.read.
         */
        get: operations["list-feedback"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/conversations/{id}/markdown": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a conversation as Markdown
         * @description For people to read: what was said and when, which tools were called, and what became of proposals. HTML, images and links with code in them are made text. Results of tools are not in it. Needs ai.chat.read.
         */
        get: operations["export-conversation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/conversations/{id}/outside/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let auto mode go on after content from outside
         * @description Only you can do this, signed in: no application and no turn of the assistant. It holds for what the conversation holds so far. Needs ai.chat.read.
         */
        post: operations["accept-outside-content"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/conversations/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore an archived conversation
         * @description Needs ai.chat.read.
         */
        post: operations["restore-conversation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/conversations/{id}/shares": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List with whom you share a conversation
         * @description Needs ai.chat.read.
         */
        get: operations["list-shares"];
        put?: never;
        /**
         * Share a conversation with a colleague, to read
         * @description With 20 people at most. What they see of it is decided each time they look: up to the first answer that tells of something that they may not see. Needs ai.chat.read.
         */
        post: operations["share-conversation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/conversations/{id}/shares/{personId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Stop sharing a conversation with a colleague
         * @description Needs ai.chat.read.
         */
        delete: operations["unshare-conversation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/conversations/{id}/withheld/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send content again that a model provider has refused
         * @description The next message sends it, to any model. What the provider refuses again is left out again, and named in the answer. Needs ai.chat.read.
         */
        post: operations["send-withheld-content"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/feedback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count what people said about answers
         * @description In the last 30 days, in all and by model. GET /api/ai/turns has the turns with it. Needs ai.turn.read.
         */
        get: operations["count-feedback"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/integrations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the models to chat with
         * @description The default of a new chat comes first. Needs ai.chat.read.
         */
        get: operations["list-integrations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/memories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List memories
         * @description Your own, and those of systems that you may see; newest first. Needs ai.memory.read.
         */
        get: operations["list-memories"];
        put?: never;
        /**
         * Save a memory
         * @description One of scope system needs the right to change that system. Needs ai.memory.manage.
         */
        post: operations["save-memory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/memories/similar": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find the memory that a save would update
         * @description Needs ai.memory.read.
         */
        get: operations["find-similar-memory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/memories/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a memory
         * @description Needs ai.memory.read.
         */
        get: operations["get-memory"];
        put?: never;
        post?: never;
        /**
         * Delete a memory
         * @description Needs ai.memory.manage.
         */
        delete: operations["delete-memory"];
        options?: never;
        head?: never;
        /**
         * Change a memory
         * @description What is absent stays, tags are replaced as a whole. When another user than the owner changes the text, it is no longer always injected. Needs ai.memory.manage.
         */
        patch: operations["update-memory"];
        trace?: never;
    };
    "/api/ai/memories/{id}/always-inject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Choose whether a memory of yours is always injected
         * @description Needs ai.memory.manage.
         */
        put: operations["set-memory-always-inject"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/model-checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List checks of models
         * @description The newest first. The newest 50 of each connection are kept. Needs ai.connection.manage.
         */
        get: operations["list-model-checks"];
        put?: never;
        /**
         * Check a model
         * @description Plays scripted situations to a model and judges what it does. Nothing is executed and nothing is proposed. It runs in the background, one check of a connection at a time; its model calls count against the caller's spend cap. Needs ai.connection.manage.
         */
        post: operations["start-model-check"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/model-checks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a check of a model
         * @description With the outcome of every situation that was played so far. Needs ai.connection.manage.
         */
        get: operations["get-model-check"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/model-checks/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop a check of a model
         * @description What was played so far is kept. A check that has ended stays as it is. Needs ai.connection.manage.
         */
        post: operations["stop-model-check"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the operations about which policies ask for something
         * @description Operations that are not listed happen at once for people who may use them. One that tools share is listed once for each of them that the caller may see.
         */
        get: operations["list-governed-operations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/plans/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a plan
         * @description The proposals of one turn, in the order of their calls, with tokens for those that you may apply. Needs ai.chat.read.
         */
        get: operations["get-plan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/plans/{id}/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Apply a plan
         * @description Spends the tokens of exactly the open proposals, all or none, and carries them out in order up to the first failure. The answer is the plan with its outcome: 200 when it has ended, whatever its status, and 202 while it is being applied. A repeat with the same Idempotency-Key is told how the first one went. Needs ai.chat.read.
         */
        post: operations["apply-plan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/plans/{id}/decline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decline a plan
         * @description Declines every open proposal of the plan. Needs ai.chat.read.
         */
        post: operations["decline-plan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the policies of tools
         * @description One for every tool, by name. Needs ai.policy.manage.
         */
        get: operations["list-policies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/policies/second-person": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a second person about several tools
         * @description Sets a second person for all of these tools or, when one of them refuses or has another revision, for none. Needs ai.policy.manage.
         */
        post: operations["require-second-person"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/policies/{tool}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the policy of a tool
         * @description Needs ai.policy.manage.
         */
        get: operations["get-policy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the policy of a tool
         * @description Absent fields stay. It takes effect with the next call, in every process. Needs ai.policy.manage.
         */
        patch: operations["update-policy"];
        trace?: never;
    };
    "/api/ai/privacy/erasures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List erasures
         * @description Newest first. Needs ai.privacy.manage.
         */
        get: operations["list-erasures"];
        put?: never;
        /**
         * Delete everything that is kept of a person
         * @description Running answers are stopped first. It cannot be undone. A repeat finds the erasure that runs. Needs ai.privacy.manage.
         */
        post: operations["request-erasure"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/privacy/erasures/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an erasure
         * @description Needs ai.privacy.manage.
         */
        get: operations["get-erasure"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/privacy/people": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List those of whom conversations are kept
         * @description Also those whose account is gone. Needs ai.privacy.manage.
         */
        get: operations["list-kept-people"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/privacy/people/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count what is kept of a person
         * @description Needs ai.privacy.manage.
         */
        get: operations["preview-erasure"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/proposals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List proposals
         * @description Yours, and those of others for who may decide about them, newest first. No tokens: read a single proposal for its token. Needs ai.chat.read.
         */
        get: operations["list-proposals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/proposals/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Apply a proposal
         * @description Spends the token: exactly one call applies. A repeat with the same Idempotency-Key is told how the first one went. Needs ai.chat.read.
         */
        post: operations["apply-proposal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/proposals/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a proposal
         * @description With its token while it is open and you may apply it. Needs ai.chat.read.
         */
        get: operations["get-proposal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/proposals/{id}/again": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Propose a change again
         * @description Of a proposal of yours that failed, expired or was not reached in its plan: the same arguments, checked against the current state, with a difference, a revision and a decision of their own. 201 when this call has made it; 200 when you had made it before, however it stands by now. Needs ai.chat.read.
         */
        post: operations["propose-again"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/proposals/{id}/decline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decline a proposal
         * @description Needs ai.chat.read.
         */
        post: operations["decline-proposal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/proposals/{id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Propose to take a change back
         * @description Of an applied change: the change that takes all of it back, where one does, as your proposal. Nothing happens until it is applied. 201 when this call has made it; 200 when you had made it before, however it stands by now. Needs ai.chat.read.
         */
        post: operations["propose-undo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/provider-models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask a provider for its models
         * @description Asks the server of a connection, or one that is not saved yet, for its list of models. A key in the request is used for this one question and not kept; without one the stored key is used, towards the server that it is stored for. A failure of the provider is an outcome; what it answered is not quoted. Needs ai.connection.manage.
         */
        post: operations["ask-provider-models"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/retention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the retention setting
         * @description Needs ai.retention.manage.
         */
        get: operations["get-retention"];
        /**
         * Choose when conversations are deleted permanently
         * @description A sweep runs once a day while it is enabled. Needs ai.retention.manage.
         */
        put: operations["set-retention"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/shared": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List conversations that others share with you
         * @description What was shared last first. Needs ai.chat.read.
         */
        get: operations["list-shared"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/shared/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a conversation that a colleague shares with you
         * @description Its texts and which tools were used, without arguments and results, as far as you may see all that they tell of at this moment. Needs ai.chat.read.
         */
        get: operations["read-shared"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/skills": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List skills
         * @description The built-in ones first, then the others by name. The texts are left out. Needs ai.skill.read.
         */
        get: operations["list-skills"];
        put?: never;
        /**
         * Publish a skill
         * @description Everybody who may see skills can use it. Needs ai.skill-create.manage.
         */
        post: operations["create-skill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/skills/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a skill
         * @description Needs ai.skill.read.
         */
        get: operations["get-skill"];
        put?: never;
        post?: never;
        /**
         * Delete a skill
         * @description For its author. Needs ai.skill.manage.
         */
        delete: operations["delete-skill"];
        options?: never;
        head?: never;
        /**
         * Change a skill
         * @description For its author. Absent fields stay, null clears. Needs ai.skill.manage.
         */
        patch: operations["update-skill"];
        trace?: never;
    };
    "/api/ai/spend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what principals have used of connections
         * @description The tokens of each principal on each connection within the connection's window, the most first. Needs ai.connection.manage.
         */
        get: operations["list-spend"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/spend/own": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See what you have used of models
         * @description As the report of everybody, of the caller alone.
         */
        get: operations["report-own-spend"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/spend/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See what everybody has used of models
         * @description Tokens and costs by hours, days, weeks or months of a time zone, split by one thing: the twelve that have used the most, and all others together. Needs ai.turn.read.
         */
        get: operations["report-spend"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tools you may use
         * @description Needs ai.chat.read.
         */
        get: operations["list-tools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/tools/{name}/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call a tool that reads
         * @description Needs ai.chat.read.
         */
        post: operations["call-tool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/tools/{name}/propose": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Propose a change
         * @description Checks the input and stores a proposal; nothing changes until its token is applied. Needs ai.chat.read.
         */
        post: operations["propose-tool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/turns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the turns of everybody
         * @description The newest first, without anything that was said. Needs ai.turn.read.
         */
        get: operations["list-turns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/turns/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See how a turn went
         * @description Each step with its timing, tokens, model and cost. Your own turns, and with ai.turn.read those of everybody; who may not read the conversation sees no texts, no arguments, and no names of tools that the product does not have by itself. Needs ai.chat.read.
         */
        get: operations["inspect-turn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/ai/turns/{id}/feedback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Say whether an answer helped
         * @description About an answer in a chat of your own, in place of what you said before. Users with ai.turn.read read it with your name; no model does. It goes with the chat. Needs ai.chat.read.
         */
        put: operations["give-feedback"];
        post?: never;
        /**
         * Take feedback on an answer back
         * @description Needs ai.chat.read.
         */
        delete: operations["take-back-feedback"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/alerts/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send alerts
         * @description For the products of the source's kind, in their own formats, with the secret of the source: as a bearer token, as the password of basic authentication, or as a signature. The same payload again changes nothing.
         */
        post: operations["send-alerts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/applications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List applications
         * @description Needs auth.applications.manage.
         */
        get: operations["list-applications"];
        put?: never;
        /**
         * Create an application
         * @description Made by a proposal, it has no token that was shown: replace its token to get one. Needs auth.applications.manage.
         */
        post: operations["create-application"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/applications/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an application
         * @description Needs auth.applications.manage.
         */
        get: operations["get-application"];
        put?: never;
        post?: never;
        /**
         * Delete an application
         * @description Needs auth.applications.manage.
         */
        delete: operations["delete-application"];
        options?: never;
        head?: never;
        /**
         * Change an application
         * @description Needs auth.applications.manage.
         */
        patch: operations["update-application"];
        trace?: never;
    };
    "/api/applications/{id}/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the token of an application
         * @description Revokes the old token. Needs auth.applications.manage.
         */
        post: operations["replace-application-token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/chat-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List my chat tokens */
        get: operations["list-chat-tokens"];
        put?: never;
        /**
         * Make a chat token
         * @description For clients of the OpenAI protocol, at /v1. It lets them chat as you, and nothing else.
         */
        post: operations["make-chat-token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/chat-tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke one of my chat tokens */
        delete: operations["revoke-chat-token"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign out */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/oidc/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Come back from the identity provider
         * @description For browsers: leads into the app, or to the sign-in page with the reason.
         */
        get: operations["finish-oidc-sign-in"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/oidc/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign in at the identity provider
         * @description For browsers: leads to the provider.
         */
        get: operations["begin-oidc-sign-in"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change my password
         * @description Ends all other sessions.
         */
        post: operations["change-password"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/password-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a password with a link
         * @description Uses the link up and ends all sessions of the user.
         */
        post: operations["use-password-link"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/password-link/look": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Whose password a link sets */
        post: operations["look-at-password-link"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List my sessions */
        get: operations["list-sessions"];
        put?: never;
        post?: never;
        /** End my other sessions */
        delete: operations["revoke-other-sessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End one of my sessions */
        delete: operations["revoke-session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/ways": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How people can sign in */
        get: operations["get-sign-in-ways"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/automation/script-contexts/{context}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what a script of a context can use
         * @description Needs automation.automation.manage.
         */
        get: operations["get-automation-script-context"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/automation/script-network": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See whether tests of scripts have a network
         * @description Needs automation.automation.manage.
         */
        get: operations["get-automation-script-network"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/automation/script-tests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a script in the sandbox
         * @description Nothing is saved. Whatever the script does is an answer with status 200; the answer comes when the script has ended. With an Idempotency-Key it runs once; a repeat gets the first answer. Needs automation.automation.manage.
         */
        post: operations["test-automation-script"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/catalog/environments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List environments
         * @description By name.
         */
        get: operations["list-environments"];
        put?: never;
        /**
         * Create an environment
         * @description Needs catalog.environment.manage.
         */
        post: operations["create-environment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/catalog/environments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an environment */
        get: operations["get-environment"];
        put?: never;
        post?: never;
        /**
         * Delete an environment
         * @description Its systems stay.
         */
        delete: operations["delete-environment"];
        options?: never;
        head?: never;
        /**
         * Change an environment
         * @description What is absent stays, null clears, fields are replaced as a whole.
         */
        patch: operations["update-environment"];
        trace?: never;
    };
    "/api/catalog/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List groups
         * @description By name, those that the caller may see: by catalog.group.read and by grants.
         */
        get: operations["list-groups"];
        put?: never;
        /**
         * Create a group
         * @description Needs catalog.group.manage.
         */
        post: operations["create-group"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/catalog/groups/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a group */
        get: operations["get-group"];
        put?: never;
        post?: never;
        /**
         * Delete a group
         * @description Its systems stay.
         */
        delete: operations["delete-group"];
        options?: never;
        head?: never;
        /**
         * Change a group
         * @description What is absent stays, null clears, metadata is replaced as a whole.
         */
        patch: operations["update-group"];
        trace?: never;
    };
    "/api/catalog/groups/{id}/systems/{systemId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Put a system into a group */
        put: operations["add-group-member"];
        post?: never;
        /** Take a system out of a group */
        delete: operations["remove-group-member"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/catalog/system-tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tags of systems
         * @description Each once and in order, those of the systems that the caller may see. Of a tag that many systems have, the first 200 by name are looked at.
         */
        get: operations["list-system-tags"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/catalog/systems": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List systems
         * @description By name, those that the caller may see: by catalog.system.read and by grants.
         */
        get: operations["list-systems"];
        put?: never;
        /**
         * Create a system
         * @description Needs catalog.system.manage.
         */
        post: operations["create-system"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/catalog/systems/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a system */
        get: operations["get-system"];
        put?: never;
        post?: never;
        /** Delete a system */
        delete: operations["delete-system"];
        options?: never;
        head?: never;
        /**
         * Change a system
         * @description What is absent stays, null clears, metadata and tags are replaced as a whole.
         */
        patch: operations["update-system"];
        trace?: never;
    };
    "/api/catalog/systems/{id}/contacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a contact to a system
         * @description The ETag is the new revision of the system.
         */
        post: operations["add-system-contact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/catalog/systems/{id}/contacts/{contactId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a contact from a system */
        delete: operations["remove-system-contact"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/catalog/systems/{id}/environments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the environments of a system
         * @description They replace those that the system has. Needs catalog.environment.read too.
         */
        put: operations["set-system-environments"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/catalog/systems/{id}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a link to a system
         * @description The ETag is the new revision of the system.
         */
        post: operations["add-system-link"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/catalog/systems/{id}/links/{linkId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a link from a system */
        delete: operations["remove-system-link"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/catalog/systems/{id}/owner": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Set the owner team of a system */
        put: operations["set-system-owner"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the documentation pages
         * @description Needs ai.chat.read.
         */
        get: operations["list-docs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/docs/page": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a documentation page
         * @description Needs ai.chat.read.
         */
        get: operations["get-doc"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/docs/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search the documentation
         * @description Needs ai.chat.read.
         */
        get: operations["search-docs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow changes
         * @description An event stream for the pages of a signed-in person; applications and programs are refused. It names the changed records that the person can see, without the changes: read them again. "conversation" and "proposal" have {"id": "…"}, "record" has {"type": "catalog.system", "id": "…"}. "reset" means that anything may have changed: it comes first unless the client names a moment, and when events were lost. "ping" is a heartbeat with its interval "every" in milliseconds. With the parameter "health", "health" has {"id": "…"} of a system whose health changed, or {} for any; "ping" has "health": true while such events are sent, which needs the rule healthcheck.healthcheck.status.read. The id of an event is its time in milliseconds; after Last-Event-ID, or the parameter "after", the stream resumes where it was, for some minutes, and may repeat events.
         */
        get: operations["follow-changes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/events/consumers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List event consumers
         * @description The parts of the product that follow the event log, with their lag, their retries and dead letters. Needs event.consumer.manage.
         */
        get: operations["list-event-consumers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/events/parked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List dead letters
         * @description By consumer, the oldest first. An event becomes a dead letter after ten attempts; later ones about the same subject go on without it. Needs event.consumer.manage.
         */
        get: operations["list-parked-events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/events/parked/{consumer}/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a dead letter
         * @description Out of its order: later events about the same subject may have been handled. Needs event.consumer.manage.
         */
        post: operations["retry-parked-event"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/events/parked/{consumer}/{id}/skip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Skip a dead letter
         * @description Its consumer never handles it. Needs event.consumer.manage.
         */
        post: operations["skip-parked-event"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/grants/{objectType}/{objectId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the grants of an object
         * @description For objects that you see; with auth.teams.manage, for every object. The ETag is that of the grants and not of the object. Needs auth.teams.read.
         */
        get: operations["get-grants"];
        /**
         * Replace the grants of an object
         * @description The revision of the object rises. Needs auth.teams.manage, or for an agent or an MCP server to be its owner. Nobody gives more than they hold. What is private has an owner: a change that would leave it without one is a conflict.
         */
        put: operations["set-grants"];
        post?: never;
        /**
         * Delete the grants of an object
         * @description As replacing them by none.
         */
        delete: operations["delete-grants"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/board": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List how systems fare
         * @description Those that the caller may see, the worst first and then by name, with counts by status. A system whose status changes between two pages can be on both or on neither. Needs healthcheck.healthcheck.status.read.
         */
        get: operations["get-board"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/board/past": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See how systems have fared
         * @description 90 days and 24 hours of each, for the bars and lines of a board. Needs healthcheck.healthcheck.status.read.
         */
        get: operations["get-board-past"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List health checks
         * @description By name, those that the caller may see: by healthcheck.healthcheck.read and by grants.
         */
        get: operations["list-checks"];
        put?: never;
        /**
         * Create a health check
         * @description With assignToSystemId it is assigned in the same transaction, which needs the right to change that system. One that refers to secrets needs vault.secret.read too. Needs healthcheck.healthcheck.manage.
         */
        post: operations["create-check"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/checks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a health check */
        get: operations["get-check"];
        put?: never;
        post?: never;
        /**
         * Delete a health check
         * @description Its assignments and its history go with it.
         */
        delete: operations["delete-check"];
        options?: never;
        head?: never;
        /**
         * Change a health check
         * @description What is absent stays; config, collectors and keptFields are replaced as a whole. A change of what one does that refers to secrets needs vault.secret.read too.
         */
        patch: operations["update-check"];
        trace?: never;
    };
    "/api/healthcheck/checks/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export a health check
         * @description A document of checks with their assignments to systems that the caller may see. Secrets are in it by name alone. With format=yaml it is YAML.
         */
        get: operations["export-check"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/checks/{id}/failing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List where a health check does not pass
         * @description On systems that the caller may see. Needs healthcheck.healthcheck.status.read.
         */
        get: operations["list-failing-targets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/checks/{id}/heartbeats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List where the jobs of a heartbeat check call in
         * @description For the systems that the caller may see. Needs the right to change the check, as who knows an address can say that the job has run. Other checks have none.
         */
        get: operations["list-check-heartbeats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/checks/{id}/heartbeats/{target}/rotate-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the address at which a job calls in
         * @description The answer shows the new one, this once. The old one counts for 24 hours more, or ends at once. Needs the right to change the check.
         */
        post: operations["replace-heartbeat-address"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/checks/{id}/paused": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Pause a health check, or let it run again
         * @description What it has found no longer counts for its systems while it is paused.
         */
        put: operations["set-check-paused"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/checks/{id}/run-now": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a health check at once
         * @description Beside its schedule. Needs the right to change the check. The runs have begun when it answers, and not ended.
         */
        post: operations["run-check-now"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/checks/{id}/systems": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the systems that a health check is assigned to
         * @description Those that the caller may see.
         */
        get: operations["list-check-systems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/checks/{id}/systems/{systemId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Assign a health check to a system
         * @description Or change how it is. Needs the right to change the check and the system. The ETag is the new revision of the check.
         */
        put: operations["assign-check"];
        post?: never;
        /**
         * Take a health check from a system
         * @description Needs the right to change the check and the system.
         */
        delete: operations["unassign-check"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/draft-runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a health check once without saving it
         * @description Secrets are placeholders. Whatever the run finds is an answer with status 200. With an Idempotency-Key it runs once; a repeat gets the first answer. Counts against the tool budget and is in the audit log, as a call of the tool is. Needs healthcheck.healthcheck.manage.
         */
        post: operations["test-check"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/draft-runs/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See what a run of a health check would send
         * @description Sends nothing. Needs healthcheck.healthcheck.manage.
         */
        post: operations["preview-check-draft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export health checks
         * @description Those that the caller may see, by name, 200 at most: narrow it where there are more. A document of checks with their assignments to systems that the caller may see. Secrets are in it by name alone. With format=yaml it is YAML.
         */
        get: operations["export-checks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import health checks
         * @description Checks are known by their names: those that are there become what the document says, the others are made, and those that it does not name stay. All of it is done or, when one is refused, nothing. Each needs what creating or changing it would need. Needs healthcheck.healthcheck.manage.
         */
        post: operations["import-checks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/import/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See what an import of health checks would do
         * @description For each check whether it would be created, updated, left as it is, or refused and why. The document can be a file of Gatus, Uptime Kuma, the blackbox exporter with Prometheus, or Checkly, too: the answer has the document to import, what changes its meaning and what is left out, by line. Nothing is stored. Needs healthcheck.healthcheck.manage.
         */
        post: operations["preview-import"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/kinds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what health checks can be made of
         * @description Strategies with their collectors, the schemas of both, and the operators of assertions.
         */
        get: operations["list-check-kinds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Hear which systems fare otherwise than before
         * @description An event stream. "changed" names a system that the caller may see, as {"systemId": "…"}: read it again. "all" says that any may have changed: it comes first, and again when something was missed. After Last-Event-ID it goes on where it was, for an hour. Needs healthcheck.healthcheck.status.read.
         */
        get: operations["follow-health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/locations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the locations from which health checks run
         * @description Which are alive, with their labels and versions. A location appears when its first probe starts. Needs healthcheck.healthcheck.status.read.
         */
        get: operations["list-check-locations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/locations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a location
         * @description One without probes from which no check runs. Past runs from it stay visible. A probe that starts with its name makes a new one. Needs healthcheck.location.manage.
         */
        delete: operations["remove-check-location"];
        options?: never;
        head?: never;
        /**
         * Rename a location
         * @description Checks that name it follow. Its probes go on registering with the name that they know. Needs healthcheck.location.manage.
         */
        patch: operations["rename-check-location"];
        trace?: never;
    };
    "/api/healthcheck/retention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See for how long history of health checks is kept
         * @description Needs healthcheck.history.manage.
         */
        get: operations["get-check-retention"];
        /**
         * Choose for how long history of health checks is kept
         * @description Older history is deleted permanently within the hour. More days bring nothing back. Needs healthcheck.history.manage.
         */
        put: operations["set-check-retention"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/script-contexts/{context}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what a script of a context can use
         * @description Needs healthcheck.healthcheck.manage.
         */
        get: operations["get-healthcheck-script-context"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/script-network": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See whether tests of scripts have a network
         * @description Needs healthcheck.healthcheck.manage.
         */
        get: operations["get-healthcheck-script-network"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/script-tests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a script in the sandbox
         * @description Nothing is saved. Whatever the script does is an answer with status 200; the answer comes when the script has ended. With an Idempotency-Key it runs once; a repeat gets the first answer. Needs healthcheck.healthcheck.manage.
         */
        post: operations["test-healthcheck-script"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/systems/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See how a system fares
         * @description Names of checks are a part of it, but for private ones that the caller may not see. Those count, and are not named. Needs healthcheck.healthcheck.status.read.
         */
        get: operations["get-system-status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/systems/{id}/chart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See what happened to a system over time
         * @description The runs are those of checks that the caller may see; availability and outages are those of the system, whose checks all count. Needs healthcheck.healthcheck.status.read.
         */
        get: operations["get-system-chart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/systems/{id}/period": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See what the runs of a system amount to
         * @description The runs are those of checks that the caller may see; availability and outages are those of the system, whose checks all count. Needs healthcheck.healthcheck.status.read.
         */
        get: operations["get-system-period"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/targets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find targets
         * @description The one with the id that is asked for, and those of the first systems whose names hold it, of checks and systems that the caller may see. Needs healthcheck.healthcheck.status.read.
         */
        get: operations["find-check-targets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/targets/{id}/chart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See what happened to a target over time
         * @description Needs healthcheck.healthcheck.status.read.
         */
        get: operations["get-target-chart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/targets/{id}/period": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See what the runs of a target amount to
         * @description Needs healthcheck.healthcheck.status.read.
         */
        get: operations["get-target-period"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/targets/{id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the runs of a target
         * @description The newest first. Needs healthcheck.healthcheck.status.read.
         */
        get: operations["list-check-runs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/targets/{id}/runs/{slot}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See what a run found
         * @description Needs healthcheck.healthcheck.status.read, healthcheck.healthcheck.details.read.
         */
        get: operations["get-check-run"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/healthcheck/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See what is wrong with a health check
         * @description The same as creating one would say. Nothing is stored. Needs healthcheck.healthcheck.manage.
         */
        post: operations["validate-check"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/heartbeats/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say that a job has done its work, by GET
         * @description For devices that cannot send a POST, where the check has acceptGet. HEAD and prefetches of browsers never count.
         */
        get: operations["send-heartbeat-by-get"];
        put?: never;
        /**
         * Say that a job has done its work
         * @description For the job of a heartbeat check. It is heard while the check is paused too. A token that is not valid any more is as one that never was.
         */
        post: operations["send-heartbeat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/heartbeats/{token}/fail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say that a job has failed, by GET
         * @description For devices that cannot send a POST, where the check has acceptGet. HEAD and prefetches of browsers never count.
         */
        get: operations["send-failed-heartbeat-by-get"];
        put?: never;
        /**
         * Say that a job has failed
         * @description For the job of a heartbeat check. It is heard while the check is paused too. A token that is not valid any more is as one that never was.
         */
        post: operations["send-failed-heartbeat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/history/{objectType}/{objectId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what happened to an object
         * @description For principals that can see the object; readers of the audit log are told more, and also of objects that are gone. Newest first.
         */
        get: operations["get-history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/http-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an HTTP request
         * @description To public addresses. A placeholder that a custom tool got for a secret becomes its value, if the request is from the principal for whom it was made and goes to a host that the secret is pinned to. Answers hold no values of secrets. With an Idempotency-Key it is sent once; a repeat gets the first answer. Counts against the tool budget and is in the audit log, as a call of the tool is. Needs http.request.send.
         */
        post: operations["send-http-request"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/http-requests/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See where an HTTP request would go
         * @description Sends nothing. Refuses characters that a card would not show. Needs http.request.send.
         */
        post: operations["preview-http-request"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/incidents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List incidents
         * @description The last ones to start first, those of systems that the caller may see. Needs incident.incident.read or incident.incident.manage.
         */
        get: operations["list-incidents"];
        put?: never;
        /**
         * Open an incident
         * @description While an open incident has the dedupeKey of the report, none is made: the answer is that one, with status 200. Needs incident.incident.manage.
         */
        post: operations["create-incident"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/incidents/bulk-delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete incidents
         * @description Each by itself; the answer says what happened to which. Needs incident.incident.manage.
         */
        post: operations["delete-incidents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/incidents/bulk-resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resolve incidents
         * @description Each by itself; the answer says what happened to which. Needs incident.incident.manage.
         */
        post: operations["resolve-incidents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/incidents/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import incidents
         * @description Incidents of the past with their own times, each by itself. One whose dedupeKey an incident has, open or ended, is left as it is, so that an import can be repeated. Nobody is notified of those that have ended. Needs incident.incident.manage.
         */
        post: operations["import-incidents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/incidents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an incident
         * @description Needs incident.incident.read or incident.incident.manage.
         */
        get: operations["get-incident"];
        put?: never;
        post?: never;
        /**
         * Delete an incident
         * @description With its updates and links. Needs incident.incident.manage.
         */
        delete: operations["delete-incident"];
        options?: never;
        head?: never;
        /**
         * Change an incident
         * @description What is absent stays, null clears. Needs incident.incident.manage.
         */
        patch: operations["update-incident"];
        trace?: never;
    };
    "/api/incidents/{id}/acknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Acknowledge an incident
         * @description The caller takes it on. changed is false when somebody has done so before; a resolved incident is refused. Needs incident.incident.manage.
         */
        post: operations["acknowledge-incident"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/incidents/{id}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a link to an incident
         * @description The ETag is the new revision of the incident. Needs incident.incident.manage.
         */
        post: operations["add-incident-link"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/incidents/{id}/links/{linkId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a link from an incident
         * @description Needs incident.incident.manage.
         */
        delete: operations["remove-incident-link"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/incidents/{id}/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Merge an incident into another one
         * @description It is resolved as a duplicate, and the other one gets its systems. Needs incident.incident.manage.
         */
        post: operations["merge-incident"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/incidents/{id}/reopen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reopen an incident
         * @description changed is false when it was open. It is no duplicate any more. Needs incident.incident.manage.
         */
        post: operations["reopen-incident"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/incidents/{id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resolve an incident
         * @description changed is false when it was resolved before. Needs incident.incident.manage.
         */
        post: operations["resolve-incident"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/incidents/{id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the timeline of an incident
         * @description What happened with it and around it, newest first: updates, states, changes of its systems and their checks from 6 hours before it began, changes of their health, and proposals; what the caller may see. Needs incident.incident.read or incident.incident.manage.
         */
        get: operations["list-incident-timeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/incidents/{id}/updates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the updates of an incident
         * @description Newest first, those whose visibility includes the caller. Needs incident.incident.read or incident.incident.manage.
         */
        get: operations["list-incident-updates"];
        put?: never;
        /**
         * Write an update of an incident
         * @description It may set the status. The ETag is the revision of the incident. Needs incident.incident.manage.
         */
        post: operations["add-incident-update"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/incidents/{id}/updates/{updateId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an update of an incident
         * @description Needs incident.incident.read or incident.incident.manage.
         */
        get: operations["get-incident-update"];
        put?: never;
        post?: never;
        /**
         * Delete an update of an incident
         * @description With its history. The status that it set stays. Needs incident.incident.manage.
         */
        delete: operations["delete-incident-update"];
        options?: never;
        head?: never;
        /**
         * Edit an update of an incident
         * @description What it was stays in its history. The ETag is the revision of the incident. Needs incident.incident.manage.
         */
        patch: operations["edit-incident-update"];
        trace?: never;
    };
    "/api/intake/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the alerts of an incident
         * @description Where it came from. Their texts come from outside. Needs to see the incident.
         */
        get: operations["list-incident-alerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/intake/sources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sources of alerts
         * @description By name. Needs intake.source.read or intake.source.manage.
         */
        get: operations["list-alert-sources"];
        put?: never;
        /**
         * Create a source of alerts
         * @description The answer shows its address and its secret, this once. The caller must see the systems that it names. Needs incident.incident.manage, as a source opens incidents, and intake.source.manage or to be a member of the team that owns it.
         */
        post: operations["create-alert-source"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/intake/sources/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a source of alerts
         * @description Without its secrets. Needs intake.source.read or intake.source.manage.
         */
        get: operations["get-alert-source"];
        put?: never;
        post?: never;
        /**
         * Delete a source of alerts
         * @description With what it has sent. Its address ends and its incidents stay. Needs incident.incident.manage, as a source opens incidents, and intake.source.manage or to be a member of the team that owns it.
         */
        delete: operations["delete-alert-source"];
        options?: never;
        head?: never;
        /**
         * Change a source of alerts
         * @description What is absent stays. Its kind cannot be changed. Needs incident.incident.manage, as a source opens incidents, and intake.source.manage or to be a member of the team that owns it.
         */
        patch: operations["update-alert-source"];
        trace?: never;
    };
    "/api/intake/sources/{id}/payloads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what a source has sent
         * @description The last first, of 30 days. Needs intake.source.read or intake.source.manage.
         */
        get: operations["list-alert-payloads"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/intake/sources/{id}/payloads/{payloadId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what a source has sent
         * @description As it came: text from outside. Needs intake.source.read or intake.source.manage.
         */
        get: operations["get-alert-payload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/intake/sources/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret of a source of alerts
         * @description The answer shows the new one, this once. The one before counts for 24 hours more, or ends at once. Needs incident.incident.manage, as a source opens incidents, and intake.source.manage or to be a member of the team that owns it.
         */
        post: operations["rotate-alert-source"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/intake/sources/{id}/try": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a payload
         * @description Which alerts it has, how bad they are and which systems they are about. Nothing is stored. Needs intake.source.read or intake.source.manage.
         */
        post: operations["try-alert-source"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/maintenances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List maintenances
         * @description The last ones to start first, those of systems that the caller may see. Needs maintenance.maintenance.read or maintenance.maintenance.manage.
         */
        get: operations["list-maintenances"];
        put?: never;
        /**
         * Schedule a maintenance
         * @description Once, or by a recurrence rule in a time zone. One whose start has passed begins at once. Needs maintenance.maintenance.manage.
         */
        post: operations["create-maintenance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/maintenances/calendar": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what maintenances happen in a span of time
         * @description Each occurrence, by start, 1,000 at most. Needs maintenance.maintenance.read or maintenance.maintenance.manage.
         */
        get: operations["get-maintenance-calendar"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/maintenances/feed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read my calendar feed
         * @description Without its address, which is shown when it is made. Needs maintenance.maintenance.read or maintenance.maintenance.manage.
         */
        get: operations["get-maintenance-feed"];
        put?: never;
        /**
         * Make my calendar feed
         * @description With a new address; the one before ends. For people in the web app, with maintenance.maintenance.read or maintenance.maintenance.manage.
         */
        post: operations["make-maintenance-feed"];
        /** Revoke my calendar feed */
        delete: operations["revoke-maintenance-feed"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/maintenances/feed/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a calendar feed
         * @description An iCalendar document with what the owner of the feed may see now: 30 days back, 180 ahead, 500 events at most.
         */
        get: operations["read-maintenance-feed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/maintenances/feeds/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke the calendar feed of a person
         * @description Its address stops working. The person can make another one. Needs auth.users.manage.
         */
        delete: operations["end-maintenance-feed"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/maintenances/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a maintenance
         * @description Needs maintenance.maintenance.read or maintenance.maintenance.manage.
         */
        get: operations["get-maintenance"];
        put?: never;
        post?: never;
        /**
         * Delete a maintenance
         * @description With its updates, links and occurrences. Needs maintenance.maintenance.manage.
         */
        delete: operations["delete-maintenance"];
        options?: never;
        head?: never;
        /**
         * Change a maintenance
         * @description What is absent stays, null clears. occurrence moves, cancels or restores one occurrence. Needs maintenance.maintenance.manage.
         */
        patch: operations["update-maintenance"];
        trace?: never;
    };
    "/api/maintenances/{id}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close a maintenance
         * @description Ends it early when it is in progress, and cancels it when it has not begun. changed is false when it was over. Needs maintenance.maintenance.manage.
         */
        post: operations["close-maintenance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/maintenances/{id}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a link to a maintenance
         * @description The ETag is the new revision of the maintenance. Needs maintenance.maintenance.manage.
         */
        post: operations["add-maintenance-link"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/maintenances/{id}/links/{linkId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a link from a maintenance
         * @description Needs maintenance.maintenance.manage.
         */
        delete: operations["remove-maintenance-link"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/maintenances/{id}/updates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the updates of a maintenance
         * @description Newest first, those whose visibility includes the caller. Needs maintenance.maintenance.read or maintenance.maintenance.manage.
         */
        get: operations["list-maintenance-updates"];
        put?: never;
        /**
         * Write an update of a maintenance
         * @description The ETag is the revision of the maintenance. Needs maintenance.maintenance.manage.
         */
        post: operations["add-maintenance-update"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/maintenances/{id}/updates/{updateId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an update of a maintenance
         * @description Needs maintenance.maintenance.read or maintenance.maintenance.manage.
         */
        get: operations["get-maintenance-update"];
        put?: never;
        post?: never;
        /**
         * Delete an update of a maintenance
         * @description With its history. Needs maintenance.maintenance.manage.
         */
        delete: operations["delete-maintenance-update"];
        options?: never;
        head?: never;
        /**
         * Edit an update of a maintenance
         * @description What it was stays in its history. The ETag is the revision of the maintenance. Needs maintenance.maintenance.manage.
         */
        patch: operations["edit-maintenance-update"];
        trace?: never;
    };
    "/api/mcp/policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See which programs may decide for their people
         * @description Needs mcp.policy.manage.
         */
        get: operations["get-mcp-policy"];
        /**
         * Choose which programs may decide for their people
         * @description It holds from the next request of each program. Needs mcp.policy.manage.
         */
        put: operations["set-mcp-policy"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List MCP servers of others
         * @description By slug. Needs mcp.server.read.
         */
        get: operations["list-mcp-servers"];
        put?: never;
        /**
         * Add an MCP server of others
         * @description Its tools are not listed yet: refresh it, and accept them. Naming a secret needs vault.secret.read too. Needs mcp.server.manage.
         */
        post: operations["create-mcp-server"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/servers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an MCP server of others
         * @description Needs mcp.server.read.
         */
        get: operations["get-mcp-server"];
        put?: never;
        post?: never;
        /**
         * Delete an MCP server of others
         * @description With its accepted tools, which are no longer offered at once. Needs mcp.server.manage.
         */
        delete: operations["delete-mcp-server"];
        options?: never;
        head?: never;
        /**
         * Change an MCP server of others
         * @description Absent fields stay. With another address its tools have to be accepted again. Deciding which secret goes where needs vault.secret.read too. Needs mcp.server.manage.
         */
        patch: operations["update-mcp-server"];
        trace?: never;
    };
    "/api/mcp/servers/{id}/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refresh the tools of an MCP server
         * @description New and changed tools are off until an administrator accepts them. Needs mcp.server.manage.
         */
        post: operations["refresh-mcp-server"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/servers/{id}/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a sign-in at an MCP server
         * @description For people in the web app: returns the address for their browser. Once they have signed in, every call of the server's tools acts there as that account. Needs mcp.server.manage.
         */
        post: operations["start-mcp-sign-in"];
        /**
         * End the sign-in at an MCP server
         * @description Its tokens are deleted at once, and revoked where the authorization server supports it. For people in the web app. Needs mcp.server.manage.
         */
        delete: operations["end-mcp-sign-in"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/servers/{id}/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tools of an MCP server
         * @description With the current definition of each, and its difference from the accepted one. Names, descriptions and schemas are untrusted texts. Needs mcp.server.read.
         */
        get: operations["list-mcp-server-tools"];
        /**
         * Accept tools of an MCP server
         * @description By the hash of the definition that was read, with the effect that they have. All of them or none: a definition that has changed meanwhile is refused with 412. Other tools stay as they are. Needs mcp.server.manage.
         */
        put: operations["set-mcp-server-tools"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/servers/{id}/tools/{tool}/call": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call a tool of an MCP server
         * @description Read-only programs can call read tools only. The tool's definition is checked at the server before the call. A failure of the tool is an answer, too; answers hold no credentials. A change with an Idempotency-Key is called once; if it was sent and not answered, its outcome is unknown, and a repeat says so. Counts against the tool budget and is in the audit log, like a tool call. Needs mcp.tool.use.
         */
        post: operations["call-mcp-tool"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mcp/sign-ins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Finish a sign-in at an MCP server
         * @description With the answer that the same person's browser returns with, within ten minutes, once. Needs mcp.server.manage.
         */
        post: operations["finish-mcp-sign-in"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who am I */
        get: operations["get-me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/audience/{kind}/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count whom a message to subscribers reaches
         * @description Numbers of people and kinds of channels, and no addresses. Needs notification.send.
         */
        get: operations["get-audience"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List notification channels
         * @description People have their own channels; those of teams and policies also need notification.channel.read.
         */
        get: operations["list-notification-channels"];
        put?: never;
        /**
         * Create a notification channel
         * @description People have their own channels; those of teams and policies also need notification.channel.manage. The signing secret of a webhook is shown once. Needs notification.own.manage.
         */
        post: operations["create-notification-channel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/channels/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a notification channel */
        get: operations["get-notification-channel"];
        put?: never;
        post?: never;
        /**
         * Delete a notification channel
         * @description What waits for it is not sent. Needs notification.own.manage.
         */
        delete: operations["delete-notification-channel"];
        options?: never;
        head?: never;
        /**
         * Change a notification channel
         * @description What is absent stays; a new url takes the token away that was for the old one. Needs notification.own.manage.
         */
        patch: operations["update-notification-channel"];
        trace?: never;
    };
    "/api/notifications/channels/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the signing secret of a webhook
         * @description The old one signs beside it for 24 hours. Needs notification.own.manage.
         */
        post: operations["rotate-notification-key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/channels/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test message to a channel
         * @description It waits for the end of the attempt, at most ten seconds. A channel is tested once a minute. Needs notification.own.manage.
         */
        post: operations["test-notification-channel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries of notifications
         * @description Those to the caller, newest first; with all, those to everybody.
         */
        get: operations["list-deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/messages/group/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a message to the subscribers of a group
         * @description By their own notification rules. Needs notification.send.
         */
        post: operations["message-group-subscribers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/messages/system/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a message to the subscribers of a system
         * @description And to those of its groups, by their own notification rules. Needs notification.send.
         */
        post: operations["message-system-subscribers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/preferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read your notification rules
         * @description With all topics.
         */
        get: operations["get-notification-preferences"];
        /**
         * Set your notification rules
         * @description They replace all of them. Needs notification.own.manage.
         */
        put: operations["set-notification-preferences"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/push-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the public key for push messages */
        get: operations["get-push-key"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the mail server
         * @description Needs notification.settings.manage.
         */
        get: operations["get-notification-settings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/settings/mail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the mail server
         * @description An absent password stays with the server and the user that it was entered for. Needs notification.settings.manage.
         */
        put: operations["set-mail-server"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/settings/mail/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test e-mail to yourself
         * @description Needs notification.settings.manage.
         */
        post: operations["test-mail-server"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the systems and groups that you subscribe to */
        get: operations["list-subscriptions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/notifications/subscriptions/{kind}/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Subscribe to a system or a group
         * @description Its changes are told by your rules. Needs notification.own.manage.
         */
        put: operations["subscribe"];
        post?: never;
        /**
         * End a subscription
         * @description Needs notification.own.manage.
         */
        delete: operations["unsubscribe"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/oauth/decision": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let a program act for me, or do not */
        post: operations["decide-authorization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/oauth/programs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List connected programs
         * @description Newest first.
         */
        get: operations["list-connected-programs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/oauth/programs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Disconnect a program
         * @description One's own, or anybody's with oauth.program.manage. Its tokens stop working at once.
         */
        delete: operations["disconnect-program"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/oauth/question": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See what a program asks for
         * @description For the page to which a program sends the browser.
         */
        post: operations["ask-authorization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/oauth/registration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See whether programs may register themselves
         * @description Needs oauth.program.manage.
         */
        get: operations["get-program-registration"];
        /**
         * Choose whether programs may register themselves
         * @description It ends nothing that people have allowed. Needs oauth.program.manage.
         */
        put: operations["set-program-registration"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/oncall/escalations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the escalation of an incident
         * @description Who was called about it and what comes next. Needs oncall.schedule.read, and to see the incident.
         */
        get: operations["get-escalation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/oncall/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain who is called
         * @description A simulated run: who is called when about an incident, or would be if one opened, and why a person is not. Needs oncall.schedule.read, and to see the incident or the systems.
         */
        get: operations["explain-escalation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/oncall/policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List escalation policies
         * @description By name. Needs oncall.schedule.read or oncall.schedule.manage.
         */
        get: operations["list-escalation-policies"];
        put?: never;
        /**
         * Create an escalation policy
         * @description Needs oncall.schedule.manage, or to be a member of the team that owns it.
         */
        post: operations["create-escalation-policy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/oncall/policies/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an escalation policy
         * @description Needs oncall.schedule.read or oncall.schedule.manage.
         */
        get: operations["get-escalation-policy"];
        put?: never;
        post?: never;
        /**
         * Delete an escalation policy
         * @description Needs oncall.schedule.manage, or to be a member of the team that owns it.
         */
        delete: operations["delete-escalation-policy"];
        options?: never;
        head?: never;
        /**
         * Change an escalation policy
         * @description What is absent stays, null clears. Escalations that wait follow it at once. Needs oncall.schedule.manage, or to be a member of the team that owns it.
         */
        patch: operations["update-escalation-policy"];
        trace?: never;
    };
    "/api/oncall/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List on-call schedules
         * @description By name, with who is on call now. Needs oncall.schedule.read or oncall.schedule.manage.
         */
        get: operations["list-oncall-schedules"];
        put?: never;
        /**
         * Create an on-call schedule
         * @description Needs oncall.schedule.manage, or to be a member of the team that owns it.
         */
        post: operations["create-oncall-schedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/oncall/schedules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an on-call schedule
         * @description Needs oncall.schedule.read or oncall.schedule.manage.
         */
        get: operations["get-oncall-schedule"];
        put?: never;
        post?: never;
        /**
         * Delete an on-call schedule
         * @description With its overrides. Policies lose it. Needs oncall.schedule.manage, or to be a member of the team that owns it.
         */
        delete: operations["delete-oncall-schedule"];
        options?: never;
        head?: never;
        /**
         * Change an on-call schedule
         * @description What is absent stays, null clears. Needs oncall.schedule.manage, or to be a member of the team that owns it.
         */
        patch: operations["update-oncall-schedule"];
        trace?: never;
    };
    "/api/oncall/schedules/{id}/calendar": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Import the calendar of an on-call schedule
         * @description An iCalendar file or the https address of a feed. Its events say who is on call, by e-mail addresses of attendees or by the summary; layers take their place. Needs oncall.schedule.manage, or to be a member of the team that owns it.
         */
        put: operations["set-oncall-calendar"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/oncall/schedules/{id}/overrides": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put a person on call for a while
         * @description People whom the schedule names may take over themselves. Needs oncall.schedule.manage, or to be a member of the team that owns it. The ETag is the revision of the schedule.
         */
        post: operations["add-oncall-override"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/oncall/schedules/{id}/overrides/{overrideId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End an override
         * @description The person of the override may too. Needs oncall.schedule.manage, or to be a member of the team that owns it.
         */
        delete: operations["remove-oncall-override"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/oncall/schedules/{id}/shifts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who is on call when
         * @description Needs oncall.schedule.read or oncall.schedule.manage.
         */
        get: operations["list-oncall-shifts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/probe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See what a URL answers
         * @description Counts against the tool budget and is in the audit log, as a call of the tool is. Needs ai.chat.read.
         */
        post: operations["probe-url"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List roles
         * @description Needs one of auth.roles.manage, auth.users.manage and auth.applications.manage.
         */
        get: operations["list-roles"];
        put?: never;
        /**
         * Create a role
         * @description Needs auth.roles.manage.
         */
        post: operations["create-role"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/roles/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a role
         * @description Needs auth.roles.manage.
         */
        get: operations["get-role"];
        put?: never;
        post?: never;
        /**
         * Delete a role
         * @description Needs auth.roles.manage.
         */
        delete: operations["delete-role"];
        options?: never;
        head?: never;
        /**
         * Change a role
         * @description Needs auth.roles.manage.
         */
        patch: operations["update-role"];
        trace?: never;
    };
    "/api/script-policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the script policy
         * @description Needs script.policy.manage.
         */
        get: operations["get-script-policy"];
        /**
         * Set the script policy
         * @description It takes effect within a second, in every process, with the next script that starts. Needs script.policy.manage.
         */
        put: operations["set-script-policy"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/script-policy/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who changed the script policy
         * @description The last 100 changes, the newest first, each with the policy before and after. Needs script.policy.manage.
         */
        get: operations["list-script-policy-changes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List secrets
         * @description Names and metadata, never values. Needs vault.secret.read.
         */
        get: operations["list-secrets"];
        put?: never;
        /**
         * Create a secret
         * @description Needs vault.secret.manage.
         */
        post: operations["create-secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/secrets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a secret without its value
         * @description Needs vault.secret.read.
         */
        get: operations["get-secret"];
        put?: never;
        post?: never;
        /**
         * Delete a secret
         * @description What refers to it stops working. Its record stays. Needs vault.secret.manage.
         */
        delete: operations["delete-secret"];
        options?: never;
        head?: never;
        /**
         * Replace the value or the description of a secret
         * @description Absent fields stay. Needs vault.secret.manage.
         */
        patch: operations["update-secret"];
        trace?: never;
    };
    "/api/secrets/{name}/uses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who used a secret and what refers to it
         * @description Needs vault.secret.read.
         */
        get: operations["list-secret-uses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the server's settings */
        get: operations["get-settings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/teams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List teams
         * @description Needs auth.teams.read.
         */
        get: operations["list-teams"];
        put?: never;
        /**
         * Create a team
         * @description Needs auth.teams.manage.
         */
        post: operations["create-team"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/teams/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a team with its members
         * @description Needs auth.teams.read.
         */
        get: operations["get-team"];
        put?: never;
        post?: never;
        /**
         * Delete a team
         * @description Refused while the team owns anything. Needs auth.teams.manage.
         */
        delete: operations["delete-team"];
        options?: never;
        head?: never;
        /**
         * Change a team
         * @description Needs auth.teams.manage.
         */
        patch: operations["update-team"];
        trace?: never;
    };
    "/api/teams/{id}/members/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Add a user to a team
         * @description Needs auth.teams.manage.
         */
        put: operations["add-team-member"];
        post?: never;
        /**
         * Remove a user from a team
         * @description Needs auth.teams.manage.
         */
        delete: operations["remove-team-member"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/temporal/codec/decode": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decrypt payloads of Temporal
         * @description The remote codec of Temporal's Web UI and command line. Payloads that are not encrypted pass as they are. Needs temporal.payload.read.
         */
        post: operations["decode-payloads"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/temporal/codec/encode": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Encrypt payloads for Temporal
         * @description The remote codec of Temporal's Web UI and command line. Payloads that are not encrypted pass as they are. Needs temporal.payload.read.
         */
        post: operations["encode-payloads"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users
         * @description Needs auth.users.manage.
         */
        get: operations["list-users"];
        put?: never;
        /**
         * Create a user
         * @description Needs auth.users.manage.
         */
        post: operations["create-user"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a user
         * @description Needs auth.users.manage.
         */
        get: operations["get-user"];
        put?: never;
        post?: never;
        /**
         * Delete a user
         * @description Needs auth.users.manage.
         */
        delete: operations["delete-user"];
        options?: never;
        head?: never;
        /**
         * Change a user
         * @description Needs auth.users.manage.
         */
        patch: operations["update-user"];
        trace?: never;
    };
    "/api/users/{id}/password-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a link by which a user sets a password
         * @description For people who hold all that the user holds. Takes the place of a link that was made before. It can be used once, within a week by a user without a password and within a day by others. Needs auth.users.manage.
         */
        post: operations["make-password-link"];
        /**
         * Withdraw the link by which a user sets a password
         * @description Needs auth.users.manage.
         */
        delete: operations["revoke-password-link"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics/checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Scrape the states of health checks as Prometheus metrics
         * @description Status, last run, its duration and the expiry of certificates (with healthcheck.healthcheck.details.read) of each check of each system that the caller sees. Needs healthcheck.healthcheck.status.read.
         */
        get: operations["scrape-checks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/completions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Chat with the assistant as a client of the OpenAI protocol
         * @description A turn of a conversation, as in POST /api/ai/chat. The messages tell which conversation continues, and the last one is answered. What the conversation does not hold of them is shown to the model as data. Needs ai.chat.read.
         */
        post: operations["create-chat-completion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what one can chat with
         * @description The assistant, the assistant with each skill that is made for chats, and each agent with a live tool that the caller may use. Needs ai.chat.read.
         */
        get: operations["list-chat-models"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/{model}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Look up one of them
         * @description Needs ai.chat.read.
         */
        get: operations["get-chat-model"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/responses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Chat with the assistant as a client of the Responses API
         * @description The same as POST /v1/chat/completions in another form. Responses are not stored: what was said is in the conversation. Needs ai.chat.read.
         */
        post: operations["create-response"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/responses/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop an answer
         * @description Stops the turn of a response or of a chat completion that the same client has begun, by its id. What was said so far is kept. Needs ai.chat.read.
         */
        post: operations["cancel-response"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AgentAgent: {
            /** @enum {string} */
            access: "viewer" | "editor" | "owner";
            /** Format: date-time */
            createdAt: string;
            description: string;
            /** Format: int64 */
            draftCount: number;
            id: string;
            /** @description Tools of the live revision that are not offered to you, and why. Absent when there are none, and in lists. */
            leftOut?: components["schemas"]["AgentLeftOut"][];
            /** @description Absent when none is live. */
            liveRevision?: components["schemas"]["AgentLiveRevision"];
            name: string;
            /** @description Closed to everybody without a grant, whatever their roles. Its grants say so and change it. */
            private: boolean;
            /** Format: int64 */
            revision: number;
            /** @description Its live tools are called by it; chosen once. */
            slug: string;
            /**
             * Format: int64
             * @description Of the live revision, or of the newest one while none is live.
             */
            toolCount: number;
            /** Format: date-time */
            updatedAt: string;
        };
        AgentAgentChange: {
            /** @description At most 2,000 characters. */
            description?: string | null;
            /** @description 1 to 120 characters. */
            name?: string;
        };
        AgentAgentList: {
            agents: components["schemas"]["AgentAgent"][];
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
        };
        AgentAgentMDInput: {
            content: string;
        };
        AgentAuthRequired: {
            detail: string;
            /** @enum {string} */
            provider: "countersign";
        };
        AgentAuthor: {
            id: string;
            /** @enum {string} */
            kind: "user" | "application" | "service";
            /** @description Absent when the account is gone. */
            name?: string;
        };
        AgentBundle: {
            agent_md: string;
            skills: components["schemas"]["AgentSkill"][];
            spec: components["schemas"]["AgentSpec"];
            tools: components["schemas"]["AgentTool"][];
        };
        AgentBundleInput: {
            agent_md: string;
            spec: components["schemas"]["AgentSpec"];
            tools: components["schemas"]["AgentNamedTool"][];
        };
        AgentBundleOf: {
            bundle: components["schemas"]["AgentBundle"];
            bundle_sha256?: string;
            /** Format: int64 */
            revision: number;
            revision_id: string;
            /** @enum {string} */
            state: "draft" | "ready" | "live" | "archived";
            warnings: string[];
        };
        AgentBundleProblem: {
            /** @description What clients may switch on */
            code: string;
            /** @description A full sentence that says what to do */
            detail: string;
            /**
             * @description What clients may switch on
             * @enum {string}
             */
            error?: "tool_compile_failed";
            /** @description What is wrong with the input, all of it */
            issues?: components["schemas"]["ProblemIssue"][];
            /** @description The access rules that the caller lacks */
            missingRules?: string[];
            /**
             * Format: int64
             * @description When the same call can succeed
             */
            retryAfterSeconds?: number;
            /** Format: int64 */
            status: number;
            title: string;
            tools?: components["schemas"]["AgentToolErrors"][];
            type: string;
        };
        AgentCallError: {
            code: string;
            /**
             * Format: int64
             * @description In the author's source.
             */
            line?: number;
            message: string;
        };
        AgentCallInput: {
            /** @description An object that fits the tool's args_schema. */
            args: unknown;
        };
        AgentCalled: {
            /** @description The tool did not run: it runs only for a person who has signed in. */
            auth_required?: components["schemas"]["AgentAuthRequired"];
            /** Format: double */
            duration_ms: number;
            error?: components["schemas"]["AgentCallError"];
            logs?: components["schemas"]["ScriptToolLog"][];
            ok: boolean;
            result?: unknown;
            /**
             * Format: int64
             * @description The number of the revision that ran.
             */
            revision: number;
            tool_id: string;
        };
        AgentCloneInput: {
            /** Format: uuid */
            source_revision_id: string;
        };
        AgentDiff: {
            files: components["schemas"]["AgentFileDiff"][];
            from?: components["schemas"]["AgentSide"];
            to: components["schemas"]["AgentSide"];
        };
        AgentDraftProblem: {
            /** @description What clients may switch on */
            code: string;
            /** @description A full sentence that says what to do */
            detail: string;
            /**
             * @description What clients may switch on
             * @enum {string}
             */
            error?: "revision_not_draft";
            /** @description What is wrong with the input, all of it */
            issues?: components["schemas"]["ProblemIssue"][];
            /** @description The access rules that the caller lacks */
            missingRules?: string[];
            /**
             * Format: int64
             * @description When the same call can succeed
             */
            retryAfterSeconds?: number;
            /**
             * @description Of the revision
             * @enum {string}
             */
            state?: "draft" | "ready" | "live" | "archived";
            /** Format: int64 */
            status: number;
            title: string;
            type: string;
        };
        AgentDryRun: {
            /**
             * Format: double
             * @description How long the tool ran
             */
            duration_ms: number;
            error?: components["schemas"]["ScriptToolError"];
            limits_hit: ("timeout" | "memory" | "output" | "result" | "host_calls")[];
            /** @description What the tool wrote with ctx.log and console, in order; at most 500 lines */
            logs: components["schemas"]["ScriptToolLog"][];
            ok: boolean;
            result?: unknown;
            tool_id: string;
            /** @description What a real call would do differently. */
            warnings: string[];
            would_ask: components["schemas"]["AgentWouldAsk"];
        };
        AgentDryRunInput: {
            /** @description The action to call, default when absent. */
            action?: string;
            /** @description What the tool is called with: a JSON object that fits args_schema. */
            args: unknown;
            /** @description A JSON schema in place of the one that is saved; for editors. */
            args_schema?: unknown;
            /** @description What ctx.secrets.ref answers, by the name of a secret of the spec, at least 4 characters each. The others are placeholders. Stars stand in their place in what comes back. */
            mock_secrets?: {
                [key: string]: string;
            };
            /** @description TypeScript in place of what is saved; for editors. */
            source?: string;
        };
        AgentExample: {
            /** @description A JSON object. */
            args: unknown;
            /** @description Absent when it has to go well, whatever it answers. */
            expect?: components["schemas"]["AgentExpectation"];
            /** @description What ctx.secrets.ref answers, by name. They are stored as they are typed, for everybody who sees the source; what has the form of a real credential is refused. */
            mock_secrets?: {
                [key: string]: string;
            };
            /** @description 1 to 120 characters. */
            name: string;
        };
        AgentExampleRun: {
            /** @description What the tool answered; absent when the example does not fit the tool. */
            answer?: components["schemas"]["ScriptToolAnswer"];
            name: string;
            /** @description Whether it went as it is expected to. */
            ok: boolean;
            /** @description Why it did not. */
            why?: string;
        };
        AgentExampleRuns: {
            /** @description Whether each went as it is expected to. */
            ok: boolean;
            runs: components["schemas"]["AgentExampleRun"][];
            tool_id: string;
        };
        AgentExamples: {
            examples: components["schemas"]["AgentExample"][];
        };
        AgentExpectation: {
            /** @description With which code it has to fail; any when absent. */
            error_code?: string;
            ok: boolean;
            /** @description What it has to answer; anything when absent. */
            result?: unknown;
        };
        AgentFile: {
            path: string;
            sha256: string;
            /**
             * Format: int64
             * @description In bytes.
             */
            size: number;
        };
        AgentFileDiff: {
            after?: string;
            before?: string;
            /** @description It follows from other files. */
            generated: boolean;
            path: string;
            /** @enum {string} */
            status: "added" | "removed" | "changed";
            /** @description It is too large to be shown. */
            truncated: boolean;
        };
        AgentFinding: {
            code: string;
            message: string;
            pointer: string;
        };
        AgentFreezeConflict: {
            /** @description What clients may switch on */
            code: string;
            /** @description A full sentence that says what to do */
            detail: string;
            /**
             * @description What clients may switch on. freeze_unfinished: it took too long, and the next freeze goes on from there
             * @enum {string}
             */
            error?: "freeze_unfinished";
            /** @description What is wrong with the input, all of it */
            issues?: components["schemas"]["ProblemIssue"][];
            /** @description The access rules that the caller lacks */
            missingRules?: string[];
            /** @description How far it came */
            progress?: components["schemas"]["AgentProgress"];
            /**
             * Format: int64
             * @description When the same call can succeed
             */
            retryAfterSeconds?: number;
            /** Format: int64 */
            status: number;
            title: string;
            type: string;
        };
        AgentFreezeProblem: {
            /** @description What clients may switch on */
            code: string;
            /** @description A full sentence that says what to do */
            detail: string;
            /**
             * @description What clients may switch on
             * @enum {string}
             */
            error?: "validation_failed";
            /** @description What is wrong with the input, all of it */
            issues?: components["schemas"]["ProblemIssue"][];
            /** @description The access rules that the caller lacks */
            missingRules?: string[];
            report?: components["schemas"]["AgentVerdict"];
            /**
             * Format: int64
             * @description When the same call can succeed
             */
            retryAfterSeconds?: number;
            /** Format: int64 */
            status: number;
            title: string;
            type: string;
        };
        AgentFrozen: {
            bundle_sha256: string;
            idempotent: boolean;
            ok: boolean;
            /** @enum {string} */
            state: "ready" | "live" | "archived";
            warnings: components["schemas"]["AgentFinding"][];
        };
        AgentLeftOut: {
            /** @description What is the matter and what to do about it. */
            message: string;
            /**
             * @description schema_refused: its schema is nothing that calls could be checked by. name_taken: a tool of the product has its name. too_many: you can use more live tools than are offered to one person. secret_missing: it is offered, and a secret that it refers to is gone.
             * @enum {string}
             */
            reason: "schema_refused" | "name_taken" | "too_many" | "secret_missing";
            /** @description Its id. */
            tool: string;
        };
        AgentLiveRevision: {
            id: string;
            /** Format: int64 */
            number: number;
        };
        AgentManifest: {
            /** @description Of a draft what it would be if it were sealed as it is. */
            bundle_sha256: string;
            files: components["schemas"]["AgentFile"][];
            /** Format: int64 */
            revision: number;
            revision_id: string;
            /** @enum {string} */
            state: "draft" | "ready" | "live" | "archived";
        };
        AgentNamedTool: {
            /** @description A JSON schema of the arguments, an object; {} takes anything. */
            args_schema: unknown;
            description: string;
            /**
             * @description mutate when absent: each call needs a decision.
             * @enum {string}
             */
            effect?: "read" | "mutate";
            id: string;
            /** @description TypeScript, at most 500,000 characters. Its errors are answered with a code and a place. */
            source: string;
        };
        AgentNewAgent: {
            /** @description At most 2,000 characters. */
            description?: string;
            /** @description 1 to 120 characters. */
            name: string;
            /** @description True when absent: only who has a grant sees it, which at first is who made it. */
            private?: boolean;
            /** @description Small letters, digits, hyphens and underscores; unique. It cannot be changed. */
            slug: string;
        };
        AgentNewRevision: {
            /** @description The revision whose bundle it begins with; an empty bundle when absent. */
            cloneFrom?: string | null;
        };
        AgentProgress: {
            /**
             * Format: int64
             * @description How many examples its tools have.
             */
            examples: number;
            /**
             * Format: int64
             * @description How many of them were run.
             */
            examples_done: number;
            /**
             * Format: int64
             * @description How many tools the revision has.
             */
            tools: number;
            /**
             * Format: int64
             * @description How many of them were compiled and loaded.
             */
            tools_done: number;
        };
        AgentRevision: {
            agentId: string;
            /** @description Of everything in the bundle; absent while it is a draft. */
            bundleSha256?: string;
            /** @description The revision that its bundle was copied from. */
            clonedFrom?: string;
            /** Format: date-time */
            createdAt: string;
            createdBy: components["schemas"]["AgentAuthor"];
            /** Format: date-time */
            frozenAt?: string;
            id: string;
            /** @description Tools of a live revision that are not offered to you, and why. Absent when there are none, and in lists. */
            leftOut?: components["schemas"]["AgentLeftOut"][];
            /**
             * Format: int64
             * @description Counts from 1 in its agent.
             */
            number: number;
            /**
             * Format: date-time
             * @description When it went live last.
             */
            promotedAt?: string;
            /** Format: int64 */
            revision: number;
            /** @enum {string} */
            state: "draft" | "ready" | "live" | "archived";
            /** Format: int64 */
            toolCount: number;
            /** Format: date-time */
            updatedAt: string;
        };
        AgentRevisionList: {
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
            revisions: components["schemas"]["AgentRevision"][];
        };
        AgentSide: {
            id: string;
            /** Format: int64 */
            number: number;
            /** @enum {string} */
            state: "draft" | "ready" | "live" | "archived";
        };
        AgentSkill: {
            content: string;
            description: string;
            id: string;
        };
        AgentSkillInput: {
            content: string;
            description: string;
        };
        AgentSpec: {
            limits?: components["schemas"]["AgentSpecLimits"];
            /** @description Secrets of the vault that its tools may refer to. */
            secrets?: components["schemas"]["AgentSpecSecret"][];
            /** @description By the id of a tool. */
            tools?: {
                [key: string]: components["schemas"]["AgentToolSpec"];
            };
        };
        AgentSpecInput: {
            spec: components["schemas"]["AgentSpec"];
        };
        AgentSpecLimits: {
            /**
             * Format: int64
             * @description The longest that a call may take.
             */
            timeout_ms?: number;
        };
        AgentSpecSecret: {
            /** @description api.example.com or *.example.com for all names below it, each with an optional port: https and port 443 without one. http:// before it allows plain http, on port 80 or the one that is named. */
            allowed_hosts: string[];
            /** @description A secret of the vault. */
            name: string;
        };
        AgentTool: {
            /** @description A JSON schema. */
            args_schema: unknown;
            capabilities: components["schemas"]["TypescriptCapabilities"];
            /** @description What made its compiled form. */
            compiler: string;
            description: string;
            /** @enum {string} */
            effect: "read" | "mutate";
            examples: components["schemas"]["AgentExample"][];
            id: string;
            source: string;
            source_sha256: string;
            /** @description What the compiler had to say when it was written. */
            warnings: components["schemas"]["TypescriptToolDiagnostic"][];
        };
        AgentToolChecked: {
            capabilities: components["schemas"]["TypescriptCapabilities"];
            /** @description Whether its types were checked. */
            checked: boolean;
            diagnostics: components["schemas"]["TypescriptToolDiagnostic"][];
            ok: boolean;
            tool_id: string;
        };
        AgentToolErrors: {
            errors: components["schemas"]["TypescriptToolDiagnostic"][];
            tool_id: string;
        };
        AgentToolInput: {
            /** @description A JSON schema of the arguments, an object; {} takes anything. */
            args_schema: unknown;
            description: string;
            /**
             * @description mutate when absent: each call needs a decision.
             * @enum {string}
             */
            effect?: "read" | "mutate";
            /** @description TypeScript, at most 500,000 characters. Its errors are answered with a code and a place. */
            source: string;
        };
        AgentToolProblem: {
            /** @description What clients may switch on */
            code: string;
            /** @description A full sentence that says what to do */
            detail: string;
            /**
             * @description What clients may switch on
             * @enum {string}
             */
            error?: "tool_compile_failed";
            errors?: components["schemas"]["TypescriptToolDiagnostic"][];
            /** @description What is wrong with the input, all of it */
            issues?: components["schemas"]["ProblemIssue"][];
            /** @description The access rules that the caller lacks */
            missingRules?: string[];
            /**
             * Format: int64
             * @description When the same call can succeed
             */
            retryAfterSeconds?: number;
            /** Format: int64 */
            status: number;
            title: string;
            tool_id?: string;
            type: string;
        };
        AgentToolRemoved: {
            ok: boolean;
            tool_id: string;
        };
        AgentToolSpec: {
            /** @description It may refer to secrets in ways that cannot be listed; it then gets all secrets of the spec. */
            allow_dynamic_secret_refs?: boolean;
            /** @description It may have the effect read although it can reach secrets. */
            read_with_secrets?: boolean;
            /** @description Each call needs a decision, whatever its effect. */
            requires_approval?: boolean;
            /**
             * @description Only people may call it, not applications.
             * @enum {string}
             */
            requires_identity?: "countersign";
        };
        AgentToolWritten: {
            capabilities: components["schemas"]["TypescriptCapabilities"];
            /** @description Whether this call changed anything. */
            changed: boolean;
            ok: boolean;
            tool_id: string;
            warnings: components["schemas"]["TypescriptToolDiagnostic"][];
        };
        AgentUse: {
            /** @description Of the arguments, which are not kept. */
            argsSha256: string;
            /** Format: date-time */
            at: string;
            by: components["schemas"]["AgentAuthor"];
            /** Format: double */
            durationMs: number;
            errorCode?: string;
            id: string;
            /** @description An assistant called it on behalf of the person. */
            inChat: boolean;
            ok: boolean;
            /**
             * Format: int64
             * @description The number of the revision that ran.
             */
            revision: number;
            tool: string;
        };
        AgentUseList: {
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
            uses: components["schemas"]["AgentUse"][];
        };
        AgentVerdict: {
            errors: components["schemas"]["AgentFinding"][];
            ok: boolean;
            revision_id: string;
            /** @enum {string} */
            revision_state: "draft" | "ready" | "live" | "archived";
            warnings: components["schemas"]["AgentFinding"][];
        };
        AgentWouldAsk: {
            /** @description The call would need a decision. */
            approval: boolean;
            /**
             * @description Who would have to call: countersign is a person who is signed in. Absent when it may be anybody.
             * @enum {string}
             */
            identity?: "countersign";
        };
        AgentWritten: {
            /** @description Whether this call changed anything. */
            changed: boolean;
            ok: boolean;
        };
        ApiAcceptance: {
            /**
             * Format: int64
             * @description The highest seq of what you have seen. What has come since still counts.
             */
            through: number;
        };
        ApiApplied: {
            proposalId: string;
            result?: unknown;
            /**
             * @description applied, or applying when it takes longer than the request
             * @enum {string}
             */
            status: "applied" | "applying";
            toolCallId: string;
        };
        ApiArchived: {
            /** @description False when it was archived before */
            archived: boolean;
        };
        ApiChatCompletion: {
            choices: components["schemas"]["ApiCompletionChoice"][];
            /** Format: int64 */
            created: number;
            id: string;
            model: string;
            /** @enum {string} */
            object: "chat.completion" | "chat.completion.chunk";
            /** @description The tokens of all model calls of the turn */
            usage?: components["schemas"]["ApiCompletionUsage"];
        };
        ApiChatDecision: {
            /** @enum {string} */
            kind: "apply" | "decline";
            /**
             * Format: uuid
             * @description The decided plan, instead of a proposal
             */
            planId?: string;
            /**
             * Format: uuid
             * @description The decided proposal
             */
            proposalId?: string;
            /** @description The proposal's token, instead of proposalId */
            token?: string;
        };
        ApiChatRequest: {
            /**
             * Format: uuid
             * @description The conversation's, or the default one, when absent
             */
            connectionId?: string;
            /**
             * Format: uuid
             * @description One of POST /api/ai/conversations
             */
            conversationId: string;
            /** @description Instead of a message */
            decision?: components["schemas"]["ApiChatDecision"];
            /** @description The message as text; a UIMessage is accepted too */
            message?: string;
            /** @description Made by the client; it makes a repeated request the same turn */
            messageId?: string;
            /** @description One that the connection allows */
            model?: string;
            /** @description The skill to work with, see GET /api/ai/skills; or agent/ and the slug of an agent, whose tools alone there are then */
            skillId?: string;
            /** @description IANA name, such as Europe/Berlin */
            timeZone?: string;
        };
        ApiClientChat: {
            /** Format: uuid */
            connectionId?: string;
            /** @description What the client calls the chat: a name for one of your conversations, which the first message makes. The id of a conversation names that */
            id: string;
            message?: components["schemas"]["ApiClientMessage"];
            /** @description The message that was edited, or the answer that is not wanted */
            messageId?: string;
            /** @description UIMessages, of which the last one is answered; or message, which is that one. Those before it are told to the assistant as data, in a chat that it does not know */
            messages: components["schemas"]["ApiClientMessage"][] | null;
            model?: string;
            skillId?: string;
            timeZone?: string;
            /**
             * @description regenerate-message asks for another answer to the last message
             * @enum {string}
             */
            trigger?: "submit-message" | "regenerate-message";
        } & {
            [key: string]: unknown;
        };
        ApiClientMessage: {
            id: string;
            parts: components["schemas"]["ApiClientPart"][];
            /** @enum {string} */
            role: "system" | "user" | "assistant";
        } & {
            [key: string]: unknown;
        };
        ApiClientPart: {
            approval?: components["schemas"]["StreamApproval"];
            state?: string;
            text?: string;
            toolCallId?: string;
            type: string;
        } & {
            [key: string]: unknown;
        };
        ApiCompletionAnswer: {
            content: string;
            refusal: string | null;
            /** @enum {string} */
            role: "assistant";
        };
        ApiCompletionChoice: {
            delta?: components["schemas"]["ApiCompletionDelta"];
            /** @enum {string|null} */
            finish_reason: "stop" | "length" | "content_filter" | null;
            /** Format: int64 */
            index: number;
            /** @description Always null */
            logprobs: string | null;
            message?: components["schemas"]["ApiCompletionAnswer"];
        };
        ApiCompletionDelta: {
            content?: string;
            role?: string;
        };
        ApiCompletionError: {
            error: components["schemas"]["ApiCompletionFault"];
        };
        ApiCompletionFault: {
            /** @description As in problem documents */
            code: string;
            /** @description A full sentence that says what to do */
            message: string;
            param: string | null;
            type: string;
        };
        ApiCompletionMessage: {
            /** @description A text, or a list of parts of type text */
            content: unknown;
            /** @enum {string} */
            role: "system" | "developer" | "user" | "assistant" | "tool" | "function";
        } & {
            [key: string]: unknown;
        };
        ApiCompletionModel: {
            /**
             * Format: int64
             * @description In seconds since 1970; 0 for what comes with the product
             */
            created: number;
            /** @description What a request names as its model */
            id: string;
            /** @enum {string} */
            object: "model";
            owned_by: string;
        };
        ApiCompletionModels: {
            data: components["schemas"]["ApiCompletionModel"][];
            /** @enum {string} */
            object: "list";
        };
        ApiCompletionRequest: {
            /** @description Of which the last one, of the user, is what is asked. The others tell the conversation; those that it does not hold are shown to the model as data */
            messages: components["schemas"]["ApiCompletionMessage"][] | null;
            /** @description One of GET /v1/models */
            model: string;
            stream?: boolean;
            stream_options?: components["schemas"]["ApiStreamOptions"];
        } & {
            [key: string]: unknown;
        };
        ApiCompletionUsage: {
            /** Format: int64 */
            completion_tokens: number;
            /** Format: int64 */
            prompt_tokens: number;
            prompt_tokens_details: components["schemas"]["CompletionUsagePromptTokensDetailsStruct"];
            /** Format: int64 */
            total_tokens: number;
        };
        ApiConsumerList: {
            consumers: components["schemas"]["ApiEventConsumer"][];
        };
        ApiConversationSettings: {
            /** @description One of GET /api/ai/integrations; the default one when absent */
            connectionId?: string;
            /** @description A model the connection does not allow becomes its default */
            model?: string;
            /** @enum {string} */
            permissionMode?: "approve" | "auto";
            /** @description One line */
            title?: string;
        };
        ApiDeadLetter: {
            /** Format: int32 */
            attempts: number;
            consumer: string;
            /** @description The error of the last attempt. */
            error: string;
            /** Format: int64 */
            eventId: number;
            /** Format: date-time */
            parkedAt: string;
            /** @description What it is about, such as system:0199aa00-… */
            subject: string;
            type: string;
            /** @description The type in words. */
            typeName: string;
        };
        ApiDeadLetterList: {
            events: components["schemas"]["ApiDeadLetter"][];
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
        };
        ApiErasureList: {
            erasures: components["schemas"]["ConversationErasure"][];
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
        };
        ApiEventConsumer: {
            /** @description No process has said for half an hour that it runs it. */
            absent: boolean;
            /**
             * Format: int64
             * @description Events that it has not come to, up to 1,000 in each of its 16 lanes.
             */
            depth: number;
            /**
             * Format: int64
             * @description Workflows that it asked for and whose start is not confirmed.
             */
            dispatches: number;
            /**
             * Format: int64
             * @description Age of the oldest event that it has not handled, dead letters aside.
             */
            lagMs: number;
            /**
             * Format: date-time
             * @description When it last handled or passed by an event.
             */
            movedAt: string;
            name: string;
            /** @description It has not come to events that are older than 30 days, which are kept for it. */
            overdue: boolean;
            /**
             * Format: int64
             * @description Dead letters: events that it gave up after ten attempts.
             */
            parked: number;
            /**
             * Format: date-time
             * @description When a process last said that it runs it, every ten minutes.
             */
            runAt: string;
            /**
             * Format: int64
             * @description Events that it retries, and later ones about the same subjects.
             */
            waiting: number;
        };
        ApiGoverned: {
            /**
             * @description off: nobody can do it. secondPerson: it becomes a proposal for another person. maybeSecondPerson: that depends on the request
             * @enum {string}
             */
            asks: "off" | "secondPerson" | "maybeSecondPerson";
            /** @description Method and path as in this document */
            operation: string;
            /** @description Of an operation that many tools share, such as the call of custom tools, one of those about which a policy says something; agent.name stands for all tools of an agent */
            tool: string;
        };
        ApiHeldContent: {
            /** @description Content from outside that the conversation holds and you have not accepted, the latest first. While there is some, auto mode asks about every change. */
            outside: components["schemas"]["DispositionTaint"][];
        };
        ApiMessageData: {
            applied: components["schemas"]["ProposalCard"];
            error: components["schemas"]["TurnFailure"];
            notice: components["schemas"]["TurnNotice"];
            proposal: components["schemas"]["ProposalCard"];
            question: components["schemas"]["QuestionQuestion"];
        };
        ApiNewConversation: {
            /** @description One of GET /api/ai/integrations; the default one when absent */
            connectionId?: string;
            /** @description A model the connection does not allow becomes its default */
            model?: string;
            /** @enum {string} */
            permissionMode?: "approve" | "auto";
            /** @description Use your untitled conversation without messages again, if there is one, with these settings */
            reuseDraft?: boolean;
            /** @description One line */
            title?: string;
        };
        ApiPeopleList: {
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
            people: components["schemas"]["ConversationOwner"][];
        };
        ApiProblemDocument: {
            /** @description What clients may switch on */
            code: string;
            /** @description A full sentence that says what to do */
            detail: string;
            /** @description What a proposal would change as things are now */
            diff?: components["schemas"]["ToolChange"][];
            /** @description What is wrong with the input, all of it */
            issues?: components["schemas"]["ProblemIssue"][];
            /** @description The access rules that the caller lacks */
            missingRules?: string[];
            /** @description The plan that was decided instead */
            planId?: string;
            /** @description Where it stands */
            planStatus?: string;
            /** @description The proposal whose apply was refused */
            proposalId?: string;
            /** @description Where it stands */
            proposalStatus?: string;
            /**
             * Format: int64
             * @description When the same call can succeed
             */
            retryAfterSeconds?: number;
            /** Format: int64 */
            status: number;
            title: string;
            type: string;
        };
        ApiProposedWrite: {
            /** @description What happens next, for people */
            detail: string;
            /** Format: date-time */
            expiresAt: string;
            /** @description The proposal in the web app */
            link: string;
            proposalId: string;
            /** @enum {string} */
            status: "proposed";
            summary: string;
            /** @description Another person than the caller has to apply it */
            twoPerson: boolean;
        };
        ApiReleased: {
            /**
             * Format: int64
             * @description How many parts of the conversation the next message sends again; 0 when none were left out
             */
            parts: number;
        };
        ApiResponseError: {
            code: string;
            message: string;
        };
        ApiResponseItem: {
            content: components["schemas"]["ApiResponsePart"][];
            id: string;
            /** @enum {string} */
            role: "assistant";
            /** @enum {string} */
            status: "in_progress" | "completed" | "incomplete";
            /** @enum {string} */
            type: "message";
        };
        ApiResponseObject: {
            background: boolean;
            /** Format: int64 */
            completed_at: number | null;
            /** Format: int64 */
            created_at: number;
            error?: components["schemas"]["ApiResponseError"];
            id: string;
            incomplete_details?: components["schemas"]["ApiResponseShortfall"];
            instructions: string | null;
            metadata: {
                [key: string]: string;
            };
            model: string;
            /** @enum {string} */
            object: "response";
            output: components["schemas"]["ApiResponseItem"][];
            parallel_tool_calls: boolean;
            previous_response_id: string | null;
            /** @enum {string} */
            status: "in_progress" | "completed" | "incomplete" | "failed" | "cancelled";
            /** @description Always false */
            store: boolean;
            /** Format: double */
            temperature: number | null;
            text: components["schemas"]["ApiResponseText"];
            tool_choice: string;
            tools: components["schemas"]["Item"][];
            /** Format: double */
            top_p: number | null;
            truncation: string;
            usage?: components["schemas"]["ApiResponseUsage"];
        };
        ApiResponsePart: {
            annotations: components["schemas"]["Item"][];
            logprobs: components["schemas"]["Item"][];
            text: string;
            /** @enum {string} */
            type: "output_text";
        };
        ApiResponseRequest: {
            /** @description The message of the user, or a list of items of which the last one is that. The others tell the conversation; those that it does not hold are shown to the model as data */
            input: unknown;
            /** @description Shown to the model as data with the first message of a conversation */
            instructions?: string;
            /** @description One of GET /v1/models */
            model: string;
            /** @description A response of the same client, whose conversation continues after it */
            previous_response_id?: string;
            /** @description Read by nobody: responses cannot be looked up again; what was said stays in the conversation */
            store?: boolean;
            stream?: boolean;
        } & {
            [key: string]: unknown;
        };
        ApiResponseShortfall: {
            /** @enum {string} */
            reason: "max_output_tokens" | "content_filter";
        };
        ApiResponseText: {
            format: components["schemas"]["ResponseTextFormatStruct"];
        };
        ApiResponseUsage: {
            /** Format: int64 */
            input_tokens: number;
            input_tokens_details: components["schemas"]["ResponseUsageInputTokensDetailsStruct"];
            /** Format: int64 */
            output_tokens: number;
            output_tokens_details: components["schemas"]["ResponseUsageOutputTokensDetailsStruct"];
            /** Format: int64 */
            total_tokens: number;
        };
        ApiRestored: {
            /** @description False when it was not archived */
            restored: boolean;
        };
        ApiRunInput: {
            /** @description Of which the last one, of the user, is answered. Those before it are told to the assistant as data, in a thread that it does not know */
            messages: components["schemas"]["ApiRunMessage"][] | null;
            runId: string;
            /** @description What the page calls the chat, as id in POST /api/ai/chat */
            threadId: string;
        } & {
            [key: string]: unknown;
        };
        ApiRunMessage: {
            /** @description A text, or a list of parts of type text */
            content?: unknown;
            id: string;
            role: string;
        } & {
            [key: string]: unknown;
        };
        ApiSettingsBody: {
            limits: components["schemas"]["SettingsBodyLimitsStruct"];
            temporalNamespace: string;
            /** @description Where operators watch turns; empty when unknown */
            temporalUiUrl: string;
            version: string;
        };
        ApiStopping: {
            stopping: boolean;
            /** Format: uuid */
            turnId?: string;
        };
        ApiStoredMessage: {
            id: string;
            metadata: components["schemas"]["TurnMessageMetadata"];
            parts: components["schemas"]["StreamPart"][];
            /** @enum {string} */
            role: "user" | "assistant";
        };
        ApiStreamOptions: {
            include_usage?: boolean;
        } & {
            [key: string]: unknown;
        };
        ApiTemporalPayload: {
            data?: string;
            metadata?: {
                [key: string]: string;
            };
        };
        ApiToolDescriptor: {
            description: string;
            /** @enum {string} */
            effect: "read" | "mutate" | "destructive";
            inputSchema: unknown;
            name: string;
            outputSchema: unknown;
            requiredAccessRules: string[];
        };
        ApiTranscript: {
            /** @description The turn that runs now */
            activeTurnId: string | null;
            /** Format: date-time */
            archivedAt?: string;
            /** @description What the client that started it calls it: the id of an AI SDK chat */
            clientId?: string;
            connectionId: string | null;
            /** Format: date-time */
            createdAt: string;
            id: string;
            /** @description In order, in the shape of the AI SDK's UIMessage; the answer that is running is not among them */
            messages: components["schemas"]["ApiStoredMessage"][];
            model: string | null;
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
            /** @description Content from outside that the conversation holds and you have not accepted, the latest first. While there is some, auto mode asks about every change. */
            outside: components["schemas"]["DispositionTaint"][];
            /** @enum {string} */
            permissionMode: "approve" | "auto";
            /** @description Null until it is named */
            title: string | null;
            /** Format: date-time */
            updatedAt: string;
        };
        ApplicationListBody: {
            applications: components["schemas"]["AuthApplication"][];
        };
        ApplicationTokenBody: {
            application: components["schemas"]["AuthApplication"];
            /** @description Shown this once; only its hash is stored */
            token: string;
        };
        "Apply-planRequest": {
            /** @description Why you agree. Kept with each proposal, for everyone who can see it. */
            reason?: string;
            /** @description The tokens that you saw */
            tokens: string[] | null;
        };
        "Apply-proposalRequest": {
            /** @description Why you agree. Kept with the proposal, for everyone who can see it. */
            reason?: string;
            token: string;
        };
        AskingBody: {
            /** @description The parameter request of the page to which the program has led */
            request: string;
        };
        AuditActor: {
            id: string;
            /** @enum {string} */
            kind: "user" | "application" | "service";
            name: string;
            /** @description The program that acted: one that a person has connected or made a token for, or the application itself */
            program?: components["schemas"]["AuditProgram"];
        };
        AuditCall: {
            /** @description Who decided that a proposal is applied */
            appliedBy?: components["schemas"]["AuditActor"];
            /** @description SHA-256 of the canonical JSON of the arguments, in hex */
            argsHash: string;
            /** Format: int32 */
            call?: number;
            /** Format: date-time */
            createdAt: string;
            /** @enum {string} */
            effect: "read" | "mutate" | "destructive";
            errorCode?: string;
            /** Format: date-time */
            finishedAt?: string;
            id: string;
            /** @description Calls that were refused after this one for the same reason, and have no row of their own */
            more?: components["schemas"]["AuditRepeats"];
            principal: components["schemas"]["AuditActor"];
            /** @enum {string} */
            status: "running" | "executed" | "failed" | "refused" | "proposed" | "applying" | "applied" | "declined" | "expired" | "skipped";
            /** Format: int32 */
            step?: number;
            toolName: string;
            /** @enum {string} */
            transport: "chat" | "mcp" | "automation" | "api";
            turnId?: string;
        };
        AuditChange: {
            /** Format: date-time */
            at: string;
            /** @description The call's id at that time; a released call gets another */
            callId: string;
            /** Format: int64 */
            entry: number;
            errorCode?: string;
            hash?: string;
            /** Format: int64 */
            seq?: number;
            /** @enum {string} */
            status: "running" | "executed" | "failed" | "refused" | "proposed" | "applying" | "applied" | "declined" | "expired" | "skipped";
        };
        AuditChangeEntry: {
            /** @enum {string} */
            action: "created" | "changed" | "deleted" | "added" | "removed" | "granted" | "withdrawn" | "archived" | "restored" | "erased" | "ran" | "signed-in" | "sign-in-failed" | "signed-out" | "token-refused" | "name-refused" | "decided" | "refused";
            actor: components["schemas"]["AuditActor"];
            /** @description The network address of a sign-in */
            address?: string;
            /** @description Who decided, when it was proposed before */
            appliedBy?: components["schemas"]["AuditActor"];
            /** Format: date-time */
            at: string;
            /**
             * Format: int64
             * @description Its number in the log
             */
            entry: number;
            /** @description What changed; values only of fields whose values are harmless */
            fields: components["schemas"]["AuditField"][];
            object: components["schemas"]["AuditItem"];
            /** @description The operation of the REST API */
            operation?: string;
            /** @description The proposal that this carries out; also the id of its tool call */
            proposalId?: string;
            /**
             * Format: int64
             * @description Its place in the chain; absent in the first second
             */
            seq?: number;
            /** @description The session, the API token or the run */
            sessionId?: string;
            /** @description What the object got or lost: a member, an owner, the holder of a grant */
            subject?: components["schemas"]["AuditItem"];
            summary: string;
            /** @enum {string} */
            transport?: "page" | "api" | "application" | "chat" | "mcp" | "automation" | "system";
            turnId?: string;
        };
        AuditDetail: {
            /** @description Who decided that a proposal is applied */
            appliedBy?: components["schemas"]["AuditActor"];
            /** @description SHA-256 of the canonical JSON of the arguments, in hex */
            argsHash: string;
            /** Format: int32 */
            call?: number;
            conversationId?: string;
            /** Format: date-time */
            createdAt: string;
            /** @enum {string} */
            effect: "read" | "mutate" | "destructive";
            errorCode?: string;
            /** Format: date-time */
            finishedAt?: string;
            history: components["schemas"]["AuditChange"][];
            id: string;
            /** @description Calls that were refused after this one for the same reason, and have no row of their own */
            more?: components["schemas"]["AuditRepeats"];
            principal: components["schemas"]["AuditActor"];
            proposalId?: string;
            /** @enum {string} */
            status: "running" | "executed" | "failed" | "refused" | "proposed" | "applying" | "applied" | "declined" | "expired" | "skipped";
            /** Format: int32 */
            step?: number;
            toolName: string;
            /** @enum {string} */
            transport: "chat" | "mcp" | "automation" | "api";
            turnId?: string;
        };
        AuditField: {
            field: string;
            from?: string;
            to?: string;
        };
        AuditItem: {
            id: string;
            /** @description Its name at that time; empty when it has none, or was that of a person who was erased */
            name: string;
            type: string;
        };
        AuditObjectType: {
            /** @description Such as System */
            label: string;
            /** @description Address of an object in the web app, with {id} for its id */
            page?: string;
            /** @description Such as Systems; the label where there is one object */
            plural: string;
            /** @description Such as catalog.system */
            type: string;
        };
        AuditProgram: {
            /** @description Its id as an OAuth client, that of a chat token, or that of an API application */
            id: string;
            /** @description What it called itself at that time. Nobody has checked it; empty when it is not known any more */
            name: string;
        };
        AuditRepeats: {
            /**
             * Format: int64
             * @description How many more calls were refused
             */
            count: number;
            /**
             * Format: date-time
             * @description When the first of them came
             */
            first: string;
            /**
             * Format: date-time
             * @description When the last of them came
             */
            last: string;
            /** @description They were calls of several tools */
            severalTools?: boolean;
        };
        AuditSealed: {
            /** Format: date-time */
            at: string;
            /** Format: int64 */
            number: number;
            /**
             * Format: int64
             * @description The last entry that it covers
             */
            seq: number;
        };
        AuditStatus: {
            /**
             * Format: int64
             * @description Up to which entry older ones were removed; 0 when all are there
             */
            archivedEntries?: number;
            /**
             * Format: int64
             * @description Where the chain is broken; 0 when something outside of it is wrong
             */
            brokenAt?: number;
            /** @description The newest checkpoint, which such a verification relies on */
            checkpoint?: components["schemas"]["AuditSealed"];
            /**
             * Format: int64
             * @description How many entries have their place in the chain
             */
            entries: number;
            /** @description The end of the chain, seq:hash; keep it elsewhere */
            head?: string;
            problem?: string;
            /**
             * Format: date-time
             * @description When what came after the newest checkpoint was last verified with its calls
             */
            recentVerifiedAt?: string;
            /** Format: date-time */
            verifiedAt?: string;
            /**
             * Format: int64
             * @description How many entries the last verification has covered
             */
            verifiedEntries: number;
            /**
             * Format: double
             * @description How long the oldest entry has waited for its place; 0 when none waits
             */
            waitingSeconds: number;
            /**
             * Format: date-time
             * @description When everything was last verified from the beginning
             */
            wholeVerifiedAt?: string;
        };
        AuditTypeList: {
            types: components["schemas"]["AuditObjectType"][];
        };
        AuthAccess: {
            grants: components["schemas"]["AuthGrant"][];
            /** @description Closed to everybody without a grant, whatever their roles */
            private: boolean;
        };
        AuthApplication: {
            /** Format: date-time */
            createdAt: string;
            disabled: boolean;
            /**
             * Format: date-time
             * @description When the token expires; never when absent
             */
            expiresAt?: string;
            id: string;
            /**
             * Format: date-time
             * @description Renewed at most once a minute
             */
            lastUsedAt?: string;
            name: string;
            /** Format: int64 */
            revision: number;
            roles: components["schemas"]["AuthNamed"][];
            /** Format: date-time */
            updatedAt: string;
        };
        AuthApplicationChange: {
            disabled?: boolean;
            name?: string;
            /** @description Replaces the roles */
            roleIds?: string[];
        };
        AuthChatToken: {
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
            id: string;
            /**
             * Format: date-time
             * @description Renewed at most once a minute; when it was made, if it was never used
             */
            lastUsedAt: string;
            name: string;
        };
        AuthGrant: {
            /**
             * @description owner includes editor, editor includes viewer
             * @enum {string}
             */
            relation: "viewer" | "editor" | "owner";
            subjectId: string;
            readonly subjectName?: string;
            /** @enum {string} */
            subjectType: "user" | "application" | "team";
        };
        AuthLinked: {
            email: string;
            /** Format: date-time */
            expiresAt: string;
            /** @enum {string} */
            kind: "invite" | "reset";
            name: string;
        };
        AuthListedRole: {
            /**
             * Format: int64
             * @description How many applications hold it
             */
            applications: number;
            /** @description A built-in role cannot be renamed or deleted */
            builtin: boolean;
            /** Format: date-time */
            createdAt: string;
            id: string;
            name: string;
            /**
             * Format: int64
             * @description How many users hold it, disabled ones included
             */
            people: number;
            /** Format: int64 */
            revision: number;
            rules: string[];
            /** Format: date-time */
            updatedAt: string;
        };
        AuthMadeLink: {
            /** Format: date-time */
            expiresAt: string;
            /** @enum {string} */
            kind: "invite" | "reset";
            /** @description The page of the web app with the token behind #, which browsers send nowhere. Shown this once; only a hash is stored */
            path: string;
        };
        AuthMadeToken: {
            chatToken: components["schemas"]["AuthChatToken"];
            /** @description Shown this once. Send it as a bearer token */
            token: string;
        };
        AuthMe: {
            email?: string;
            id: string;
            /** @enum {string} */
            kind: "user" | "application";
            /** @description Change the password first: everything else is refused with own_password */
            mustChangePassword: boolean;
            name: string;
            roles: components["schemas"]["AuthNamed"][];
            /** @description Access rules; * stands for all of them */
            rules: string[];
            teams: components["schemas"]["AuthNamed"][];
        };
        AuthMember: {
            email: string;
            id: string;
            name: string;
        };
        AuthNamed: {
            id: string;
            name: string;
        };
        AuthNewApplication: {
            /**
             * Format: date-time
             * @description When the token expires; never when absent
             */
            expiresAt?: string;
            name: string;
            roleIds?: string[] | null;
        };
        AuthNewChatToken: {
            /**
             * Format: date-time
             * @description At most 366 days from now; in 90 days when absent
             */
            expiresAt?: string;
            /** @description What it is for */
            name: string;
        };
        AuthNewRole: {
            name: string;
            rules: string[];
        };
        AuthNewTeam: {
            description?: string;
            name: string;
        };
        AuthNewUser: {
            email: string;
            /** @description They have to change it before anything else */
            mustChangePassword?: boolean;
            name: string;
            /** @description Without one they choose theirs with a password link */
            password?: string;
            roleIds?: string[] | null;
        };
        AuthPasswordLink: {
            /** Format: date-time */
            expiresAt: string;
            /** @enum {string} */
            kind: "invite" | "reset";
        };
        AuthRole: {
            /** @description A built-in role cannot be renamed or deleted */
            builtin: boolean;
            /** Format: date-time */
            createdAt: string;
            id: string;
            name: string;
            /** Format: int64 */
            revision: number;
            rules: string[];
            /** Format: date-time */
            updatedAt: string;
        };
        AuthRoleChange: {
            name?: string;
            /** @description Replaces the rules */
            rules?: string[];
        };
        AuthSession: {
            address: string;
            /** Format: date-time */
            createdAt: string;
            /** @description The session that makes this request */
            current: boolean;
            /** Format: date-time */
            expiresAt: string;
            id: string;
            /**
             * Format: date-time
             * @description Renewed at most once a minute
             */
            lastSeenAt: string;
            userAgent: string;
        };
        AuthSignInProvider: {
            name: string;
        };
        AuthSignInWays: {
            /** @description Absent when people sign in with passwords alone */
            provider?: components["schemas"]["AuthSignInProvider"];
        };
        AuthTeam: {
            /** Format: date-time */
            createdAt: string;
            description: string;
            id: string;
            /** Format: int64 */
            memberCount: number;
            /** @description Only when one team is asked for */
            members?: components["schemas"]["AuthMember"][];
            name: string;
            /** Format: int64 */
            revision: number;
            /** Format: date-time */
            updatedAt: string;
        };
        AuthTeamChange: {
            description?: string;
            name?: string;
        };
        AuthTokenList: {
            tokens: components["schemas"]["AuthChatToken"][];
        };
        AuthTokenReplacement: {
            /**
             * Format: date-time
             * @description When the new token expires; never when absent
             */
            expiresAt?: string;
        };
        AuthUser: {
            /** Format: date-time */
            createdAt: string;
            /** @description A disabled user cannot sign in and has no sessions */
            disabled: boolean;
            email: string;
            id: string;
            /**
             * Format: date-time
             * @description Absent for a user who has never signed in
             */
            lastSignInAt?: string;
            /** @description The person has to change their password before anything else */
            mustChangePassword: boolean;
            name: string;
            /** @description The link by which they can set a password, while it is good */
            passwordLink?: components["schemas"]["AuthPasswordLink"];
            /** Format: int64 */
            revision: number;
            /** @description Every user holds the role "users" */
            roles: components["schemas"]["AuthNamed"][];
            /**
             * @description invited: has no way to sign in yet, and needs a password link
             * @enum {string}
             */
            status: "active" | "invited" | "disabled";
            teams: components["schemas"]["AuthNamed"][];
            /** Format: date-time */
            updatedAt: string;
        };
        AuthUserChange: {
            disabled?: boolean;
            email?: string;
            /** @description They have to change it before anything else */
            mustChangePassword?: boolean;
            name?: string;
            password?: string;
            /** @description Replaces the roles */
            roleIds?: string[];
        };
        BulkBody: {
            ids: string[];
        };
        CallListBody: {
            calls: components["schemas"]["AuditCall"][];
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
        };
        CatalogContact: {
            /** @description A telephone number, or an address that begins with https://. */
            address?: string;
            email?: string;
            id: string;
            label: string;
            /** @enum {string} */
            type: "user" | "mailbox" | "phone" | "chat" | "pager";
            userEmail?: string;
            userId?: string;
            userName?: string;
        };
        CatalogCount: {
            /** @description There are more than that. */
            more?: boolean;
            /**
             * Format: int64
             * @description How many there are, at most 1,000.
             */
            systems: number;
        };
        CatalogEnvironment: {
            /** @enum {string} */
            access: "viewer" | "editor" | "owner";
            /** Format: date-time */
            createdAt: string;
            description: string;
            /** @description A free JSON object of at most 16 KB. */
            fields: {
                [key: string]: unknown;
            };
            id: string;
            name: string;
            /** Format: int64 */
            revision: number;
            systemIds: string[];
            /** Format: date-time */
            updatedAt: string;
        };
        CatalogEnvironmentChange: {
            /** @description At most 2,000 characters. */
            description?: string | null;
            /** @description Replaces all fields; id and name are reserved. */
            fields?: {
                [key: string]: unknown;
            } | null;
            /** @description 1 to 120 characters, unique whatever the case. */
            name?: string;
        };
        CatalogEnvironmentChoice: {
            environmentIds: string[];
        };
        CatalogEnvironmentList: {
            environments: components["schemas"]["CatalogEnvironment"][];
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
        };
        CatalogGroup: {
            /** @enum {string} */
            access: "viewer" | "editor" | "owner";
            /** Format: date-time */
            createdAt: string;
            description: string;
            id: string;
            /** @description A free JSON object of at most 16 KB. */
            metadata: {
                [key: string]: unknown;
            };
            name: string;
            /** Format: int64 */
            revision: number;
            systemIds: string[];
            /** Format: date-time */
            updatedAt: string;
        };
        CatalogGroupChange: {
            /** @description At most 2,000 characters. */
            description?: string | null;
            /** @description Replaces the whole metadata. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description 1 to 120 characters, unique whatever the case. */
            name?: string;
        };
        CatalogGroupList: {
            groups: components["schemas"]["CatalogGroup"][];
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
        };
        CatalogLink: {
            /** Format: date-time */
            createdAt: string;
            id: string;
            label: string;
            url: string;
        };
        CatalogMembership: {
            /** @description Whether this call changed anything. */
            changed: boolean;
        };
        CatalogNewContact: {
            /** @description For type phone a telephone number, for chat an https address, for pager either of them. */
            address?: string;
            /** @description For type mailbox. */
            email?: string;
            /** @description What the contact is for, such as on-call. */
            label?: string;
            /** @enum {string} */
            type: "user" | "mailbox" | "phone" | "chat" | "pager";
            /** @description For type user. */
            userId?: string | null;
        };
        CatalogNewEnvironment: {
            /** @description At most 2,000 characters. */
            description?: string;
            /** @description Free fields; id and name are reserved. */
            fields?: {
                [key: string]: unknown;
            };
            /** @description 1 to 120 characters, unique whatever the case. */
            name: string;
            systemIds?: string[];
        };
        CatalogNewGroup: {
            /** @description At most 2,000 characters. */
            description?: string;
            /** @description A free JSON object of at most 16 KB. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description 1 to 120 characters, unique whatever the case. */
            name: string;
            systemIds?: string[];
        };
        CatalogNewLink: {
            label?: string;
            /** @description http or https, without credentials. */
            url: string;
        };
        CatalogNewSystem: {
            /** @description Whom to ask about it. */
            contacts?: components["schemas"]["CatalogNewContact"][];
            /** @description At most 2,000 characters. */
            description?: string;
            environmentIds?: string[];
            groupIds?: string[];
            links?: components["schemas"]["CatalogNewLink"][];
            /** @description A free JSON object of at most 16 KB. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description 1 to 120 characters, unique whatever the case. */
            name: string;
            ownerTeamId?: string | null;
            /** @description At most 20; kept in lower case, sorted. */
            tags?: string[] | null;
        };
        CatalogOwner: {
            teamId: string;
            teamName: string;
        };
        CatalogOwnerChoice: {
            /** @description null for no owner. */
            teamId: string | null;
        };
        CatalogReference: {
            id: string;
            name: string;
        };
        CatalogSystem: {
            /** @enum {string} */
            access: "viewer" | "editor" | "owner";
            contacts: components["schemas"]["CatalogContact"][];
            /** Format: date-time */
            createdAt: string;
            description: string;
            environments: components["schemas"]["CatalogReference"][];
            groups: components["schemas"]["CatalogReference"][];
            id: string;
            links: components["schemas"]["CatalogLink"][];
            /** @description A free JSON object of at most 16 KB. */
            metadata: {
                [key: string]: unknown;
            };
            name: string;
            owners: components["schemas"]["CatalogOwner"][];
            /** Format: int64 */
            revision: number;
            tags: string[];
            /** Format: date-time */
            updatedAt: string;
        };
        CatalogSystemChange: {
            /** @description At most 2,000 characters. */
            description?: string | null;
            /** @description Replaces the whole metadata. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description 1 to 120 characters, unique whatever the case. */
            name?: string;
            /** @description Replaces all tags; at most 20, kept in lower case, sorted. */
            tags?: string[] | null;
        };
        CatalogSystemList: {
            /** @description How many there are on all pages, when it was asked for. */
            count?: components["schemas"]["CatalogCount"];
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
            /** @description When the search has found nothing: systems whose names are a slip away from it, at most 10. */
            similar?: components["schemas"]["CatalogSystem"][] | null;
            systems: components["schemas"]["CatalogSystem"][];
        };
        CatalogTagList: {
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
            tags: string[];
        };
        ChangeListBody: {
            changes: components["schemas"]["AuditChangeEntry"][];
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
        };
        ChangePasswordInputBody: {
            currentPassword: string;
            newPassword: string;
        };
        CompletionUsagePromptTokensDetailsStruct: {
            /** Format: int64 */
            cached_tokens: number;
        };
        ConnectionChange: {
            /** @description null removes the key */
            apiKey?: string | null;
            /** @description null allows any model */
            availableModels?: string[] | null;
            /** @description An address on another server needs the key again */
            baseUrl?: string;
            /**
             * Format: int64
             * @description null says that it is not known
             */
            contextWindowTokens?: number | null;
            defaultModel?: string;
            disableTopicalClassifier?: boolean;
            enabled?: boolean;
            /** @description Replaces all members; null removes them */
            extraBody?: {
                [key: string]: unknown;
            } | null;
            /** @description Replaces all of them; one without a value keeps the stored value, null removes them */
            extraHeaders?: components["schemas"]["ConnectionExtraHeader"][] | null;
            /**
             * Format: int64
             * @description null leaves it to the model's speed
             */
            firstTokenSeconds?: number | null;
            /** @description true forgets what the provider has taught */
            forgetLessons?: boolean;
            /**
             * Format: int64
             * @description null leaves it at 128
             */
            maxTools?: number | null;
            /** @enum {string} */
            modelFamily?: "generic" | "anthropic" | "openai";
            name?: string;
            /** @description null says that it is not known */
            price?: {
                /**
                 * Format: double
                 * @description Per million tokens of input that the provider had in its cache; the input price when left out
                 */
                cached?: number;
                /**
                 * Format: double
                 * @description Per million tokens of input
                 */
                input: number;
                /**
                 * Format: double
                 * @description Per million tokens of output
                 */
                output: number;
            } | null;
            /**
             * @description null leaves it to the provider
             * @enum {string|null}
             */
            reasoningEffort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | null;
            /**
             * Format: int64
             * @description null leaves it to what the model is like
             */
            smallCallSeconds?: number | null;
            /** @description null removes the cap */
            spendCap?: {
                /** Format: int64 */
                tokenBudget: number;
                /** Format: int64 */
                windowMinutes: number;
            } | null;
            /** @enum {string} */
            streaming?: "auto" | "on" | "off";
            /** @enum {string} */
            textCalls?: "auto" | "on" | "off";
            /** @description null removes the cap */
            unattendedSpendCap?: {
                /** Format: int64 */
                tokenBudget: number;
                /** Format: int64 */
                windowMinutes: number;
            } | null;
        };
        ConnectionConnection: {
            /**
             * Format: int64
             * @description What the server said of the default model's window when the connection was tested; used where none is declared
             */
            askedWindowTokens?: number;
            /** @description Models that may be chosen beside the default; any when empty */
            availableModels: string[];
            /** @description Ends before /chat/completions; empty for the demo model */
            baseUrl: string;
            /** Format: int64 */
            contextWindowTokens?: number;
            /** Format: date-time */
            createdAt: string;
            /** @description The server seems to leave out the beginning of long conversations */
            cut?: components["schemas"]["ConnectionTruncation"];
            defaultModel: string;
            disableTopicalClassifier: boolean;
            enabled: boolean;
            /** @description Members that are added to every chat request; shown to those who manage connections */
            extraBody?: {
                [key: string]: unknown;
            };
            /** @description Headers that are sent with every request to the provider; their values are never shown */
            extraHeaderNames: string[];
            /** @description What calls have shown of the models: their limits and how fast they are */
            figures: components["schemas"]["ConnectionLearnedFigures"][];
            /**
             * Format: int64
             * @description How long to wait for the first word of an answer; left out when the model's speed decides
             */
            firstTokenSeconds?: number;
            /** @description Whether an API key is stored. The key itself is never shown. */
            hasKey: boolean;
            id: string;
            /** @description New chats begin with it: the one that was chosen, else the oldest enabled one that is not the demo model */
            isDefault: boolean;
            /** @enum {string} */
            kind: "openai-compatible" | "demo";
            /** @description How the provider wants to be asked, as its refusals have taught */
            lessons: components["schemas"]["ConnectionLearnedQuirk"][];
            /**
             * Format: int64
             * @description How many tools one request offers at most; 128 when left out. The others are found by a search.
             */
            maxTools?: number;
            /** @enum {string} */
            modelFamily: "generic" | "anthropic" | "openai";
            name: string;
            /** @description What tokens cost, which is shown beside them; left out when nobody has said */
            price?: components["schemas"]["ConnectionPrice"];
            /**
             * @description Left out when the provider decides
             * @enum {string}
             */
            reasoningEffort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh";
            /** Format: int64 */
            revision: number;
            /**
             * Format: int64
             * @description How long a topic check, a title or a summary may take; left out when what the model is like decides
             */
            smallCallSeconds?: number;
            spendCap?: components["schemas"]["ConnectionSpendCap"];
            /**
             * @description auto: as the model takes it, which its refusals teach
             * @enum {string}
             */
            streaming: "auto" | "on" | "off";
            /**
             * @description Whether tool calls that stand in the text of an answer are made; auto: those of a model that writes them there also after a correction
             * @enum {string}
             */
            textCalls: "auto" | "on" | "off";
            /** @description Of applications and automations, counted apart; without it the spend cap counts them too */
            unattendedSpendCap?: components["schemas"]["ConnectionSpendCap"];
            /** @description Less-privileged users and applications that changed the connection since an administrator confirmed it. While it is not empty, auto mode asks about each change in conversations of users with more rights. */
            unconfirmedChangesBy: string[];
            /** Format: date-time */
            updatedAt: string;
        };
        ConnectionExtraHeader: {
            /** @description Authorization, Host, Content- headers and those of the transport cannot be set */
            name: string;
            /** @description Stored encrypted and never shown; a change that leaves it out keeps the stored value */
            value?: string;
        };
        ConnectionFinding: {
            /** @description What to do about it */
            advice?: string;
            /**
             * @description unknown: it could not be found out
             * @enum {string}
             */
            state: "ok" | "not" | "unknown";
            /** @enum {string} */
            subject: "answer" | "streaming" | "whole" | "tools" | "parallel" | "reasoning" | "usage" | "window" | "speed" | "models";
            /** @description What was found */
            text: string;
        };
        ConnectionIntegration: {
            /** @description Models that may be chosen beside the default */
            availableModels: string[];
            connectionId: string;
            defaultModel: string;
            /** @enum {string} */
            kind: "openai-compatible" | "demo";
            name: string;
            /** @description What the caller has used of the connection's spend cap */
            spend?: components["schemas"]["ConnectionSpend"];
        };
        ConnectionLearnedFigures: {
            /**
             * Format: int64
             * @description How many tools one request may offer, from a refusal
             */
            maxTools?: number;
            model: string;
            /**
             * Format: int64
             * @description The number of that period
             */
            period?: number;
            /**
             * Format: double
             * @description How fast it reads in the current period of six hours
             */
            periodPrefillTokensPerSecond?: number;
            /**
             * Format: double
             * @description How fast the server reads a request: the slowest of this period and the one before
             */
            prefillTokensPerSecond?: number;
            /**
             * Format: int64
             * @description The most that one answer has used for thoughts
             */
            reasoningTokens?: number;
            /**
             * Format: int64
             * @description How many requests the server computes at once
             */
            slots?: number;
            /**
             * Format: double
             * @description Tokens that the provider counts for each one that is estimated
             */
            tokensPerEstimate?: number;
            /**
             * Format: int64
             * @description The context window, from a refusal of a longer request
             */
            windowTokens?: number;
        };
        ConnectionLearnedQuirk: {
            /** @description Its name */
            lesson: string;
            model: string;
            /** @description What it means, for a person */
            says: string;
        };
        ConnectionListBody: {
            connections: components["schemas"]["ConnectionConnection"][];
        };
        ConnectionModelsAnswer: {
            /** @description A base URL on the same server at which it has the API, where there is none at the given one, or the given one completed by its scheme */
            correctedUrl?: string;
            /**
             * Format: int64
             * @description How many entries of the list are not shown: those over 2,000, and those without a readable name
             */
            leftOut?: number;
            /** @description What was found */
            message: string;
            /** @description By name, at most 2,000 */
            models: components["schemas"]["ConnectionOfferedModel"][];
            /**
             * @description refused: the key is not accepted; noList: the provider has no list, or none at this address; unreadable: what came is no list of models
             * @enum {string}
             */
            outcome: "listed" | "refused" | "unreachable" | "noList" | "unreadable" | "failed";
        };
        ConnectionModelsQuestion: {
            /** @description Used for this question and not kept */
            apiKey?: string;
            /** @description Ends before /chat/completions */
            baseUrl?: string;
            /**
             * Format: uuid
             * @description A stored connection, whose address and key are used where the request has none
             */
            connectionId?: string;
        };
        ConnectionNewConnection: {
            /** @description Leave it out for a server that needs none */
            apiKey?: string;
            availableModels?: string[] | null;
            /** @description Ends before /chat/completions, such as https://api.openai.com/v1 */
            baseUrl: string;
            /** Format: int64 */
            contextWindowTokens?: number;
            defaultModel: string;
            disableTopicalClassifier?: boolean;
            /** @description True when left out */
            enabled?: boolean;
            /** @description Members that are added to every chat request, such as {"service_tier":"flex"}; those that the product sets itself, such as messages, tools and stream, are refused. At most 8 KB. */
            extraBody?: {
                [key: string]: unknown;
            };
            /** @description Sent with every request, such as those that a gateway wants */
            extraHeaders?: components["schemas"]["ConnectionExtraHeader"][] | null;
            /**
             * Format: int64
             * @description How long to wait for the first word of an answer
             */
            firstTokenSeconds?: number;
            /**
             * Format: int64
             * @description How many tools one request offers at most; 128 when left out
             */
            maxTools?: number;
            /**
             * @default generic
             * @enum {string}
             */
            modelFamily?: "generic" | "anthropic" | "openai";
            name: string;
            price?: components["schemas"]["ConnectionPrice"];
            /**
             * @description Left out: the provider decides
             * @enum {string}
             */
            reasoningEffort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh";
            /**
             * Format: int64
             * @description How long a topic check, a title or a summary may take
             */
            smallCallSeconds?: number;
            spendCap?: components["schemas"]["ConnectionSpendCap"];
            /**
             * @description auto: as the model takes it, which its refusals teach
             * @default auto
             * @enum {string}
             */
            streaming?: "auto" | "on" | "off";
            /**
             * @description Whether tool calls that stand in the text of an answer are made; auto: those of a model that writes them there also after a correction
             * @default auto
             * @enum {string}
             */
            textCalls?: "auto" | "on" | "off";
            unattendedSpendCap?: components["schemas"]["ConnectionSpendCap"];
        };
        ConnectionOfferedModel: {
            id: string;
            /**
             * Format: int64
             * @description The context window, where the list says it
             */
            windowTokens?: number;
        };
        ConnectionPrice: {
            /**
             * Format: double
             * @description Per million tokens of input that the provider had in its cache; the input price when left out
             */
            cached?: number;
            /**
             * Format: double
             * @description Per million tokens of input
             */
            input: number;
            /**
             * Format: double
             * @description Per million tokens of output
             */
            output: number;
        };
        ConnectionPrincipalSpend: {
            /**
             * Format: int64
             * @description The part of the tokens that the provider had in its cache, as far as it says so
             */
            cached?: number;
            /** Format: int64 */
            calls: number;
            /**
             * Format: int64
             * @description Left out when these calls have no cap
             */
            cap?: number;
            connectionId: string;
            principalId: string;
            /** @enum {string} */
            principalKind: "user" | "application" | "service";
            /** @description Left out when the principal is gone */
            principalName?: string;
            /**
             * Format: int64
             * @description The part of the tokens that is an estimate of calls without a known end
             */
            reserved: number;
            /**
             * Format: int64
             * @description Used within the window
             */
            tokens: number;
            /** @description Calls that nobody waited for, shown apart when they have a cap of their own */
            unattended: boolean;
            /**
             * Format: int64
             * @description That of the cap; a day when there is none
             */
            windowMinutes: number;
        };
        ConnectionSpend: {
            /** Format: int64 */
            cap: number;
            /**
             * Format: date-time
             * @description Set once the cap is reached: when there is room again
             */
            freesAt?: string;
            /**
             * Format: int64
             * @description Tokens within the window
             */
            used: number;
        };
        ConnectionSpendCap: {
            /** Format: int64 */
            tokenBudget: number;
            /** Format: int64 */
            windowMinutes: number;
        };
        ConnectionSpendList: {
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
            spend: components["schemas"]["ConnectionPrincipalSpend"][];
        };
        ConnectionTestResult: {
            /** @description A base URL on the same server at which it has the API, where there is none at that of the connection */
            correctedUrl?: string;
            /** @description What the connection can do, one by one */
            findings: components["schemas"]["ConnectionFinding"][];
            /**
             * Format: int64
             * @description How long the model took to answer
             */
            latencyMs: number;
            message: string;
            /** @description The models that the provider lists, if it does */
            models?: string[];
            /** @description The connection can be used. Something optional can be missing all the same. */
            ok: boolean;
        };
        ConnectionTruncation: {
            /** Format: date-time */
            noticedAt: string;
            /**
             * Format: int64
             * @description How many the server has counted
             */
            readTokens: number;
            /**
             * Format: int64
             * @description About how many tokens were sent
             */
            sentTokens: number;
        };
        ConversationContent: {
            /** Format: int64 */
            conversations: number;
            /** Format: int64 */
            messages: number;
            /** @description What other parts of the product keep, such as memories */
            other: {
                [key: string]: number;
            };
            /** Format: int64 */
            proposals: number;
            /** Format: int64 */
            turns: number;
        };
        ConversationConversation: {
            /** @description The turn that runs now */
            activeTurnId: string | null;
            /** Format: date-time */
            archivedAt?: string;
            /** @description What the client that started it calls it: the id of an AI SDK chat */
            clientId?: string;
            connectionId: string | null;
            /** Format: date-time */
            createdAt: string;
            id: string;
            model: string | null;
            /** @enum {string} */
            permissionMode: "approve" | "auto";
            /** @description Null until it is named */
            title: string | null;
            /** Format: date-time */
            updatedAt: string;
        };
        ConversationErasure: {
            deleted: components["schemas"]["ConversationContent"];
            /**
             * Format: date-time
             * @description Null while it runs
             */
            finishedAt: string | null;
            id: string;
            personId: string;
            /** @description Of the account as it is now; empty when it is gone */
            personName: string;
            /** Format: date-time */
            requestedAt: string;
            requestedById: string;
            /** @enum {string} */
            requestedByKind: "user" | "application" | "service";
            /** @description Of the account as it is now; empty when it is gone */
            requestedByName: string;
        };
        ConversationFound: {
            /** @description The words that were looked for instead, when nothing was found for those of the query */
            corrected?: string;
            hits: components["schemas"]["ConversationHit"][];
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
        };
        ConversationHit: {
            conversation: components["schemas"]["ConversationConversation"];
            /** @description The latest of these messages */
            message?: components["schemas"]["ConversationHitMessage"];
            /**
             * Format: int64
             * @description In how many messages all of the words are; 0 when they are in the title
             */
            messages: number;
        };
        ConversationHitMessage: {
            /** Format: date-time */
            createdAt: string;
            id: string;
            /** @enum {string} */
            role: "user" | "assistant";
            /** @description What stands around the first of the words */
            snippet: components["schemas"]["ConversationPiece"][];
        };
        ConversationListBody: {
            conversations: components["schemas"]["ConversationConversation"][];
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
        };
        ConversationOwner: {
            /** Format: int64 */
            conversations: number;
            /** @description Empty when the account is gone, or is that of an application */
            email: string;
            id: string;
            /** @description Empty when the account is gone */
            name: string;
        };
        ConversationPiece: {
            /** @description It is the beginning of a word that was looked for */
            hit?: boolean;
            text: string;
        };
        ConversationRetention: {
            /**
             * Format: int32
             * @description Days after a conversation was archived; null for never
             */
            archivedDays: number | null;
            /**
             * Format: int64
             * @description Conversations deleted so far
             */
            deleted: number;
            /** @description Off until an administrator turns it on */
            enabled: boolean;
            /**
             * Format: int32
             * @description Days after anything last happened in a conversation, archived or not; null for never
             */
            idleDays: number | null;
            /** Format: int64 */
            revision: number;
            /**
             * Format: date-time
             * @description When conversations were last looked through
             */
            sweptAt: string | null;
            /** Format: date-time */
            updatedAt: string;
            /** @description Who has set it last; null until a user has */
            updatedBy: string | null;
        };
        ConversationRetentionSetting: {
            /**
             * Format: int32
             * @description Days after a conversation was archived; null for never
             */
            archivedDays: number | null;
            /** @description Off until an administrator turns it on */
            enabled: boolean;
            /**
             * Format: int32
             * @description Days after anything last happened in a conversation, archived or not; null for never
             */
            idleDays: number | null;
        };
        DeclineInputBody: {
            /** @description Why you decline. Kept with the proposal, for everyone who can see it. */
            reason?: string;
        };
        DispositionTaint: {
            /** Format: date-time */
            at: string;
            /**
             * @description What brought it: the result of a tool, a skill of somebody else, a memory that was written after reading such content, the reason that somebody else gave for a decision; written: somebody with fewer rights wrote it in a record; program: a program has sent it in the name of the person; connection: a less-privileged user or an application has changed the model connection, and no administrator has confirmed it; earlier: the conversation is from before this was kept
             * @enum {string}
             */
            kind: "tool" | "skill" | "memory" | "earlier" | "decision" | "written" | "program" | "connection";
            /** Format: int64 */
            seq: number;
            /** @description An address, an author or a title */
            source?: string;
            tool?: string;
        };
        DocsindexDocument: {
            content: string;
            description?: string;
            headings: components["schemas"]["DocsindexTarget"][] | null;
            slug: string;
            title: string;
            truncated: boolean;
        };
        DocsindexHit: {
            anchor?: string;
            heading?: string;
            link: string;
            /** Format: double */
            score: number;
            slug: string;
            snippet: string;
            title: string;
        };
        DocsindexPageRef: {
            description?: string;
            slug: string;
            title: string;
        };
        DocsindexResults: {
            hits: components["schemas"]["DocsindexHit"][] | null;
            note: string;
            weak: boolean;
        };
        DocsindexSitemap: {
            note: string;
            pages: components["schemas"]["DocsindexPageRef"][] | null;
            sections: string[] | null;
        };
        DocsindexTarget: {
            anchor: string;
            /** Format: int64 */
            level: number;
            text: string;
        };
        EgressResult: {
            bodySample: string;
            bodyTruncated: boolean;
            contentType?: string;
            headers: {
                [key: string]: string;
            };
            location?: string;
            redirected: boolean;
            /** Format: int64 */
            status: number;
            statusText: string;
            url: string;
        };
        EscalationStep: {
            /**
             * Format: int64
             * @description How long after the step before it is taken; the first one after the incident was opened.
             */
            delaySeconds: number;
            /** @description Hours in the zone of the policy in which the step is taken, such as mon-fri 09:00-17:00. A step that is due outside of them waits for their begin. */
            hours?: string;
            targets: components["schemas"]["EscalationTarget"][];
        };
        EscalationTarget: {
            /** @description The person, team or schedule; absent for the channels of the policy. */
            id?: string;
            /**
             * @description A person, each member of a team, the channels of a team, the people on call in a schedule, or the channels of the policy.
             * @enum {string}
             */
            kind: "person" | "members" | "team" | "schedule" | "channels";
        };
        FeedbackFeedback: {
            comment?: string;
            /** @description Of the turn that the answer belongs to, as in the metadata of its message */
            turnId: string;
            /** Format: date-time */
            updatedAt: string;
            /** @enum {string} */
            verdict: "up" | "down";
        };
        FeedbackFeedbackList: {
            /** @description At most one for each answer, the oldest first */
            feedback: components["schemas"]["FeedbackFeedback"][];
        };
        FeedbackGiven: {
            /** @description False when you had said just this before */
            changed: boolean;
            comment?: string;
            /** @description Of the turn that the answer belongs to, as in the metadata of its message */
            turnId: string;
            /** Format: date-time */
            updatedAt: string;
            /** @enum {string} */
            verdict: "up" | "down";
        };
        FeedbackModelCounts: {
            /**
             * Format: int64
             * @description How many of them have a comment
             */
            comments: number;
            /** Format: int64 */
            down: number;
            model: string;
            /** Format: int64 */
            up: number;
        };
        FeedbackSaid: {
            /** @description Why, without credentials, which are taken out. Readers of all turns can read it. */
            comment?: string;
            /**
             * @description Whether the answer helped
             * @enum {string}
             */
            verdict: "up" | "down";
        };
        FeedbackSummary: {
            /**
             * Format: int64
             * @description How many of them have a comment
             */
            comments: number;
            /**
             * Format: int64
             * @description How far back it reaches
             */
            days: number;
            /** Format: int64 */
            down: number;
            /** @description Those with the most feedback first, at most 50 */
            models: components["schemas"]["FeedbackModelCounts"][];
            /** Format: int64 */
            up: number;
        };
        FeedbackTakenBack: {
            /** @description False when there was none */
            removed: boolean;
        };
        HealthThresholds: {
            /** Format: int64 */
            degradedAfter?: number;
            /** Format: int64 */
            flapChanges?: number;
            /** Format: int64 */
            flapMinutes?: number;
            /** Format: int64 */
            healthyAfter?: number;
            mode?: string;
            /** Format: int64 */
            unhealthyAfter?: number;
            /** Format: int64 */
            unknownAfter?: number;
            /** Format: int64 */
            windowSize?: number;
        };
        HealthcheckAssertion: {
            /** @description A member of the result of the collector. */
            field: string;
            /** @description Where in the field, by RFC 9535. */
            jsonPath?: string;
            operator: string;
            /** @description What to compare with; absent where the operator takes none. */
            value?: unknown;
        };
        HealthcheckAssignedTarget: {
            active: boolean;
            environmentId?: string;
            /** Format: int32 */
            id: number;
            /** @enum {string} */
            status?: "unknown" | "healthy" | "degraded" | "unhealthy";
        };
        HealthcheckAssignment: {
            checkId: string;
            /** @description True when absent. */
            enabled?: boolean;
            /** @description Null for all environments of the system, whichever these are; empty for once without one. */
            environmentIds?: string[] | null;
            /** @description Whether it awaits a decision: the system or an environment was changed by who may not use secrets, and what changed decides where the check sends its secrets. Until somebody who may use secrets assigns the check again or saves it, it runs as before, and not in new places. */
            held: boolean;
            systemId: string;
            systemName: string;
            targets: components["schemas"]["HealthcheckAssignedTarget"][];
            thresholds?: components["schemas"]["HealthThresholds"];
        };
        HealthcheckAssignmentChoice: {
            /** @description True when absent. */
            enabled?: boolean;
            /** @description Null for all environments of the system, whichever these are; empty for once without one. */
            environmentIds?: string[] | null;
            thresholds?: components["schemas"]["HealthThresholds"];
        };
        HealthcheckAssignmentList: {
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
            systems: components["schemas"]["HealthcheckAssignment"][];
        };
        HealthcheckBoard: {
            /** @description Systems by status on all pages, whatever status was asked for. */
            counts: components["schemas"]["HealthcheckBoardCounts"];
            /** @description The groups of the systems of the page, by name. */
            groups: components["schemas"]["HealthcheckBoardGroup"][];
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
            /** @description Order and counts are those of 10,000 systems by name: narrow the selection. Pages go on with the next 10,000. */
            partial?: boolean;
            /** @description The worst first, then by name. */
            systems: components["schemas"]["HealthcheckBoardRow"][];
        };
        HealthcheckBoardCounts: {
            /** Format: int64 */
            degraded: number;
            /** Format: int64 */
            healthy: number;
            /** Format: int64 */
            partlyUnknown: number;
            /** Format: int64 */
            unhealthy: number;
            /** Format: int64 */
            unknown: number;
        };
        HealthcheckBoardDay: {
            /**
             * Format: double
             * @description Which part of the measured time was no downtime, from 0 to 1, or of the due times was not missed; absent when nothing was measured or due.
             */
            availability?: number;
            /** @description Such as 2026-11-22 */
            day: string;
            /**
             * Format: int64
             * @description The part of it in which the system was degraded or unhealthy.
             */
            downMs: number;
            /**
             * Format: int64
             * @description How many due times of its jobs were decided, for a system whose checks all await jobs with a cron schedule. They count instead of time.
             */
            dueTimes?: number;
            /**
             * Format: int64
             * @description The time in which the status was known, in milliseconds.
             */
            measuredMs: number;
            /**
             * Format: int64
             * @description How many of them were missed.
             */
            missedDueTimes?: number;
            /** @enum {string} */
            worst: "unknown" | "healthy" | "partly-unknown" | "degraded" | "unhealthy";
        };
        HealthcheckBoardGroup: {
            id: string;
            name: string;
        };
        HealthcheckBoardPast: {
            /** @description The last 90 days (UTC), the oldest first, today included: days=90 of charts and statistics. */
            days: components["schemas"]["HealthcheckBoardDay"][];
            /** @description Mean milliseconds of the runs of each of the last 24 hours, the oldest first; null where nothing ran. */
            latency: (number | null)[];
            systemId: string;
        };
        HealthcheckBoardRow: {
            /**
             * Format: int64
             * @description How many of its checks run, of those that the reader may see.
             */
            checks: number;
            /** @description Groups of the system that the reader may see; groups of the answer names them. */
            groupIds?: string[] | null;
            /** @description The title of a maintenance in progress, which changes no status: one that the reader may see. */
            maintenance?: string;
            reason: string;
            /** Format: date-time */
            since?: string;
            /** @enum {string} */
            status: "unknown" | "healthy" | "partly-unknown" | "degraded" | "unhealthy";
            systemId: string;
            systemName: string;
            tags?: string[] | null;
        };
        HealthcheckCalling: {
            /** @description False while the check does not run there: heartbeats are heard, and nothing comes of silence. */
            active: boolean;
            /**
             * Format: int64
             * @description How long its work took, 0 when it did not say so.
             */
            durationMs: number;
            /** @description Its name; absent where there is none and for who may not see it. */
            environment?: string;
            environmentId?: string;
            /** @description Whether it said then that its work has failed. */
            failed: boolean;
            /**
             * Format: date-time
             * @description Until when the address before it counts too.
             */
            formerUntil?: string;
            /**
             * Format: date-time
             * @description When it called in last; absent when it never has.
             */
            lastAt?: string;
            /** @description What it said then. */
            message: string;
            /**
             * Format: date-time
             * @description When it is due next, with a cron schedule.
             */
            nextDueAt?: string;
            /**
             * Format: date-time
             * @description When the address was replaced; absent while it is the first one.
             */
            replacedAt?: string;
            systemId: string;
            systemName: string;
            /** Format: int32 */
            targetId: number;
            /** @description What the job sends a POST to; a failure to the same with /fail behind it. Whoever knows it can say that the job has run. Absent once it was replaced: then it was shown when that happened. */
            url?: string;
        };
        HealthcheckCallingList: {
            heartbeats: components["schemas"]["HealthcheckCalling"][];
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
        };
        HealthcheckCatalog: {
            /** @description What assertions can ask, by the JSON type of the field: number, string, boolean, array; timeThreshold for times in milliseconds, jsonPath for what a path finds. */
            operators: {
                [key: string]: components["schemas"]["HealthcheckOperator"][] | null;
            };
            strategies: components["schemas"]["HealthcheckStrategyKind"][];
        };
        HealthcheckCauseCount: {
            cause: string;
            /** Format: int64 */
            n: number;
        };
        HealthcheckCheck: {
            /** @enum {string} */
            access: "viewer" | "editor" | "owner";
            collectors: components["schemas"]["HealthcheckCollector"][];
            /** @description A JSON object that fits the schema of its kind. */
            config?: {
                [key: string]: unknown;
            };
            /**
             * Format: int64
             * @description The version of the config; that of today when absent. Older ones are migrated.
             */
            configVersion?: number;
            /** Format: date-time */
            createdAt: string;
            description: string;
            id: string;
            /** Format: int64 */
            intervalSeconds: number;
            /** @description Fields that are kept of every run for charts, as collector id, dot, field. Absent: those that the kinds keep. */
            keptFields?: string[];
            /**
             * @description From how many of its locations it has to be down to be unhealthy; majority by default. Down from fewer it is degraded. Locations of which nothing is known do not count.
             * @enum {string}
             */
            locationRule?: "any" | "majority" | "all";
            /** @description Names of the locations from which it runs, and labels such as region=eu, which stand for every location with that label, later ones too. Absent: from main alone. */
            locations?: string[];
            name: string;
            paused: boolean;
            /** Format: int64 */
            revision: number;
            /** @description When its job is due; of a heartbeat check with a cron schedule. */
            schedule?: components["schemas"]["HealthcheckSchedule"];
            /** @description Names of the secrets that it refers to. */
            secrets: string[];
            statuses?: components["schemas"]["HealthcheckStatusCounts"];
            strategyId: string;
            /**
             * Format: int64
             * @description How many systems it is assigned to, of those that you may see.
             */
            systems: number;
            /** Format: date-time */
            updatedAt: string;
            /** @description What is wrong with it although it runs, such as a timeout that is longer than the interval. */
            warnings?: string[] | null;
        };
        HealthcheckCheckChange: {
            collectors?: components["schemas"]["HealthcheckCollector"][];
            /** @description A JSON object that fits the schema of its kind. */
            config?: {
                [key: string]: unknown;
            };
            /**
             * Format: int64
             * @description That of a config that is given; absent for that of today.
             */
            configVersion?: number;
            /** @description At most 2,000 characters. */
            description?: string | null;
            /** Format: int64 */
            intervalSeconds?: number;
            keptFields?: string[] | null;
            /** @enum {string} */
            locationRule?: "any" | "majority" | "all";
            /** @description Replaces the locations, names or labels such as region=eu; an empty list runs it from main alone. */
            locations?: string[] | null;
            /** @description 1 to 120 characters, unique whatever the case. */
            name?: string;
            paused?: boolean;
            strategyId?: string;
        };
        HealthcheckCheckList: {
            checks: components["schemas"]["HealthcheckCheck"][];
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
        };
        HealthcheckCollector: {
            /** @description All of them have to hold. Absent: those of the collector that is there, or the defaultAssertions of a new one; a kind with needsAssertions refuses that. Empty: none, by choice. */
            assertions?: components["schemas"]["HealthcheckAssertion"][];
            collectorId: string;
            /** @description A JSON object that fits the schema of its kind. */
            config?: {
                [key: string]: unknown;
            };
            /**
             * Format: int64
             * @description The version of the config; that of today when absent. Older ones are migrated.
             */
            configVersion?: number;
            /** @description Given to a new one; say it again for one that stays. */
            id?: string;
        };
        HealthcheckCollectorKind: {
            category?: string;
            /** @description A closed JSON schema. */
            configSchema: unknown;
            /** @description Those of a new collector that leaves assertions out. */
            defaultAssertions: components["schemas"]["HealthcheckAssertion"][];
            description: string;
            id: string;
            name: string;
            /** @description What to say in assertions, because a new collector that leaves them out is refused. Absent for a kind that has defaults or judges its result itself. */
            needsAssertions?: string;
            /** @description Its members are what assertions can be about. */
            resultSchema: unknown;
            /**
             * Format: int64
             * @description Of configs that are written now.
             */
            version: number;
        };
        HealthcheckCollectorReport: {
            assertions: components["schemas"]["HealthcheckDraftAssertion"][];
            collectorId: string;
            error?: string;
            id: string;
            /** @description By the resultSchema of its kind; secrets are masked. */
            result?: unknown;
        };
        HealthcheckConversion: {
            /** @description The document to import, in YAML. */
            document: string;
            /** @description What changes its meaning or is left out, by line. */
            findings: components["schemas"]["HealthcheckImportFinding"][];
            /**
             * Format: int64
             * @description How many of them became a check.
             */
            mapped: number;
            /**
             * Format: int64
             * @description How many monitors the file has.
             */
            monitors: number;
            /** @description Passwords and tokens of the file. Checks refer to them as secrets of the vault, which have to exist before the import. */
            secrets: components["schemas"]["HealthcheckImportSecret"][];
        };
        HealthcheckDefinition: {
            collectors: components["schemas"]["HealthcheckCollector"][];
            /** @description A JSON object that fits the schema of its kind. */
            config?: {
                [key: string]: unknown;
            };
            /**
             * Format: int64
             * @description The version of the config; that of today when absent. Older ones are migrated.
             */
            configVersion?: number;
            /** Format: int64 */
            intervalSeconds: number;
            /** @description Fields that are kept of every run for charts, as collector id, dot, field. Absent: those that the kinds keep. */
            keptFields?: string[];
            /**
             * @description From how many of its locations it has to be down to be unhealthy; majority by default. Down from fewer it is degraded. Locations of which nothing is known do not count.
             * @enum {string}
             */
            locationRule?: "any" | "majority" | "all";
            /** @description Names of the locations from which it runs, and labels such as region=eu, which stand for every location with that label, later ones too. Absent: from main alone. */
            locations?: string[];
            strategyId: string;
        };
        HealthcheckDowntime: {
            /**
             * Format: date-time
             * @description When the status changed, after as many failed runs as the threshold says.
             */
            changedAt: string;
            /**
             * Format: date-time
             * @description When the first failed run of the streak was due.
             */
            from: string;
            /** @description Whether it has not ended at the end of the period. */
            ongoing?: boolean;
            /** @description Which check decided when, the first 20. */
            parts: components["schemas"]["HealthcheckDowntimePart"][];
            /**
             * Format: int64
             * @description Without gaps in which nothing was measured.
             */
            seconds: number;
            /**
             * @description The worst one.
             * @enum {string}
             */
            status: "degraded" | "unhealthy";
            /** Format: date-time */
            to: string;
        };
        HealthcheckDowntimePart: {
            checkName?: string;
            /** Format: date-time */
            from: string;
            reason?: string;
            /** @enum {string} */
            status: "degraded" | "unhealthy";
            /**
             * Format: int32
             * @description Absent for a check that the reader may not see.
             */
            targetId?: number;
            /** Format: date-time */
            to: string;
        };
        HealthcheckDraft: {
            configuration: components["schemas"]["HealthcheckDefinition"];
            environmentId?: string | null;
            systemId?: string | null;
        };
        HealthcheckDraftAssertion: {
            held: boolean;
            /** @description The value that was found, cut when it is long. */
            observed?: unknown;
            /** @description Why it could not be decided. */
            problem?: string;
            text: string;
        };
        HealthcheckDraftPreview: {
            /** @description In the form in which it runs. */
            configuration: components["schemas"]["HealthcheckDefinition"];
            /** @description Whether it changes nothing where it goes, whatever answers there. */
            reads: boolean;
            /** @description What is sent, in sentences. Secrets are named. */
            sends: string[];
            /** @description What people call the strategy. */
            strategy: string;
            systemName?: string;
        };
        HealthcheckDraftRun: {
            /** @description Why it did not pass. One that passed on a retry has the cause of its first try; others that passed have none. */
            cause: string;
            collectors: components["schemas"]["HealthcheckCollectorReport"][];
            /** @description The tries of the run that failed before the one that is reported. */
            earlierTries: components["schemas"]["HealthcheckFailedTry"][];
            /** @description Why it did not pass, or which of its tries did. */
            message?: string;
            /** Format: double */
            tookMs: number;
            /** @enum {string} */
            verdict: "passed" | "failed" | "errored" | "skipped";
        };
        HealthcheckFailedTry: {
            cause: string;
            message: string;
            /** Format: double */
            tookMs: number;
        };
        HealthcheckFailing: {
            /** @description Whether there are more than these. */
            more: boolean;
            /** @description At most 20, the worst first and then those that have failed longest. */
            targets: components["schemas"]["HealthcheckFailingTarget"][];
        };
        HealthcheckFailingTarget: {
            /** @description Absent when it runs without one. */
            environment?: components["schemas"]["HealthcheckPlace"];
            /** Format: int32 */
            id: number;
            /** Format: int64 */
            intervalSeconds: number;
            /** Format: date-time */
            lastRun?: string;
            reason?: string;
            /** Format: date-time */
            since?: string;
            /** @enum {string} */
            status: "unknown" | "degraded" | "unhealthy";
            systemId: string;
            systemName: string;
        };
        HealthcheckFormerLocation: {
            /**
             * Format: int32
             * @description Stands for the target in this location: its runs, its chart and its statistics are found by it.
             */
            id: number;
            name: string;
            /** @description Whether the location itself was removed; otherwise the check has chosen others. */
            removed: boolean;
            /**
             * Format: date-time
             * @description When it ceased to run from there
             */
            until: string;
        };
        HealthcheckFoundTarget: {
            checkId: string;
            /** Format: int32 */
            id: number;
            systemId: string;
        };
        HealthcheckFoundTargets: {
            /** @description Whether there are more than these: narrow the query. */
            more: boolean;
            targets: components["schemas"]["HealthcheckFoundTarget"][];
        };
        HealthcheckHeardCall: {
            /** @description False while the check does not run there. */
            active: boolean;
            /**
             * Format: date-time
             * @description When it was heard.
             */
            at: string;
            detail: string;
        };
        HealthcheckHeldCheck: {
            checkId: string;
            checkName: string;
        };
        HealthcheckImport: {
            /** @description A document of health checks, in JSON or YAML. */
            document: string;
            /** @description The fingerprint of a preview: the import is refused with 412 if it would do something else by now. */
            expected?: string;
            /** @description Which systems stand for those that the document names. One that is not listed is the system of that name, which is created if there is none. */
            systems?: components["schemas"]["HealthcheckSystemChoice"][];
            /** @description Ids of the checks that exist and are named in the document. A proposal says them; an import does not need them. */
            touches?: string[] | null;
            /** @description The same for systems. */
            touchesSystems?: string[] | null;
        };
        HealthcheckImportDraft: {
            /** @description A document of health checks, or a file of another product, in JSON or YAML. Several files of YAML stand one after the other with a line --- between them. */
            document: string;
            /**
             * @description What it is; found out when absent.
             * @enum {string}
             */
            format?: "countersign" | "gatus" | "uptime-kuma" | "blackbox" | "checkly";
            /** @description As of an import. */
            systems?: components["schemas"]["HealthcheckSystemChoice"][];
        };
        HealthcheckImportFinding: {
            /** @enum {string} */
            kind: "changes" | "leftOut";
            /**
             * Format: int64
             * @description Counted from 1.
             */
            line: number;
            message: string;
            /** @description The monitor by its name in the file. Absent for settings of the whole file. */
            monitor?: string;
            /** @description The setting by its path. Absent for the whole monitor. */
            setting?: string;
        };
        HealthcheckImportPreview: {
            /** @description In the order of the document. */
            checks: components["schemas"]["HealthcheckImportedCheck"][];
            /** @description What a file of another product becomes. */
            conversion?: components["schemas"]["HealthcheckConversion"];
            /** Format: int64 */
            created: number;
            /** @description Stands for all of it. */
            fingerprint: string;
            /** @enum {string} */
            format: "countersign" | "gatus" | "uptime-kuma" | "blackbox" | "checkly";
            /** @description The systems that the document names, by name. */
            systems: components["schemas"]["HealthcheckImportedSystem"][];
            /** Format: int64 */
            unchanged: number;
            /** Format: int64 */
            updated: number;
            /** @description Whether nothing is refused. */
            valid: boolean;
        };
        HealthcheckImportReport: {
            /** @description In the order of the document. */
            checks: components["schemas"]["HealthcheckImportedCheck"][];
            /** Format: int64 */
            created: number;
            /** @description Stands for all of it. */
            fingerprint: string;
            /** @description The systems that the document names, by name. */
            systems: components["schemas"]["HealthcheckImportedSystem"][];
            /** Format: int64 */
            unchanged: number;
            /** Format: int64 */
            updated: number;
            /** @description Whether nothing is refused. */
            valid: boolean;
        };
        HealthcheckImportSecret: {
            /**
             * Format: int64
             * @description Where its value begins in the line, in UTF-16 code units counted from 0.
             */
            column: number;
            /** @description Whether the vault has a secret of this name, as far as the caller may know: it is used then, whatever its value. */
            exists: boolean;
            /**
             * Format: int64
             * @description How long its value is, in UTF-16 code units; 0 for one whose value is not in the file as it is.
             */
            length: number;
            /**
             * Format: int64
             * @description Where it is, counted from 1.
             */
            line: number;
            /** @description The monitors that use it. */
            monitors: string[];
            /** @description The name of the secret in the vault. */
            name: string;
        };
        HealthcheckImportedAssignment: {
            /** @enum {string} */
            outcome: "created" | "updated" | "unchanged";
            /** @description The name of the system that it is for. */
            system: string;
        };
        HealthcheckImportedCheck: {
            /** @description Its assignments in the document. */
            assignments: components["schemas"]["HealthcheckImportedAssignment"][];
            /** @description Which of its members change. */
            changes: string[];
            /** @description What it is refused for. */
            errors: components["schemas"]["ProblemIssue"][];
            /** @description Absent for one that is new in a preview, or refused. */
            id?: string;
            /** @description Whether it runs nowhere after the import: it is assigned to no system that you may see. */
            idle: boolean;
            /**
             * Format: int64
             * @description Where its monitor begins, in a file of another product.
             */
            line?: number;
            name: string;
            /** @enum {string} */
            outcome: "created" | "updated" | "unchanged" | "refused";
            /**
             * Format: int64
             * @description Of a check that was there, before the import.
             */
            revision?: number;
        };
        HealthcheckImportedSystem: {
            /**
             * Format: int64
             * @description How many checks of the document name it.
             */
            checks: number;
            name: string;
            /**
             * @description found by its name, created, chosen by the caller, left out by the caller, or refused.
             * @enum {string}
             */
            outcome: "found" | "created" | "chosen" | "left" | "refused";
            /** @description Absent for one that is new in a preview. */
            systemId?: string;
        };
        HealthcheckLocation: {
            /** @description Whether a process runs checks there. */
            alive: boolean;
            /**
             * Format: int64
             * @description How many checks run there, of those that the caller may see.
             */
            checks: number;
            /** Format: int32 */
            id: number;
            /** @description Of its probes. */
            labels: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @description The last moment at which a process there could run checks.
             */
            lastSeen?: string;
            /** @description What checks name it by; main is that of the workers. */
            name: string;
            /** Format: int64 */
            processes: number;
            /** @description Of its processes. */
            versions: string[];
        };
        HealthcheckLocationList: {
            locations: components["schemas"]["HealthcheckLocation"][];
        };
        HealthcheckLocationName: {
            name: string;
        };
        HealthcheckLocationStatus: {
            /**
             * Format: int32
             * @description Stands for the target in this location: its runs, its chart and its statistics are found by it.
             */
            id: number;
            /** Format: date-time */
            lastRun?: string;
            name: string;
            /**
             * Format: double
             * @description Of the milliseconds of the runs of the last day.
             */
            p50?: number;
            /** Format: double */
            p95?: number;
            /** @description Why it is not healthy from there. */
            reason?: string;
            /** Format: date-time */
            since?: string;
            /** @enum {string} */
            status: "unknown" | "healthy" | "degraded" | "unhealthy";
        };
        HealthcheckNewAddress: {
            /**
             * Format: date-time
             * @description Until when the address before it counts too.
             */
            formerUntil: string;
            /** Format: int32 */
            targetId: number;
            /** @description It is shown this once. */
            url: string;
        };
        HealthcheckNewCheck: {
            /** @description Assigns it to this system, in all of its environments. */
            assignToSystemId?: string | null;
            collectors: components["schemas"]["HealthcheckCollector"][];
            /** @description A JSON object that fits the schema of its kind. */
            config?: {
                [key: string]: unknown;
            };
            /**
             * Format: int64
             * @description The version of the config; that of today when absent. Older ones are migrated.
             */
            configVersion?: number;
            /** @description At most 2,000 characters. */
            description?: string;
            /** Format: int64 */
            intervalSeconds: number;
            /** @description Fields that are kept of every run for charts, as collector id, dot, field. Absent: those that the kinds keep. */
            keptFields?: string[];
            /**
             * @description From how many of its locations it has to be down to be unhealthy; majority by default. Down from fewer it is degraded. Locations of which nothing is known do not count.
             * @enum {string}
             */
            locationRule?: "any" | "majority" | "all";
            /** @description Names of the locations from which it runs, and labels such as region=eu, which stand for every location with that label, later ones too. Absent: from main alone. */
            locations?: string[];
            /** @description 1 to 120 characters, unique whatever the case. */
            name: string;
            paused?: boolean;
            strategyId: string;
        };
        HealthcheckOperator: {
            id: string;
            /** @enum {string} */
            takes: "nothing" | "number" | "string" | "pattern" | "count" | "scalar" | "range" | "list";
            /** @description What stands between the field and the value in a sentence. */
            words: string;
        };
        HealthcheckPast: {
            /** @description In the order of the ids; those that the caller may not see are left out. */
            systems: components["schemas"]["HealthcheckBoardPast"][];
        };
        HealthcheckPausedChoice: {
            paused: boolean;
        };
        HealthcheckPeriod: {
            /**
             * Format: double
             * @description The part of the measured time that was no downtime, from 0 to 1, or of the due times that was not missed: absent when nothing was measured or due.
             */
            availability?: number;
            /** Format: double */
            avgMs?: number;
            /** @description Of runs that did not pass, the most frequent first. */
            causes: components["schemas"]["HealthcheckCauseCount"][];
            /**
             * Format: int64
             * @description Measured from the first failed run of each streak that changed the status.
             */
            downSeconds: number;
            /** @description The outages, the newest first: at most 100 of them. */
            downtime: components["schemas"]["HealthcheckDowntime"][];
            /**
             * Format: int64
             * @description How many due times were decided, of heartbeats with a cron schedule: in availability they count instead of time. A job that is due more often than each half hour counts time.
             */
            dueTimes?: number;
            /**
             * Format: int64
             * @description Could not be made.
             */
            errored: number;
            /** Format: int64 */
            failed: number;
            /** Format: date-time */
            from: string;
            /** Format: int64 */
            longestOutageSeconds: number;
            /** Format: double */
            maxMs?: number;
            /**
             * Format: int64
             * @description Of outages that ended healthy.
             */
            meanOutageSeconds: number;
            /**
             * Format: int64
             * @description The time in which the status was known. Pauses, times before the first run and times in which the product did not run are not a part of it.
             */
            measuredSeconds: number;
            /**
             * Format: int64
             * @description Planned and not made, such as while nothing ran checks.
             */
            missed: number;
            /**
             * Format: int64
             * @description How many of them the job missed: it had not called in when the grace was over, or had failed.
             */
            missedDueTimes?: number;
            /**
             * Format: int64
             * @description How many outages of the period are older than those. Ask for an earlier period to see them.
             */
            olderOutages?: number;
            /**
             * Format: int64
             * @description Times in which it was degraded or unhealthy. One that two checks see is one.
             */
            outages: number;
            /** Format: double */
            p50Ms?: number;
            /** Format: double */
            p95Ms?: number;
            /** Format: double */
            p99Ms?: number;
            /** Format: int64 */
            passed: number;
            /** Format: int64 */
            runs: number;
            /** @description How long it had each status. Unknown was not measured. */
            seconds: components["schemas"]["HealthcheckStatusLength"][];
            /** Format: int64 */
            skipped: number;
            /** Format: date-time */
            to: string;
        };
        HealthcheckPlace: {
            id: string;
            name?: string;
        };
        HealthcheckPlannedWork: {
            id: string;
            /** Format: date-time */
            since: string;
            /** @description Whether notifications about the system are suppressed meanwhile. */
            suppressNotifications: boolean;
            title: string;
            /**
             * Format: date-time
             * @description Its planned end.
             */
            until: string;
        };
        HealthcheckReplacement: {
            /** @description Whether the address that is replaced ends at once, as when a stranger knows it. It counts for 24 hours more otherwise. */
            atOnce?: boolean;
        };
        HealthcheckRequested: {
            runs: components["schemas"]["HealthcheckRequestedRun"][];
        };
        HealthcheckRequestedRun: {
            /** Format: date-time */
            at: string;
            /**
             * Format: int64
             * @description What the run is found by, in milliseconds since 1970.
             */
            slot: number;
            /** Format: int32 */
            targetId: number;
        };
        HealthcheckRetention: {
            /**
             * Format: int64
             * @description Sums of days, changes of statuses and gaps.
             */
            dailyDays: number;
            /**
             * Format: int64
             * @description Sums of hours.
             */
            hourlyDays: number;
            /**
             * Format: int64
             * @description Single runs with what they found.
             */
            rawDays: number;
            /** Format: int64 */
            revision: number;
            /** Format: date-time */
            updatedAt: string;
        };
        HealthcheckRun: {
            /**
             * Format: date-time
             * @description The same moment.
             */
            at: string;
            /** @description Why it did not pass. One that passed on a retry has the cause of its first try; others that passed have none. */
            cause: string;
            /**
             * Format: int32
             * @description The answer in one number, such as an HTTP status.
             */
            code?: number;
            /** @description The values of keptFields of the check; null where there was none. */
            kept?: (number | null)[] | null;
            /**
             * Format: int32
             * @description How long after its moment it began.
             */
            lateMs: number;
            /**
             * Format: int64
             * @description The moment for which it was planned, in milliseconds since 1970; what it is found by.
             */
            slot: number;
            /** Format: double */
            tookMs: number;
            /**
             * @description errored: it could not be made, which says nothing about the target.
             * @enum {string}
             */
            verdict: "passed" | "failed" | "errored" | "skipped";
        };
        HealthcheckRunList: {
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
            runs: components["schemas"]["HealthcheckRun"][];
        };
        HealthcheckRunNow: {
            environmentId?: string | null;
            systemId: string;
        };
        HealthcheckSaying: {
            /**
             * Format: int64
             * @description How long the work took.
             */
            durationMs?: number;
            /** @description Kept up to 500 characters; the rest is cut. */
            message?: string;
        };
        HealthcheckSchedule: {
            /** @description The next five due times. */
            next: string[];
            timeZone: string;
            /** @description Such as: at 02:30 on weekdays, Europe/Berlin */
            words: string;
        };
        HealthcheckStatusCounts: {
            /** Format: int64 */
            degraded: number;
            /** Format: int64 */
            healthy: number;
            /** Format: int64 */
            unhealthy: number;
            /** Format: int64 */
            unknown: number;
        };
        HealthcheckStatusLength: {
            /** Format: int64 */
            seconds: number;
            /** @enum {string} */
            status: "unknown" | "healthy" | "degraded" | "unhealthy";
        };
        HealthcheckStrategyKind: {
            category?: string;
            collectors: components["schemas"]["HealthcheckCollectorKind"][];
            /** @description A closed JSON schema. */
            configSchema: unknown;
            description: string;
            id: string;
            name: string;
            /**
             * Format: int64
             * @description Of configs that are written now.
             */
            version: number;
        };
        HealthcheckSystemChoice: {
            /** @description As in the document, whatever the case. */
            name: string;
            /** @description The system to assign to. Absent: checks are not assigned to it. */
            systemId?: string | null;
        };
        HealthcheckSystemOverride: {
            /** @description The same for people */
            label: string;
            /** @description A sentence without its full stop */
            reason: string;
            /** Format: date-time */
            since: string;
            /** @description What kind of cause it is, such as incident.open */
            source: string;
            /** @enum {string} */
            status: "degraded" | "unhealthy";
        };
        HealthcheckSystemStatus: {
            /** @description Checks whose assignment to the system awaits a decision, because of secrets: the checks that the reader may see. */
            held?: components["schemas"]["HealthcheckHeldCheck"][] | null;
            /** @description The maintenances in progress, the last to end first: what the reader may see. They change no status. */
            maintenances?: components["schemas"]["HealthcheckPlannedWork"][] | null;
            /** @description What else makes it degraded or unhealthy, the oldest first: what the reader may see. */
            overrides?: components["schemas"]["HealthcheckSystemOverride"][] | null;
            /** @description Which check makes it so, in one sentence. */
            reason: string;
            /** Format: date-time */
            since?: string;
            /**
             * @description Partly unknown: what is known of its checks is healthy, and nothing is known of at least one.
             * @enum {string}
             */
            status: "unknown" | "healthy" | "partly-unknown" | "degraded" | "unhealthy";
            systemId: string;
            systemName: string;
            /** @description Those of checks that the reader may see, by name. */
            targets: components["schemas"]["HealthcheckTargetStatus"][];
            /** @description Why it is as it is and for how long, in one sentence. */
            why: string;
        };
        HealthcheckTargetStatus: {
            /**
             * Format: double
             * @description Which part of the measured time of the last day was no downtime, from 0 to 1.
             */
            availability24h?: number;
            checkId: string;
            checkName: string;
            /**
             * Format: date-time
             * @description When the outage began that goes on, which is with the first failed run of the streak; absent without one, and when that was more than a day ago.
             */
            downSince?: string;
            /** @description Absent when it runs without one. */
            environment?: components["schemas"]["HealthcheckPlace"];
            /** @description Locations from which it no longer runs, the last one first, as long as history is kept. Past runs are found under their ids. */
            formerLocations?: components["schemas"]["HealthcheckFormerLocation"][];
            /** Format: int32 */
            id: number;
            /** Format: int64 */
            intervalSeconds: number;
            /** Format: date-time */
            lastRun?: string;
            /** @description The locations from which it runs; absent for main alone. Runs are found under the ids of locations. */
            locations?: components["schemas"]["HealthcheckLocationStatus"][] | null;
            /**
             * Format: double
             * @description Of the milliseconds of the runs of the last day.
             */
            p50?: number;
            /** Format: double */
            p95?: number;
            /** @description Whether it does not run; then it counts for nothing. */
            paused: boolean;
            /** @description Why it is not healthy, or how the last runs went that are too few to change it. */
            reason?: string;
            /**
             * Format: date-time
             * @description When the status changed; absent before the first run.
             */
            since?: string;
            /** @enum {string} */
            status: "unknown" | "healthy" | "degraded" | "unhealthy";
        };
        HealthcheckVerdict: {
            errors: components["schemas"]["ProblemIssue"][];
            schedule?: components["schemas"]["HealthcheckSchedule"];
            valid: boolean;
        };
        HealthcheckWholeRun: {
            /**
             * Format: date-time
             * @description The same moment.
             */
            at: string;
            /** @description Why it did not pass. One that passed on a retry has the cause of its first try; others that passed have none. */
            cause: string;
            /**
             * Format: int32
             * @description The answer in one number, such as an HTTP status.
             */
            code?: number;
            collectors: components["schemas"]["HealthcheckCollectorReport"][];
            /** @description The tries of the run that failed before the one that is reported. */
            earlierTries: components["schemas"]["HealthcheckFailedTry"][];
            /**
             * Format: int32
             * @description How long after its moment it began.
             */
            lateMs: number;
            message?: string;
            /** @description Whether what it found was kept. */
            reported: boolean;
            /**
             * Format: int64
             * @description The moment for which it was planned, in milliseconds since 1970; what it is found by.
             */
            slot: number;
            /** Format: double */
            tookMs: number;
            /**
             * @description errored: it could not be made, which says nothing about the target.
             * @enum {string}
             */
            verdict: "passed" | "failed" | "errored" | "skipped";
        };
        HistoryChart: {
            /** Format: double */
            availability?: number;
            /** Format: int64 */
            downMs: number;
            /** Format: date-time */
            from: string;
            gaps: components["schemas"]["HistoryGap"][] | null;
            /** Format: int64 */
            measuredMs: number;
            points: components["schemas"]["HistoryPoint"][] | null;
            resolution: string;
            states: components["schemas"]["HistoryChartState"][] | null;
            /** Format: int64 */
            stepMs: number;
            /** Format: date-time */
            to: string;
            transitions: components["schemas"]["HistoryTransition"][] | null;
        };
        HistoryChartState: {
            /** Format: date-time */
            from: string;
            gap?: string;
            idle?: boolean;
            status: string;
            /** Format: date-time */
            to: string;
        };
        HistoryGap: {
            /** Format: date-time */
            from: string;
            /** Format: int64 */
            missed: number;
            reason: string;
            /** Format: int32 */
            targetId: number;
            /** Format: date-time */
            to: string;
        };
        HistoryPoint: {
            /** Format: date-time */
            at: string;
            /** Format: double */
            avgMs: number | null;
            /** Format: int64 */
            errored: number;
            /** Format: int64 */
            failed: number;
            /** Format: double */
            maxMs: number | null;
            /** Format: int64 */
            missed: number;
            /** Format: double */
            p50Ms: number | null;
            /** Format: double */
            p95Ms: number | null;
            /** Format: int64 */
            runs: number;
            /** Format: int64 */
            skipped: number;
        };
        HistoryRetention: {
            /**
             * Format: int64
             * @description Sums of days, changes of statuses and gaps.
             */
            dailyDays: number;
            /**
             * Format: int64
             * @description Sums of hours.
             */
            hourlyDays: number;
            /**
             * Format: int64
             * @description Single runs with what they found.
             */
            rawDays: number;
        };
        HistoryTransition: {
            after: string;
            /** Format: date-time */
            at: string;
            before: string;
            /** Format: date-time */
            began: string;
            reason: string;
            /** Format: int32 */
            targetId: number;
        };
        HttprequestAnswer: {
            /** @description Text, or a sentence about what is none. **** stands where the value of a secret was. */
            body: string;
            /** @description The body is longer than 1 MiB, or was interrupted. */
            body_truncated: boolean;
            headers: {
                [key: string]: string;
            };
            /**
             * Format: int64
             * @description How often the request was sent on.
             */
            redirects: number;
            /** Format: int64 */
            status: number;
            status_text: string;
            url: string;
        };
        HttprequestPreview: {
            /** @description Scheme, host and port. */
            host: string;
            /** @description In the form in which it is sent, with its placeholders. */
            request: components["schemas"]["HttprequestRequest"];
            /** @description What placeholders stand for. */
            secrets: components["schemas"]["HttprequestPreviewSecret"][];
        };
        HttprequestPreviewSecret: {
            agentId: string;
            agentName: string;
            placeholder: string;
            /** @description Where in the request it stands, in words. */
            places: string[];
            secret: string;
        };
        HttprequestRequest: {
            /** @description At most 128 KiB. In a JSON body, placeholders stand in strings. */
            body?: string;
            /** @description At most 40, by name. */
            headers?: {
                [key: string]: string;
            };
            /** @enum {string} */
            method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
            /**
             * Format: int64
             * @description 15000 when absent.
             */
            timeout_ms?: number;
            /** @description http or https. Placeholders may stand in the path and the query. */
            url: string;
        };
        IncidentAcknowledgement: {
            /** Format: date-time */
            at: string;
            byId: string;
            /** @description Absent when the account is gone. */
            byName?: string;
        };
        IncidentAlertReceipt: {
            /**
             * Format: int64
             * @description How many alerts fired then.
             */
            firing: number;
            /** @description What was sent, while it is kept. */
            payloadId?: string;
            /**
             * Format: int64
             * @description How many had ended.
             */
            resolved: number;
            /**
             * @description What it did.
             * @enum {string}
             */
            result: "opened" | "updated" | "reopened" | "resolved";
            sourceId: string;
            sourceName: string;
            /** @description Of its first alert. The text comes from outside. */
            title: string;
        };
        IncidentChange: {
            /** @description At most 200 characters on one line; not one that begins with alert/. */
            dedupeKey?: string | null;
            /** @description At most 5,000 characters. */
            description?: string | null;
            /**
             * @description null lifts it, as none does.
             * @enum {string|null}
             */
            healthOverride?: "none" | "degraded" | "unhealthy" | null;
            /** @enum {string} */
            severity?: "minor" | "major" | "critical";
            /**
             * Format: date-time
             * @description When it began; not in the future.
             */
            startedAt?: string;
            suppressNotifications?: boolean | null;
            /** @description Replaces those of its systems that the caller may see; others stay. */
            systemIds?: string[];
            /** @description 1 to 200 characters on one line. */
            title?: string;
        };
        IncidentClosing: {
            /** @description A last update, at most 10,000 characters. */
            message?: string;
            /**
             * Format: date-time
             * @description When it ended; now when absent. It lies between the start and now.
             */
            resolvedAt?: string | null;
            /**
             * @description Who sees the update; public when absent.
             * @enum {string}
             */
            visibility?: "public" | "logged_in" | "internal";
        };
        IncidentEntry: {
            /** @description What a source of alerts has sent about it. */
            alert?: components["schemas"]["IncidentAlertReceipt"];
            /** Format: date-time */
            at: string;
            /** @description A step of an escalation policy. Its messages are in notice, as far as the caller sees them. */
            call?: components["schemas"]["IncidentEscalationStep"];
            /** @description A change of the incident, of its systems or of their checks. */
            change?: components["schemas"]["AuditChangeEntry"];
            /** @description A change of the health of a system or check. */
            health?: components["schemas"]["IncidentHealthChange"];
            /** @description Unique in the timeline. */
            id: string;
            /** @enum {string} */
            kind: "began" | "state" | "update" | "change" | "health" | "proposal" | "call" | "notice" | "alert";
            /** @description Messages about the incident. Managers of incidents and readers of the delivery log see all, others those to them. */
            notice?: components["schemas"]["IncidentNotified"];
            /** @description A proposal about the incident or its systems. */
            proposal?: components["schemas"]["IncidentProposed"];
            /** @description A state that no visible update tells. */
            state?: components["schemas"]["IncidentState"];
            update?: components["schemas"]["NoteNote"];
        };
        IncidentEscalationStep: {
            /** @description None of those whom the step names may see the incident. The next step followed at once. */
            hidden?: boolean;
            /** @description The names of those who were called; empty for accounts that are gone. */
            people: string[];
            policyName: string;
            /**
             * Format: int64
             * @description How often the steps were begun.
             */
            round: number;
            /**
             * Format: int64
             * @description Counted from 1.
             */
            step: number;
            /**
             * Format: int64
             * @description Targets without a channel, with nobody on call, or all of them where none may see the incident.
             */
            unreached: number;
        };
        IncidentHealthChange: {
            /** @enum {string} */
            after: "unknown" | "healthy" | "partly-unknown" | "degraded" | "unhealthy";
            /** @enum {string} */
            before: "unknown" | "healthy" | "partly-unknown" | "degraded" | "unhealthy";
            /** @description Absent for the system as a whole. */
            checkId?: string;
            checkName?: string;
            /** @description For those who see what runs of checks found. */
            reason?: string;
            systemId: string;
            systemName: string;
        };
        IncidentImport: {
            /** @description Say what would happen, and store nothing. */
            dryRun?: boolean;
            /** @description At most 100; send more in several calls. */
            incidents?: components["schemas"]["IncidentPastIncident"][];
            /** @description Instead: incidents in the JSON of a Statuspage, as its API answers; at most 100. */
            statuspage?: string;
            /** @description The systems of incidents of a Statuspage. */
            systemIds?: string[];
        };
        IncidentImportReport: {
            /** Format: int64 */
            created: number;
            /** Format: int64 */
            refused: number;
            /** @description In the order of the request. */
            results: components["schemas"]["IncidentImported"][];
            /** Format: int64 */
            unchanged: number;
        };
        IncidentImported: {
            dedupeKey: string;
            /** @description The incident, where the caller may see it. */
            id?: string;
            /** @description Why it is refused. */
            issues: components["schemas"]["ProblemIssue"][];
            /**
             * @description unchanged: an incident has its key.
             * @enum {string}
             */
            result: "created" | "unchanged" | "refused";
            title: string;
        };
        IncidentIncident: {
            /** @enum {string} */
            access: "viewer" | "owner";
            /** @description Absent until a person has taken it on. */
            acknowledged?: components["schemas"]["IncidentAcknowledgement"];
            /** Format: date-time */
            createdAt: string;
            /** @description For those who may change it. Of the open incidents one has a key. */
            dedupeKey?: string;
            description: string;
            /** @description The incident into which it was merged, if the caller may see that. */
            duplicateOf?: string;
            /**
             * @description What its systems are at least while it is open.
             * @enum {string}
             */
            healthOverride: "none" | "degraded" | "unhealthy";
            id: string;
            /** @description Its texts came with an import or from a source of alerts. For the assistant they are content from outside. */
            imported?: boolean;
            /** @description Those that the caller may see. */
            links: components["schemas"]["NoteLink"][];
            /**
             * Format: date-time
             * @description Absent while it is open.
             */
            resolvedAt?: string;
            /** Format: int64 */
            revision: number;
            /** @enum {string} */
            severity: "minor" | "major" | "critical";
            /** Format: date-time */
            startedAt: string;
            /** @enum {string} */
            status: "investigating" | "identified" | "fixing" | "monitoring" | "resolved";
            suppressNotifications: boolean;
            /** @description Those that the caller may see. */
            systems: components["schemas"]["IncidentSystem"][];
            title: string;
            /** Format: date-time */
            updatedAt: string;
        };
        IncidentIncidentList: {
            incidents: components["schemas"]["IncidentListed"][];
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
        };
        IncidentListed: {
            /** @enum {string} */
            access: "viewer" | "owner";
            /** @description Absent until a person has taken it on. */
            acknowledged?: components["schemas"]["IncidentAcknowledgement"];
            /** Format: date-time */
            createdAt: string;
            /** @description For those who may change it. Of the open incidents one has a key. */
            dedupeKey?: string;
            /** @description The incident into which it was merged, if the caller may see that. */
            duplicateOf?: string;
            /**
             * @description What its systems are at least while it is open.
             * @enum {string}
             */
            healthOverride: "none" | "degraded" | "unhealthy";
            id: string;
            /** @description Its texts came with an import or from a source of alerts. For the assistant they are content from outside. */
            imported?: boolean;
            /**
             * Format: date-time
             * @description Absent while it is open.
             */
            resolvedAt?: string;
            /** Format: int64 */
            revision: number;
            /** @enum {string} */
            severity: "minor" | "major" | "critical";
            /** Format: date-time */
            startedAt: string;
            /** @enum {string} */
            status: "investigating" | "identified" | "fixing" | "monitoring" | "resolved";
            suppressNotifications: boolean;
            /** @description Those that the caller may see. */
            systems: components["schemas"]["IncidentSystem"][];
            title: string;
            /** Format: date-time */
            updatedAt: string;
        };
        IncidentMerging: {
            /** @description The open incident that stays. */
            into: string;
        };
        IncidentMoved: {
            /** @enum {string} */
            access: "viewer" | "owner";
            /** @description Absent until a person has taken it on. */
            acknowledged?: components["schemas"]["IncidentAcknowledgement"];
            /** @description Whether this call did it; false when it was so before. */
            changed: boolean;
            /** Format: date-time */
            createdAt: string;
            /** @description For those who may change it. Of the open incidents one has a key. */
            dedupeKey?: string;
            description: string;
            /** @description The incident into which it was merged, if the caller may see that. */
            duplicateOf?: string;
            /**
             * @description What its systems are at least while it is open.
             * @enum {string}
             */
            healthOverride: "none" | "degraded" | "unhealthy";
            id: string;
            /** @description Its texts came with an import or from a source of alerts. For the assistant they are content from outside. */
            imported?: boolean;
            /** @description Those that the caller may see. */
            links: components["schemas"]["NoteLink"][];
            /**
             * Format: date-time
             * @description Absent while it is open.
             */
            resolvedAt?: string;
            /** Format: int64 */
            revision: number;
            /** @enum {string} */
            severity: "minor" | "major" | "critical";
            /** Format: date-time */
            startedAt: string;
            /** @enum {string} */
            status: "investigating" | "identified" | "fixing" | "monitoring" | "resolved";
            suppressNotifications: boolean;
            /** @description Those that the caller may see. */
            systems: components["schemas"]["IncidentSystem"][];
            title: string;
            /** Format: date-time */
            updatedAt: string;
        };
        IncidentNewIncident: {
            /** @description While an incident with this key is open, no second one is made: the answer is the first one. Keys that begin with alert/ are those of sources of alerts. */
            dedupeKey?: string;
            /** @description At most 5,000 characters. */
            description?: string;
            /**
             * @description What its systems are at least while it is open.
             * @enum {string}
             */
            healthOverride?: "none" | "degraded" | "unhealthy";
            /** @description The first update, at most 10,000 characters. */
            initialMessage?: string;
            /**
             * @description What a report does to the open incident that has its dedupeKey: keep leaves it, and is meant when absent; update sets title and severity, the description and the override if the report has them, adds the systems, and writes initialMessage.
             * @enum {string}
             */
            onDuplicate?: "keep" | "update";
            /** @enum {string} */
            severity: "minor" | "major" | "critical";
            /**
             * Format: date-time
             * @description When it began; now when absent. It may lie before the incident was opened, and not in the future.
             */
            startedAt?: string | null;
            /**
             * @description investigating when absent.
             * @enum {string}
             */
            status?: "investigating" | "identified" | "fixing" | "monitoring";
            /** @description Send no notifications about it. */
            suppressNotifications?: boolean;
            systemIds: string[];
            /** @description 1 to 200 characters on one line. */
            title: string;
            /**
             * @description Who sees the first update; public when absent.
             * @enum {string}
             */
            visibility?: "public" | "logged_in" | "internal";
        };
        IncidentNewUpdate: {
            /** @description 1 to 10,000 characters. */
            message: string;
            /**
             * @description The status that it sets; resolved ends the incident, every other one reopens an ended one.
             * @enum {string}
             */
            statusChange?: "investigating" | "identified" | "fixing" | "monitoring" | "resolved";
            /**
             * @description Who sees it; public when absent. internal is for those who manage incidents.
             * @enum {string}
             */
            visibility?: "public" | "logged_in" | "internal";
        };
        IncidentNotified: {
            /** Format: int64 */
            failed: number;
            /** @description The topic in words. */
            label?: string;
            /** Format: int64 */
            messages: number;
            /** @enum {string} */
            phase: "problem" | "recovery" | "update";
            /** @description The first of them, those who were not reached before others. */
            receivers: components["schemas"]["IncidentReceiver"][];
            /** Format: int64 */
            sent: number;
            /** @description Such as incident.opened. */
            topic: string;
            /**
             * Format: int64
             * @description These may have arrived.
             */
            unknown: number;
            /** Format: int64 */
            waiting: number;
        };
        IncidentOpened: {
            /** @enum {string} */
            access: "viewer" | "owner";
            /** @description Absent until a person has taken it on. */
            acknowledged?: components["schemas"]["IncidentAcknowledgement"];
            /** @description Whether this call opened it; false when an open incident has the key of the report. */
            created: boolean;
            /** Format: date-time */
            createdAt: string;
            /** @description For those who may change it. Of the open incidents one has a key. */
            dedupeKey?: string;
            description: string;
            /** @description The incident into which it was merged, if the caller may see that. */
            duplicateOf?: string;
            /**
             * @description What its systems are at least while it is open.
             * @enum {string}
             */
            healthOverride: "none" | "degraded" | "unhealthy";
            id: string;
            /** @description Its texts came with an import or from a source of alerts. For the assistant they are content from outside. */
            imported?: boolean;
            /** @description Those that the caller may see. */
            links: components["schemas"]["NoteLink"][];
            /**
             * Format: date-time
             * @description Absent while it is open.
             */
            resolvedAt?: string;
            /** Format: int64 */
            revision: number;
            /** @enum {string} */
            severity: "minor" | "major" | "critical";
            /** Format: date-time */
            startedAt: string;
            /** @enum {string} */
            status: "investigating" | "identified" | "fixing" | "monitoring" | "resolved";
            suppressNotifications: boolean;
            /** @description Those that the caller may see. */
            systems: components["schemas"]["IncidentSystem"][];
            title: string;
            /** @description Whether this call changed an incident that was open: see onDuplicate. */
            updated: boolean;
            /** Format: date-time */
            updatedAt: string;
        };
        IncidentPastIncident: {
            /** @description What it is known by: an incident that has this key, open or ended, is left as it is. */
            dedupeKey: string;
            /** @description At most 5,000 characters. */
            description?: string;
            /**
             * Format: date-time
             * @description Absent for one that is open.
             */
            resolvedAt?: string | null;
            /** @enum {string} */
            severity: "minor" | "major" | "critical";
            /** Format: date-time */
            startedAt: string;
            /**
             * @description Of one that is open: investigating when absent.
             * @enum {string}
             */
            status?: "investigating" | "identified" | "fixing" | "monitoring";
            /** @description Send no notifications about it. None are sent about one that has ended. */
            suppressNotifications?: boolean;
            systemIds: string[];
            /** @description 1 to 200 characters on one line. */
            title: string;
            updates?: components["schemas"]["IncidentPastUpdate"][];
        };
        IncidentPastUpdate: {
            /**
             * Format: date-time
             * @description When it was written; not in the future.
             */
            at: string;
            /** @description 1 to 10,000 characters. */
            message: string;
            /**
             * @description The status that it sets; resolved ends the incident, every other one reopens an ended one.
             * @enum {string}
             */
            statusChange?: "investigating" | "identified" | "fixing" | "monitoring" | "resolved";
            /**
             * @description Who sees it; public when absent. internal is for those who manage incidents.
             * @enum {string}
             */
            visibility?: "public" | "logged_in" | "internal";
        };
        IncidentProposed: {
            deciderName?: string;
            proposalId: string;
            proposerId: string;
            proposerName: string;
            /** @enum {string} */
            status: "proposed" | "applying" | "applied" | "failed" | "declined" | "expired" | "skipped";
            summary: string;
            toolName: string;
        };
        IncidentReceiver: {
            /** @enum {string} */
            channelKind: "email" | "webhook" | "slack" | "teams" | "discord" | "ntfy" | "push";
            /** @description Absent for a channel of a team or a policy. */
            personId?: string;
            personName?: string;
            /** @enum {string} */
            state: "waiting" | "sent" | "unknown" | "failed" | "suppressed" | "stopped";
        };
        IncidentReopening: {
            /** @description An update, at most 10,000 characters. */
            message?: string;
            /**
             * @description investigating when absent.
             * @enum {string}
             */
            status?: "investigating" | "identified" | "fixing" | "monitoring";
        };
        IncidentResult: {
            /** @description Whether this call did it. */
            changed: boolean;
            /** @description Why it was not done. */
            detail?: string;
            id: string;
            /** @enum {string} */
            result: "resolved" | "deleted" | "notFound" | "forbidden" | "error";
        };
        IncidentResultList: {
            /** @description One for each incident, in the order of the request. */
            results: components["schemas"]["IncidentResult"][];
        };
        IncidentState: {
            byId: string;
            /** @description Absent when the account is gone. */
            byName?: string;
            /** @description The incident into which it was merged, if the caller may see that. */
            into?: string;
            /** @enum {string} */
            kind: "opened" | "imported" | "moved" | "acknowledged" | "resolved" | "reopened" | "merged";
            /** @enum {string} */
            status: "investigating" | "identified" | "fixing" | "monitoring" | "resolved";
            statusBefore?: string;
        };
        IncidentSystem: {
            id: string;
            name: string;
        };
        IncidentTimelinePage: {
            entries: components["schemas"]["IncidentEntry"][];
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
        };
        IncidentUpdateChange: {
            /** @description 1 to 10,000 characters. */
            message?: string;
            /** @enum {string} */
            visibility?: "public" | "logged_in" | "internal";
        };
        IncidentUpdateList: {
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
            updates: components["schemas"]["NoteNote"][];
        };
        InspectorEntry: {
            /** @description As JSON, without credentials, for those who may read the conversation, as long as it is kept */
            arguments?: string;
            /**
             * Format: int64
             * @description How often a tool call was made because the server failed; left out for once
             */
            attempts?: number;
            /** Format: int64 */
            cachedTokens?: number;
            /** Format: int64 */
            costMicros?: number;
            /** @description The arguments are longer than what is shown */
            cut?: boolean;
            effect?: string;
            /** @description The sort of failure */
            failure?: string;
            /**
             * Format: int64
             * @description Until the first piece of the model's answer
             */
            firstMs?: number;
            /**
             * Format: int64
             * @description As the provider has told
             */
            inputTokens?: number;
            /**
             * @description A call of the model for a step, a tool call, a wait before a call is made again; a check of the topic, a title, a summary
             * @enum {string}
             */
            kind: "model" | "tool" | "wait" | "topic" | "title" | "summary";
            model?: string;
            /**
             * Format: int64
             * @description Which attempt of the step's model call, or which tool call of the step, from 1
             */
            number: number;
            /** Format: int64 */
            outputTokens?: number;
            /**
             * Format: int64
             * @description Since the message
             */
            startMs: number;
            /**
             * @description lost: its process ended before it did. From proposed on: what became of the proposal.
             * @enum {string}
             */
            status: "running" | "done" | "lost" | "executed" | "failed" | "refused" | "proposed" | "applying" | "applied" | "declined" | "expired" | "skipped";
            /**
             * Format: int64
             * @description 0 for what belongs to no step
             */
            step: number;
            /**
             * Format: int64
             * @description What the call counts against spend caps; an estimate where the provider has told nothing
             */
            tokens: number;
            /**
             * Format: int64
             * @description Left out when nobody knows: its process ended, or it is older than these times are kept
             */
            tookMs?: number;
            /** @description Left out for those who may not read the conversation, unless it is one of the product's own */
            tool?: string;
        };
        InspectorPerson: {
            id: string;
            /** @enum {string} */
            kind: "user" | "application" | "service";
            /** @description Left out when they are gone */
            name?: string;
        };
        InspectorReport: {
            /** @description What the person said about the answer, for those who look after the assistant */
            comment?: string;
            /** @description They also said why */
            commented?: boolean;
            connectionId: string;
            /** @description Left out when the connection is gone */
            connectionName?: string;
            /** @description Left out for those who may not read it */
            conversationId?: string;
            /**
             * Format: int64
             * @description What they cost, in millionths, as far as the connection had prices and the provider has told the tokens
             */
            costMicros?: number;
            /** Format: date-time */
            createdAt: string;
            /** @description What was done, in the order in which it began */
            entries: components["schemas"]["InspectorEntry"][];
            /** @description What the person was told of a failure; left out for those who may not read it */
            error?: string;
            errorCode?: string;
            /** Format: date-time */
            finishedAt?: string;
            id: string;
            /**
             * Format: int64
             * @description Of the calls whose answers are part of the turn, once it has ended
             */
            inputTokens: number;
            /**
             * @description What it answers: a message, or a decision about a proposal
             * @enum {string}
             */
            kind: "message" | "decision";
            model: string;
            /** Format: int64 */
            outputTokens: number;
            /** @enum {string} */
            permissionMode: "approve" | "auto";
            person: components["schemas"]["InspectorPerson"];
            /** @description Whether you may read the conversation. Otherwise texts, arguments and names that users have made up are left out. */
            readable: boolean;
            /**
             * Format: int64
             * @description Calls that were made again because something failed
             */
            retries: number;
            /**
             * Format: date-time
             * @description When they said it
             */
            saidAt?: string;
            /** @enum {string} */
            status: "pending" | "running" | "done" | "failed" | "stopped";
            /**
             * Format: date-time
             * @description When the person stopped it
             */
            stopAskedAt?: string;
            /**
             * Format: int64
             * @description How often another process went on with it
             */
            takeovers: number;
            /**
             * Format: int64
             * @description What all of its model calls count against spend caps, also those that failed, titles and checks
             */
            tokens: number;
            /**
             * Format: int64
             * @description From the message to the end of the answer; up to now while it runs
             */
            tookMs: number;
            /**
             * @description Whether the answer helped, as the person said; left out when they said nothing
             * @enum {string}
             */
            verdict?: "up" | "down";
            /** @description Of its workflow in Temporal */
            workflowId: string;
        };
        InspectorSpendLimit: {
            connectionId: string;
            connectionName: string;
            /** Format: int64 */
            tokens: number;
            /**
             * Format: int64
             * @description Within the window that ends now
             */
            used: number;
            /** Format: int64 */
            windowMinutes: number;
        };
        InspectorSpendReport: {
            /**
             * Format: date-time
             * @description When the last slot ends
             */
            end: string;
            /** @description The caps of the one person or application that the report is about, on those of its connections that can be chosen; for callers who may chat */
            limits: components["schemas"]["InspectorSpendLimit"][];
            /** @description The largest first, all others together last. Who is in several teams counts for each of them. */
            series: components["schemas"]["InspectorSpendSeries"][];
            /** @enum {string} */
            split: "none" | "connection" | "model" | "person" | "team" | "caller";
            /** @description When the slots begin */
            starts: string[];
            /** @enum {string} */
            step: "hour" | "day" | "week" | "month";
            zone: string;
        };
        InspectorSpendSeries: {
            /** @description The id of a connection, person or team, the name of a model, or chat, client, automation, application, check; empty for none, and for all others */
            key: string;
            /** @description What a connection, person or team is called; left out when it is gone */
            name?: string;
            /** @description All that are not shown apart */
            others: boolean;
            /** @description One for each start */
            slots: components["schemas"]["InspectorSpendUse"][];
            total: components["schemas"]["InspectorSpendUse"];
        };
        InspectorSpendUse: {
            /**
             * Format: int64
             * @description The part of the input that the provider had in its cache
             */
            cachedTokens: number;
            /** Format: int64 */
            calls: number;
            /**
             * Format: int64
             * @description Of the calls that have a cost, in millionths
             */
            costMicros: number;
            /** Format: int64 */
            inputTokens: number;
            /** Format: int64 */
            outputTokens: number;
            /**
             * Format: int64
             * @description How many of the calls have a cost
             */
            priced: number;
            /**
             * Format: int64
             * @description What caps count: with estimates of calls whose use nobody has told
             */
            tokens: number;
        };
        InspectorTurn: {
            /** @description They also said why */
            commented?: boolean;
            connectionId: string;
            /** @description Left out when the connection is gone */
            connectionName?: string;
            /** Format: date-time */
            createdAt: string;
            errorCode?: string;
            /** Format: date-time */
            finishedAt?: string;
            id: string;
            /**
             * Format: int64
             * @description Of the calls whose answers are part of the turn, once it has ended
             */
            inputTokens: number;
            /**
             * @description What it answers: a message, or a decision about a proposal
             * @enum {string}
             */
            kind: "message" | "decision";
            model: string;
            /** Format: int64 */
            outputTokens: number;
            person: components["schemas"]["InspectorPerson"];
            /** @enum {string} */
            status: "pending" | "running" | "done" | "failed" | "stopped";
            /**
             * Format: int64
             * @description From the message to the end of the answer; up to now while it runs
             */
            tookMs: number;
            /**
             * @description Whether the answer helped, as the person said; left out when they said nothing
             * @enum {string}
             */
            verdict?: "up" | "down";
        };
        InspectorTurnList: {
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
            turns: components["schemas"]["InspectorTurn"][];
        };
        IntakeAlert: {
            /**
             * Format: date-time
             * @description When it began to fire, or when it last changed, as the sender says.
             */
            at: string;
            description?: string;
            /** Format: date-time */
            endedAt?: string;
            firing: boolean;
            labels: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @description When it was last received.
             */
            seenAt: string;
            /** @enum {string} */
            severity: "minor" | "major" | "critical";
            sourceId: string;
            /** @enum {string} */
            sourceKind: "alertmanager" | "grafana" | "uptime-kuma" | "cloudwatch" | "webhook";
            sourceName: string;
            title: string;
            /** @description Its page at the sender. */
            url?: string;
        };
        IntakeAlertList: {
            /** @description At most 200, those that fire first. */
            alerts: components["schemas"]["IntakeAlert"][];
        };
        IntakeCreatedSource: {
            /** @enum {string} */
            access: "viewer" | "owner";
            /**
             * Format: date-time
             * @description When its subscription to an SNS topic was confirmed.
             */
            confirmedAt?: string;
            /** Format: date-time */
            createdAt: string;
            enabled: boolean;
            /**
             * Format: int64
             * @description How many of its alerts fire now.
             */
            firing: number;
            /**
             * Format: date-time
             * @description Until when the secret before counts too.
             */
            formerUntil?: string;
            /**
             * @description Whether alerts that the sender groups become one incident, or each one of its own. group when absent, for Alertmanager and Grafana alone.
             * @enum {string}
             */
            groupBy?: "group" | "alert";
            id: string;
            /** @enum {string} */
            kind: "alertmanager" | "grafana" | "uptime-kuma" | "cloudwatch" | "webhook";
            name: string;
            /** @description The systems that it names, with their names. */
            named: components["schemas"]["IntakeSystem"][];
            /**
             * Format: int64
             * @description How many payloads were taken.
             */
            received: number;
            /**
             * Format: date-time
             * @description When the last one was taken.
             */
            receivedAt?: string;
            /**
             * Format: date-time
             * @description When the last one was refused.
             */
            refusedAt?: string;
            refusedReason?: string;
            /**
             * Format: int64
             * @description An alert that fires again within this time after the end reopens its incident; later it opens another one. 60 when absent, 0 for always another one.
             */
            reopenWithinMinutes?: number;
            /** Format: int64 */
            revision: number;
            /** @description What the sender signs or signs in with, shown this once. CloudWatch has none: AWS signs. */
            secret?: string;
            /** @description Severities by labels: the first rule that fits counts. When absent at the creation: the label severity with critical, error and warning. */
            severities?: components["schemas"]["IntakeSeverityRule"][];
            /**
             * @description Of alerts to which no rule of severities fits; major when absent.
             * @enum {string}
             */
            severity?: "minor" | "major" | "critical";
            /** @description The systems of alerts to which no rule of systems fits. */
            systemIds: string[];
            /** @description Systems by labels: an alert is about those of every rule that fits. */
            systems?: components["schemas"]["IntakeSystemRule"][];
            /** @description The team whose members may change it. */
            teamId?: string;
            teamName?: string;
            /** @description For CloudWatch: the ARN of the SNS topic, the only one whose messages are taken. */
            topicArn?: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description What the sender posts to, shown this once. Absent where it stays. */
            url?: string;
        };
        IntakeFullPayload: {
            /** Format: int64 */
            alerts: number;
            /** @description As it came. The text comes from outside. */
            body: string;
            /** Format: int64 */
            bytes: number;
            id: string;
            /**
             * Format: date-time
             * @description When the same bytes came last.
             */
            lastAt: string;
            /** @description Why nothing follows from it. */
            note?: string;
            /**
             * Format: date-time
             * @description When it came first.
             */
            receivedAt: string;
            /** Format: int64 */
            times: number;
        };
        IntakeNewSource: {
            /** @description Refuse what it sends. */
            disabled?: boolean;
            /**
             * @description Whether alerts that the sender groups become one incident, or each one of its own. group when absent, for Alertmanager and Grafana alone.
             * @enum {string}
             */
            groupBy?: "group" | "alert";
            /** @enum {string} */
            kind: "alertmanager" | "grafana" | "uptime-kuma" | "cloudwatch" | "webhook";
            /** @description 1 to 100 characters on one line. */
            name: string;
            /**
             * Format: int64
             * @description An alert that fires again within this time after the end reopens its incident; later it opens another one. 60 when absent, 0 for always another one.
             */
            reopenWithinMinutes?: number;
            /** @description Severities by labels: the first rule that fits counts. When absent at the creation: the label severity with critical, error and warning. */
            severities?: components["schemas"]["IntakeSeverityRule"][];
            /**
             * @description Of alerts to which no rule of severities fits; major when absent.
             * @enum {string}
             */
            severity?: "minor" | "major" | "critical";
            /** @description The systems of alerts to which no rule of systems fits. */
            systemIds: string[];
            /** @description Systems by labels: an alert is about those of every rule that fits. */
            systems?: components["schemas"]["IntakeSystemRule"][];
            /** @description The team whose members may change it too. */
            teamId?: string | null;
            /** @description For CloudWatch: the ARN of the SNS topic, the only one whose messages are taken. */
            topicArn?: string;
        };
        IntakePayload: {
            /** Format: int64 */
            alerts: number;
            /** Format: int64 */
            bytes: number;
            id: string;
            /**
             * Format: date-time
             * @description When the same bytes came last.
             */
            lastAt: string;
            /** @description Why nothing follows from it. */
            note?: string;
            /**
             * Format: date-time
             * @description When it came first.
             */
            receivedAt: string;
            /** Format: int64 */
            times: number;
        };
        IntakePayloadList: {
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
            payloads: components["schemas"]["IntakePayload"][];
        };
        IntakeReceived: {
            /**
             * Format: int64
             * @description How many alerts the payload had.
             */
            alerts: number;
            detail?: string;
            /**
             * Format: int64
             * @description Alerts of which something newer is known; nothing follows from them.
             */
            late: number;
            /** Format: int64 */
            opened: number;
            /** Format: int64 */
            reopened: number;
            /** @description Whether the same bytes came before. */
            repeated: boolean;
            /** Format: int64 */
            resolved: number;
            /** Format: int64 */
            updated: number;
        };
        IntakeRotation: {
            /** @description Whether to replace the address as well. The one before ends at once. */
            address?: boolean;
            /** @description Whether the secret before ends at once, as when a stranger knows it. It counts for 24 hours more otherwise. */
            atOnce?: boolean;
        };
        IntakeSeverityRule: {
            /** @description The name of a label, at most 100 characters. */
            label: string;
            /** @enum {string} */
            severity: "minor" | "major" | "critical";
            /** @description Its whole value, at most 300 characters. */
            value: string;
        };
        IntakeSource: {
            /** @enum {string} */
            access: "viewer" | "owner";
            /**
             * Format: date-time
             * @description When its subscription to an SNS topic was confirmed.
             */
            confirmedAt?: string;
            /** Format: date-time */
            createdAt: string;
            enabled: boolean;
            /**
             * Format: int64
             * @description How many of its alerts fire now.
             */
            firing: number;
            /**
             * Format: date-time
             * @description Until when the secret before counts too.
             */
            formerUntil?: string;
            /**
             * @description Whether alerts that the sender groups become one incident, or each one of its own. group when absent, for Alertmanager and Grafana alone.
             * @enum {string}
             */
            groupBy?: "group" | "alert";
            id: string;
            /** @enum {string} */
            kind: "alertmanager" | "grafana" | "uptime-kuma" | "cloudwatch" | "webhook";
            name: string;
            /** @description The systems that it names, with their names. */
            named: components["schemas"]["IntakeSystem"][];
            /**
             * Format: int64
             * @description How many payloads were taken.
             */
            received: number;
            /**
             * Format: date-time
             * @description When the last one was taken.
             */
            receivedAt?: string;
            /**
             * Format: date-time
             * @description When the last one was refused.
             */
            refusedAt?: string;
            refusedReason?: string;
            /**
             * Format: int64
             * @description An alert that fires again within this time after the end reopens its incident; later it opens another one. 60 when absent, 0 for always another one.
             */
            reopenWithinMinutes?: number;
            /** Format: int64 */
            revision: number;
            /** @description Severities by labels: the first rule that fits counts. When absent at the creation: the label severity with critical, error and warning. */
            severities?: components["schemas"]["IntakeSeverityRule"][];
            /**
             * @description Of alerts to which no rule of severities fits; major when absent.
             * @enum {string}
             */
            severity?: "minor" | "major" | "critical";
            /** @description The systems of alerts to which no rule of systems fits. */
            systemIds: string[];
            /** @description Systems by labels: an alert is about those of every rule that fits. */
            systems?: components["schemas"]["IntakeSystemRule"][];
            /** @description The team whose members may change it. */
            teamId?: string;
            teamName?: string;
            /** @description For CloudWatch: the ARN of the SNS topic, the only one whose messages are taken. */
            topicArn?: string;
            /** Format: date-time */
            updatedAt: string;
        };
        IntakeSourceChange: {
            enabled?: boolean;
            /** @enum {string} */
            groupBy?: "group" | "alert";
            name?: string;
            /** Format: int64 */
            reopenWithinMinutes?: number;
            severities?: components["schemas"]["IntakeSeverityRule"][];
            /** @enum {string} */
            severity?: "minor" | "major" | "critical";
            systemIds?: string[];
            systems?: components["schemas"]["IntakeSystemRule"][];
            teamId?: string | null;
            topicArn?: string;
        };
        IntakeSourceList: {
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
            sources: components["schemas"]["IntakeSource"][];
        };
        IntakeSystem: {
            id: string;
            /** @description Absent for one that is gone or that the caller may not see. */
            name?: string;
        };
        IntakeSystemRule: {
            /** @description The name of a label, at most 100 characters. */
            label: string;
            systemIds: string[];
            /** @description Its whole value, at most 300 characters. */
            value: string;
        };
        IntakeTrial: {
            /** @description A payload as the product sends it; an example of its kind when absent. For CloudWatch the message of the notification. */
            payload?: string;
        };
        IntakeTried: {
            alerts: components["schemas"]["IntakeTriedAlert"][];
            note?: string;
            /** @description What was read. */
            payload: string;
        };
        IntakeTriedAlert: {
            firing: boolean;
            /**
             * Format: int64
             * @description Alerts with the same number share an incident.
             */
            incident: number;
            labels: {
                [key: string]: string;
            };
            /** @enum {string} */
            severity: "minor" | "major" | "critical";
            systems: components["schemas"]["IntakeSystem"][];
            title: string;
        };
        IntegrationListBody: {
            integrations: components["schemas"]["ConnectionIntegration"][];
        };
        InvokeResult: {
            output: unknown;
            toolCallId: string;
        };
        Item: Record<string, never>;
        "List-called-toolsResponse": {
            tools: string[];
        };
        "List-governed-operationsResponse": {
            operations: components["schemas"]["ApiGoverned"][];
        };
        "List-toolsResponse": {
            tools: components["schemas"]["ApiToolDescriptor"][];
        };
        LoginInputBody: {
            email: string;
            password: string;
        };
        LoginOutputBody: {
            principal: components["schemas"]["AuthMe"];
        };
        LookInputBody: {
            token: string;
        };
        MaintenanceCalendar: {
            /** @description By start. */
            entries: components["schemas"]["MaintenanceEntry"][];
            /** @description Whether there are more than are listed: ask for a shorter span or one system. */
            truncated: boolean;
        };
        MaintenanceChange: {
            /** @description At most 5,000 characters. */
            description?: string | null;
            /**
             * Format: date-time
             * @description With an offset from UTC. A later one extends a maintenance in progress that happens once.
             */
            endAt?: string;
            /** @description Changes one occurrence of a recurring maintenance. */
            occurrence?: components["schemas"]["MaintenanceOccurrenceChange"];
            /** @description Recurrence rule of RFC 5545; null lets it happen once. */
            rule?: string | null;
            /**
             * Format: date-time
             * @description With an offset from UTC. It stays while the maintenance is in progress.
             */
            startAt?: string;
            suppressNotifications?: boolean | null;
            /** @description Replaces those of its systems that the caller may see; others stay. */
            systemIds?: string[];
            /** @description 1 to 200 characters on one line. */
            title?: string;
            /** @description IANA time zone. */
            zone?: string;
        };
        MaintenanceClosing: {
            /** @description Ends a recurring maintenance with all that is to come, instead of the occurrence in progress. */
            all?: boolean;
            /** @description A last update, at most 10,000 characters. */
            message?: string;
            /**
             * @description Who sees the update; public when absent.
             * @enum {string}
             */
            visibility?: "public" | "logged_in" | "internal";
        };
        MaintenanceEntry: {
            /**
             * Format: date-time
             * @description When the recurrence has it. It names the occurrence in changes.
             */
            at: string;
            /** Format: date-time */
            endAt: string;
            endedEarly?: boolean;
            /** @description Whether its end was put off while it was in progress. */
            extended?: boolean;
            maintenanceId: string;
            /** @description Whether it begins at another time than the recurrence has. */
            moved?: boolean;
            recurring: boolean;
            /** Format: date-time */
            startAt: string;
            /** @enum {string} */
            status: "scheduled" | "in_progress" | "completed" | "cancelled";
            suppressNotifications: boolean;
            systems: components["schemas"]["MaintenanceSystem"][];
            title: string;
            zone: string;
        };
        MaintenanceFeed: {
            /** Format: date-time */
            createdAt: string;
            /** @description What a calendar program subscribes to, shown this once. Whoever has it reads what you may see. */
            url?: string;
        };
        MaintenanceListed: {
            /** @enum {string} */
            access: "viewer" | "owner";
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it ends; of a recurring one, when its first occurrence ends.
             */
            endAt: string;
            id: string;
            /** @description The occurrence in progress, else the next one, else the last one. */
            occurrence: components["schemas"]["MaintenanceOccurrence"];
            /**
             * Format: date-time
             * @description When it was completed or cancelled.
             */
            overAt?: string;
            /** @description The rule in words. */
            recurrence?: string;
            /** Format: int64 */
            revision: number;
            /** @description Its recurrence rule of RFC 5545; empty when it happens once. */
            rule: string;
            /**
             * Format: date-time
             * @description When it begins; of a recurring one, when its first occurrence begins.
             */
            startAt: string;
            /**
             * @description By the clock of the database. A recurring one is scheduled between two occurrences.
             * @enum {string}
             */
            status: "scheduled" | "in_progress" | "completed" | "cancelled";
            /** @description Whether notifications about its systems are suppressed while it is in progress. */
            suppressNotifications: boolean;
            /** @description Those that the caller may see. */
            systems: components["schemas"]["MaintenanceSystem"][];
            title: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description The IANA time zone in which it was planned and recurs. */
            zone: string;
        };
        MaintenanceMaintenance: {
            /** @enum {string} */
            access: "viewer" | "owner";
            /** Format: date-time */
            createdAt: string;
            description: string;
            /**
             * Format: date-time
             * @description When it ends; of a recurring one, when its first occurrence ends.
             */
            endAt: string;
            id: string;
            /** @description Why its recurrence cannot be read any more, such as a time zone that has left the database. */
            issue?: string;
            /** @description Those that the caller may see. */
            links: components["schemas"]["NoteLink"][];
            /** @description The occurrence in progress, else the next one, else the last one. */
            occurrence: components["schemas"]["MaintenanceOccurrence"];
            /**
             * Format: date-time
             * @description When it was completed or cancelled.
             */
            overAt?: string;
            /** @description The rule in words. */
            recurrence?: string;
            /** Format: int64 */
            revision: number;
            /** @description Its recurrence rule of RFC 5545; empty when it happens once. */
            rule: string;
            /**
             * Format: date-time
             * @description When it begins; of a recurring one, when its first occurrence begins.
             */
            startAt: string;
            /**
             * @description By the clock of the database. A recurring one is scheduled between two occurrences.
             * @enum {string}
             */
            status: "scheduled" | "in_progress" | "completed" | "cancelled";
            /** @description Whether notifications about its systems are suppressed while it is in progress. */
            suppressNotifications: boolean;
            /** @description Those that the caller may see. */
            systems: components["schemas"]["MaintenanceSystem"][];
            title: string;
            /** @description The next occurrences, with those that were moved or cancelled; for a recurring one. */
            upcoming: components["schemas"]["MaintenanceOccurrence"][];
            /** Format: date-time */
            updatedAt: string;
            /** @description The IANA time zone in which it was planned and recurs. */
            zone: string;
        };
        MaintenanceMaintenanceList: {
            maintenances: components["schemas"]["MaintenanceListed"][];
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
        };
        MaintenanceMoved: {
            /** @enum {string} */
            access: "viewer" | "owner";
            /** @description Whether this call did it; false when it was so before. */
            changed: boolean;
            /** Format: date-time */
            createdAt: string;
            description: string;
            /**
             * Format: date-time
             * @description When it ends; of a recurring one, when its first occurrence ends.
             */
            endAt: string;
            id: string;
            /** @description Why its recurrence cannot be read any more, such as a time zone that has left the database. */
            issue?: string;
            /** @description Those that the caller may see. */
            links: components["schemas"]["NoteLink"][];
            /** @description The occurrence in progress, else the next one, else the last one. */
            occurrence: components["schemas"]["MaintenanceOccurrence"];
            /**
             * Format: date-time
             * @description When it was completed or cancelled.
             */
            overAt?: string;
            /** @description The rule in words. */
            recurrence?: string;
            /** Format: int64 */
            revision: number;
            /** @description Its recurrence rule of RFC 5545; empty when it happens once. */
            rule: string;
            /**
             * Format: date-time
             * @description When it begins; of a recurring one, when its first occurrence begins.
             */
            startAt: string;
            /**
             * @description By the clock of the database. A recurring one is scheduled between two occurrences.
             * @enum {string}
             */
            status: "scheduled" | "in_progress" | "completed" | "cancelled";
            /** @description Whether notifications about its systems are suppressed while it is in progress. */
            suppressNotifications: boolean;
            /** @description Those that the caller may see. */
            systems: components["schemas"]["MaintenanceSystem"][];
            title: string;
            /** @description The next occurrences, with those that were moved or cancelled; for a recurring one. */
            upcoming: components["schemas"]["MaintenanceOccurrence"][];
            /** Format: date-time */
            updatedAt: string;
            /** @description The IANA time zone in which it was planned and recurs. */
            zone: string;
        };
        MaintenanceNewMaintenance: {
            /** @description At most 5,000 characters. */
            description?: string;
            /**
             * Format: date-time
             * @description With an offset from UTC; after the start and in the future.
             */
            endAt: string;
            /** @description A first update, at most 10,000 characters. */
            initialMessage?: string;
            /** @description Recurrence rule of RFC 5545, such as FREQ=WEEKLY;BYDAY=SU. */
            rule?: string;
            /**
             * Format: date-time
             * @description With an offset from UTC. One in the past begins at once.
             */
            startAt: string;
            suppressNotifications?: boolean;
            /** @description Systems that the caller may see. */
            systemIds: string[];
            /** @description 1 to 200 characters on one line. */
            title: string;
            /**
             * @description Who sees the first update; public when absent.
             * @enum {string}
             */
            visibility?: "public" | "logged_in" | "internal";
            /** @description IANA time zone; UTC when absent. A recurrence needs it. */
            zone?: string;
        };
        MaintenanceNewUpdate: {
            /** @description 1 to 10,000 characters. */
            message: string;
            /**
             * @description Who sees it; public when absent. internal is for those who manage maintenances.
             * @enum {string}
             */
            visibility?: "public" | "logged_in" | "internal";
        };
        MaintenanceOccurrence: {
            /**
             * Format: date-time
             * @description When the recurrence has it. It names the occurrence in changes.
             */
            at: string;
            /** Format: date-time */
            endAt: string;
            endedEarly?: boolean;
            /** @description Whether its end was put off while it was in progress. */
            extended?: boolean;
            /** @description Whether it begins at another time than the recurrence has. */
            moved?: boolean;
            /** Format: date-time */
            startAt: string;
            /** @enum {string} */
            status: "scheduled" | "in_progress" | "completed" | "cancelled";
        };
        MaintenanceOccurrenceChange: {
            /**
             * Format: date-time
             * @description at of the occurrence.
             */
            at: string;
            /** @description true cancels it, false restores it as the recurrence has it. */
            cancelled?: boolean;
            /**
             * Format: date-time
             * @description Its end; a later one extends it while it is in progress.
             */
            endAt?: string;
            /**
             * Format: date-time
             * @description Where it is moved; it keeps its length without endAt.
             */
            startAt?: string;
        };
        MaintenanceSystem: {
            id: string;
            name: string;
        };
        MaintenanceUpdateChange: {
            /** @description 1 to 10,000 characters. */
            message?: string;
            /** @enum {string} */
            visibility?: "public" | "logged_in" | "internal";
        };
        MaintenanceUpdateList: {
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
            updates: components["schemas"]["NoteNote"][];
        };
        McpserverCallInput: {
            /** @description An object that fits the tool's schema. */
            args: unknown;
        };
        McpserverCalled: {
            /** @description Parts of the result that are no text. */
            left_out?: string[];
            ok: boolean;
            server: string;
            structured?: unknown;
            text?: string;
            tool: string;
            /** @description The result is longer than what is shown. */
            truncated?: boolean;
        };
        McpserverChoice: {
            /**
             * @description mutate when absent: a tool that is not known to be a read needs a proposal.
             * @default mutate
             * @enum {string}
             */
            effect?: "read" | "mutate" | "destructive";
            /** @description True when absent. */
            enabled?: boolean;
            /** @description Of the definition that was read. Refused when the definition has changed. */
            hash: string;
            id: string;
            /** @description Whether you trust it with the data that it receives. */
            trusted?: boolean;
        };
        McpserverChoices: {
            tools: components["schemas"]["McpserverChoice"][];
        };
        McpserverDefinition: {
            /** @description Hints of the server about its own tool. They have no effect here. */
            annotations?: unknown;
            description?: string;
            inputSchema: unknown;
            name: string;
            outputSchema?: unknown;
            title?: string;
        };
        McpserverLeftOut: {
            /** @description As the server calls it, cut to what can be shown. */
            name: string;
            reason: string;
        };
        McpserverNewServer: {
            /** @description Where it speaks streamable HTTP, such as https://mcp.example.com/mcp. http is possible towards targets that an operator has opened with COUNTERSIGN_EGRESS_ALLOW. */
            address: string;
            /**
             * @description With oauth an administrator signs in at the server, once for everybody.
             * @default none
             * @enum {string}
             */
            auth?: "none" | "bearer" | "header" | "oauth";
            /** @description For auth oauth: a client that was registered by hand. Without one Countersign registers itself. */
            clientId?: string;
            /** @description True when absent. */
            enabled?: boolean;
            /** @description For auth header: the header that the secret is sent in. */
            header?: string;
            /** @description For auth oauth: the only authorization server to ask. Needed beside a secret, which goes nowhere else. */
            issuer?: string;
            /** @description 1 to 120 characters. */
            name: string;
            /** @description For auth oauth: what to ask for, with spaces between, instead of what the server names. */
            scopes?: string;
            /** @description For auth bearer and header: the name of a secret of the vault. For oauth that of the client's secret, where it has one. */
            secret?: string;
            /** @description Small letters, digits and hyphens; unique. It cannot be changed. */
            slug: string;
        };
        McpserverServer: {
            /**
             * @description What the caller may do with it, where their roles let them see or manage servers.
             * @enum {string}
             */
            access: "viewer" | "editor" | "owner";
            address: string;
            /** @enum {string} */
            auth: "none" | "bearer" | "header" | "oauth";
            /** @description Where auth is oauth: the client that an administrator has registered. Absent when Countersign registers itself. */
            clientId?: string;
            /** Format: date-time */
            createdAt: string;
            enabled: boolean;
            /** @description The header that the secret is sent in, where auth is header. */
            header?: string;
            id: string;
            /** @description Its name for itself at the last refresh. */
            implementation?: string;
            /** @description Where auth is oauth: the only authorization server that is asked. */
            issuer?: string;
            /** @description Tools that cannot be accepted, with the reason. */
            leftOut: components["schemas"]["McpserverLeftOut"][];
            name: string;
            /** @description Closed to everybody without a grant, whatever their roles. Its grants say so and change it. */
            private: boolean;
            /** @description The protocol revision at the last refresh. */
            protocol?: string;
            /** @description Why the last refresh failed. */
            refreshError?: string;
            /**
             * Format: date-time
             * @description The time of the last successful refresh.
             */
            refreshedAt?: string;
            /** Format: int64 */
            revision: number;
            /** @description Where auth is oauth: what is asked for, instead of what the server names. */
            scopes?: string;
            /** @description The name of the secret that is sent; where auth is oauth, that of the client, which goes to the authorization server alone. Its value is in no answer. */
            secret?: string;
            /** @description Where auth is oauth. */
            signIn?: components["schemas"]["McpserverSignIn"];
            /** @description Its tools are called by it; chosen once. */
            slug: string;
            /** Format: date-time */
            updatedAt: string;
            /**
             * Format: int64
             * @description How many of its tools can be called.
             */
            usable: number;
            /**
             * Format: int64
             * @description How many of its tools are new or have changed, and are off until an administrator accepts them.
             */
            waiting: number;
        };
        McpserverServerChange: {
            /** @description Another address is another server: its tools have to be accepted again, and a secret has to be named again. */
            address?: string;
            /**
             * @description none removes the secret. A changed sign-in setting ends the sign-in.
             * @enum {string}
             */
            auth?: "none" | "bearer" | "header" | "oauth";
            clientId?: string;
            /** @description The tools of one that is off are offered to nobody. */
            enabled?: boolean;
            header?: string;
            issuer?: string;
            /** @description 1 to 120 characters. */
            name?: string;
            scopes?: string;
            secret?: string;
        };
        McpserverServerList: {
            servers: components["schemas"]["McpserverServer"][];
        };
        McpserverSignIn: {
            /** @description The authorization server of the sign-in. */
            issuer?: string;
            /** @description Why an administrator has to sign in again. */
            reason?: string;
            /** @description The redirect address. A client that is registered by hand needs exactly this one. */
            redirect: string;
            /**
             * Format: date-time
             * @description The time of the last sign-in.
             */
            since?: string;
            /**
             * @description again: the server's authorization server has refused to renew the sign-in; an administrator has to sign in again.
             * @enum {string}
             */
            state: "out" | "in" | "again";
        };
        McpserverSignInAnswer: {
            /** @description The query that the browser returned with, unchanged. */
            query: string;
            /** @description The slug of the server, which stands in the path of the redirect address. */
            server: string;
        };
        McpserverSignInStart: {
            /** @description Of the authorization server. Valid for ten minutes, once, and for the person who requested it. */
            address: string;
        };
        McpserverSignedOff: {
            /** @description Whether this call has ended it; false when there was no sign-in. */
            ended: boolean;
            /** @description Whether the authorization server has revoked the tokens. Not every one can. */
            revoked: boolean;
        };
        McpserverTool: {
            /** @description The accepted definition, where it differs. */
            accepted?: components["schemas"]["McpserverDefinition"];
            /** Format: date-time */
            acceptedAt?: string;
            /** @description The current definition. It is untrusted text. */
            definition?: components["schemas"]["McpserverDefinition"];
            /** @description The changes since the accepted definition. */
            diff?: components["schemas"]["ToolChange"][];
            /**
             * @description The effect that an administrator assigned. A read runs, everything else is proposed.
             * @enum {string}
             */
            effect: "read" | "mutate" | "destructive";
            enabled: boolean;
            /** @description Of the current definition; accepting the tool needs it. Absent when the server no longer lists the tool. */
            hash?: string;
            /** @description The last part of the name that it is called by here. */
            id: string;
            /** @description As the server calls it. */
            name: string;
            /**
             * Format: date-time
             * @description When its definition last changed.
             */
            seenAt: string;
            /**
             * @description new: not accepted yet. changed: the definition differs from the accepted one. gone: the server no longer lists it. Only an accepted one can be called.
             * @enum {string}
             */
            state: "accepted" | "new" | "changed" | "gone";
            /** @description The name that it is called by here: mcp.<slug>.<id>. */
            tool: string;
            /** @description An administrator trusts it with the data that it receives: a read runs without a question also in a conversation with private or outside content, and a change may be applied in auto mode. */
            trusted: boolean;
        };
        McpserverToolList: {
            tools: components["schemas"]["McpserverTool"][];
        };
        MemoryAlwaysInjectChoice: {
            alwaysInject: boolean;
        };
        MemoryChange: {
            /** @description Make it part of every prompt of yours. */
            alwaysInject?: boolean | null;
            /** @description What to recall; 1 to 4,000 characters. */
            content?: string;
            /** @description When to recall it; 1 to 200 characters on one line. */
            recallHint?: string;
            /** @description Replaces all tags; at most 10, kept in lower case, sorted. */
            tags?: string[] | null;
        };
        MemoryMemory: {
            /** @description Whether it is part of every prompt of its owner. Only the owner sees it set. */
            alwaysInject: boolean;
            content: string;
            /** Format: date-time */
            createdAt: string;
            /** @description Who else than the owner changed the text last. */
            editorName?: string;
            id: string;
            /** @description Whether the caller may change and delete it. */
            mayChange: boolean;
            /** @description Saved in a conversation of the owner that held content from outside, or by an MCP client. It counts as such until the owner edits it, or chooses again whether it is always injected. */
            outside?: boolean;
            /** @description Whether the caller owns it. */
            own: boolean;
            ownerId: string;
            ownerName: string;
            /** @description When to recall it. */
            recallHint: string;
            /** Format: int64 */
            revision: number;
            /** @enum {string} */
            scope: "user" | "system";
            /** @description The owner's conversation in which it was saved. */
            sourceConversationId?: string;
            systemId?: string;
            systemName?: string;
            tags: string[];
            /** Format: date-time */
            updatedAt: string;
        };
        MemoryMemoryList: {
            memories: components["schemas"]["MemoryMemory"][];
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
        };
        MemorySaveBody: {
            /** @description Make it part of every prompt of yours. */
            alwaysInject?: boolean;
            /** @description What to recall; 1 to 4,000 characters. */
            content: string;
            /**
             * @description What to do when a memory of yours has nearly the same recall hint, scope and system: update it, or refuse.
             * @default update
             * @enum {string}
             */
            ifSimilar?: "update" | "refuse";
            /** @description When to recall it; 1 to 200 characters on one line. */
            recallHint: string;
            /**
             * @description user: only you. system: everybody who may see the system.
             * @enum {string}
             */
            scope: "user" | "system";
            /** @description For scope system. */
            systemId?: string;
            /** @description At most 10; kept in lower case, sorted. */
            tags?: string[] | null;
        };
        MemorySaved: {
            /** @description Whether it is part of every prompt of its owner. Only the owner sees it set. */
            alwaysInject: boolean;
            content: string;
            /** Format: date-time */
            createdAt: string;
            /** @description Who else than the owner changed the text last. */
            editorName?: string;
            id: string;
            /** @description Whether the caller may change and delete it. */
            mayChange: boolean;
            /** @description Saved in a conversation of the owner that held content from outside, or by an MCP client. It counts as such until the owner edits it, or chooses again whether it is always injected. */
            outside?: boolean;
            /** @description Whether the caller owns it. */
            own: boolean;
            ownerId: string;
            ownerName: string;
            /** @description When to recall it. */
            recallHint: string;
            /** Format: int64 */
            revision: number;
            /** @enum {string} */
            scope: "user" | "system";
            /** @description The owner's conversation in which it was saved. */
            sourceConversationId?: string;
            systemId?: string;
            systemName?: string;
            tags: string[];
            /** @description Whether a memory that was there was updated instead of making another. */
            updated: boolean;
            /** Format: date-time */
            updatedAt: string;
        };
        MemorySimilarMemory: {
            /** @description Absent when there is none. */
            memory?: components["schemas"]["MemoryMemory"];
        };
        ModelcheckCheck: {
            connectionId: string;
            /** @description What the connection was called */
            connectionName: string;
            /**
             * Format: double
             * @description Left out without prices
             */
            cost?: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            endedAt?: string;
            /**
             * Format: int64
             * @description Could not be played: the provider, the spend cap or the time was in the way
             */
            errors: number;
            /** Format: int64 */
            failed: number;
            id: string;
            /**
             * Format: double
             * @description What a million tokens of input cost
             */
            inputPrice?: number;
            /** Format: int64 */
            inputTokens: number;
            model: string;
            /**
             * Format: double
             * @description What a million tokens of output cost
             */
            outputPrice?: number;
            /** Format: int64 */
            outputTokens: number;
            /** Format: int64 */
            parallel: number;
            /** Format: int64 */
            passed: number;
            /** Format: int64 */
            played: number;
            /** Format: int64 */
            repeats: number;
            /** @description Left out when a command on the server started it */
            startedBy?: string;
            startedByName?: string;
            /** @enum {string} */
            status: "running" | "done" | "stopped" | "interrupted";
            /**
             * Format: int64
             * @description How many situations are to be played, repeats included
             */
            total: number;
        };
        ModelcheckCheckList: {
            checks: components["schemas"]["ModelcheckCheck"][];
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
        };
        ModelcheckKindTally: {
            about: string;
            /**
             * Format: int64
             * @description Could not be played: the provider, the spend cap or the time was in the way
             */
            errors: number;
            /** Format: int64 */
            failed: number;
            /** Format: int64 */
            inputTokens: number;
            kind: string;
            /** Format: int64 */
            outputTokens: number;
            /** Format: int64 */
            passed: number;
            /** Format: int64 */
            played: number;
            /**
             * Format: int64
             * @description The time of all its situations together
             */
            tookMs: number;
        };
        ModelcheckNewCheck: {
            connectionId: string;
            /**
             * Format: double
             * @description What a million tokens of input cost
             */
            inputPrice?: number;
            /** @description The kinds of situations to play; all when left out */
            kinds?: ("tools" | "ask" | "docs" | "correct" | "plan" | "injection" | "card" | "structured" | "context" | "parallel" | "secrets" | "honesty" | "language" | "topic" | "title")[];
            /** @description A model of the connection; its default when left out */
            model?: string;
            /**
             * Format: double
             * @description What a million tokens of output cost
             */
            outputPrice?: number;
            /**
             * Format: int64
             * @description How many are played side by side; 4 when left out
             */
            parallel?: number;
            /**
             * Format: int64
             * @description How often each situation is played; once when left out
             */
            repeats?: number;
        };
        ModelcheckOutcome: {
            /** @description What a good model does */
            about?: string;
            /** Format: int64 */
            calls: number;
            /** @description The provider did not report all of the tokens */
            estimated: boolean;
            /** Format: int64 */
            inputTokens: number;
            kind: string;
            /** Format: int64 */
            number: number;
            /** Format: int64 */
            outputTokens: number;
            /** @description What was expected and not done, or why it could not be played */
            reasons: string[];
            /** @description What happened, shortened */
            shown: components["schemas"]["SuiteLine"][];
            situation: string;
            /** Format: int64 */
            steps: number;
            /** Format: int64 */
            tookMs: number;
            /** @enum {string} */
            verdict: "passed" | "failed" | "error" | "skipped";
        };
        ModelcheckReport: {
            connectionId: string;
            /** @description What the connection was called */
            connectionName: string;
            /**
             * Format: double
             * @description Left out without prices
             */
            cost?: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            endedAt?: string;
            /**
             * Format: int64
             * @description Could not be played: the provider, the spend cap or the time was in the way
             */
            errors: number;
            /** Format: int64 */
            failed: number;
            id: string;
            /**
             * Format: double
             * @description What a million tokens of input cost
             */
            inputPrice?: number;
            /** Format: int64 */
            inputTokens: number;
            kinds: components["schemas"]["ModelcheckKindTally"][];
            model: string;
            outcomes: components["schemas"]["ModelcheckOutcome"][];
            /**
             * Format: double
             * @description What a million tokens of output cost
             */
            outputPrice?: number;
            /** Format: int64 */
            outputTokens: number;
            /** Format: int64 */
            parallel: number;
            /** Format: int64 */
            passed: number;
            /** Format: int64 */
            played: number;
            /** Format: int64 */
            repeats: number;
            /** @description Left out when a command on the server started it */
            startedBy?: string;
            startedByName?: string;
            /** @enum {string} */
            status: "running" | "done" | "stopped" | "interrupted";
            /**
             * Format: int64
             * @description How many situations are to be played, repeats included
             */
            total: number;
        };
        NewRegistrationBody: {
            enabled: boolean;
        };
        NoteEdit: {
            /**
             * Format: date-time
             * @description When it was replaced.
             */
            editedAt: string;
            /** @description Who replaced it. */
            editorId: string;
            editorName?: string;
            message: string;
            /** @enum {string} */
            visibility: "public" | "logged_in" | "internal";
        };
        NoteLink: {
            /** Format: date-time */
            createdAt: string;
            id: string;
            label: string;
            url: string;
            /** @enum {string} */
            visibility: "public" | "logged_in" | "internal";
        };
        NoteNewLink: {
            /** @description What the page is, such as dashboard. */
            label?: string;
            /** @description http or https, without credentials. */
            url: string;
            /**
             * @description Who sees it; public when absent.
             * @enum {string}
             */
            visibility?: "public" | "logged_in" | "internal";
        };
        NoteNote: {
            authorId: string;
            /** @description Absent when the account is gone. */
            authorName?: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            editedAt?: string;
            /** @description What it was before each edit, oldest first; for those who may change it. */
            edits?: components["schemas"]["NoteEdit"][] | null;
            id: string;
            message: string;
            /** @description The status that it set. */
            statusChange?: string;
            /** @enum {string} */
            visibility: "public" | "logged_in" | "internal";
        };
        NotificationAudience: {
            /** @description Through which kinds of channels, most used first. */
            channels: components["schemas"]["NotificationChannelUse"][];
            /** @description Of the system or the group. */
            name: string;
            /**
             * Format: int64
             * @description People whom it reaches.
             */
            people: number;
            /**
             * Format: int64
             * @description Subscribers without a channel for such messages.
             */
            unreached: number;
        };
        NotificationChannel: {
            /** @description It is the e-mail address of the person's account, and cannot be deleted. */
            account: boolean;
            /** Format: date-time */
            createdAt: string;
            enabled: boolean;
            id: string;
            /** @enum {string} */
            kind: "email" | "webhook" | "slack" | "teams" | "discord" | "ntfy" | "push";
            name: string;
            ownerId: string;
            /** @enum {string} */
            ownerKind: "person" | "team" | "policy";
            /** Format: int64 */
            revision: number;
            /** @description The host or the e-mail address that it reaches, without path and secrets. */
            target: string;
            /** @description How the last test ended; absent while there was none since its address was set. */
            test?: components["schemas"]["NotificationLastTest"];
            /** Format: date-time */
            updatedAt: string;
        };
        NotificationChannelChange: {
            address?: string;
            enabled?: boolean;
            name?: string;
            token?: string | null;
            url?: string;
        };
        NotificationChannelList: {
            channels: components["schemas"]["NotificationChannel"][];
        };
        NotificationChannelUse: {
            /** Format: int64 */
            count: number;
            /** @enum {string} */
            kind: "email" | "webhook" | "slack" | "teams" | "discord" | "ntfy" | "push";
        };
        NotificationCreatedChannel: {
            /** @description It is the e-mail address of the person's account, and cannot be deleted. */
            account: boolean;
            /** Format: date-time */
            createdAt: string;
            enabled: boolean;
            id: string;
            /** @enum {string} */
            kind: "email" | "webhook" | "slack" | "teams" | "discord" | "ntfy" | "push";
            name: string;
            ownerId: string;
            /** @enum {string} */
            ownerKind: "person" | "team" | "policy";
            /** Format: int64 */
            revision: number;
            /** @description Webhooks are signed with it, as Standard Webhooks describes. Shown once. */
            signingSecret?: string;
            /** @description The host or the e-mail address that it reaches, without path and secrets. */
            target: string;
            /** @description How the last test ended; absent while there was none since its address was set. */
            test?: components["schemas"]["NotificationLastTest"];
            /** Format: date-time */
            updatedAt: string;
        };
        NotificationDelivery: {
            aboutId: string;
            /** @description Such as incident. */
            aboutKind: string;
            /** Format: int64 */
            attempts: number;
            channelId: string;
            /** @enum {string} */
            channelKind: "email" | "webhook" | "slack" | "teams" | "discord" | "ntfy" | "push";
            /** @description Absent when the channel is gone. */
            channelName?: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            endedAt?: string;
            /** @description The webhook-id of webhooks and the Message-ID of e-mails, the same in all attempts. */
            id: string;
            /**
             * Format: date-time
             * @description When a waiting one is looked at again.
             */
            nextAt?: string;
            notificationId: string;
            /** @description For whom it is, if that is a person. */
            personId?: string;
            personName?: string;
            /** @enum {string} */
            phase: "problem" | "recovery" | "update";
            reason?: string;
            /** @description An attempt is being made. */
            sending: boolean;
            /**
             * @description unknown: it may have arrived. suppressed: there was nothing to tell. stopped: no longer wanted.
             * @enum {string}
             */
            state: "waiting" | "sent" | "unknown" | "failed" | "suppressed" | "stopped";
            topic: string;
            /** @description The attempts that have ended, oldest first. */
            tries: components["schemas"]["NotificationTry"][];
            urgent: boolean;
        };
        NotificationDeliveryList: {
            deliveries: components["schemas"]["NotificationDelivery"][];
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
        };
        NotificationLastTest: {
            /** Format: date-time */
            at: string;
            reason?: string;
            /** @enum {string} */
            result: "sent" | "uncertain" | "temporary" | "permanent";
        };
        NotificationMail: {
            from: string;
            hasPassword: boolean;
            host: string;
            /** Format: int64 */
            port: number;
            /** @enum {string} */
            security: "tls" | "starttls" | "none";
            username?: string;
        };
        NotificationNewChannel: {
            /** @description E-mail: the address, of teams and policies; people are reached by that of their account. */
            address?: string;
            /** @description Push: the key auth of the subscription. */
            auth?: string;
            /** @enum {string} */
            kind: "email" | "webhook" | "slack" | "teams" | "discord" | "ntfy" | "push";
            name: string;
            /** @description The team or the policy. Absent for the caller. */
            ownerId?: string;
            /**
             * @description person when absent.
             * @enum {string}
             */
            ownerKind?: "person" | "team" | "policy";
            /** @description Push: the key p256dh of the subscription. */
            p256dh?: string;
            /** @description ntfy: an access token. */
            token?: string;
            /** @description Where HTTP channels post to. For ntfy its path is the topic, for push it is the endpoint of the subscription. It is not shown again. */
            url?: string;
        };
        NotificationNewMail: {
            /** @description The sender's e-mail address. */
            from: string;
            host: string;
            /** @description Absent keeps the one of the same server and user. */
            password?: string;
            /** Format: int64 */
            port: number;
            /**
             * @description starttls when absent; none sends in the clear.
             * @enum {string}
             */
            security?: "tls" | "starttls" | "none";
            username?: string;
        };
        NotificationNewMessage: {
            message: string;
        };
        NotificationNewPreferences: {
            off?: string[] | null;
            quietHours?: string;
            rules: components["schemas"]["NotificationRule"][];
            /** @description UTC when absent. */
            zone?: string;
        };
        NotificationPreferences: {
            /** @description Topics that the person does not want to know of. */
            off: string[];
            /** @description Such as mon-fri 22:00-07:00; empty for none. Calls of an escalation come through. */
            quietHours: string;
            /** Format: int64 */
            revision: number;
            /** @description Without any rule, all channels are used at once. */
            rules: components["schemas"]["NotificationRule"][];
            /** @description All topics. */
            topics: components["schemas"]["NotificationTopic"][];
            /** @description The time zone of the quiet hours. */
            zone: string;
        };
        NotificationPushKey: {
            /** @description The key with which a browser subscribes to push messages of this installation. */
            publicKey: string;
        };
        NotificationRule: {
            /**
             * Format: int64
             * @description 0 for at once.
             */
            afterSeconds: number;
            channelId: string;
            /** @description Absent for all topics without rules of their own. */
            topic?: string;
        };
        NotificationSentMessage: {
            audience: components["schemas"]["NotificationAudience"];
            id: string;
        };
        NotificationSettings: {
            /** @description Absent while there is no mail server. */
            mail?: components["schemas"]["NotificationMail"];
            /** Format: int64 */
            revision: number;
        };
        NotificationSubscribed: {
            /** @description Whether this call did it; false when it was so before. */
            changed: boolean;
            subscribed: boolean;
        };
        NotificationSubscription: {
            /** Format: date-time */
            createdAt: string;
            id: string;
            /** @enum {string} */
            kind: "system" | "group";
        };
        NotificationSubscriptionList: {
            subscriptions: components["schemas"]["NotificationSubscription"][];
        };
        NotificationTestResult: {
            /** @description Why it was not sent. */
            reason?: string;
            /** @enum {string} */
            result: "sent" | "uncertain" | "temporary" | "permanent";
        };
        NotificationTopic: {
            description: string;
            id: string;
            label: string;
        };
        NotificationTry: {
            /** Format: date-time */
            at: string;
            reason?: string;
            /** @enum {string} */
            result: "sent" | "uncertain" | "temporary" | "permanent";
        };
        OauthConnectedProgram: {
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it ends unless it is used before
             */
            expiresAt: string;
            id: string;
            /**
             * Format: date-time
             * @description Renewed at most once a minute
             */
            lastUsedAt?: string;
            /** @description What the program calls itself. Nobody has checked it */
            name: string;
            /** @description The host of its metadata document; absent for a program that has registered itself */
            origin?: string;
            /** @description The same for all connections of the program */
            programId: string;
            scopes: components["schemas"]["OauthScope"][];
            userId: string;
            userName: string;
        };
        OauthDecided: {
            /** @description The address to go on to. It is the program's, and holds a code that works once and for a minute */
            redirect: string;
        };
        OauthDecision: {
            allow: boolean;
            /** @description The parameter request of the page */
            request: string;
            /** @description Of what it asks for, what it may do; all of it when absent */
            scopes?: string[] | null;
        };
        OauthProgramList: {
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
            programs: components["schemas"]["OauthConnectedProgram"][];
        };
        OauthQuestion: {
            /** @description What the program calls itself. Nobody has checked it */
            name: string;
            /** @description The host of its metadata document, whose owner speaks for it; absent for a program that has registered itself */
            origin?: string;
            /** @description Set when the program has asked wrongly: nothing can be granted */
            refused?: components["schemas"]["OauthRefusedQuestion"];
            /** @description The address at which the program will act */
            resource: string;
            /** @description Where the answer goes: a host, or a program on this computer */
            returnsTo: string;
            /** @description What it asks for; empty when it has asked wrongly */
            scopes: components["schemas"]["OauthScope"][];
        };
        OauthRefusedQuestion: {
            description: string;
            /** @description The way back to the program, which tells it why */
            redirect: string;
        };
        OauthRegistration: {
            enabled: boolean;
            /** Format: int64 */
            revision: number;
        };
        OauthScope: {
            id: string;
            text: string;
            title: string;
        };
        OncallCalendar: {
            /** @description Why the last attempt to read it failed; what was read before counts on. */
            error?: string;
            /** Format: int64 */
            events: number;
            /** @description The host of its feed; absent for an uploaded file. */
            host?: string;
            /**
             * Format: date-time
             * @description When it was last read.
             */
            readAt?: string;
            /** @description Names in it that fit no member of the owning team and nobody whom the schedule names; for those who may change the schedule. */
            unknown?: string[] | null;
            /** @description Events that were left out, and why; for those who may change the schedule. */
            warnings?: string[] | null;
        };
        OncallCall: {
            /** Format: date-time */
            dueAt: string;
            /** @description None of those whom the step names may see the incident: it reached nobody, and the next step followed at once. */
            hidden?: boolean;
            /** Format: int64 */
            messages: number;
            people: components["schemas"]["OncallNamed"][];
            policyName: string;
            /**
             * Format: int64
             * @description How often the steps were begun.
             */
            round: number;
            /**
             * Format: int64
             * @description Counted from 1.
             */
            step: number;
            /** Format: date-time */
            takenAt: string;
            /**
             * Format: int64
             * @description Targets without a channel, with nobody on call, or all of them where none may see the incident.
             */
            unreached: number;
        };
        OncallEscalation: {
            /** @description The steps that were taken, the last one first. */
            calls: components["schemas"]["OncallCall"][];
            /**
             * Format: date-time
             * @description When the next step is due.
             */
            dueAt?: string;
            incidentId: string;
            policy?: components["schemas"]["OncallNamed"];
            /** @description What it waits for beside its time, or why it ended. */
            reason?: string;
            /** Format: int64 */
            round?: number;
            /** @enum {string} */
            state: "none" | "waiting" | "acknowledged" | "resolved" | "exhausted" | "gone";
            /**
             * Format: int64
             * @description The step that comes next, counted from 1.
             */
            step?: number;
        };
        OncallExplained: {
            /**
             * Format: date-time
             * @description When, for the first time.
             */
            at?: string;
            /** @description Whether they were or will be called. */
            called: boolean;
            person: components["schemas"]["OncallNamed"];
            /** @description Why not, such as notOnCall, noChannel or acknowledged. */
            reason?: string;
            /** @description The same as a sentence. */
            text: string;
        };
        OncallExplanation: {
            /** @description Everybody whom the policy names, and the person that was asked for. */
            people: components["schemas"]["OncallExplained"][];
            /** @description Absent when none is for the incident. */
            policy?: components["schemas"]["OncallNamed"];
            /** @description Why nobody is called any more, such as noPolicy, suppressed, maintenance, acknowledged or resolved. */
            reason?: string;
            /** @description The records whose names the sentences hold: policies and schedules. */
            sources: components["schemas"]["OncallNamed"][];
            steps: components["schemas"]["OncallPlanned"][];
            /** @description One sentence about the whole. */
            text: string;
        };
        OncallImport: {
            /** @description The text of an iCalendar file. */
            file?: string;
            /** @description The https address of an iCal feed, which is read again every quarter of an hour. */
            url?: string;
        };
        OncallNamed: {
            id: string;
            /** @description Absent when it is gone. */
            name?: string;
        };
        OncallNewOverride: {
            /**
             * Format: date-time
             * @description With an offset.
             */
            end: string;
            /** @description Who is on call. */
            personId: string;
            /** @description In whose place; everybody's when absent. */
            replacesId?: string | null;
            /**
             * Format: date-time
             * @description With an offset.
             */
            start: string;
        };
        OncallNewPolicy: {
            /**
             * Format: int64
             * @description How long after the last step they begin again; 300 when absent.
             */
            betweenSeconds?: number;
            /** @description It is for incidents that no other policy is for. One policy is the default. */
            default?: boolean;
            description?: string;
            disabled?: boolean;
            name: string;
            /**
             * Format: int64
             * @description How often all steps are taken again.
             */
            repeats?: number;
            /** @description Those that it is for; all when absent. */
            severities?: ("minor" | "major" | "critical")[] | null;
            steps: components["schemas"]["EscalationStep"][];
            /** @description The team that owns it: it is for incidents of the systems of that team, whose members may change it. */
            teamId?: string | null;
            /** @description The time zone of the hours of steps; UTC when absent. */
            zone?: string;
        };
        OncallNewSchedule: {
            description?: string;
            layers?: components["schemas"]["RotaRotation"][] | null;
            name: string;
            /** @description The team that owns it; its members may change it. */
            teamId?: string | null;
            /** @description A time zone such as Europe/Berlin. */
            zone: string;
        };
        OncallOverride: {
            /** Format: date-time */
            end: string;
            id: string;
            person: components["schemas"]["OncallNamed"];
            /** @description Absent when the person is on call in everybody's place. */
            replaces?: components["schemas"]["OncallNamed"];
            /** Format: date-time */
            start: string;
        };
        OncallPlanned: {
            /** Format: date-time */
            at: string;
            /** @description The kinds of channels that messages go to. */
            channels: string[];
            /** @description Who is called. */
            people: components["schemas"]["OncallNamed"][];
            /** @description What holds it or keeps it from reaching a target, such as officeHours, noChannel, notSeen or notOnCall. */
            reasons: string[];
            /**
             * Format: int64
             * @description How often the steps were begun.
             */
            round: number;
            /**
             * Format: int64
             * @description Counted from 1.
             */
            step: number;
            /** @description It was taken already. */
            taken?: boolean;
            /** @description The same as a sentence. */
            text: string;
        };
        OncallPolicy: {
            /** @enum {string} */
            access: "viewer" | "owner";
            /**
             * Format: int64
             * @description How long after the last step they begin again.
             */
            betweenSeconds: number;
            /** Format: date-time */
            createdAt: string;
            /** @description It is for incidents that no other policy is for. */
            default: boolean;
            description: string;
            enabled: boolean;
            id: string;
            name: string;
            /**
             * Format: int64
             * @description How often all steps are taken again.
             */
            repeats: number;
            /** Format: int64 */
            revision: number;
            /** @description Those that it is for; all when empty. */
            severities: ("minor" | "major" | "critical")[];
            steps: components["schemas"]["EscalationStep"][];
            /** @description The names of its people, teams and schedules. */
            targets: components["schemas"]["OncallNamed"][];
            /** @description The team that owns it: it is for incidents of the systems of that team. */
            team?: components["schemas"]["OncallNamed"];
            /** Format: date-time */
            updatedAt: string;
            /** @description Steps that reach nobody, and why. */
            warnings: components["schemas"]["OncallWarning"][];
            zone: string;
        };
        OncallPolicyChange: {
            /** Format: int64 */
            betweenSeconds?: number;
            default?: boolean | null;
            description?: string | null;
            disabled?: boolean | null;
            name?: string;
            /** Format: int64 */
            repeats?: number | null;
            severities?: ("minor" | "major" | "critical")[] | null;
            /** @description Replaces all steps. */
            steps?: components["schemas"]["EscalationStep"][];
            /** @description null takes the owner away. Another team is set by its members and administrators: the channels of the policy are sent what it may see. */
            teamId?: string | null;
            zone?: string | null;
        };
        OncallPolicyList: {
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
            policies: components["schemas"]["OncallPolicy"][];
        };
        OncallSchedule: {
            /** @enum {string} */
            access: "viewer" | "owner";
            /** @description The imported calendar; layers take its place. */
            calendar?: components["schemas"]["OncallCalendar"];
            /** Format: date-time */
            createdAt: string;
            description: string;
            id: string;
            /** @description Later ones take the place of those before them. */
            layers: components["schemas"]["RotaRotation"][];
            name: string;
            /** @description Who is on call now. */
            onCall: components["schemas"]["OncallNamed"][];
            /** @description Everybody whom it names. */
            people: components["schemas"]["OncallNamed"][];
            /** Format: int64 */
            revision: number;
            /** @description The team that owns it. */
            team?: components["schemas"]["OncallNamed"];
            /** Format: date-time */
            updatedAt: string;
            zone: string;
        };
        OncallScheduleChange: {
            description?: string | null;
            /** @description Replaces all layers. */
            layers?: components["schemas"]["RotaRotation"][] | null;
            name?: string;
            /** @description null takes the owner away. */
            teamId?: string | null;
            zone?: string;
        };
        OncallScheduleList: {
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
            schedules: components["schemas"]["OncallSchedule"][];
        };
        OncallShift: {
            /** Format: date-time */
            end: string;
            /** @description An override decides. */
            overridden?: boolean;
            /** @description Nobody in a gap. */
            people: components["schemas"]["OncallNamed"][];
            /** Format: date-time */
            start: string;
        };
        OncallShifts: {
            /** @description Those in that time. */
            overrides: components["schemas"]["OncallOverride"][];
            /** @description Without a gap between two of them. */
            shifts: components["schemas"]["OncallShift"][];
        };
        OncallWarning: {
            message: string;
            /** @description The member that it is about. */
            path?: string;
        };
        PayloadBodyBody: {
            payloads: components["schemas"]["ApiTemporalPayload"][];
        };
        PolicyChange: {
            alwaysConfirm?: boolean;
            /** @description Ask for a second person although fewer than two people could apply such a change, or could take the policy back */
            anyway?: boolean;
            enabled?: boolean;
            twoPerson?: boolean;
        };
        PolicyList: {
            policies: components["schemas"]["PolicyToolPolicy"][];
        };
        PolicySecondPerson: {
            /** @description Ask for a second person although fewer than two people could apply such a change, or could take the policy back */
            anyway?: boolean;
            tools: components["schemas"]["PolicySeenPolicy"][];
        };
        PolicySeenPolicy: {
            /**
             * Format: int64
             * @description The revision that the change is based on
             */
            revision: number;
            tool: string;
        };
        PolicyToolPolicy: {
            /** @description Its changes are never applied automatically */
            alwaysConfirm: boolean;
            /** @description Only a person in a session does it: no application, connected program or tool call */
            byHand?: boolean;
            /** @description What the model is told about the tool */
            description: string;
            /** @enum {string} */
            effect: "read" | "mutate" | "destructive";
            /** @description A tool that is not enabled is offered to nobody and cannot be called */
            enabled: boolean;
            /** @description Its changes affect only the caller, so they can have no second person */
            own: boolean;
            /** Format: int64 */
            revision: number;
            /** @description What people call it, for an administrative operation that no model is offered */
            title?: string;
            toolName: string;
            /** @description Another person than the proposer has to apply its changes */
            twoPerson: boolean;
            /** Format: date-time */
            updatedAt?: string;
            /** @description Name of who changed it last */
            updatedBy?: string;
        };
        PrincipalRule: {
            /** @description Given to every user unless an administrator takes it away */
            default: boolean;
            description: string;
            /** @description Such as catalog.system.read */
            id: string;
        };
        ProbeProbeInput: {
            /**
             * @default GET
             * @enum {string}
             */
            method?: "GET" | "HEAD";
            url: string;
        };
        ProblemIssue: {
            message: string;
            path: string;
        };
        ProposalCard: {
            /** @description Of a proposal of yours that failed, expired or was not reached: it can be proposed again. Not in lists */
            again?: components["schemas"]["ProposalNext"];
            automatic?: boolean;
            blocked?: string;
            conversationId?: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            decidedAt?: string;
            decidedBy?: components["schemas"]["ProposalWho"];
            decisionReason?: string;
            diff?: components["schemas"]["ToolChange"][];
            /** @enum {string} */
            effect: "mutate" | "destructive";
            effects?: string[];
            error?: components["schemas"]["ProposalFailure"];
            /** Format: date-time */
            expiresAt: string;
            labels?: {
                [key: string]: string;
            };
            /** @description Content from outside that the conversation held when this was proposed, the latest first; at most 20 */
            outside?: components["schemas"]["DispositionTaint"][];
            payload: unknown;
            planId?: string;
            /** Format: int64 */
            planPosition?: number;
            planned?: boolean;
            proposalId: string;
            proposer: components["schemas"]["ProposalWho"];
            reason?: string;
            /** @description Of a proposal of a chat that needs a second person: what led to it. Not in lists */
            request?: components["schemas"]["ProposalRequest"];
            result?: unknown;
            /** @enum {string} */
            status: "proposed" | "applying" | "applied" | "failed" | "declined" | "expired" | "skipped";
            summary: string;
            token?: string;
            toolCallId: string;
            toolName: string;
            turnId?: string;
            twoPerson?: boolean;
            /** @description Of an applied change: a change that takes it back can be proposed. Not in lists */
            undo?: components["schemas"]["ProposalNext"];
            whyConfirm?: string;
            /** @description What this change takes away, when its effect is worse than that of the tool */
            whyEffect?: string;
        };
        ProposalFailure: {
            code: string;
            diff?: components["schemas"]["ToolChange"][];
            issues?: components["schemas"]["ProblemIssue"][];
            message: string;
        };
        ProposalListBody: {
            /** @description Ask with it for the next page; absent on the last one. A page can be empty and not be the last. */
            nextCursor?: string;
            proposals: components["schemas"]["ProposalCard"][];
        };
        ProposalNext: {
            /** @description The proposal that you have made like this already */
            proposalId?: string;
        };
        ProposalPlan: {
            conversationId: string;
            planId: string;
            proposals: components["schemas"]["ProposalCard"][];
            /** @enum {string} */
            status: "proposed" | "applying" | "applied" | "failed" | "declined" | "expired" | "mixed";
        };
        ProposalRequest: {
            /** @description What the assistant said in that turn before it proposed: the end, plain text of a model, at most 2,000 characters. Absent where it could repeat what was read with the rights of the person */
            answer?: string;
            /** @description What the person wrote in the turn that made the proposal: the beginning, plain text, at most 2,000 characters. Absent in a turn that followed a decision, and when an option was picked */
            message?: string;
        };
        ProposalWho: {
            id: string;
            /** @enum {string} */
            kind: "user" | "application" | "service";
            name: string;
        };
        ProposeInputBody: {
            /** @description Fits the tool's inputSchema */
            input: unknown;
        };
        QuestionOption: {
            label: string;
        };
        QuestionQuestion: {
            allowFreeText: boolean;
            note: string;
            options: components["schemas"]["QuestionOption"][];
            question: string;
            status: string;
        };
        "Request-erasureRequest": {
            /** @description The person's address, to confirm; not needed when the account is gone */
            email?: string;
            personId: string;
        };
        ResponseTextFormatStruct: {
            /** @enum {string} */
            type: "text";
        };
        ResponseUsageInputTokensDetailsStruct: {
            /** Format: int64 */
            cached_tokens: number;
        };
        ResponseUsageOutputTokensDetailsStruct: {
            /** Format: int64 */
            reasoning_tokens: number;
        };
        RevokedCountBody: {
            /**
             * Format: int64
             * @description How many sessions this call ended
             */
            revoked: number;
        };
        RoleListBody: {
            roles: components["schemas"]["AuthListedRole"][];
        };
        RotaRotation: {
            /** @description Its people are on call beside those of the layers before it, not in their place. */
            beside?: boolean;
            /** @description Hours to which the layer is restricted, such as mon-fri 09:00-17:00; always when absent. */
            hours?: string[] | null;
            /**
             * Format: int64
             * @description How many units a shift takes.
             */
            length: number;
            name?: string;
            /** @description Users in the order of their turns. */
            people: string[];
            /** @description The local time of the first hand-over in the zone of the schedule, such as 2026-01-05T09:00. Nobody is on call before it. */
            start: string;
            /** @enum {string} */
            unit: "hours" | "days" | "weeks";
        };
        RuleListBody: {
            rules: components["schemas"]["PrincipalRule"][];
        };
        ScriptLogLine: {
            /**
             * @description debug, info, warn or error for TypeScript; stdout or stderr for shell
             * @enum {string}
             */
            level: "debug" | "info" | "warn" | "error" | "stdout" | "stderr";
            text: string;
        };
        ScriptNetworkState: {
            /** @description Whether a test that starts now can reach anything */
            allowed: boolean;
        };
        ScriptRunError: {
            message: string;
            name: string;
            stack: components["schemas"]["ScriptStackFrame"][];
        };
        ScriptStackFrame: {
            /** Format: int64 */
            column: number;
            function?: string;
            /** Format: int64 */
            line: number;
        };
        ScriptTestInput: {
            /** @description Check the types of TypeScript; true when absent */
            checkTypes?: boolean;
            /** @description The configuration of a health check: an object */
            config?: unknown;
            /**
             * @description Where the script lives
             * @enum {string}
             */
            context: "healthcheck-script" | "healthcheck-shell" | "automation-action-script" | "automation-action-shell";
            /** @description Environment variables beside those of the context; TypeScript finds them in context.env */
            env?: {
                [key: string]: string;
            };
            /** @description What the script is told: an object. What is missing has a default, what the context does not know is left out. */
            sampleContext?: unknown;
            /** @description Variables that hold a secret in a real run, as ${{ secrets.NAME }}. A test gets the placeholder __SECRET_NAME__. */
            secretEnv?: {
                [key: string]: string;
            };
            /** @description Values in place of placeholders, by variable of secretEnv, for this test only. What comes back shows stars in their place. */
            secretOverrides?: {
                [key: string]: string;
            };
            source: string;
            /** @description Do not run a script with type errors */
            stopOnTypeError?: boolean;
            /**
             * Format: int64
             * @description 30000 when absent. The script policy may allow less.
             */
            timeoutMs?: number;
            /** @description Run it without a network, whatever the script policy allows */
            withoutNetwork?: boolean;
        };
        ScriptTestOutput: {
            /** @description What the compiler says, by position. Type errors do not keep a script from running. */
            diagnostics: components["schemas"]["TypescriptDiagnostic"][];
            /**
             * Format: int64
             * @description How long the script ran
             */
            durationMs: number;
            error?: components["schemas"]["ScriptRunError"];
            /**
             * Format: int64
             * @description Of a shell script that came to its end
             */
            exitCode?: number;
            limitsHit: ("timeout" | "memory" | "output" | "result" | "host_calls")[];
            /** @description What was written to the console or to stdout and stderr, in order */
            logs: components["schemas"]["ScriptLogLine"][];
            networkAllowed: boolean;
            /** @description Why the script policy refused a request of the script. A health check then counts as not made, even if its script goes on and says that all is well. */
            requestRefused?: string;
            /** @description What the script returned. That of a TypeScript health check is always {success, message?, value?}; a shell script has none. */
            result?: unknown;
            /** @description The script policy is missing or not valid: the script had no network and the tightest limits */
            sandboxDowngraded: boolean;
            stderr: string;
            stdout: string;
            timedOut: boolean;
            typesChecked: boolean;
            /** @description Why the types were not checked */
            typesReason?: string;
            /** @description What was left out or changed before the run */
            warnings: string[];
        };
        ScriptToolAnswer: {
            /**
             * Format: double
             * @description How long the tool ran
             */
            duration_ms: number;
            error?: components["schemas"]["ScriptToolError"];
            limits_hit: ("timeout" | "memory" | "output" | "result" | "host_calls")[];
            /** @description What the tool wrote with ctx.log and console, in order; at most 500 lines */
            logs: components["schemas"]["ScriptToolLog"][];
            ok: boolean;
            result?: unknown;
        };
        ScriptToolError: {
            /** @enum {string} */
            code: "timeout" | "memory_exceeded" | "result_too_large" | "not_json" | "stalled" | "action_not_found" | "secret_not_provisioned" | "tool_invoke_failed";
            /** Format: int64 */
            column?: number;
            /** @description The code that the thrown error has, which is the tool's own word */
            detail?: string;
            /** Format: int64 */
            line?: number;
            message: string;
            /** @description The frames in the author's source, innermost first */
            stack: components["schemas"]["ScriptStackFrame"][];
        };
        ScriptToolLog: {
            /** @enum {string} */
            level: "debug" | "info" | "warn" | "error";
            message: string;
            /** @description The third argument of ctx.log: an object */
            meta?: unknown;
        };
        ScriptpolicyPolicy: {
            /** @description Host names, *.names, addresses and prefixes, each also with :port. Private addresses are reached only where an address or a prefix names them. */
            allow: string[];
            /**
             * @description off: none; allowlist: the entries of allow and nothing else; public: every public internet address
             * @enum {string}
             */
            network: "off" | "allowlist" | "public";
            /** @description The most that a real run gets */
            run: components["schemas"]["ScriptpolicyScriptLimits"];
            /** @description The most that a test of a script gets */
            test: components["schemas"]["ScriptpolicyScriptLimits"];
        };
        ScriptpolicyPolicyChange: {
            actorId: string;
            /** @enum {string} */
            actorKind: "user" | "application" | "service";
            /** @description Absent when the account is gone */
            actorName?: string;
            after: components["schemas"]["ScriptpolicyPolicy"];
            /** Format: date-time */
            at: string;
            /** @description Absent when there was none that could be used */
            before?: components["schemas"]["ScriptpolicyPolicy"];
            /**
             * Format: int64
             * @description The revision that it made
             */
            revision: number;
        };
        ScriptpolicyPolicyChangeList: {
            changes: components["schemas"]["ScriptpolicyPolicyChange"][];
        };
        ScriptpolicyScriptLimits: {
            /** Format: int64 */
            hostBytes: number;
            /** Format: int64 */
            hostCalls: number;
            /** Format: int64 */
            memoryBytes: number;
            /** Format: int64 */
            outputBytes: number;
            /** Format: int64 */
            resultBytes: number;
            /** Format: int64 */
            timeoutMs: number;
        };
        ScriptpolicyStored: {
            /** @description Host names, *.names, addresses and prefixes, each also with :port. Private addresses are reached only where an address or a prefix names them. */
            allow: string[];
            /** @description What is stored is missing or not valid: scripts have no network and the tightest limits until a policy is saved */
            downgraded: boolean;
            /**
             * @description off: none; allowlist: the entries of allow and nothing else; public: every public internet address
             * @enum {string}
             */
            network: "off" | "allowlist" | "public";
            /** Format: int64 */
            revision: number;
            /** @description The most that a real run gets */
            run: components["schemas"]["ScriptpolicyScriptLimits"];
            /** @description The most that a test of a script gets */
            test: components["schemas"]["ScriptpolicyScriptLimits"];
            /** Format: date-time */
            updatedAt?: string;
            /** @description Name of who changed it last */
            updatedBy?: string;
        };
        SdkDescription: {
            allowsManagedPackages: boolean;
            /** @enum {string} */
            context: "healthcheck-script" | "healthcheck-shell" | "automation-action-script" | "automation-action-shell" | "custom-tool";
            declarations: string;
            helper?: string;
            /** @enum {string} */
            language: "typescript" | "shell";
            sdkModule?: string;
            shellEnv?: components["schemas"]["SdkVariable"][];
            starterExample: string;
        };
        SdkVariable: {
            description: string;
            name: string;
        };
        SessionListBody: {
            sessions: components["schemas"]["AuthSession"][];
        };
        SettingsBodyLimitsStruct: {
            /** Format: int64 */
            maxSteps: number;
            /** Format: int64 */
            proposalTtlSeconds: number;
        };
        ShareChat: {
            id: string;
            owner: components["schemas"]["ShareOwner"];
            /** Format: date-time */
            sharedAt: string;
            /** @description Empty until it is named */
            title: string;
            /** Format: date-time */
            updatedAt: string;
        };
        ShareChatList: {
            chats: components["schemas"]["ShareChat"][];
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
        };
        ShareMessage: {
            /** Format: date-time */
            at: string;
            id: string;
            pieces: components["schemas"]["SharePiece"][];
            /** @enum {string} */
            role: "user" | "assistant";
        };
        ShareOwner: {
            id: string;
            name: string;
        };
        SharePiece: {
            /**
             * @description What was said, that a tool was used, that a change was proposed, that something was asked
             * @enum {string}
             */
            kind: "text" | "tool" | "proposal" | "question";
            /** @description Of a proposal that you may see: GET /api/ai/proposals/{id} has it. Left out for others. */
            proposalId?: string;
            /** @description Of a text, as Markdown where the assistant wrote it; of a question what it asks */
            text?: string;
            /** @description The name of the tool that was used */
            tool?: string;
        };
        ShareReader: {
            email: string;
            id: string;
            name: string;
            /** Format: date-time */
            sharedAt: string;
        };
        ShareReaderList: {
            people: components["schemas"]["ShareReader"][];
        };
        ShareSharedWith: {
            email: string;
            id: string;
            name: string;
            /** @description False when it was shared with them before */
            shared: boolean;
            /** Format: date-time */
            sharedAt: string;
        };
        ShareTakenBack: {
            /** @description False when it was not shared with them */
            removed: boolean;
        };
        ShareTranscript: {
            id: string;
            messages: components["schemas"]["ShareMessage"][];
            owner: components["schemas"]["ShareOwner"];
            /** @description An answer is being written. It is shown when it is complete. */
            running: boolean;
            /** Format: date-time */
            sharedAt: string;
            /** @description Empty until it is named */
            title: string;
            /** Format: date-time */
            updatedAt: string;
            withheld?: components["schemas"]["ShareWithheld"];
        };
        ShareWithheld: {
            /**
             * Format: int64
             * @description How many messages are not shown; 0 when they were not counted
             */
            messages: number;
            /**
             * @description rights: an answer tells of something that you may not see, and what stands behind it may repeat it
             * @enum {string}
             */
            reason: "rights" | "length";
        };
        SharingBody: {
            /** @description The address with which the person signs in */
            email: string;
        };
        SkillAnswerField: {
            /** @description Tells the model what to put there */
            description: string;
            /** @description Under this name the value is read later */
            key: string;
            /** @description The allowed values of an enum, and only of an enum */
            options?: string[] | null;
            /** @enum {string} */
            type: "string" | "number" | "boolean" | "enum";
        };
        SkillChange: {
            description?: string;
            name?: string;
            promptTemplate?: string | null;
            suggestedOutputFields?: components["schemas"]["SkillAnswerField"][] | null;
            systemPrompt?: string | null;
            tags?: string[] | null;
            targets?: ("chat" | "ai_analyze")[];
        };
        SkillListedSkill: {
            /**
             * Format: date-time
             * @description Absent for a built-in skill
             */
            createdAt?: string;
            description: string;
            /** @description Whether the caller may change and delete it */
            editable: boolean;
            /** @description A slug for a built-in skill, a UUID for any other */
            id: string;
            name: string;
            /** @description The author's id; absent for a built-in skill */
            ownerId?: string;
            /** @description Absent when the author's account is gone */
            ownerName?: string;
            /** Format: int64 */
            revision: number;
            /** @enum {string} */
            source: "builtin" | "user";
            tags: string[];
            targets: ("chat" | "ai_analyze")[];
            /** Format: date-time */
            updatedAt?: string;
        };
        SkillNewSkill: {
            /** @description People choose by it */
            description: string;
            name: string;
            promptTemplate?: string;
            suggestedOutputFields?: components["schemas"]["SkillAnswerField"][] | null;
            /** @description Required for chat */
            systemPrompt?: string;
            tags?: string[] | null;
            targets: ("chat" | "ai_analyze")[];
        };
        SkillSkill: {
            /**
             * Format: date-time
             * @description Absent for a built-in skill
             */
            createdAt?: string;
            description: string;
            /** @description Whether the caller may change and delete it */
            editable: boolean;
            /** @description A slug for a built-in skill, a UUID for any other */
            id: string;
            name: string;
            /** @description The author's id; absent for a built-in skill */
            ownerId?: string;
            /** @description Absent when the author's account is gone */
            ownerName?: string;
            /** @description In a chat the beginning of a message, in an analysis the question that is asked */
            promptTemplate: string;
            /** Format: int64 */
            revision: number;
            /** @enum {string} */
            source: "builtin" | "user";
            /** @description For ai_analyze: the values to answer with */
            suggestedOutputFields: components["schemas"]["SkillAnswerField"][];
            /** @description What the assistant follows while the skill is active */
            systemPrompt: string;
            tags: string[];
            targets: ("chat" | "ai_analyze")[];
            /** Format: date-time */
            updatedAt?: string;
        };
        SkillSkillList: {
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
            skills: components["schemas"]["SkillListedSkill"][];
        };
        StreamApproval: {
            approved?: boolean;
            id: string;
            reason?: string;
        };
        StreamPart: {
            approval?: components["schemas"]["StreamApproval"];
            data?: unknown;
            errorText?: string;
            id?: string;
            input?: unknown;
            output?: unknown;
            state?: string;
            text?: string;
            toolCallId?: string;
            toolMetadata?: components["schemas"]["StreamTiming"];
            toolName?: string;
            type: string;
        };
        StreamTiming: {
            /**
             * Format: date-time
             * @description When the model had asked for the call; left out once it is over
             */
            askedAt?: string;
            /**
             * Format: date-time
             * @description When the call began; left out until it is over
             */
            startedAt?: string;
            /**
             * Format: int64
             * @description How long it took, its repeats included
             */
            tookMs?: number;
        };
        SuiteLine: {
            text: string;
            /** @enum {string} */
            who: "person" | "model" | "call" | "tool" | "check";
        };
        TeamListBody: {
            teams: components["schemas"]["AuthTeam"][];
        };
        ToolChange: {
            after: unknown;
            before: unknown;
            path: string;
        };
        ToolInputBody: {
            /** @description Fits the tool's inputSchema */
            input: unknown;
        };
        TrustChoice: {
            /** @description programId of connected programs */
            trusted: string[];
        };
        TrustPolicy: {
            /** Format: int64 */
            revision: number;
            /** @description Programs that may decide for their people about changes that remove nothing, need no second person and no decision in person */
            trusted: components["schemas"]["TrustProgram"][];
        };
        TrustProgram: {
            /** @description Its programId in the list of connected programs */
            id: string;
            /** @description Its own name for itself, unverified */
            name: string;
            /** @description The host of its metadata document; absent for a program that has registered itself */
            origin?: string;
        };
        TurnFailure: {
            code: string;
            issues?: components["schemas"]["ProblemIssue"][];
            message: string;
        };
        TurnMessageMetadata: {
            /** Format: date-time */
            createdAt?: string;
            /** @description Why the turn failed */
            error?: components["schemas"]["TurnFailure"];
            model?: string;
            /** @enum {string} */
            status?: "running" | "done" | "failed" | "stopped";
            /** @description The answer was cut at the length limit of the model's reply */
            truncated?: boolean;
            /** Format: uuid */
            turnId?: string;
            usage?: components["schemas"]["TurnUsage"];
        };
        TurnNotice: {
            /**
             * Format: int64
             * @description Number of the next attempt, of a notice that is retrying
             */
            attempt?: number;
            /** @enum {string} */
            kind: "retrying" | "messages_left_out" | "message_cut" | "summary_clipped" | "tools_left_out" | "truncated_by_server" | "content_withheld" | "answer_incomplete";
            message: string;
            /**
             * Format: int64
             * @description The time until the next attempt, of a notice that is retrying
             */
            retryAfterSeconds?: number;
        };
        TurnUsage: {
            /**
             * Format: int64
             * @description The part of the input that the provider had in its cache
             */
            cachedTokens?: number;
            /** Format: int64 */
            inputTokens: number;
            /** Format: int64 */
            outputTokens: number;
        };
        TypescriptCapabilities: {
            actions: string[];
            dynamic_secret_refs: boolean;
            modules: string[];
            reasons?: components["schemas"]["TypescriptCapabilityReason"][];
            secret_refs: string[];
        };
        TypescriptCapabilityReason: {
            /** Format: int64 */
            column: number;
            /** Format: int64 */
            line: number;
            message: string;
        };
        TypescriptDiagnostic: {
            /** Format: int64 */
            code?: number;
            /** Format: int64 */
            column: number;
            /** Format: int64 */
            endColumn: number;
            /** Format: int64 */
            endLine: number;
            /** Format: int64 */
            line: number;
            message: string;
            /** @enum {string} */
            rule: "syntax" | "import" | "shape" | "type";
            /** @enum {string} */
            severity: "error" | "warning";
        };
        TypescriptToolDiagnostic: {
            code: string;
            /** Format: int64 */
            column: number;
            /** Format: int64 */
            end_column: number;
            /** Format: int64 */
            end_line: number;
            hint?: string;
            /** Format: int64 */
            line: number;
            message: string;
            /** @enum {string} */
            severity: "error" | "warning";
        };
        UseInputBody: {
            password: string;
            token: string;
        };
        UserListBody: {
            /** @description More match than that */
            more?: boolean;
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
            /**
             * Format: int64
             * @description How many users match, on all pages, at most 1,000
             */
            total: number;
            users: components["schemas"]["AuthUser"][];
        };
        VaultNewSecret: {
            /** @description At most 500 characters */
            description?: string;
            /** @description Begins with a capital letter; capital letters, digits and underscores, at most 64 */
            name: string;
            /** @description 4 characters to 16 KiB of text. It is never shown again. */
            value: string;
        };
        VaultSecret: {
            /** Format: date-time */
            createdAt: string;
            description: string;
            id: string;
            /**
             * Format: date-time
             * @description Absent when it was never used
             */
            lastUsedAt?: string;
            /** @description Capital letters, digits and underscores; texts refer to it as ${{ secrets.NAME }} */
            name: string;
            /** Format: int64 */
            revision: number;
            /** Format: date-time */
            updatedAt: string;
            /**
             * Format: date-time
             * @description When the value was set last
             */
            valueSetAt: string;
        };
        VaultSecretChange: {
            /** @description At most 500 characters */
            description?: string | null;
            /** @description Replaces the value; runs that start from now on use it */
            value?: string;
        };
        VaultSecretHistory: {
            /** @description What refers to the secret and stops working without it */
            places: components["schemas"]["VaultSecretPlace"][];
            /** @description The last 100 entries, the newest first */
            uses: components["schemas"]["VaultSecretUse"][];
        };
        VaultSecretList: {
            /** @description Ask with it for the next page; absent on the last one. */
            nextCursor?: string;
            secrets: components["schemas"]["VaultSecret"][];
        };
        VaultSecretPlace: {
            id: string;
            /** @description Such as automation */
            kind: string;
            name: string;
        };
        VaultSecretUse: {
            /** @enum {string} */
            action: "create" | "replace" | "describe" | "delete" | "use";
            actorId: string;
            /** @enum {string} */
            actorKind: "user" | "application" | "service";
            /** @description Absent when the account is gone */
            actorName?: string;
            /** Format: date-time */
            at: string;
            /** @description What it was used for, such as the id of a run; empty for a change */
            purpose: string;
            /**
             * Format: int64
             * @description The revision of the secret that it made or used
             */
            revision: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "list-access-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleListBody"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-agent-script-context": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                context: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SdkDescription"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-agents": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
                /** @description Text to look for in slugs, names and descriptions. */
                query?: string;
                /** @description A whole slug. */
                slug?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentAgentList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "create-agent": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentNewAgent"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentAgent"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-agent": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentAgent"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "delete-agent": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "update-agent": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentAgentChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentAgent"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-agent-revisions": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
                /** @description Only those in this state. */
                state?: "draft" | "ready" | "live" | "archived";
            };
            header?: never;
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentRevisionList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "create-agent-revision": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentNewRevision"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentRevision"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-agent-revision": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
                /** @description The id or the number of the revision. */
                rev: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentRevision"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "delete-agent-revision": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
                /** @description The id or the number of the revision. */
                rev: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "put-agent-md": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
                /** @description The id or the number of the revision. */
                rev: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentAgentMDInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentWritten"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["AgentDraftProblem"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "archive-agent-revision": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
                /** @description The id or the number of the revision. */
                rev: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentRevision"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-agent-bundle": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
                /** @description The id or the number of the revision. */
                rev: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentBundleOf"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "put-agent-bundle": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
                /** @description The id or the number of the revision. */
                rev: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentBundleInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentWritten"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["AgentDraftProblem"];
                };
            };
            /** @description Invalid input */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["AgentBundleProblem"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "clone-agent-revision": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
                /** @description The id or the number of the revision. */
                rev: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentCloneInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentWritten"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["AgentDraftProblem"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "diff-agent-revisions": {
        parameters: {
            query?: {
                /** @description The id or the number of the other revision of the same agent; the one that this one was cloned from, or else the one before it, when absent. */
                against?: string;
            };
            header?: never;
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
                /** @description The id or the number of the revision. */
                rev: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentDiff"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "freeze-agent-revision": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
            };
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
                /** @description The id or the number of the revision. */
                rev: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentFrozen"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["AgentFreezeConflict"];
                };
            };
            /** @description Invalid input */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["AgentFreezeProblem"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-agent-manifest": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
                /** @description The id or the number of the revision. */
                rev: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentManifest"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "promote-agent-revision": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
                /** @description The id or the number of the revision. */
                rev: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentRevision"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "put-agent-skill": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
                /** @description The id or the number of the revision. */
                rev: string;
                skill: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentSkillInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentWritten"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["AgentDraftProblem"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "delete-agent-skill": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
                /** @description The id or the number of the revision. */
                rev: string;
                skill: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["AgentDraftProblem"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "put-agent-spec": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
                /** @description The id or the number of the revision. */
                rev: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentSpecInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentWritten"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["AgentDraftProblem"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "put-agent-tool": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
                /** @description The id or the number of the revision. */
                rev: string;
                tool: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentToolInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentToolWritten"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["AgentDraftProblem"];
                };
            };
            /** @description Invalid input */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["AgentToolProblem"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "delete-agent-tool": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
                /** @description The id or the number of the revision. */
                rev: string;
                tool: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentToolRemoved"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["AgentDraftProblem"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "check-agent-tool": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
                /** @description The id or the number of the revision. */
                rev: string;
                tool: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentToolInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentToolChecked"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "dry-run-agent-tool": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
                /** @description The id or the number of the revision. */
                rev: string;
                tool: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentDryRunInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentDryRun"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["AgentDraftProblem"];
                };
            };
            /** @description Invalid input */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["AgentToolProblem"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-agent-tool-examples": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
                /** @description The id or the number of the revision. */
                rev: string;
                tool: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentExamples"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "put-agent-tool-examples": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
                /** @description The id or the number of the revision. */
                rev: string;
                tool: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentExamples"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentWritten"];
                };
            };
            /** @description Conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["AgentDraftProblem"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "run-agent-tool-examples": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
                /** @description The id or the number of the revision. */
                rev: string;
                tool: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentExampleRuns"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "validate-agent-revision": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
                /** @description The id or the number of the revision. */
                rev: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentVerdict"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "call-agent-tool": {
        parameters: {
            query?: never;
            header?: {
                /** @description The bundle_sha256 of the revision that has to be live, in quotes. */
                "If-Match"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
                tool: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentCallInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentCalled"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-agent-uses": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The id or the slug of the agent. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentUseList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "run-agent": {
        parameters: {
            query?: never;
            header?: {
                "Countersign-While-Running"?: "stop" | "queue" | "refuse";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiRunInput"];
            };
        };
        responses: {
            /** @description The run as it happens */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description A problem document */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-tool-calls": {
        parameters: {
            query?: {
                /** @description Calls made at this time or later */
                from?: string;
                /** @description Calls made before this time */
                to?: string;
                /** @description Who called or decided */
                principal?: string;
                transport?: "chat" | "mcp" | "automation" | "api";
                /** @description The full name, such as catalog.createSystem */
                tool?: string;
                effect?: "read" | "mutate" | "destructive";
                status?: "running" | "executed" | "failed" | "refused" | "proposed" | "applying" | "applied" | "declined" | "expired" | "skipped";
                /** @description The whole id of a program through which a user asked or decided, or of an application */
                program?: string;
                /** @description Part of a tool's name, an error code or the caller's name; or a whole id or hash */
                text?: string;
                /** @description Only your own calls; needs no rule but ai.chat.read */
                mine?: boolean;
                /** @description nextCursor of the page before. */
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallListBody"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-changes": {
        parameters: {
            query?: {
                /** @description Changes made at this time or later */
                from?: string;
                /** @description Changes made before this time */
                to?: string;
                /** @description Such as catalog.system */
                objectType?: string;
                /** @description Needs objectType beside it */
                objectId?: string;
                action?: "created" | "changed" | "deleted" | "added" | "removed" | "granted" | "withdrawn" | "archived" | "restored" | "erased" | "ran" | "signed-in" | "sign-in-failed" | "signed-out" | "token-refused" | "name-refused" | "decided" | "refused";
                /** @description Who asked or decided */
                principal?: string;
                /** @description The proposal that was carried out */
                proposal?: string;
                transport?: "page" | "api" | "application" | "chat" | "mcp" | "automation" | "system";
                /** @description The whole id of a program through which a user asked or decided, or of an application */
                program?: string;
                /** @description Part of a name or of a summary; or a whole id */
                text?: string;
                /** @description Only what you did yourself; needs no rule */
                mine?: boolean;
                /** @description nextCursor of the page before. */
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeListBody"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "export-changes": {
        parameters: {
            query?: {
                /** @description Changes made at this time or later */
                from?: string;
                /** @description Changes made before this time */
                to?: string;
                /** @description Such as catalog.system */
                objectType?: string;
                /** @description Needs objectType beside it */
                objectId?: string;
                action?: "created" | "changed" | "deleted" | "added" | "removed" | "granted" | "withdrawn" | "archived" | "restored" | "erased" | "ran" | "signed-in" | "sign-in-failed" | "signed-out" | "token-refused" | "name-refused" | "decided" | "refused";
                /** @description Who asked or decided */
                principal?: string;
                /** @description The proposal that was carried out */
                proposal?: string;
                transport?: "page" | "api" | "application" | "chat" | "mcp" | "automation" | "system";
                /** @description The whole id of a program through which a user asked or decided, or of an application */
                program?: string;
                /** @description Part of a name or of a summary; or a whole id */
                text?: string;
                /** @description Only what you did yourself; needs no rule */
                mine?: boolean;
                format?: "csv" | "ndjson";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "export-tool-calls": {
        parameters: {
            query?: {
                /** @description Calls made at this time or later */
                from?: string;
                /** @description Calls made before this time */
                to?: string;
                /** @description Who called or decided */
                principal?: string;
                transport?: "chat" | "mcp" | "automation" | "api";
                /** @description The full name, such as catalog.createSystem */
                tool?: string;
                effect?: "read" | "mutate" | "destructive";
                status?: "running" | "executed" | "failed" | "refused" | "proposed" | "applying" | "applied" | "declined" | "expired" | "skipped";
                /** @description The whole id of a program through which a user asked or decided, or of an application */
                program?: string;
                /** @description Part of a tool's name, an error code or the caller's name; or a whole id or hash */
                text?: string;
                /** @description Only your own calls; needs no rule but ai.chat.read */
                mine?: boolean;
                format?: "csv" | "ndjson";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-called-tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List-called-toolsResponse"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-audited-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditTypeList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-audit-verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditStatus"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-tool-call": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditDetail"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    chat: {
        parameters: {
            query?: never;
            header?: {
                "Countersign-While-Running"?: "stop" | "queue" | "refuse";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiChatRequest"] | components["schemas"]["ApiClientChat"];
            };
        };
        responses: {
            /** @description The turn as it happens */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description A problem document */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "stop-chat": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No turn was running */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiStopping"];
                };
            };
            /** @description It is being stopped */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiStopping"];
                };
            };
            /** @description A problem document */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "resume-chat": {
        parameters: {
            query?: never;
            header?: {
                "Last-Event-ID"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The turn as it happens */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description No turn is running */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem document */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-connections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionListBody"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "create-connection": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConnectionNewConnection"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionConnection"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-connection": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionConnection"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "delete-connection": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "update-connection": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConnectionChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionConnection"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "confirm-connection": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionConnection"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "set-default-connection": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionConnection"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "test-connection": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionTestResult"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-conversations": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
                /** @description List the archived ones instead */
                archived?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationListBody"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "create-conversation": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ApiNewConversation"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationConversation"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "export-conversations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "search-conversations": {
        parameters: {
            query: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
                /** @description Words; those after the eighth count for nothing */
                query: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationFound"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-conversation": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiTranscript"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "update-conversation": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiConversationSettings"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationConversation"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "archive-conversation": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiArchived"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-feedback": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedbackFeedbackList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "export-conversation": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "accept-outside-content": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiAcceptance"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiHeldContent"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "restore-conversation": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiRestored"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-shares": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShareReaderList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "share-conversation": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SharingBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShareSharedWith"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "unshare-conversation": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
                personId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShareTakenBack"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "send-withheld-content": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiReleased"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "count-feedback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedbackSummary"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-integrations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntegrationListBody"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-memories": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
                /** @description Words to look for in recall hints, tags and contents; the best come first. */
                query?: string;
                scope?: "user" | "system";
                /** @description Only memories of this system. */
                systemId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryMemoryList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "save-memory": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemorySaveBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemorySaved"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "find-similar-memory": {
        parameters: {
            query: {
                scope: "user" | "system";
                systemId?: string;
                recallHint: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemorySimilarMemory"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-memory": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryMemory"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "delete-memory": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "update-memory": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemoryChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryMemory"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "set-memory-always-inject": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemoryAlwaysInjectChoice"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryMemory"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-model-checks": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
                /** @description Only checks of this connection. */
                connectionId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelcheckCheckList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "start-model-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ModelcheckNewCheck"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelcheckCheck"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-model-check": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelcheckReport"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "stop-model-check": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelcheckCheck"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-governed-operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List-governed-operationsResponse"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-plan": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProposalPlan"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "apply-plan": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Apply-planRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProposalPlan"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "decline-plan": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DeclineInputBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProposalPlan"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "require-second-person": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicySecondPerson"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-policy": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tool: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyToolPolicy"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "update-policy": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                tool: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyToolPolicy"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-erasures": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiErasureList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "request-erasure": {
        parameters: {
            query?: never;
            header?: {
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Request-erasureRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationErasure"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-erasure": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationErasure"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-kept-people": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiPeopleList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "preview-erasure": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationContent"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-proposals": {
        parameters: {
            query?: {
                /** @description Words that stand in the summary, the tool or the name of the proposer, all of them and in any case. */
                query?: string;
                status?: "proposed" | "applying" | "applied" | "failed" | "declined" | "expired" | "skipped";
                /** @description nextCursor of the page before. */
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProposalListBody"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "apply-proposal": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Apply-proposalRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiApplied"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-proposal": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProposalCard"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "propose-again": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProposalCard"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "decline-proposal": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DeclineInputBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProposalCard"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "propose-undo": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProposalCard"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "ask-provider-models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConnectionModelsQuestion"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionModelsAnswer"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-retention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationRetention"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "set-retention": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConversationRetentionSetting"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationRetention"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-shared": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShareChatList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "read-shared": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShareTranscript"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-skills": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
                /** @description Only skills for this use. */
                target?: "chat" | "ai_analyze";
                /** @description own are the caller's. */
                source?: "builtin" | "user" | "own";
                /** @description Part of a name or description, or a whole tag, whatever its case. */
                query?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillSkillList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "create-skill": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SkillNewSkill"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillSkill"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-skill": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A slug or a UUID */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillSkill"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "delete-skill": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "update-skill": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SkillChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SkillSkill"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-spend": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectionSpendList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "report-own-spend": {
        parameters: {
            query: {
                /** @description The first day, such as 2026-11-01 */
                from: string;
                /** @description The last day */
                to: string;
                /** @description The time zone that days begin in, such as Europe/Vienna */
                zone?: string;
                /** @description At most 100 of them. Weeks begin on Monday; the first week and the first month are whole ones. */
                step?: "hour" | "day" | "week" | "month";
                split?: "none" | "connection" | "model" | "person" | "team" | "caller";
                /** @description Only calls on this connection */
                connectionId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InspectorSpendReport"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "report-spend": {
        parameters: {
            query: {
                /** @description The first day, such as 2026-11-01 */
                from: string;
                /** @description The last day */
                to: string;
                /** @description The time zone that days begin in, such as Europe/Vienna */
                zone?: string;
                /** @description At most 100 of them. Weeks begin on Monday; the first week and the first month are whole ones. */
                step?: "hour" | "day" | "week" | "month";
                split?: "none" | "connection" | "model" | "person" | "team" | "caller";
                /** @description Only calls on this connection */
                connectionId?: string;
                /** @description Only calls of this person or application */
                principalId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InspectorSpendReport"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["List-toolsResponse"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "call-tool": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ToolInputBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvokeResult"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "propose-tool": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal. */
                "Change-Reason"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProposeInputBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProposalCard"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-turns": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
                /** @description Only turns that stand there */
                status?: "running" | "done" | "failed" | "stopped";
                /** @description Only turns of this person or application */
                principalId?: string;
                /** @description Only turns on this connection */
                connectionId?: string;
                /** @description Only turns with this model */
                model?: string;
                /** @description Only turns that took at least so long, or run so long already */
                slowSeconds?: number;
                /** @description Only turns whose answers were given this feedback, or any with a comment */
                feedback?: "up" | "down" | "comment";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InspectorTurnList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "inspect-turn": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InspectorReport"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "give-feedback": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FeedbackSaid"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedbackGiven"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "take-back-feedback": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedbackTakenBack"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "send-alerts": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description From the address of the source. */
                token: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": string;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntakeReceived"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-applications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplicationListBody"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "create-application": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key is refused, as the answer holds a secret that is shown once. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AuthNewApplication"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplicationTokenBody"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-application": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthApplication"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "delete-application": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "update-application": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AuthApplicationChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthApplication"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "replace-application-token": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key is refused, as the answer holds a secret that is shown once. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AuthTokenReplacement"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplicationTokenBody"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-chat-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthTokenList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "make-chat-token": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key is refused, as the answer holds a secret that is shown once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AuthNewChatToken"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthMadeToken"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "revoke-chat-token": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoginInputBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginOutputBody"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "finish-oidc-sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description See Other */
            303: {
                headers: {
                    Location?: string;
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "begin-oidc-sign-in": {
        parameters: {
            query?: {
                /** @description The path of the app to go on to */
                next?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description See Other */
            303: {
                headers: {
                    Location?: string;
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "change-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePasswordInputBody"];
            };
        };
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "use-password-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UseInputBody"];
            };
        };
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "look-at-password-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LookInputBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthLinked"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionListBody"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "revoke-other-sessions": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedCountBody"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "revoke-session": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-sign-in-ways": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthSignInWays"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-automation-script-context": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                context: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SdkDescription"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-automation-script-network": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScriptNetworkState"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "test-automation-script": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScriptTestInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScriptTestOutput"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-environments": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
                /** @description A whole name, whatever its case. */
                name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogEnvironmentList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "create-environment": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CatalogNewEnvironment"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogEnvironment"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-environment": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogEnvironment"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "delete-environment": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "update-environment": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CatalogEnvironmentChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogEnvironment"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-groups": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
                /** @description A whole name, whatever its case. */
                name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogGroupList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "create-group": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CatalogNewGroup"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogGroup"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-group": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogGroup"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "delete-group": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "update-group": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CatalogGroupChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogGroup"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "add-group-member": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
                systemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogMembership"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "remove-group-member": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
                systemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogMembership"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-system-tags": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogTagList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-systems": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
                /** @description Text to look for in names, descriptions and tags. */
                query?: string;
                /** @description A whole name, whatever its case. */
                name?: string;
                tag?: string;
                groupId?: string;
                environmentId?: string;
                /** @description The team that owns them. */
                teamId?: string;
                /** @description Also say how many there are on all pages. */
                count?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogSystemList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "create-system": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CatalogNewSystem"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogSystem"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-system": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogSystem"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "delete-system": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "update-system": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CatalogSystemChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogSystem"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "add-system-contact": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CatalogNewContact"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogContact"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "remove-system-contact": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
                contactId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "set-system-environments": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CatalogEnvironmentChoice"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogSystem"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "add-system-link": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CatalogNewLink"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogLink"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "remove-system-link": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
                linkId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "set-system-owner": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CatalogOwnerChoice"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogSystem"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-docs": {
        parameters: {
            query?: {
                section?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocsindexSitemap"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-doc": {
        parameters: {
            query: {
                slug: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocsindexDocument"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "search-docs": {
        parameters: {
            query: {
                query: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocsindexResults"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "follow-changes": {
        parameters: {
            query?: {
                /** @description As Last-Event-ID, for a client that cannot send it */
                after?: string;
                /** @description Also follow system health: the id of the last health event that the client has received, 0 for none. Last-Event-ID takes precedence */
                health?: string;
                /** @description As the header Countersign-Person, for a client that cannot send it */
                person?: string;
            };
            header?: {
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description A problem document */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-event-consumers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiConsumerList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-parked-events": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiDeadLetterList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "retry-parked-event": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                consumer: string;
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "skip-parked-event": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                consumer: string;
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-grants": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Such as catalog.system */
                objectType: string;
                objectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthAccess"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "set-grants": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                /** @description Such as catalog.system */
                objectType: string;
                objectId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AuthAccess"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthAccess"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "delete-grants": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                /** @description Such as catalog.system */
                objectType: string;
                objectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-board": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
                /** @description Text to look for in names, descriptions and tags. */
                query?: string;
                tag?: string;
                groupId?: string;
                status?: "unknown" | "healthy" | "partly-unknown" | "degraded" | "unhealthy";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckBoard"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-board-past": {
        parameters: {
            query: {
                /** @description At most 100 ids, with commas between them. */
                systemIds: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckPast"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-checks": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
                /** @description Text to look for in names and descriptions. */
                query?: string;
                /** @description A whole name, whatever its case. */
                name?: string;
                strategyId?: string;
                /** @description Only checks that are assigned to this system. */
                systemId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckCheckList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "create-check": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HealthcheckNewCheck"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckCheck"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-check": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckCheck"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "delete-check": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "update-check": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HealthcheckCheckChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckCheck"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "export-check": {
        parameters: {
            query?: {
                format?: "json" | "yaml";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-failing-targets": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckFailing"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-check-heartbeats": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckCallingList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "replace-heartbeat-address": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
                target: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HealthcheckReplacement"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckNewAddress"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "set-check-paused": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HealthcheckPausedChoice"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckCheck"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "run-check-now": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HealthcheckRunNow"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckRequested"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-check-systems": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckAssignmentList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "assign-check": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
                systemId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HealthcheckAssignmentChoice"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckAssignment"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "unassign-check": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
                systemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "test-check": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HealthcheckDraft"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckDraftRun"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "preview-check-draft": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HealthcheckDraft"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckDraftPreview"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "export-checks": {
        parameters: {
            query?: {
                /** @description Text to look for in names and descriptions. */
                query?: string;
                strategyId?: string;
                /** @description Only checks that are assigned to this system. */
                systemId?: string;
                format?: "json" | "yaml";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "import-checks": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HealthcheckImport"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckImportReport"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "preview-import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HealthcheckImportDraft"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckImportPreview"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-check-kinds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckCatalog"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "follow-health": {
        parameters: {
            query?: never;
            header?: {
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description A problem document */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-check-locations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckLocationList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "remove-check-location": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                /** @description The id of a location, from the list of locations. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "rename-check-location": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                /** @description The id of a location, from the list of locations. */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HealthcheckLocationName"];
            };
        };
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-check-retention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckRetention"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "set-check-retention": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HistoryRetention"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckRetention"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-healthcheck-script-context": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                context: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SdkDescription"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-healthcheck-script-network": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScriptNetworkState"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "test-healthcheck-script": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScriptTestInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScriptTestOutput"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-system-status": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckSystemStatus"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-system-chart": {
        parameters: {
            query?: {
                /** @description A day before to when absent. */
                from?: string;
                /** @description Now when absent. */
                to?: string;
                /** @description The last days (UTC), today included, as boards have them; instead of from and to. */
                days?: number;
                /** @description How many points at most. */
                points?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HistoryChart"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-system-period": {
        parameters: {
            query?: {
                /** @description A day before to when absent. */
                from?: string;
                /** @description Now when absent. */
                to?: string;
                /** @description The last days (UTC), today included, as boards have them; instead of from and to. */
                days?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckPeriod"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "find-check-targets": {
        parameters: {
            query?: {
                /** @description An id, or text to look for in the names of systems. */
                query?: string;
                /** @description How many to list at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckFoundTargets"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-target-chart": {
        parameters: {
            query?: {
                /** @description A day before to when absent. */
                from?: string;
                /** @description Now when absent. */
                to?: string;
                /** @description The last days (UTC), today included, as boards have them; instead of from and to. */
                days?: number;
                /** @description How many points at most. */
                points?: number;
            };
            header?: never;
            path: {
                /** @description The id of a target, from the checks of a system. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HistoryChart"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-target-period": {
        parameters: {
            query?: {
                /** @description A day before to when absent. */
                from?: string;
                /** @description Now when absent. */
                to?: string;
                /** @description The last days (UTC), today included, as boards have them; instead of from and to. */
                days?: number;
            };
            header?: never;
            path: {
                /** @description The id of a target, from the checks of a system. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckPeriod"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-check-runs": {
        parameters: {
            query?: {
                verdict?: "passed" | "failed" | "errored" | "skipped";
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The id of a target, from the checks of a system. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckRunList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-check-run": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a target, from the checks of a system. */
                id: number;
                slot: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckWholeRun"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "validate-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HealthcheckDefinition"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckVerdict"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "send-heartbeat-by-get": {
        parameters: {
            query?: {
                message?: string;
                durationMs?: number;
            };
            header?: {
                /** @description A prefetch is no heartbeat. */
                "Sec-Purpose"?: string;
                /** @description The same, of older browsers. */
                Purpose?: string;
            };
            path: {
                /** @description From the address that the check shows to who may change it. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckHeardCall"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "send-heartbeat": {
        parameters: {
            query?: {
                /** @description For what cannot send a body, which counts more. */
                message?: string;
                durationMs?: number;
            };
            header?: never;
            path: {
                /** @description From the address that the check shows to who may change it. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["HealthcheckSaying"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckHeardCall"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "send-failed-heartbeat-by-get": {
        parameters: {
            query?: {
                message?: string;
                durationMs?: number;
            };
            header?: {
                /** @description A prefetch is no heartbeat. */
                "Sec-Purpose"?: string;
                /** @description The same, of older browsers. */
                Purpose?: string;
            };
            path: {
                /** @description From the address that the check shows to who may change it. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckHeardCall"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "send-failed-heartbeat": {
        parameters: {
            query?: {
                /** @description For what cannot send a body, which counts more. */
                message?: string;
                durationMs?: number;
            };
            header?: never;
            path: {
                /** @description From the address that the check shows to who may change it. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["HealthcheckSaying"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthcheckHeardCall"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-history": {
        parameters: {
            query?: {
                /** @description nextCursor of the page before. */
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                objectType: string;
                objectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeListBody"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "send-http-request": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HttprequestRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HttprequestAnswer"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "preview-http-request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HttprequestRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HttprequestPreview"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-incidents": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
                status?: "investigating" | "identified" | "fixing" | "monitoring" | "resolved";
                severity?: "minor" | "major" | "critical";
                /** @description open are all that are not resolved. */
                state?: "open" | "resolved";
                /** @description Only incidents of this system. */
                systemId?: string;
                /** @description Only those with this key. Needs incident.incident.manage. */
                dedupeKey?: string;
                /** @description Text to look for in titles and descriptions. */
                query?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IncidentIncidentList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "create-incident": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IncidentNewIncident"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IncidentOpened"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "delete-incidents": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IncidentResultList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "resolve-incidents": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IncidentResultList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "import-incidents": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IncidentImport"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IncidentImportReport"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-incident": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IncidentIncident"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "delete-incident": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "update-incident": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IncidentChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IncidentIncident"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "acknowledge-incident": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IncidentMoved"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "add-incident-link": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NoteNewLink"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoteLink"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "remove-incident-link": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
                linkId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "merge-incident": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IncidentMerging"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IncidentMoved"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "reopen-incident": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IncidentReopening"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IncidentMoved"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "resolve-incident": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IncidentClosing"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IncidentMoved"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-incident-timeline": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
                /** @description Only what happened before this moment. */
                before?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IncidentTimelinePage"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-incident-updates": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IncidentUpdateList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "add-incident-update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IncidentNewUpdate"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoteNote"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-incident-update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                updateId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoteNote"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "delete-incident-update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
                updateId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "edit-incident-update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
                updateId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IncidentUpdateChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoteNote"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-incident-alerts": {
        parameters: {
            query: {
                /** @description The incident. */
                incidentId: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntakeAlertList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-alert-sources": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
                /** @description Only those that this team owns. */
                teamId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntakeSourceList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "create-alert-source": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key is refused, as the answer holds a secret that is shown once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IntakeNewSource"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntakeCreatedSource"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-alert-source": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntakeSource"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "delete-alert-source": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "update-alert-source": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IntakeSourceChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntakeSource"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-alert-payloads": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntakePayloadList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-alert-payload": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                payloadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntakeFullPayload"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "rotate-alert-source": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key is refused, as the answer holds a secret that is shown once. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IntakeRotation"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntakeCreatedSource"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "try-alert-source": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IntakeTrial"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntakeTried"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-maintenances": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
                status?: "scheduled" | "in_progress" | "completed" | "cancelled";
                /** @description open are all that are scheduled or in progress. */
                state?: "open" | "over";
                /** @description Only maintenances of this system. */
                systemId?: string;
                /** @description Text to look for in titles and descriptions. */
                query?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenanceMaintenanceList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "create-maintenance": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MaintenanceNewMaintenance"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenanceMaintenance"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-maintenance-calendar": {
        parameters: {
            query: {
                /** @description With an offset from UTC. */
                from: string;
                /** @description With an offset from UTC; at most 100 days after from. */
                to: string;
                /** @description Only maintenances of this system. */
                systemId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenanceCalendar"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-maintenance-feed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenanceFeed"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "make-maintenance-feed": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key is refused, as the answer holds a secret that is shown once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenanceFeed"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "revoke-maintenance-feed": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "read-maintenance-feed": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The secret of the feed. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An iCalendar document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/calendar": string;
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "end-maintenance-feed": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-maintenance": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenanceMaintenance"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "delete-maintenance": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "update-maintenance": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MaintenanceChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenanceMaintenance"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "close-maintenance": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MaintenanceClosing"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenanceMoved"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "add-maintenance-link": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NoteNewLink"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoteLink"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "remove-maintenance-link": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
                linkId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-maintenance-updates": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenanceUpdateList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "add-maintenance-update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MaintenanceNewUpdate"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoteNote"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-maintenance-update": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                updateId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoteNote"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "delete-maintenance-update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
                updateId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "edit-maintenance-update": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
                updateId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MaintenanceUpdateChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoteNote"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-mcp-policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrustPolicy"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "set-mcp-policy": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TrustChoice"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrustPolicy"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-mcp-servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpserverServerList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "create-mcp-server": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["McpserverNewServer"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpserverServer"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-mcp-server": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpserverServer"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "delete-mcp-server": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "update-mcp-server": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["McpserverServerChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpserverServer"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "refresh-mcp-server": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpserverServer"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "start-mcp-sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpserverSignInStart"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "end-mcp-sign-in": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpserverSignedOff"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-mcp-server-tools": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpserverToolList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "set-mcp-server-tools": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["McpserverChoices"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpserverServer"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "call-mcp-tool": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
                /** @description The ETag of the tool that the call is for; 412 when the tool has changed. */
                "If-Match"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
                tool: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["McpserverCallInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpserverCalled"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "finish-mcp-sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["McpserverSignInAnswer"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["McpserverServer"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthMe"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-audience": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                kind: "system" | "group";
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationAudience"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-notification-channels": {
        parameters: {
            query?: {
                /** @description person when absent: the channels of the caller. */
                ownerKind?: "person" | "team" | "policy";
                /** @description The team or the policy. */
                ownerId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationChannelList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "create-notification-channel": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key is refused, as the answer holds a secret that is shown once. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NotificationNewChannel"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationCreatedChannel"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-notification-channel": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationChannel"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "delete-notification-channel": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "update-notification-channel": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NotificationChannelChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationChannel"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "rotate-notification-key": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key is refused, as the answer holds a secret that is shown once. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationCreatedChannel"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "test-notification-channel": {
        parameters: {
            query?: never;
            header?: {
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationTestResult"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-deliveries": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
                /** @description The deliveries to everybody; needs notification.log.read. */
                all?: boolean;
                state?: "waiting" | "sent" | "unknown" | "failed" | "suppressed" | "stopped";
                /** @description Only those about one record: its kind, such as incident. */
                aboutKind?: string;
                /** @description The id of that record. */
                aboutId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationDeliveryList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "message-group-subscribers": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NotificationNewMessage"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationSentMessage"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "message-system-subscribers": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NotificationNewMessage"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationSentMessage"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-notification-preferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationPreferences"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "set-notification-preferences": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NotificationNewPreferences"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationPreferences"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-push-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationPushKey"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-notification-settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationSettings"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "set-mail-server": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NotificationNewMail"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationSettings"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "test-mail-server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationTestResult"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationSubscriptionList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    subscribe: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                kind: "system" | "group";
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationSubscribed"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    unsubscribe: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                kind: "system" | "group";
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationSubscribed"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "decide-authorization": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OauthDecision"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OauthDecided"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-connected-programs": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
                /** @description Those of everybody instead of one's own. Needs oauth.program.manage. */
                everybody?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OauthProgramList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "disconnect-program": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "ask-authorization": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AskingBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OauthQuestion"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-program-registration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OauthRegistration"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "set-program-registration": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRegistrationBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OauthRegistration"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-escalation": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OncallEscalation"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "explain-escalation": {
        parameters: {
            query?: {
                /** @description An incident; without it, one that opens on systems. */
                incidentId?: string;
                /** @description Systems of an incident that opens. */
                systemIds?: string[] | null;
                /** @description Of an incident that opens; major when absent. */
                severity?: "minor" | "major" | "critical";
                /** @description Only this person. */
                personId?: string;
                /** @description When it opens, at most 10 years away; now when absent. */
                at?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OncallExplanation"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-escalation-policies": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
                /** @description Only those that this team owns. */
                teamId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OncallPolicyList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "create-escalation-policy": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OncallNewPolicy"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OncallPolicy"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-escalation-policy": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OncallPolicy"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "delete-escalation-policy": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "update-escalation-policy": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OncallPolicyChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OncallPolicy"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-oncall-schedules": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
                /** @description Only those that this team owns. */
                teamId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OncallScheduleList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "create-oncall-schedule": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OncallNewSchedule"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OncallSchedule"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-oncall-schedule": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OncallSchedule"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "delete-oncall-schedule": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "update-oncall-schedule": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OncallScheduleChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OncallSchedule"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "set-oncall-calendar": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OncallImport"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OncallSchedule"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "add-oncall-override": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OncallNewOverride"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OncallOverride"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "remove-oncall-override": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
                overrideId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-oncall-shifts": {
        parameters: {
            query?: {
                /** @description Now when absent; at most 10 years away. */
                from?: string;
                /** @description A week later when absent, at most 100 days. */
                to?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OncallShifts"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "probe-url": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProbeProbeInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EgressResult"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleListBody"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "create-role": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AuthNewRole"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthRole"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-role": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthRole"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "delete-role": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "update-role": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AuthRoleChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthRole"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-script-policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScriptpolicyStored"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "set-script-policy": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScriptpolicyPolicy"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScriptpolicyStored"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-script-policy-changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScriptpolicyPolicyChangeList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-secrets": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VaultSecretList"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "create-secret": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VaultNewSecret"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VaultSecret"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-secret": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VaultSecret"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "delete-secret": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "update-secret": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VaultSecretChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VaultSecret"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-secret-uses": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VaultSecretHistory"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiSettingsBody"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-teams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamListBody"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "create-team": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AuthNewTeam"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthTeam"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-team": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthTeam"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "delete-team": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "update-team": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AuthTeamChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthTeam"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "add-team-member": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "remove-team-member": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "decode-payloads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PayloadBodyBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PayloadBodyBody"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "encode-payloads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PayloadBodyBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PayloadBodyBody"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "list-users": {
        parameters: {
            query?: {
                /** @description How many to list at most. */
                limit?: number;
                /** @description nextCursor of the page before. */
                cursor?: string;
                /** @description Parts of the name or the e-mail address */
                search?: string;
                status?: "active" | "invited" | "disabled";
                /** @description Those who hold this role */
                roleId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserListBody"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "create-user": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AuthNewUser"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthUser"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "get-user": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthUser"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "delete-user": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "update-user": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AuthUserChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthUser"];
                };
            };
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "make-password-link": {
        parameters: {
            query?: never;
            header?: {
                /** @description The revision the change is based on, as in ETag: "3". The write is refused with 412 when the resource has another. */
                "If-Match"?: string;
                /** @description Makes the write happen once: a repeat with the same key is refused, as the answer holds a secret that is shown once. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthMadeLink"];
                };
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "revoke-password-link": {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the write happen once: a repeat with the same key gets the first answer. */
                "Idempotency-Key"?: string;
                /** @description Why, in UTF-8 with percent-encoding, at most 500 characters. Kept with the proposal if one is made. */
                "Change-Reason"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy asks for a decision first: this is the proposal. Nothing has changed. */
            202: {
                headers: {
                    /** @description The proposal */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiProposedWrite"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Error */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "scrape-checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Metrics in the text format of Prometheus */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description A problem document */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ApiProblemDocument"];
                };
            };
        };
    };
    "create-chat-completion": {
        parameters: {
            query?: never;
            header?: {
                "Countersign-Conversation"?: string;
                "Countersign-While-Running"?: "stop" | "queue" | "refuse";
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiCompletionRequest"];
            };
        };
        responses: {
            /** @description The answer, or a stream of its chunks */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiChatCompletion"];
                    "text/event-stream": string;
                };
            };
            /** @description An error of the protocol */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiCompletionError"];
                };
            };
        };
    };
    "list-chat-models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiCompletionModels"];
                };
            };
            /** @description An error of the protocol */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiCompletionError"];
                };
            };
        };
    };
    "get-chat-model": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                model: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiCompletionModel"];
                };
            };
            /** @description An error of the protocol */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiCompletionError"];
                };
            };
        };
    };
    "create-response": {
        parameters: {
            query?: never;
            header?: {
                "Countersign-Conversation"?: string;
                "Countersign-While-Running"?: "stop" | "queue" | "refuse";
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiResponseRequest"];
            };
        };
        responses: {
            /** @description The answer, or a stream of its events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiResponseObject"];
                    "text/event-stream": string;
                };
            };
            /** @description An error of the protocol */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiCompletionError"];
                };
            };
        };
    };
    "cancel-response": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The response, without what was said */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiResponseObject"];
                };
            };
            /** @description An error of the protocol */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiCompletionError"];
                };
            };
        };
    };
}
