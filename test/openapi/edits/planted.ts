// The contract as it was last released, and changes that tests plant in it.
import type { Contract, Operation, Schema } from '../../../scripts/contract/document.ts';
import { releasedContracts } from '../../../scripts/contract/releases.ts';

export const [released] = releasedContracts().slice(-1) as [Contract];

export function changed(change: (document: Contract) => void, version = released.info.version): Contract {
  const document = structuredClone(released);
  document.info.version = version;
  change(document);
  return document;
}

export const operation = ({ paths }: Contract, method: string, path: string): Operation =>
  paths[path]?.[method] as Operation;
export const schema = ({ components }: Contract, name: string): Schema =>
  components?.['schemas']?.[name] as Schema;
export const property = (document: Contract, name: string, field: string): Schema =>
  schema(document, name).properties?.[field] as Schema;
export const component = ({ components }: Contract, section: string, name: string) =>
  components?.[section]?.[name] as { required?: boolean; schema: Schema };

export type Planted = [title: string, change: (document: Contract) => void, found: string];
