// Reseals values that were sealed before their rows had versions: each is bound to the version of its row.
import { sql } from 'kysely';
import type { Db } from '../database/orm.ts';
import { NIL_UUID } from '../domain/ids.ts';
import type { Clock } from '../time/clock.ts';
import { encryptionContexts, type ReplacedColumn, type RowVersion } from './encryption-contexts.ts';
import { type EncryptionContext, SealBroken, UNVERSIONED } from './envelope.ts';
import type { Sealer } from './sealer.ts';

const PAGE_SIZE = 1_000;

type Place = {
  contextOf: (userId: string, row: string, version: RowVersion) => EncryptionContext;
  /** The column with the row's id. */
  id: string;
  /** The column that names the row in the encryption context. */
  row: string;
  /** `count` is incremented by each save and stays as it is here; `time` becomes the time of the resealing. */
  version: { count: string } | { time: string };
};

const places: Record<ReplacedColumn, Place> = {
  'bank_details.details_sealed': {
    contextOf: encryptionContexts.bankDetails,
    id: 'id',
    row: 'currency',
    version: { count: 'version' },
  },
  'kyc_verifications.identity_sealed': {
    contextOf: encryptionContexts.identity,
    id: 'id',
    row: 'id',
    version: { time: 'identity_sealed_at' },
  },
  'provider_accounts.deposit_instructions_sealed': {
    contextOf: encryptionContexts.depositInstructions,
    id: 'id',
    row: 'id',
    version: { time: 'deposit_instructions_sealed_at' },
  },
  'provider_resources.reason_sealed': {
    contextOf: encryptionContexts.providerReason,
    id: 'handle',
    row: 'handle',
    version: { time: 'reason_sealed_at' },
  },
};

export type Resealed = {
  resealed: number;
  /** `table.column` and the row's id of values that do not open. They stay as they are. */
  broken: string[];
};

type Services = { db: Db; sealer: Sealer; clock: Clock };

/** Works page by page and can be interrupted and repeated. A value that is replaced meanwhile stays as it was replaced. */
export async function resealUnversioned(
  services: Services,
  { onProgress, signal }: { onProgress?: (resealed: number) => void; signal?: AbortSignal } = {},
): Promise<Resealed> {
  const sum: Resealed = { resealed: 0, broken: [] };
  for (const [column, place] of Object.entries(places)) {
    for (let after: string | null = NIL_UUID; after !== null && !signal?.aborted; ) {
      const page = await resealPage(services, column, place, after);
      sum.resealed += page.resealed;
      sum.broken.push(...page.broken);
      onProgress?.(sum.resealed);
      after = page.next;
    }
  }
  return sum;
}

type Unversioned = { id: string; userId: string; row: string; version: RowVersion; sealed: Buffer | null };

async function resealPage(
  { db, sealer, clock }: Services,
  column: string,
  place: Place,
  after: string,
): Promise<Resealed & { next: string | null }> {
  const now = clock.now();
  const rows = await rowsAfter(db, column, place, after);
  const broken: string[] = [];
  const fresh: { id: string; userId: string; former: Buffer; sealed: Buffer }[] = [];
  for (const { id, userId, row, version, sealed: former } of rows) {
    if (former === null) continue;
    const contextOf = (bound: RowVersion) => place.contextOf(userId, row, bound);
    try {
      const text = await sealer.open(contextOf(version), former);
      const bound = 'time' in place.version ? now : version;
      fresh.push({ id, userId, former, sealed: await sealer.seal(contextOf(bound), text) });
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error;
      broken.push(`${column} ${id}`);
    }
  }
  const next = rows.length === PAGE_SIZE ? (rows.at(-1)?.id ?? null) : null;
  if (fresh.length === 0) return { resealed: 0, broken, next };
  const [table = '', name = ''] = column.split('.');
  const time = 'time' in place.version ? sql`, ${sql.ref(place.version.time)} = ${now}` : sql``;
  const { numAffectedRows = 0n } = await sql`
    update ${sql.table(table)} as changed set ${sql.ref(name)} = fresh.sealed ${time}
    from unnest(
      ${fresh.map(({ id }) => id)}::uuid[],
      ${fresh.map(({ userId }) => userId)}::uuid[],
      ${fresh.map(({ former }) => former)}::bytea[],
      ${fresh.map(({ sealed }) => sealed)}::bytea[]
    ) as fresh (id, user_id, former, sealed)
    where changed.${sql.ref(place.id)} = fresh.id and changed.user_id = fresh.user_id
      and changed.${sql.ref(name)} = fresh.former
  `.execute(db);
  return { resealed: Number(numAffectedRows), broken, next };
}

/** A page of all rows, in which `sealed` is null for values that are bound to a version already. */
async function rowsAfter(
  db: Db,
  column: string,
  { id, row, version }: Place,
  after: string,
): Promise<Unversioned[]> {
  const [table = '', name = ''] = column.split('.');
  const { rows } = await sql<Unversioned>`
    select ${sql.ref(id)} as id, user_id as "userId", ${sql.ref(row)}::text as row,
      ${sql.ref('time' in version ? version.time : version.count)} as version,
      case when substr(${sql.ref(name)}, 1, 1) = ${Buffer.of(UNVERSIONED)} then ${sql.ref(name)} end as sealed
    from ${sql.table(table)} where ${sql.ref(id)} > ${after} order by ${sql.ref(id)} limit ${sql.lit(PAGE_SIZE)}
  `.execute(db);
  return rows;
}
