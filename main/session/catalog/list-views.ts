import type { PromptList, ResourceList, TemplateList, ToolList } from '#shared/contract/catalog.ts';

type Redacted = <T>(value: T) => T;

/**
 * Lists as they are told to the screen: a server may repeat secrets in whatever it describes. What an entry is
 * called or addressed by stays as it is, because it goes back to the server.
 */
export const toolListView = (list: ToolList, redacted: Redacted): ToolList => ({
  ...list,
  entries: list.entries.map((entry) =>
    entry.usable
      ? { ...redacted(entry), tool: { ...redacted(entry.tool), name: entry.tool.name } }
      : redacted(entry),
  ),
});

export const resourceListView = (list: ResourceList, redacted: Redacted): ResourceList => ({
  ...list,
  entries: list.entries.map((entry) =>
    entry.usable
      ? { ...redacted(entry), resource: { ...redacted(entry.resource), uri: entry.resource.uri } }
      : redacted(entry),
  ),
});

export const templateListView = (list: TemplateList, redacted: Redacted): TemplateList => ({
  ...list,
  entries: list.entries.map((entry) => {
    if (!entry.usable) return redacted(entry);
    const { uriTemplate } = entry.template;
    return { ...redacted(entry), template: { ...redacted(entry.template), uriTemplate } };
  }),
});

export const promptListView = (list: PromptList, redacted: Redacted): PromptList => ({
  ...list,
  entries: list.entries.map((entry) =>
    entry.usable
      ? { ...redacted(entry), prompt: { ...redacted(entry.prompt), name: entry.prompt.name } }
      : redacted(entry),
  ),
});
