import { mcpServerSchema, mcpServerValues } from "../api/forms/mcpserver";
import { createMcpServer, mcpServersQuery, updateMcpServer, type McpServer } from "../api/mcpservers";
import { Checkbox, SelectField, TextField } from "../ui/Field";
import { FormPage } from "../ui/FormPage";
import { useRecordForm } from "../ui/recordform";
import { useToast } from "../ui/Toast";

export function McpServerForm({ server, onClose }: { server?: McpServer; onClose: () => void }) {
  const toast = useToast();
  const form = useRecordForm({
    schema: mcpServerSchema,
    item: server,
    values: mcpServerValues,
    send: ({ slug, ...fields }, began, key) =>
      began ? updateMcpServer(began, fields, key) : createMcpServer({ slug, ...fields }, key),
    invalidates: [mcpServersQuery.queryKey],
    onSaved: (saved) => {
      toast(server ? `${saved.name} was saved` : `${saved.name} was added`);
      onClose();
    },
  });
  const auth = form.watch("auth");
  return (
    <FormPage
      form={form}
      onClose={onClose}
      submitLabel={server ? "Save" : "Add server"}
      title={server ? server.name : "New MCP server"}
    >
      {!server && (
        <TextField
          autoComplete="off"
          hint="Lowercase letters, digits and hyphens. Prefixes its tools; cannot be changed later."
          label="Short name"
          maxLength={40}
          placeholder="tickets"
          required
          spellCheck={false}
          {...form.field("slug", (typed) => typed.toLowerCase().replaceAll(/[^a-z0-9-]/g, "-"))}
        />
      )}
      <TextField label="Name" maxLength={120} required {...form.field("name")} />
      <TextField
        autoComplete="off"
        hint={
          server
            ? "A new address means a new server: accept its tools again."
            : "Streamable HTTP endpoint, such as https://mcp.example.com/mcp"
        }
        label="Address"
        maxLength={2000}
        required
        spellCheck={false}
        {...form.field("address")}
      />
      <SelectField label="Authentication" {...form.field("auth")}>
        <option value="none">none</option>
        <option value="bearer">bearer token</option>
        <option value="header">custom header</option>
        <option value="oauth">administrator sign-in (OAuth)</option>
      </SelectField>
      {auth === "header" && (
        <TextField label="Header" maxLength={60} placeholder="X-Api-Key" spellCheck={false} {...form.field("header")} />
      )}
      {auth === "oauth" && (
        <>
          <p className="text-sm text-muted-foreground">
            Save, then click Connect in its row and sign in. All calls then use that account: choose one with minimal
            rights.
          </p>
          <TextField
            autoComplete="off"
            hint={
              server?.signIn
                ? `Only if the server has no dynamic client registration. Register a client with the redirect URI ${server.signIn.redirect}`
                : "Only if the server has no dynamic client registration. The redirect URI appears after you add the server."
            }
            label="Client ID"
            maxLength={2000}
            spellCheck={false}
            {...form.field("clientId")}
          />
          <TextField
            autoComplete="off"
            hint="Required with a client secret. Leave empty to discover it."
            label="Authorization server (issuer)"
            maxLength={2000}
            placeholder="https://sign-in.example.com"
            spellCheck={false}
            {...form.field("issuer")}
          />
          <TextField
            autoComplete="off"
            hint="Separated by spaces. Leave empty for the server's defaults."
            label="Scopes"
            maxLength={1000}
            spellCheck={false}
            {...form.field("scopes")}
          />
        </>
      )}
      {auth !== "none" && (
        <TextField
          autoComplete="off"
          hint={
            auth === "oauth"
              ? "Name of a secret under Secrets. Sent only to the authorization server."
              : "Name of a secret under Secrets. Sent only to this server."
          }
          label={auth === "oauth" ? "Client secret" : "Secret"}
          maxLength={64}
          placeholder="TICKETS_TOKEN"
          spellCheck={false}
          {...form.field("secret", (typed) => typed.toUpperCase())}
        />
      )}
      <Checkbox hint="Tools of a disabled server are unavailable." label="Enabled" {...form.register("enabled")} />
    </FormPage>
  );
}
