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
          hint="Small letters, digits and hyphens. Its tools are called by it. It cannot be changed later."
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
            ? "Another address is another server: its tools have to be accepted anew."
            : "Where it speaks streamable HTTP, such as https://mcp.example.com/mcp"
        }
        label="Address"
        maxLength={2000}
        required
        spellCheck={false}
        {...form.field("address")}
      />
      <SelectField label="It is told who calls by" {...form.field("auth")}>
        <option value="none">nothing</option>
        <option value="bearer">a bearer token</option>
        <option value="header">a header</option>
        <option value="oauth">an administrator who signs in there (OAuth)</option>
      </SelectField>
      {auth === "header" && (
        <TextField label="Header" maxLength={60} placeholder="X-Api-Key" spellCheck={false} {...form.field("header")} />
      )}
      {auth === "oauth" && (
        <>
          <p className="text-sm text-muted-foreground">
            Save, then click Connect in its row and sign in there. From then on everybody’s calls act there as whoever
            has signed in: use an account that may do no more than all of them shall.
          </p>
          <TextField
            autoComplete="off"
            hint={
              server?.signIn
                ? `Only where programs cannot register themselves. Register one there with the redirect address ${server.signIn.redirect}`
                : "Only where programs cannot register themselves. The redirect address that a registration asks for is shown once the server was added."
            }
            label="Client ID"
            maxLength={2000}
            spellCheck={false}
            {...form.field("clientId")}
          />
          <TextField
            autoComplete="off"
            hint="Needed beside a secret. Without it, the one that the server names."
            label="Authorization server (issuer)"
            maxLength={2000}
            placeholder="https://sign-in.example.com"
            spellCheck={false}
            {...form.field("issuer")}
          />
          <TextField
            autoComplete="off"
            hint="With spaces between. Without any, those that the server names."
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
              ? "Where the client has one: the name of a secret under Secrets. Its value goes to the authorization server and is shown nowhere."
              : "The name of a secret under Secrets. Its value goes to this server and is shown nowhere."
          }
          label={auth === "oauth" ? "Client secret" : "Secret"}
          maxLength={64}
          placeholder="TICKETS_TOKEN"
          spellCheck={false}
          {...form.field("secret", (typed) => typed.toUpperCase())}
        />
      )}
      <Checkbox
        hint="The tools of a server that is off are offered to nobody."
        label="Enabled"
        {...form.register("enabled")}
      />
    </FormPage>
  );
}
