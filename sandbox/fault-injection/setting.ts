// A value that is stored as JSON among the sandbox's settings.
import type { Store } from '../store/store.ts';

export function readSetting(store: Store, name: string): unknown {
  const row = store.get<{ value: string }>('select value from settings where name = ?', name);
  return row && JSON.parse(row.value);
}

export function writeSetting(store: Store, name: string, value: unknown): void {
  const sql = `insert into settings (name, value) values (?, ?)
    on conflict (name) do update set value = excluded.value`;
  store.run(sql, name, JSON.stringify(value));
}
