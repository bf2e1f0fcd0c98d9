// The allowed imports between folders, and rules about code that no type can enforce.
import { describe, expect, test } from 'vitest';
import { subjectEntities, subjectTables } from '../src/tables/subject.ts';
import { circlesIn, type Import, loading, type Source, sourcesIn, unusedExports } from './support/sources.ts';

/** Each import that `isAllowed` does not allow, as `file -> from`. */
const strays = (sources: Source[], isAllowed: (one: Import, file: string) => boolean): string[] =>
  sources.flatMap(({ file, imports }) =>
    imports.filter((one) => !isAllowed(one, file)).map(({ from }) => `${file} -> ${from}`),
  );

/** Each place where the code matches a forbidden pattern, as `file: text`. */
const findings = (sources: Source[], what: RegExp): string[] =>
  sources.flatMap(({ file, code }) => [...code.matchAll(what)].map(([found]) => `${file}: ${found}`));

/** The rooms of the service, from the outside to the inside. Each imports itself and the rooms after it, nothing else. */
const rooms = [
  'ops', // the operators' command line, and the recovery of a restored backup
  'start', // processes: the configuration, what is wired, started and stopped, and the tables of handlers
  'metrics', // what is measured, and where it is read
  'onboarding', // use cases: sign-in, verification, bank details
  'payments', // use cases: quotes, PIX payments, withdrawals, transactions
  'webhooks', // callbacks: received, stored, processed
  'jobs', // nightly jobs: reconciliation, retention, the audit chain
  'privacy', // exports, closing, erasure
  'effects', // calls to the provider that a transition emitted
  'reports', // the provider's reports, applied: recency, discrepancies, polling
  'ledger', // balances, reservations, accounts
  'api', // HTTP meets the contract
  'lifecycle', // rows and their machines: the one writer of states
  'outbox', // the engine: due work, its leases, and who runs it
  'security', // signed tokens, and the encryption of personal values
  'audit', // the audit record and its hash chain
  'tables', // each table's entity and statements, the schema and its migrations
  'provider', // the port and the client
  'platform', // connections, transactions, tracing, who is next: nothing that knows a table, a state or an operation
  'machines', // states and transitions
  'domain', // rules on values
];

const roomOf = (file: string): string => {
  const [top = '', room = ''] = file.split('/');
  return top === 'src' ? room : top;
};

const goesDown = ({ from }: Import, file: string): boolean =>
  !/^(src|machines|ops)\//.test(from) || rooms.indexOf(roomOf(from)) >= rooms.indexOf(roomOf(file));

const isProgram = ({ file }: Source): boolean => /^(src\/start|ops)\//.test(file);

/** The service and its second program. */
const service = ['src', 'ops', 'machines'];

// The auditor reads rows by plain SQL, so it needs no code of either side, and nothing generated from the contract.
const isIndependent = ({ from }: Import): boolean =>
  from.startsWith('proof/audit/') || from.startsWith('node:') || from === 'pg' || from === 'uuid';

test('imports are found in every form', () => {
  const machine = sourcesIn('machines').find(({ file }) => file === 'machines/pix-payment.machine.ts');
  expect(machine?.imports).toEqual([
    { from: 'xstate', isType: false },
    { from: 'src/domain/currency.ts', isType: true },
    { from: 'src/domain/failure-reasons.ts', isType: true },
    { from: 'src/domain/payout-failures.ts', isType: true },
    { from: 'machines/effects.ts', isType: true },
    { from: 'machines/tags.ts', isType: true },
  ]);
  expect(sourcesIn('src').flatMap(({ imports }) => imports).length).toBeGreaterThan(400);
});

test('machines import only xstate, each other, and types of the domain', () => {
  expect(
    strays(
      sourcesIn('machines'),
      ({ from, isType }: Import) =>
        from === 'xstate' || from.startsWith('machines/') || (isType && from.startsWith('src/domain/')),
    ),
  ).toEqual([]);
});

test('the domain imports only itself, and the types of the contract', () => {
  expect(
    strays(
      sourcesIn('src/domain'),
      ({ from, isType }: Import) =>
        from.startsWith('src/domain/') ||
        !from.includes('.ts') ||
        (isType && from === 'openapi/generated/openapi.ts'),
    ),
  ).toEqual([]);
});

test('rooms import only rooms below them', () => {
  expect(strays(sourcesIn(...service), goesDown)).toEqual([]);
});

test('the list of rooms contains every folder of the service', () => {
  const folders = new Set(sourcesIn(...service).map(({ file }) => roomOf(file)));
  expect([...folders].toSorted()).toEqual(rooms.toSorted());
});

/** The number of arrows between rooms. It may fall; a new arrow needs another one to go. */
const MAX_ARROWS = 145;

/** Each pair of rooms of which the first imports the second, also for a type, as `from -> to`. */
const arrowsBetween = (sources: Source[]): Set<string> =>
  new Set(
    sources.flatMap(({ file, imports }) =>
      imports
        .filter(({ from }) => /^(src|machines|ops)\//.test(from) && roomOf(from) !== roomOf(file))
        .map(({ from }) => `${roomOf(file)} -> ${roomOf(from)}`),
    ),
  );

test('the rooms have at most 145 arrows between them', () => {
  expect(arrowsBetween(sourcesIn(...service)).size).toBeLessThanOrEqual(MAX_ARROWS);
});

test('an arrow is counted once for each pair of rooms, also for a type', () => {
  const sources = [
    {
      file: 'src/api/server.ts',
      code: '',
      imports: [
        { from: 'src/domain/clock.ts', isType: true },
        { from: 'src/domain/money.ts', isType: false },
        { from: 'src/api/reply.ts', isType: false },
        { from: 'machines/step.ts', isType: false },
        { from: 'express', isType: false },
      ],
    },
  ];
  expect([...arrowsBetween(sources)]).toEqual(['api -> domain', 'api -> machines']);
});

test('only processes and the command line know all dependencies', () => {
  expect(
    strays(
      sourcesIn(...service).filter((one) => !isProgram(one)),
      ({ from }) => from !== 'src/start/app.ts',
    ),
  ).toEqual([]);
});

test.each([
  ['src/domain/money.ts', 'src/api/errors.ts', false],
  ['src/lifecycle/advance.ts', 'src/payments/confirm.ts', false],
  ['src/payments/confirm.ts', 'src/lifecycle/advance.ts', true],
  ['src/payments/confirm.ts', 'src/start/app.ts', false],
  ['src/tables/users/statements.ts', 'src/security/sealer.ts', false],
  ['src/provider/client.ts', 'ops/cli.ts', false],
])('%s may import %s: %s', (file, from, isAllowed) => {
  expect(goesDown({ from, isType: true }, file)).toBe(isAllowed);
});

test('only the provider and the sandbox know the wire format', () => {
  expect(
    strays(
      sourcesIn(...service, 'sandbox'),
      ({ from }: Import, file: string) =>
        !/^openapi\/(generated\/)?provider\./.test(from) || /^(src\/provider|sandbox)\//.test(file),
    ),
  ).toEqual([]);
});

test('the service does not import the sandbox, its tests or its scripts', () => {
  expect(
    strays(sourcesIn(...service), ({ from }: Import) => !/^(sandbox|phone|test|scripts)\//.test(from)),
  ).toEqual([]);
});

// The phone is an app: it knows only the service's public API, through the client.
test('the phone imports only its own screens, the client and two libraries', () => {
  const sources = sourcesIn('phone/app');
  const libraries = new Set(['@ponte/client', 'preact', 'preact/hooks', 'htm/preact']);
  expect(strays(sources, ({ from }) => from.startsWith('phone/app/') || libraries.has(from))).toEqual([]);
  expect(sources.length).toBeGreaterThan(30);
});

test('the phone calls the sandbox in one file, and the service only through its client', () => {
  const others = sourcesIn('phone/app').filter(({ file }) => file !== 'phone/app/sandbox.ts');
  expect(findings(others, /\bfetch\(|\bXMLHttpRequest\b|\bponte\.api\b/g)).toEqual([]);
});

test('the provider in the sandbox does not import its faults', () => {
  const provider = sourcesIn('sandbox/provider');
  expect(strays(provider, ({ from }) => !from.startsWith('sandbox/faults/'))).toEqual([]);
});

test('the harness does not import the programs, proofs, benchmarks and tests that use it', () => {
  const sources = sourcesIn('harness');
  expect(strays(sources, ({ from }) => !/^(scripts|proof|bench|test)\//.test(from))).toEqual([]);
  expect(sources.length).toBeGreaterThan(20);
});

test('the sandbox does not import the phone', () => {
  expect(strays(sourcesIn('sandbox'), ({ from }) => !from.startsWith('phone/'))).toEqual([]);
});

test('the auditor imports only itself and libraries', () => {
  const sources = sourcesIn('proof/audit');
  expect(strays(sources, isIndependent)).toEqual([]);
  expect(sources.flatMap(({ imports }) => imports).length).toBeGreaterThan(50);
});

test.each([
  'src/domain/handles.ts',
  'machines/arrows.ts',
  'openapi/generated/openapi.ts',
  'sandbox/store/rows.ts',
  'test/support/until.ts',
  'kysely',
])('an import of %s by the auditor would be found, even for a type', (from) => {
  expect(isIndependent({ from, isType: true })).toBe(false);
});

test('imports never form a circle, not even for a type', () => {
  expect(circlesIn(sourcesIn(...service, 'sandbox', 'phone', 'harness', 'proof', 'bench'))).toEqual([]);
});

test('a circle of imports would be found', () => {
  const imports: [string, string][] = [
    ['a.ts', 'b.ts'],
    ['b.ts', 'c.ts'],
    ['c.ts', 'b.ts'],
  ];
  const sources = imports.map(([file, from]) => ({ file, code: '', imports: [{ from, isType: true }] }));
  expect(circlesIn(sources)).toEqual([['b.ts', 'c.ts', 'b.ts']]);
});

describe("a lifecycle's state", () => {
  // The writes may name the table or its entity.
  const tables = [...Object.values(subjectTables), ...Object.values(subjectEntities)].join('|');
  const sources = sourcesIn('src', 'ops').filter(({ file }) => !file.startsWith('src/tables/migrations/'));
  const others = sources.filter(({ file }) => file !== 'src/tables/lifecycles.ts');

  // A table that is named at run time may be one of them, so it counts as one.
  const written = new RegExp(
    String.raw`\.(?<verb>insertInto|updateTable|mergeInto|replaceInto)\(\s*(?<table>[^)]*?\b(?:${tables})\b[^)]*|[^'\s][^)]*)\)(?<rest>[\s\S]*?(?:\.execute|\);))`,
    'g',
  );
  const writes = (among: Source[]) =>
    among.flatMap(({ file, code }) =>
      [...code.matchAll(written)].map(({ groups = {} }) => ({
        file,
        verb: groups['verb'],
        rest: groups['rest'] ?? '',
      })),
    );

  test("a lifecycle's state is written by two statements, which only `advance` uses", () => {
    const ofLifecycles = writes(sources).filter(({ file }) => file === 'src/tables/lifecycles.ts');
    expect(ofLifecycles.map(({ verb }) => verb)).toEqual(['insertInto', 'updateTable']);
    const users = sources.filter(({ code }) => /\b(insertSubject|updateSubject)\b/.test(code));
    expect(users.map(({ file }) => file).toSorted()).toEqual([
      'src/lifecycle/advance.ts',
      'src/tables/lifecycles.ts',
    ]);
  });

  test("a lifecycle's row is created nowhere else, and no other update writes its state", () => {
    const isHarmless = /\.set\(\{(?![^}]*(\.\.\.|\bstate\b|\bseq\b))[^}]*\}\)/;
    const offences = writes(others).filter(
      ({ verb, rest }) => verb !== 'updateTable' || !isHarmless.test(rest),
    );
    expect(offences).toEqual([]);
  });

  test("a lifecycle's state is not written in plain SQL or through entities", () => {
    const plain = new RegExp(String.raw`\b(insert\s+into|merge\s+into|update)\s+"?(${tables})\b`, 'gi');
    expect(findings(sources, plain)).toEqual([]);
    expect(findings(sources, /\bem\.(?!getKysely)\w+|\.(nativeUpdate|nativeInsert|persist)\(/g)).toEqual([]);
  });

  test.each([
    [`db.updateTable('withdraws').set({ state }).execute()`, 1],
    [`db.updateTable('Withdraw').set({ state }).execute()`, 1],
    [`db.insertInto('PixPayment as payment').values(row).execute()`, 1],
    [`db.insertInto(lifecycle.entity).values(row).execute()`, 1],
    [`db.insertInto(lifecycle.table as 'users').values(row).execute()`, 1],
    [`db.updateTable(table).set(row).execute()`, 1],
    [`statement((db, row) => db.updateTable(table).set(row));`, 1],
    [`db.updateTable('users').set({ state }).execute()`, 0],
    [`db.updateTable('User').set({ state }).execute()`, 0],
  ])("the search for writes of a lifecycle's state reads %s: %d", (code, count) => {
    expect(writes([{ file: 'src/x.ts', code, imports: [] }])).toHaveLength(count);
  });
});

describe('the database of the tests', () => {
  const database = 'test/support/database.ts';

  // `npm run mutation-score` runs these tests repeatedly, without PostgreSQL.
  test('no test of pure code loads the database', () => {
    const files = loading(database, sourcesIn('machines', 'openapi', 'scripts', 'src', 'test'));
    expect(files).toContain('test/flows/pix-payment.test.ts');
    expect([...files].filter((file) => /^test\/(domain|machines|orders\/pricing)\//.test(file))).toEqual([]);
  });

  test('a file loads the database through other files, but not for a type', () => {
    const sources = [
      { file: 'support.ts', code: '', imports: [{ from: database, isType: false }] },
      { file: 'direct.test.ts', code: '', imports: [{ from: 'support.ts', isType: false }] },
      { file: 'typed.test.ts', code: '', imports: [{ from: 'support.ts', isType: true }] },
    ];
    const files = loading(database, sources);
    expect([...files]).toEqual([database, 'support.ts', 'direct.test.ts']);
  });
});

// A connection runs statements in src/platform/database. All other SQL is in src/tables and in the migrations.
const isElsewhere = ({ file }: Source): boolean => !/^src\/(tables|platform\/database)\//.test(file);

describe('SQL', () => {
  const statement =
    /\bsql(<[^>`]*>)?`|\.(selectFrom|selectNoFrom|insertInto|updateTable|deleteFrom|mergeInto|executeTakeFirst|executeQuery)\(|\.execute\(((app\.)?db|tx)?\)|(pool|client|connection)\.query\(/g;

  test('the service writes SQL only in its folder of statements', () => {
    expect(findings(sourcesIn('src', 'ops').filter(isElsewhere), statement)).toEqual([]);
  });

  test.each([
    'await sql`select 1`.execute(db)',
    'sql<{ id: string }>`select 1`',
    `db.selectFrom('User').selectAll()`,
    `await pool.query('select 1')`,
  ])('the search for SQL finds %s', (code) => {
    expect(findings([{ file: 'src/onboarding/get-me.ts', code, imports: [] }], statement)).not.toEqual([]);
  });
});

describe('handlers', () => {
  // A use case is one file: its handler, and the functions that only this operation needs.
  const handlers = sourcesIn('src').filter(({ code }) => /: Handler<|withUser(Row)?\(/.test(code));

  test('the rules for handlers cover the file of every handler', () => {
    const table = sourcesIn('src/start').find(({ file }) => file === 'src/start/operations.ts');
    const imported = (table?.imports ?? []).filter(({ isType }) => !isType).map(({ from }) => from);
    const files = new Set(handlers.map(({ file }) => file));
    expect(imported.filter((file) => !files.has(file))).toEqual(['src/webhooks/provider-webhook-gate.ts']);
  });

  test('handlers contain no SQL', () => {
    const sql = /\bsql`|\.(selectFrom|selectNoFrom|insertInto|updateTable|deleteFrom|mergeInto)\(/g;
    expect(findings(handlers, sql)).toEqual([]);
    expect(strays(handlers, ({ from }) => from !== 'kysely' && from !== 'pg')).toEqual([]);
  });

  test('handlers do not handle HTTP', () => {
    expect(findings(handlers, /\bfetch\(|\bres(ponse)?\./g)).toEqual([]);
    expect(strays(handlers, ({ from }) => from !== 'express' && from !== 'undici')).toEqual([]);
  });

  // One saves again after a race, the other reads bytes that may not be JSON.
  const mayCatch = new Set(['src/onboarding/save-bank-details.ts', 'src/webhooks/receive.ts']);

  test('handlers do not catch errors', () => {
    const others = handlers.filter(({ file }) => !mayCatch.has(file));
    expect(findings(others, /\btry\b|\bcatch\b/g)).toEqual([]);
  });
});

describe('exports', () => {
  const everything = sourcesIn('src', 'machines', 'sandbox', 'scripts', 'proof', 'bench', 'test').concat(
    sourcesIn('packages/client', 'ops', 'phone', 'harness'),
  );

  // These files are imported by no other file: they only need to compile, replace a module, or are plugins.
  test('every exported value is imported somewhere', () => {
    const ofValues = everything.filter(
      ({ file }) =>
        !/^src\/tables\/migrations\/|\.(test|types)\.ts$|consumer\.ts$|^test\/openapi\/clients\/adapters\/|^proof\/crash\/preload\/named\/|^proof\/mutation-score\/(ignore-messages|sample)\.ts$/.test(
          file,
        ),
    );
    expect(unusedExports(ofValues, everything)).toEqual([]);
  });

  test.each([
    [`import { used } from './a.ts';`, []],
    [`import { type Other, used as mine } from './a.ts';`, []],
    [`import * as all from './a.ts';`, []],
    [`const { used } = await import('./a.ts');`, []],
    [`import { other } from './a.ts';`, ['src/a.ts: used']],
    [`import { used } from './c.ts';`, ['src/a.ts: used']],
  ])('the search for unused exports, given %s in another file, reports %j', (code, unused) => {
    const exporting = { file: 'src/a.ts', code: 'export const used = 1;', imports: [] };
    const importing = { file: 'src/b.ts', code, imports: [] };
    expect(unusedExports([exporting], [exporting, importing])).toEqual(unused);
  });
});
