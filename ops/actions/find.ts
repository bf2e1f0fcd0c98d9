// Finds users and movements of money by what a person can name: an e-mail address, an account number, a paid PIX key, or an amount and
// its day. The term comes from standard input, so that no list of processes and no history of a shell has it. The answers are ids.
import { canonicalPixKey, type PixKeyType } from '../../src/domain/pix-key.ts';
import {
  type Found,
  listByHash,
  listTransactionsByAmount,
  type SearchTerm,
} from '../../src/tables/search-hashes.ts';
import { audit } from '../action.ts';
import { type CommandCall, type CommandSpec, OpsFailure, type SupportApp, UsageError } from '../command.ts';
import { count } from '../format.ts';

/** An amount of every day can be one of thousands of transactions. More ids than these help nobody. */
const MAX_IDS = 50;

const DAY_MS = 24 * 60 * 60_000;
/** A person's day begins up to 14 hours before the day of UTC, and ends up to 12 hours after it. */
const EARLIEST_MS = 14 * 60 * 60_000;
const LATEST_MS = 12 * 60 * 60_000;

type Search = {
  /** What the operator types. */
  asks: string;
  /** Lists what has the term. @throws OpsFailure if the term has another form. */
  list: (app: SupportApp, term: string, limit: number) => Promise<Found[]>;
};

/** @param textsIn returns the texts that were hashed, if the value is what the operator typed. */
const byHash = (
  what: SearchTerm,
  asks: string,
  textsIn: (term: string) => string[] = (term) => [term],
): Search => ({
  asks,
  list: ({ db, sealer }, term, limit) => {
    const hashes = textsIn(term).flatMap((text) => sealer.search.hashesOf(what, text));
    return listByHash(db, { what, hashes, limit });
  },
});

const searches: Record<string, Search> = {
  email: byHash('email', 'The e-mail address'),
  account: byHash('account', 'The account number, or the IBAN', (term) => [withoutSortCode(term)]),
  'pix-key': byHash('pix-key', 'The PIX key that was paid', keysIn),
  amount: {
    asks: 'The amount and its day, such as 250.00 BRL 2026-11-28',
    list: ({ db }, term, limit) => listTransactionsByAmount(db, { ...amountIn(term), limit }),
  },
};

export const findCommand: CommandSpec = {
  name: 'find',
  summary: `ids by ${Object.keys(searches).join(', ')}; it reads the term from standard input`,
  argument: { name: 'what', form: 'text' },
  isForSupport: true,
  run,
};

async function run(call: CommandCall<SupportApp>): Promise<void> {
  const { app, out, argument: what, readLine } = call;
  const search = searches[what];
  if (search === undefined) throw new UsageError(`"${what}" is none of ${Object.keys(searches).join(', ')}.`);
  if (what !== 'amount' && app.sealer.search.tag === null)
    throw new OpsFailure('SEARCH_KEY is not set, so nothing was hashed: only an amount can be found.');
  const term = (await readLine(search.asks)).trim();
  if (term === '') throw new OpsFailure('Standard input had no term.');
  const found = await search.list(app, term, MAX_IDS + 1);
  const matches = found.slice(0, MAX_IDS).map(({ kind, id }) => ({ kind, id }));
  // The entry never has the term, because the audit record is kept for longer than the person's data.
  await audit(app.db, call, { target: `${what}, ${matches.length} found`, userId: null });
  if (out.isJson) return out.json(matches);
  for (const { kind, id } of matches) out.print(`${kind.padEnd('withdraw'.length)}  ${id}`);
  if (matches.length === 0) return out.print('Nothing here has it.');
  const isMore = found.length > matches.length;
  out.note(
    `${count(matches.length, 'id')}${isMore ? ', the newest of more' : ''}. See one: npm run ops -- show <id>`,
  );
}

/** People read the sort code and the number of a British account aloud as one. */
const withoutSortCode = (term: string): string => {
  const bare = term.replaceAll(/[\s.-]/g, '');
  return /^\d{14}$/.test(bare) ? bare.slice(6) : bare;
};

const pixKeyTypes: PixKeyType[] = ['cpf', 'cnpj', 'phone', 'email', 'evp'];

/** Returns the canonical keys that a text can be. Nobody says of which type a key is. */
function keysIn(term: string): string[] {
  const keys = pixKeyTypes.flatMap((type) => canonicalPixKey(type, term) ?? []);
  if (keys.length === 0) throw new OpsFailure('That is no PIX key of any type.');
  return [...new Set(keys)];
}

function amountIn(term: string): { amountMinor: number; currency: string; from: Date; to: Date } {
  const { whole, cents, currency, day } =
    /^(?<whole>\d{1,13})[.,](?<cents>\d{2}) (?<currency>GBP|EUR|BRL) (?<day>\d{4}-\d{2}-\d{2})$/i.exec(term)
      ?.groups ?? {};
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (currency === undefined || Number.isNaN(midnight))
    throw new OpsFailure('An amount and its day look like 250.00 BRL 2026-11-28.');
  return {
    amountMinor: Number(`${whole}${cents}`),
    currency: currency.toUpperCase(),
    from: new Date(midnight - EARLIEST_MS),
    to: new Date(midnight + DAY_MS + LATEST_MS),
  };
}
