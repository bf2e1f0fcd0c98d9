// Lists how many data keys each master key wraps. A former master key that wraps none may be removed from the configuration.
import { countKeysByMaster } from '../../../../src/platform/sql/data-keys.ts';
import type { CommandCall, CommandSpec } from '../command.ts';
import { type Column, printList } from '../table.ts';

export const keysStatusCommand: CommandSpec = {
  name: 'keys status',
  summary: 'how many data keys each master key wraps',
  run,
};

type KeysLine = { masterKeyId: string; dataKeys: number; standing: 'first' | 'former' | 'missing' };

async function run({ app, out }: CommandCall): Promise<void> {
  const configured = app.config.masterKeys.map(({ id }) => id);
  const counted = new Map(
    (await countKeysByMaster(app.db, {})).map(({ masterKeyId, dataKeys }) => [masterKeyId, dataKeys]),
  );
  const ids = [...new Set([...configured, ...counted.keys()])];
  const lines = ids.map((masterKeyId): KeysLine => {
    const at = configured.indexOf(masterKeyId);
    const standing = at === 0 ? 'first' : at > 0 ? 'former' : 'missing';
    return { masterKeyId, dataKeys: counted.get(masterKeyId) ?? 0, standing };
  });
  const columns: Column<KeysLine>[] = [
    { title: 'master key', of: (line) => line.masterKeyId },
    { title: 'data keys', of: ({ dataKeys }) => String(dataKeys), alignRight: true },
    {
      title: 'in PII_ENCRYPTION_KEY',
      of: ({ standing, dataKeys }) => standingTexts[standing](dataKeys),
      paint: ({ standing }, style) => (standing === 'missing' ? style.red : (text) => text),
    },
  ];
  printList({ out, limit: lines.length }, columns, lines, 'There are no keys.');
}

const standingTexts: Record<KeysLine['standing'], (dataKeys: number) => string> = {
  first: () => 'the first: wraps new data keys',
  former: (dataKeys) => (dataKeys === 0 ? 'may be taken out' : 'still needed: keys rotate'),
  missing: () => 'missing: these data keys cannot be opened',
};
