// The documents of the contract as they were released, one for each version: what apps were generated from and hold us to.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { compare } from 'semver';
import type { Contract } from './document.ts';

const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(root, 'openapi/released');

/** From the oldest to the newest. */
export const releasedContracts = (): Contract[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => contractIn(path.join(folder, file)))
    .toSorted((one, other) => compare(one.info.version, other.info.version));

/** The present one, as `npm run generate` bundled it. */
export const presentContract = (): Contract => contractIn(path.join(root, 'openapi/generated/openapi.json'));

const contractIn = (file: string): Contract => JSON.parse(readFileSync(file, 'utf8')) as Contract;
