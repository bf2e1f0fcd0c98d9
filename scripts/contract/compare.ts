// Compares two contracts: every operation, and every schema that it sends or answers. Descriptions and examples are not compared. A
// change counts as breaking, unless a rule knows it to be compatible.
import { type Change, Changes, matched } from './changes.ts';
import { compareOperation } from './compare-operation.ts';
import { compareOthers } from './compare-others.ts';
import { createSchemaComparison } from './compare-schema.ts';
import type { Contract, Operation } from './document.ts';

const METHODS = new Set(['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace']);

/** Returns what changed from one contract to the other. Breaking changes come first. */
export function compareContracts(before: Contract, after: Contract): Change[] {
  const changes = new Changes();
  const operations = matched(operationsOf(before), operationsOf(after));
  for (const [name] of operations.gone) changes.breaking(name, 'the operation was removed');
  for (const [name] of operations.added) changes.compatible(name, 'the operation was added');

  const compareSchemas = createSchemaComparison(before, after, changes);
  for (const [name, former, present] of operations.kept)
    compareOperation(name, { before, former, after, present }, { changes, compareSchemas });

  compareDocuments(before, after, changes);
  const schemas = matched(before.components?.['schemas'], after.components?.['schemas']);
  // A generated client has a type of this name, and the app imports it.
  for (const [name] of schemas.gone) changes.breaking(name, 'the schema was removed');
  for (const [name] of schemas.added) changes.compatible(name, 'the schema was added');
  return changes.found.toSorted((one, other) => Number(other.isBreaking) - Number(one.isBreaking));
}

/** Compares the parts of the documents outside of operations and schemas. */
function compareDocuments(before: Contract, after: Contract, changes: Changes): void {
  const judged = ['info', 'tags', 'security', 'paths', 'components'];
  compareOthers({ where: 'the document', subject: 'it', compared: judged }, before, after, changes);
  for (const [path, former, present] of matched(before.paths, after.paths).kept)
    compareOthers({ where: path, subject: 'the path', compared: [...METHODS] }, former, present, changes);
  const schemes = matched(before.components?.['securitySchemes'], after.components?.['securitySchemes']);
  for (const [name] of schemes.gone) changes.breaking(name, 'the security scheme was removed');
  for (const [name] of schemes.added) changes.compatible(name, 'the security scheme was added');
  for (const [name, former, present] of schemes.kept)
    compareOthers(
      { where: name, subject: 'the security scheme', compared: [] },
      former as object,
      present as object,
      changes,
    );
}

const operationsOf = ({ paths }: Contract): Record<string, Operation> =>
  Object.fromEntries(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => METHODS.has(method))
        .map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
    ),
  );
