// The marks on entities' properties, from which the export knows how it shows each column.
import { defineEntity, p } from '@mikro-orm/core';
import { expect, test } from 'vitest';
import { columnsOf } from '../../src/privacy/export-sections.ts';
import { entities } from '../../src/tables/entities.ts';
import { type ExportMark, exported, ours } from '../../src/tables/export-marks.ts';

test('a property keeps its mark when its type is refined', () => {
  const pet = defineEntity({
    name: 'Pet',
    tableName: 'pets',
    properties: {
      name: exported.string().length(40).nullable(),
      visits: ours.integer().default(0),
    },
  });
  expect(columnsOf(pet.meta)).toEqual({
    name: 'verbatim',
    visits: { leftOutBecause: 'A technical value of the service that says nothing about you.' },
  });
});

test('a property without a mark is refused, because nobody decided whether the export shows it', () => {
  const pet = defineEntity({
    name: 'Pet',
    tableName: 'pets',
    properties: { id: exported.uuid().primary(), illness: p.text() },
  });
  expect(() => columnsOf(pet.meta)).toThrow('pets.illness does not say how an export shows it');
});

test('a mark names only properties that the entity has', () => {
  const unknown = entities.flatMap(({ meta: { tableName, properties } }) =>
    Object.values<{ exportMark?: ExportMark }>(properties)
      .flatMap(({ exportMark }) => propertiesNamedBy(exportMark))
      .filter((named) => !(named in properties))
      .map((named) => `${tableName}.${named}`),
  );
  expect(unknown).toEqual([]);
});

function propertiesNamedBy(mark: ExportMark | undefined): string[] {
  if (typeof mark !== 'object') return [];
  if ('minorUnitsIn' in mark) return [mark.minorUnitsIn];
  return 'sealedUnder' in mark ? Object.values(mark.sealedUnder) : [];
}
