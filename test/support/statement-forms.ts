// Reads statements with PostgreSQL's own parser, and finds the forms that Citus refuses or that decide by two servers' clocks. The rules
// come from statements that Citus 14 refused.
import { loadModule, parseSync } from 'libpg-query';
import type { Place } from '../../src/tables/place.ts';

export type Places = Record<string, Place>;

/** What one statement does on several servers. */
export type Forms = {
  /** Distributed tables that it reads or writes without the value that names the server, so that every server is asked. */
  asksAllServers: string[];
  /** Forms that are refused, each as a sentence. */
  refused: string[];
};

type Node = { [key: string]: unknown };
/** A table of one query, under the name that its columns are qualified with. */
type Relation = { table: string; alias: string; column: string; group: string };

const CLOCKS = new Set(['now', 'clock_timestamp', 'statement_timestamp', 'transaction_timestamp']);
const queryKinds = ['SelectStmt', 'UpdateStmt', 'DeleteStmt', 'InsertStmt'] as const;

await loadModule();

/** @throws Error of PostgreSQL's parser if the text is not a statement. */
export function formsOf(text: string, places: Places): Forms {
  const { stmts } = parseSync(text) as { stmts: Node[] };
  const forms: Forms = { asksAllServers: [], refused: [] };
  visit(stmts, { places, forms, outer: [] });
  return { asksAllServers: [...new Set(forms.asksAllServers)], refused: [...new Set(forms.refused)] };
}

type Context = { places: Places; forms: Forms; outer: Relation[] };

function visit(node: unknown, context: Context): void {
  for (const [key, value] of entriesOf(node)) {
    const isQuery = queryKinds.some((kind) => kind === key);
    if (isQuery) visitQuery(key as (typeof queryKinds)[number], value as Node, context);
    // Both sides of a union.
    else if ((key === 'larg' || key === 'rarg') && 'targetList' in (value as Node))
      visitQuery('SelectStmt', value as Node, context);
    else visit(value, context);
  }
}

const names = (relations: readonly Relation[]): string => relations.map(({ table }) => table).join(', ');

function visitQuery(kind: (typeof queryKinds)[number], query: Node, context: Context): void {
  const { places, forms, outer } = context;
  const tables = rangeVarsOf(query);
  const relations = tables.flatMap(({ table, alias }): Relation[] => {
    const place = places[table];
    return typeof place === 'object' ? [{ table, alias, ...place }] : [];
  });
  const refuse = (sentence: string): void => void forms.refused.push(sentence);

  const unnamed = kind === 'InsertStmt' ? [] : unnamedOf(query, relations, outer);
  forms.asksAllServers.push(...unnamed.map(({ table }) => table));
  if (relations.length > 0) {
    if (tables.some(({ table }) => places[table] === 'coordinator'))
      refuse(`joins ${names(relations)} with a table of the coordinator`);
    if (new Set(relations.map(({ group }) => group)).size > 1)
      refuse(`joins ${names(relations)}: two groups`);
    if (unnamed.length > 0 && 'lockingClause' in query)
      refuse(`locks rows of ${names(unnamed)} on all servers`);
    if (kind === 'SelectStmt' && hasClock({ ...query, withClause: null }))
      refuse(`reads the clock of a server of ${names(relations)}`);
    if (contains(query, (key, value) => key === 'sval' && value === 'ctid')) refuse('reads ctid');
  }
  if (unnamed.length > 0 && outer.length > 0 && refersTo(query, outer))
    refuse(`asks all servers for ${names(unnamed)} once for each row`);
  if (kind === 'InsertStmt' && hasClock(query['selectStmt']) && fromOf(query['selectStmt']).length > 0)
    refuse('insert … select reads the clock of a server');
  if (
    kind === 'UpdateStmt' &&
    contains(
      query['targetList'],
      (key, value) => (key === 'CaseExpr' || key === 'CoalesceExpr') && hasClock(value),
    )
  )
    refuse('writes the clock inside CASE or COALESCE');
  if (kind === 'UpdateStmt' && contains(query['targetList'], addsIntervalToColumn))
    refuse('adds an interval to a column with a time zone');
  const returned = query['returningClause'] ?? query['returningList'];
  if (
    relations.length > 0 &&
    returned &&
    contains(returned, (key, value) => key === 'FuncCall' || (key === 'TypeCast' && !isConstantCast(value)))
  )
    refuse('calls a function or casts a column in RETURNING');
  visit(query, { ...context, outer: [...outer, ...relations] });
}

/** Returns the relations whose rows are not named by the value that they are distributed by. */
function unnamedOf(query: Node, relations: Relation[], outer: Relation[]): Relation[] {
  const equalities = conjunctsOf(query);
  const named = new Set<Relation>();
  const isDistributionColumn = (column: string[], one: Relation): boolean =>
    column.at(-1) === one.column && (column.length === 1 ? relations[0] === one : column[0] === one.alias);
  const namesServer = (other: unknown): boolean => {
    const column = columnOf(other);
    if (column === null) return !contains(other, (key) => key === 'ColumnRef' || key === 'SubLink');
    const same = relations.find((one) => one.alias === column[0] && column.length > 1);
    if (same) return named.has(same) && same.column === column.at(-1);
    return (
      column.length > 1 &&
      (outer.length === 0 || outer.some((one) => one.alias === column[0] && one.column === column.at(-1)))
    );
  };
  for (let found = true; found; ) {
    found = false;
    for (const one of relations)
      for (const [left, right] of equalities) {
        if (named.has(one)) break;
        const sides = [
          [left, right],
          [right, left],
        ] as const;
        if (
          sides.some(([side, other]) => isDistributionColumn(columnOf(side) ?? [], one) && namesServer(other))
        ) {
          named.add(one);
          found = true;
        }
      }
  }
  return relations.filter((one) => !named.has(one));
}

/** Returns both sides of every equality that has to hold for a row of the query. */
function conjunctsOf(query: Node): (readonly [unknown, unknown])[] {
  const found: (readonly [unknown, unknown])[] = [];
  const collect = (node: unknown): void => {
    const { BoolExpr: bool, A_Expr: equality } = (node ?? {}) as Record<string, Node | undefined>;
    if (bool?.['boolop'] === 'AND_EXPR') for (const one of bool['args'] as unknown[]) collect(one);
    if (
      equality &&
      ['AEXPR_OP', 'AEXPR_OP_ANY', 'AEXPR_IN'].includes(String(equality['kind'])) &&
      JSON.stringify(equality['name']).includes('"="')
    )
      found.push([equality['lexpr'], equality['rexpr']]);
  };
  collect(query['whereClause']);
  const joins = (node: unknown): void => {
    for (const [key, value] of entriesOf(node)) {
      if (key === 'JoinExpr') collect((value as Node)['quals']);
      if (key !== 'RangeSubselect') joins(value);
    }
  };
  joins(fromOf(query));
  return found;
}

const fromOf = (query: unknown): unknown[] => {
  const { SelectStmt: select, fromClause, usingClause } = (query ?? {}) as Record<string, unknown>;
  if (select) return fromOf(select);
  return [...((fromClause as unknown[]) ?? []), ...((usingClause as unknown[]) ?? [])];
};

/** Returns the tables of a query itself, without those of its subqueries. */
function rangeVarsOf(query: Node): { table: string; alias: string }[] {
  const found: { table: string; alias: string }[] = [];
  const add = (value: unknown): void => {
    const { relname, alias } = value as { relname: string; alias?: { aliasname: string } };
    found.push({ table: relname, alias: alias?.aliasname ?? relname });
  };
  const collect = (node: unknown): void => {
    for (const [key, value] of entriesOf(node)) {
      if (key === 'RangeVar') add(value);
      else if (key === 'JoinExpr') collect([(value as Node)['larg'], (value as Node)['rarg']]);
      else if (key !== 'RangeSubselect' && key !== 'RangeFunction') collect(value);
    }
  };
  if (query['relation']) add(query['relation']);
  collect(fromOf(query));
  return found;
}

function columnOf(node: unknown): string[] | null {
  const { ColumnRef: column } = (node ?? {}) as { ColumnRef?: { fields: { String?: { sval: string } }[] } };
  return column ? column.fields.map(({ String: name }) => name?.sval ?? '*') : null;
}

const hasClock = (node: unknown): boolean =>
  contains(node, (key, value) => {
    if (key === 'SQLValueFunction') return true;
    if (key !== 'FuncCall') return false;
    const { funcname } = value as { funcname: { String?: { sval: string } }[] };
    return CLOCKS.has(funcname.at(-1)?.String?.sval ?? '');
  });

/** Such a sum is STABLE: it depends on the session's time zone. In UTC, as `column at time zone 'UTC'`, it is immutable. */
const addsIntervalToColumn = (key: string, value: unknown): boolean => {
  if (key !== 'A_Expr') return false;
  const { name, lexpr: left, rexpr: right } = value as { name: unknown; lexpr: Node; rexpr: Node };
  if (!/"[+-]"/u.test(JSON.stringify(name))) return false;
  const isInterval = (node: Node): boolean => /"(?:make_)?interval"/u.test(JSON.stringify(node));
  const hasZone = (node: Node): boolean => !JSON.stringify(node).includes('"timezone"');
  const isColumn = (node: Node): boolean => contains(node, (one) => one === 'ColumnRef');
  const sides = [
    [left, right],
    [right, left],
  ] as const;
  return sides.some(([sum, added]) => isInterval(added) && isColumn(sum) && hasZone(sum));
};

const isConstantCast = (cast: unknown): boolean => {
  const { arg } = cast as { arg: Node };
  return 'A_Const' in arg || 'ParamRef' in arg;
};

/** Whether a query names a column of an outer query. */
const refersTo = (query: Node, outer: Relation[]): boolean =>
  contains(query, (key, value) => {
    const column = key === 'ColumnRef' ? columnOf({ ColumnRef: value }) : null;
    return column !== null && column.length > 1 && outer.some(({ alias }) => alias === column[0]);
  });

function contains(node: unknown, matches: (key: string, value: unknown) => boolean): boolean {
  return entriesOf(node).some(([key, value]) => matches(key, value) || contains(value, matches));
}

const entriesOf = (node: unknown): [string, unknown][] =>
  typeof node === 'object' && node !== null ? Object.entries(node) : [];
