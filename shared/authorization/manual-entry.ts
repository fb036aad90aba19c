import { z } from 'zod';

/** What the user can enter by hand where a flow found nothing that it can use. The names are those of the metadata (RFC 8414, 7591, 9728). */
export const entryNames = [
  'issuer',
  'resource',
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'client_id',
  'client_secret',
] as const;
export type EntryName = (typeof entryNames)[number];

/** What each one is called, and what is said about it. */
export const entryFields: Readonly<
  Record<EntryName, { readonly label: string; readonly note: string; readonly isSecret: boolean }>
> = {
  issuer: {
    label: 'Issuer',
    note: 'Alone, its metadata is requested.',
    isSecret: false,
  },
  resource: { label: 'Resource', note: 'Empty for the URL of the server.', isSecret: false },
  authorization_endpoint: { label: 'Authorization endpoint', note: '', isSecret: false },
  token_endpoint: { label: 'Token endpoint', note: '', isSecret: false },
  registration_endpoint: {
    label: 'Registration endpoint',
    note: 'Empty if there is none.',
    isSecret: false,
  },
  client_id: { label: 'Client ID', note: 'Registered there.', isSecret: false },
  client_secret: { label: 'Client secret', note: 'Empty for a public client.', isSecret: true },
};

/** The label of a step that the user entered. */
export const MANUAL = 'entered by hand';

export const entryKinds = ['resource-metadata', 'server-metadata', 'client'] as const;

/** What is entered, as the button says it. */
export const entryTitles: Readonly<Record<(typeof entryKinds)[number], string>> = {
  'resource-metadata': 'Enter the authorization server by hand',
  'server-metadata': 'Enter the endpoints by hand',
  client: 'Enter the client by hand',
};

/** The same where the flow can also continue with what it has. */
export const otherTitles: Readonly<Record<(typeof entryKinds)[number], string>> = {
  'resource-metadata': 'Another authorization server…',
  'server-metadata': 'Other endpoints…',
  client: 'Another client…',
};

/** What the user can enter after the fault of a flow, with what is known of it so far. */
export const flowEntrySchema = z.object({
  kind: z.enum(entryKinds),
  fields: z.array(z.object({ name: z.enum(entryNames), value: z.string() })),
});
export type FlowEntry = z.infer<typeof flowEntrySchema>;

export const entryValuesSchema = z.partialRecord(z.enum(entryNames), z.string().max(8192));
export type EntryValues = z.infer<typeof entryValuesSchema>;
