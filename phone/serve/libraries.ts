// The modules of installed packages that the phone imports, by the name in its imports. The files are sent unchanged.
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

/** Tells a browser where to find the libraries and the client. */
export const importMap = JSON.stringify({
  imports: {
    '@ponte/client': '/phone/client/index.ts',
    ...Object.fromEntries(Object.keys(LIBRARIES).map((name) => [name, `/phone/libraries/${name}.js`])),
  },
});
