// The arrows between the folders, and who may do what: rules that no type can hold.
import { describe, expect, test } from 'vitest';
import { subjectEntities, subjectTables } from '../src/entities/subject.ts';
import { circlesIn, type Import, loading, type Source, sourcesIn, unusedExports } from './support/sources.ts';

/** Each import that `isAllowed` does not allow, as `file -> from`. */
const strays = (sources: Source[], isAllowed: (one: Import, file: string) => boolean): string[] =>
  sources.flatMap(({ file, imports }) =>
    imports.filter((one) => !isAllowed(one, file)).map(({ from }) => `${file} -> ${from}`),
  );

/** Each place where the code does what it must not, as `file: what`. */
const findings = (sources: Source[], what: RegExp): string[] =>
  sources.flatMap(({ file, code }) => [...code.matchAll(what)].map(([found]) => `${file}: ${found}`));

/** The rooms of the service, from the outside to the inside: each imports itself and what stands behind it, nothing else. */
const rooms = [
  'ops', // the operators' command line
  'start', // processes: configuration, start, signals, stop
  'api', // HTTP meets the contract
  'handlers', // one for each operation of the contract
  'metrics', // what is measured, and where it is read
  'nightly', // jobs by the clock, and the same by hand
  'recovery', // after a restored backup
  'reconciliation', // compares what is unfinished with the provider
  'privacy', // exports, closing, erasure, retention
  'batch', // stages and pages of long work
  'commands', // what handlers write
  'webhooks', // callbacks: received, stored, processed
  'effects', // calls to the provider that a transition ordered
  'snapshots', // what the provider reports, applied: order, discrepancies, polling
  'lifecycle', // rows and their machines: the one writer of states
  'balance', // money available
  'outbox', // the engine: work that is due, its leases, who carries it out
  'app.ts', // what the rooms before it are given to work with
  'pricing', // quotes
  'queries', // reads
  'auth', // ID tokens and session tokens
  'provider', // the port and the client
  'audit', // the audit record
  'sealing', // encryption of personal data
  'sql', // every statement, one file for each table
  'migrations',
  'database', // connections, deadlines, schema
  'entities', // tables
  'logging',
  'config',
  'time',
  'fairness', // who is next, of what waits
  'machines', // states and transitions
  'domain', // rules on values
];

const roomOf = (file: string): string =>
  file.startsWith('machines/') ? 'machines' : (file.split('/')[1] ?? '');

/** `app.ts` names the types of what it holds, wherever they are. */
const goesDown = ({ from, isType }: Import, file: string): boolean =>
  !/^(src|machines)\//.test(from) ||
  rooms.indexOf(roomOf(from)) >= rooms.indexOf(roomOf(file)) ||
  (file === 'src/app.ts' && isType);

// The auditor reads rows by plain SQL, so it needs to know neither side's code, nor what is generated from the contract.
const isIndependent = ({ from }: Import): boolean =>
  from.startsWith('proof/audit/') || from.startsWith('node:') || from === 'pg' || from === 'uuid';

describe('imports', () => {
  test('are found however they are written', () => {
    const machine = sourcesIn('machines').find(({ file }) => file === 'machines/pix-payment.machine.ts');
    expect(machine?.imports).toEqual([
      { from: 'xstate', isType: false },
      { from: 'src/domain/currency.ts', isType: true },
      { from: 'src/domain/failure-reasons.ts', isType: true },
      { from: 'machines/effects.ts', isType: true },
      { from: 'machines/tags.ts', isType: true },
    ]);
    expect(sourcesIn('src').flatMap(({ imports }) => imports).length).toBeGreaterThan(400);
  });

  test('machines know xstate, one another, and types of the domain', () => {
    expect(
      strays(
        sourcesIn('machines'),
        ({ from, isType }: Import) =>
          from === 'xstate' || from.startsWith('machines/') || (isType && from.startsWith('src/domain/')),
      ),
    ).toEqual([]);
  });

  test('the domain knows only itself, and the types of the contract', () => {
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

  describe('of the rooms', () => {
    test('go down the list, and never back up', () => {
      expect(strays(sourcesIn('src', 'machines'), goesDown)).toEqual([]);
    });

    test('concern every folder of src', () => {
      const folders = new Set(sourcesIn('src').map(({ file }) => roomOf(file)));
      expect([...folders].toSorted()).toEqual(rooms.filter((room) => room !== 'machines').toSorted());
    });

    test.each([
      ['src/domain/money.ts', 'src/api/errors.ts', false],
      ['src/lifecycle/advance.ts', 'src/commands/idempotency.ts', false],
      ['src/commands/idempotency.ts', 'src/lifecycle/advance.ts', true],
      ['src/provider/client.ts', 'src/app.ts', false],
      ['src/app.ts', 'src/webhooks/store.ts', true],
    ])('%s may import %s: %s', (file, from, isAllowed) => {
      expect(goesDown({ from, isType: true }, file)).toBe(isAllowed);
    });
  });

  test('only the provider and its stand-in know the wire', () => {
    expect(
      strays(
        sourcesIn('src', 'machines', 'sandbox'),
        ({ from }: Import, file: string) =>
          !/^openapi\/(generated\/)?provider\./.test(from) || /^(src\/provider|sandbox)\//.test(file),
      ),
    ).toEqual([]);
  });

  test('the service does not know its stand-in, its tests or its scripts', () => {
    expect(
      strays(
        sourcesIn('src', 'machines'),
        ({ from }: Import) => !/^(sandbox|phone|test|scripts)\//.test(from),
      ),
    ).toEqual([]);
  });

  // It is an app: what it knows of the service is the public API, and the API it knows by its client.
  test('the phone knows its own screens, the client and two libraries', () => {
    const sources = sourcesIn('phone/app');
    const libraries = new Set(['@ponte/client', 'preact', 'preact/hooks', 'htm/preact']);
    expect(strays(sources, ({ from }) => from.startsWith('phone/app/') || libraries.has(from))).toEqual([]);
    expect(sources.length).toBeGreaterThan(30);
  });

  test('the phone speaks to the sandbox in one place, and to the service through its client alone', () => {
    const others = sourcesIn('phone/app').filter(({ file }) => file !== 'phone/app/sandbox.ts');
    expect(findings(others, /\bfetch\(|\bXMLHttpRequest\b|\bponte\.api\b/g)).toEqual([]);
  });

  test('the sandbox does without the phone', () => {
    expect(strays(sourcesIn('sandbox'), ({ from }) => !from.startsWith('phone/'))).toEqual([]);
  });

  describe('of the auditor', () => {
    test('come from itself and from libraries', () => {
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
    ])('would be found out from %s, a type alone too', (from) => {
      expect(isIndependent({ from, isType: true })).toBe(false);
    });
  });

  test('never go round in a circle, not even for a type', () => {
    expect(circlesIn(sourcesIn('src', 'machines', 'sandbox', 'phone'))).toEqual([]);
  });

  test('a circle would be found', () => {
    const imports: [string, string][] = [
      ['a.ts', 'b.ts'],
      ['b.ts', 'c.ts'],
      ['c.ts', 'b.ts'],
    ];
    const sources = imports.map(([file, from]) => ({ file, code: '', imports: [{ from, isType: true }] }));
    expect(circlesIn(sources)).toEqual([['b.ts', 'c.ts', 'b.ts']]);
  });
});

describe('a lifecycle’s state', () => {
  // Under the name of the table, and under that of its entity.
  const tables = [...Object.values(subjectTables), ...Object.values(subjectEntities)].join('|');
  const sources = sourcesIn('src').filter(({ file }) => !file.startsWith('src/migrations/'));
  const others = sources.filter(({ file }) => file !== 'src/sql/lifecycles.ts');

  // A table named at run time may be one of them, so it counts as one.
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

  test('is written by two statements, which only `advance` uses', () => {
    const ofLifecycles = writes(sources).filter(({ file }) => file === 'src/sql/lifecycles.ts');
    expect(ofLifecycles.map(({ verb }) => verb)).toEqual(['insertInto', 'updateTable']);
    const users = sources.filter(({ code }) => /\b(insertSubject|updateSubject)\b/.test(code));
    expect(users.map(({ file }) => file).toSorted()).toEqual([
      'src/lifecycle/advance.ts',
      'src/sql/lifecycles.ts',
    ]);
  });

  test('is written nowhere else: no row is made, and none of its other columns brings the state along', () => {
    const isHarmless = /\.set\(\{(?![^}]*(\.\.\.|\bstate\b|\bseq\b))[^}]*\}\)/;
    const offences = writes(others).filter(
      ({ verb, rest }) => verb !== 'updateTable' || !isHarmless.test(rest),
    );
    expect(offences).toEqual([]);
  });

  test('is not written in plain SQL or through entities either', () => {
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
  ])('is looked for in %s: %d', (code, count) => {
    expect(writes([{ file: 'src/x.ts', code, imports: [] }])).toHaveLength(count);
  });
});

describe('the database of the tests', () => {
  const database = 'test/support/database.ts';

  // `npm run mutation-score` runs them again and again, without PostgreSQL.
  test('is loaded by no test of pure code', () => {
    const files = loading(database, sourcesIn('machines', 'openapi', 'scripts', 'src', 'test'));
    expect(files).toContain('test/flows/pix-payment.test.ts');
    expect([...files].filter((file) => /^test\/(domain|machines|pricing)\//.test(file))).toEqual([]);
  });

  test('is loaded through other files, and not for a type', () => {
    const sources = [
      { file: 'support.ts', code: '', imports: [{ from: database, isType: false }] },
      { file: 'direct.test.ts', code: '', imports: [{ from: 'support.ts', isType: false }] },
      { file: 'typed.test.ts', code: '', imports: [{ from: 'support.ts', isType: true }] },
    ];
    const files = loading(database, sources);
    expect([...files]).toEqual([database, 'support.ts', 'direct.test.ts']);
  });
});

// A connection runs statements in src/database. The texts of all others are in src/sql and in the migrations.
const isElsewhere = ({ file }: Source): boolean => !/^src\/(sql|database|migrations)\//.test(file);

describe('SQL', () => {
  const statement =
    /\bsql(<[^>`]*>)?`|\.(selectFrom|selectNoFrom|insertInto|updateTable|deleteFrom|mergeInto|executeTakeFirst|executeQuery)\(|\.execute\(((app\.)?db|tx)?\)|(pool|client|connection)\.query\(/g;

  test('is written in one folder', () => {
    expect(findings(sourcesIn('src').filter(isElsewhere), statement)).toEqual([]);
  });

  test.each([
    'await sql`select 1`.execute(db)',
    'sql<{ id: string }>`select 1`',
    `db.selectFrom('User').selectAll()`,
    `await pool.query('select 1')`,
  ])('is found in %s', (code) => {
    expect(findings([{ file: 'src/handlers/get-me.ts', code, imports: [] }], statement)).not.toEqual([]);
  });
});

describe('handlers', () => {
  const handlers = sourcesIn('src/handlers');

  test('hold no SQL and no transaction', () => {
    const sql =
      /\bsql`|\.(selectFrom|selectNoFrom|insertInto|updateTable|deleteFrom|mergeInto|transaction)\(/g;
    expect(findings(handlers, sql)).toEqual([]);
    expect(strays(handlers, ({ from }) => from !== 'kysely' && from !== 'pg')).toEqual([]);
  });

  test('know nothing of HTTP', () => {
    expect(findings(handlers, /\bfetch\(|\bres(ponse)?\./g)).toEqual([]);
    expect(strays(handlers, ({ from }) => from !== 'express' && from !== 'undici')).toEqual([]);
  });

  test('leave errors to the edge', () => {
    expect(findings(handlers, /\btry\b|\bcatch\b/g)).toEqual([]);
  });
});

describe('exports', () => {
  const everything = sourcesIn('src', 'machines', 'sandbox', 'scripts', 'proof', 'bench', 'test').concat(
    sourcesIn('packages/client', 'phone'),
  );

  // A file that only shows that it compiles, stands in for a module or is a plugin is imported by no other file.
  test('of a value are imported somewhere', () => {
    const ofValues = everything.filter(
      ({ file }) =>
        !/^src\/migrations\/|\.(test|types)\.ts$|consumer\.ts$|^test\/openapi\/clients\/adapters\/|^proof\/crash\/preload\/named\/|^proof\/mutation-score\/ignore-messages\.ts$/.test(
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
  ])('with %s in another file leave unused: %j', (code, unused) => {
    const exporting = { file: 'src/a.ts', code: 'export const used = 1;', imports: [] };
    const importing = { file: 'src/b.ts', code, imports: [] };
    expect(unusedExports([exporting], [exporting, importing])).toEqual(unused);
  });
});
