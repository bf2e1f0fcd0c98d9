// The help: one screen for all of it, and one for each command.
import type { Command } from './command.ts';
import { groups } from './commands.ts';
import type { Style } from './output.ts';
import { optionsOf } from './parse.ts';

export function overview(style: Style): string {
  const called = groups.flatMap(({ commands }) => commands.map(callOf));
  const width = Math.max(...called.map((text) => text.length)) + 2;
  return [
    'Usage: npm run ops -- <command> [options]',
    ...groups.flatMap(({ title, commands }) => [
      '',
      style.bold(title),
      ...commands.map((command) => `  ${callOf(command).padEnd(width)}${command.summary}`),
    ]),
    '',
    'Lists take --limit <1-1000>; everything takes --json (then silence npm: npm run -s ops -- ...).',
    'Changes take --reason "<why>" and --operator <name> ($USER unless given), and both are recorded.',
    'More about one command: npm run ops -- <command> --help. What to do when: docs/runbook.md.',
    'Exit codes: 0 done, 1 could not be done, 2 not understood.',
  ].join('\n');
}

export function helpOf(command: Command): string {
  const lines = Object.entries(optionsOf(command)).map(([name, spec]) => ({
    call: `--${name}${spec.placeholder ? ` ${spec.placeholder}` : ''}`,
    text: `${spec.summary}${spec.default === undefined ? '' : ` (${spec.default})`}`,
    values: spec.values ? [`one or several of ${spec.values.join(', ')}`] : [],
  }));
  const width = Math.max(...lines.map(({ call }) => call.length)) + 2;
  return [
    `Usage: npm run ops -- ${callOf(command)} [options]`,
    '',
    `  ${command.summary}`,
    '',
    ...lines.flatMap(({ call, text, values }) => [
      `  ${call.padEnd(width)}${text}`,
      ...values.map((line) => `  ${''.padEnd(width)}${line}`),
    ]),
  ].join('\n');
}

const callOf = ({ name, argument }: Command): string => (argument ? `${name} <${argument.name}>` : name);
