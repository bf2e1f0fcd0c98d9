// What the phone imports that is not its own, by the name in its imports: files of installed packages, sent as they are.
import { findPackageJSON } from 'node:module';
import path from 'node:path';

const inPackage = (name: string, file: string): string =>
  path.join(path.dirname(findPackageJSON(name, import.meta.url) ?? name), file);

export const LIBRARIES: Readonly<Record<string, string>> = {
  preact: inPackage('preact', 'dist/preact.mjs'),
  'preact/hooks': inPackage('preact', 'hooks/dist/hooks.mjs'),
  htm: inPackage('htm', 'dist/htm.mjs'),
  'htm/preact': inPackage('htm', 'preact/index.mjs'),
  'openapi-fetch': inPackage('openapi-fetch', 'dist/index.mjs'),
};

/** How a browser finds them, and the client. */
export const importMap = JSON.stringify({
  imports: {
    '@ponte/client': '/phone/client/index.ts',
    ...Object.fromEntries(Object.keys(LIBRARIES).map((name) => [name, `/phone/libraries/${name}.js`])),
  },
});
