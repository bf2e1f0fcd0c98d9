// Lists how many data keys each master key wraps. A former master key that wraps none may be removed from the configuration.
import { countKeysByMaster } from '../../src/tables/data-keys/statements.ts';
import type { CommandSpec } from '../command.ts';
import { printList } from '../table.ts';

export const keysStatusCommand: CommandSpec = {
  name: 'keys status',
  summary: 'how many data keys each master key wraps',
  run: async ({ app, out }) => {
    const configured = app.config.masterKeys.map(({ id }) => id);
    const counted = new Map(
      (await countKeysByMaster(app.db, {})).map(({ masterKeyId, dataKeys }) => [masterKeyId, dataKeys]),
    );
    const ids = [...new Set([...configured, ...counted.keys()])];
    const lines = ids.map((masterKeyId) => {
      const at = configured.indexOf(masterKeyId);
      const standing = at === 0 ? 'first' : at > 0 ? 'former' : 'missing';
      return { masterKeyId, dataKeys: counted.get(masterKeyId) ?? 0, standing } as const;
    });
    printList({ out, limit: lines.length }, lines, 'There are no keys.', [
      { title: 'master key', of: (line) => line.masterKeyId },
      { title: 'data keys', of: ({ dataKeys }) => String(dataKeys), alignRight: true },
      {
        title: 'in PII_ENCRYPTION_KEY',
        of: ({ standing, dataKeys }) => standingTexts[standing](dataKeys),
        paint: ({ standing }, style) => (standing === 'missing' ? style.red : (text) => text),
      },
    ]);
  },
};

const standingTexts = {
  first: () => 'the first: wraps new data keys',
  former: (dataKeys: number) => (dataKeys === 0 ? 'may be taken out' : 'still needed: keys rotate'),
  missing: () => 'missing: these data keys cannot be opened',
};
