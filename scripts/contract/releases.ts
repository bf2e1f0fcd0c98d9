// Reads the documents of the contract as they were released, one for each version. Apps were generated from them and rely on them.
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { compare } from 'semver';
import type { Contract } from './document.ts';

const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(root, 'openapi/released');

/** Returns the released contracts, from the oldest to the newest. */
export const releasedContracts = (): Contract[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => contractIn(path.join(folder, file)))
    .toSorted((one, other) => compare(one.info.version, other.info.version));

/**
 * Returns a sentence for each released document that was edited later, or whose hash is not in openapi/released/SHA256SUMS.
 * @param read returns a document's text.
 */
export const editedReleases = (
  read = (file: string): string => readFileSync(path.join(folder, file), 'utf8'),
): string[] => {
  const sums = readFileSync(path.join(folder, 'SHA256SUMS'), 'utf8').split('\n');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .filter((file) => !sums.includes(`${hash('sha256', read(file))}  ${file}`))
    .map(
      (file) =>
        `openapi/released/${file} was edited, or its line in openapi/released/SHA256SUMS is missing (see CONTRIBUTING.md).`,
    );
};

/** Returns the current contract, as `npm run generate` bundled it. */
export const presentContract = (): Contract => contractIn(path.join(root, 'openapi/generated/openapi.json'));

const contractIn = (file: string): Contract => JSON.parse(readFileSync(file, 'utf8')) as Contract;
