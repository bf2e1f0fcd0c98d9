// The reference of the client package: its exports and their comments, as Markdown.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Application, LogLevel, OptionDefaults, type TypeDocOptions } from 'typedoc';
import type { PluginOptions } from 'typedoc-plugin-markdown';

const client = path.resolve(import.meta.dirname, '../packages/client');

const head = `# Reference

For developers of an app: what does the client export? The [README](README.md) shows how to use it. The fields of requests and answers
are described in the API's reference, at \`/docs\` of any server. \`npm run generate\` writes this page from the comments in the code.
`;

const layout: PluginOptions = {
  hideBreadcrumbs: true,
  hidePageHeader: true,
  hidePageTitle: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  propertyMembersFormat: 'table',
  typeDeclarationFormat: 'table',
  tableColumnSettings: {
    hideDefaults: true,
    hideInherited: true,
    hideModifiers: true,
    hideOverrides: true,
    hideSources: true,
    leftAlignHeaders: true,
  },
};

/** @throws if a comment cannot be read. */
export async function clientReference(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ponte-reference-'));
  try {
    const options: TypeDocOptions & PluginOptions = {
      ...layout,
      plugin: ['typedoc-plugin-markdown'],
      entryPoints: [path.join(client, 'src/index.ts')],
      tsconfig: path.join(client, 'tsconfig.json'),
      // The contract's types have this tag.
      blockTags: [...OptionDefaults.blockTags, '@description'],
      readme: 'none',
      out: folder,
      router: 'module',
      disableSources: true,
      excludeExternals: true,
      sort: ['source-order'],
      groupOrder: ['Functions', 'Classes', 'Interfaces', '*'],
      logLevel: LogLevel.Error,
    };
    const typedoc = await Application.bootstrapWithPlugins(options);
    const project = await typedoc.convert();
    if (!project) throw new Error('the client cannot be described');
    await typedoc.generateOutputs(project);
    const written = await readFile(path.join(folder, 'README.md'), 'utf8');
    return `${head}\n${written.replaceAll('**Description** ', '')}`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
