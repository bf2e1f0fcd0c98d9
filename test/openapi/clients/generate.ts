// Generates a client with each generator from the document that the service serves, as a client team would.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import { fsStorage, safeBuild } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { generate } from 'orval';

/** This folder is inside the project, so that generated code finds its packages. It is not committed. */
export const folder = resolve(import.meta.dirname, '../../../build/generated-clients');
const input = resolve(folder, 'openapi.json');

const generators = {
  'openapi-fetch': async () => {
    const text = astToString(await openapiTS(new URL(`file://${input}`)));
    await mkdir(resolve(folder, 'openapi-fetch'));
    await writeFile(resolve(folder, 'openapi-fetch/contract.ts'), text);
  },
  'hey-api': async () => {
    await createClient({
      input,
      output: resolve(folder, 'hey-api'),
      logs: { level: 'silent', file: false },
      plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
    });
  },
  orval: async (url: string) => {
    await generate({
      input,
      output: {
        target: resolve(folder, 'orval/client.ts'),
        client: 'fetch',
        baseUrl: url,
        // Without this option, header parameters are left out, including `Idempotency-Key`.
        headers: true,
      },
    });
  },
  kubb: async (url: string) => {
    const { error, failedPlugins } = await safeBuild({
      config: {
        root: folder,
        input: { path: input },
        output: { path: './kubb', storage: withoutCopies() },
        plugins: [
          pluginOas({ generators: [] }),
          pluginTs({}),
          pluginClient({ client: 'fetch', baseURL: url, dataReturnType: 'full', bundle: true }),
        ],
      },
    });
    if (error) throw error;
    for (const failed of failedPlugins) throw failed.error;
  },
} satisfies Record<string, (url: string) => Promise<void>>;

export type GeneratorName = keyof typeof generators;
export const generatorNames = Object.keys(generators) as GeneratorName[];

/** Kubb also writes each file to its path below the current folder, which is the project's own. This storage prevents that. */
function withoutCopies(): ReturnType<typeof fsStorage> {
  const disk = fsStorage();
  return {
    ...disk,
    setItem: async (path, text) => (isAbsolute(path) ? disk.setItem(path, text) : undefined),
  };
}

/**
 * Generates all clients, and removes earlier ones.
 * @param url the address of the service, whose document is the input.
 */
export async function generateClients(url: string): Promise<void> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenAPI3;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(input, JSON.stringify(document));
  for (const name of generatorNames) await generators[name](url);
}
