// Writes machines/README.md: each machine's diagram and states, from the machine alone.
import type { AnyStateMachine } from 'xstate';
import { type Arrow, arrowsOf, beginningOf, type State, statesOf } from '../machines/arrows.ts';
import { kycMachine } from '../machines/kyc.machine.ts';
import { pixPaymentMachine } from '../machines/pix-payment.machine.ts';
import { providerAccountMachine } from '../machines/provider-account.machine.ts';
import { statusOf } from '../machines/step.ts';
import { withdrawMachine } from '../machines/withdraw.machine.ts';

type Section = {
  title: string;
  file: string;
  machine: AnyStateMachine;
  /** The status that the API shows for a state. Without it, this is the state's top-level name. */
  shownAs?: (state: string) => string;
};

const sections: Section[] = [
  { title: 'PIX payment', file: 'pix-payment.machine.ts', machine: pixPaymentMachine },
  { title: 'Withdrawal', file: 'withdraw.machine.ts', machine: withdrawMachine },
  { title: 'Identity verification', file: 'kyc.machine.ts', machine: kycMachine },
  {
    title: 'Account at the provider',
    file: 'provider-account.machine.ts',
    machine: providerAccountMachine,
    shownAs: (state) => `hasActiveAccount: ${state === 'active'}`,
  },
];

const introduction = `<!-- Generated from the machines by scripts/generate.ts; change those, not this. -->
# The machines

Payments, withdrawals, verifications and accounts each have a state machine. A machine is data and pure functions. It defines
which event leads to which state, and which effect follows. \`step.ts\` applies one event. An arrow is labelled
\`event [guard] / effect\`: the event leads to the new state if the guard is true, and the effect is stored in the commit
that writes the new state. An event without an arrow is refused in that state and changes nothing.
`;

export const machinesReadme = (): string => [introduction, ...sections.map(sectionOf)].join('\n');

const sectionOf = ({ title, file, machine, shownAs = statusOf }: Section): string => `## ${title}

${machine.root.description} ([${file}](${file}))

\`\`\`mermaid
${diagramOf(machine)}
\`\`\`

| State | Shown as | The money |
|---|---|---|
${rowsOf(statesOf(machine), shownAs).join('\n')}
`;

const rowsOf = (states: State[], shownAs: (state: string) => string): string[] =>
  states.flatMap(({ name, description, children }) => [
    `| \`${name}\` | \`${shownAs(name)}\` | ${description} |`,
    ...rowsOf(children, shownAs),
  ]);

function diagramOf(machine: AnyStateMachine): string {
  const { to, effects } = beginningOf(machine);
  const beginning = `[*] --> ${idOf(to)}${effects.length > 0 ? ` : ${effects.map(words).join(', ')}` : ''}`;
  const lines = [...statesOf(machine).flatMap(shapeOf), beginning, ...arrowsOf(machine).map(arrowLine)];
  return ['stateDiagram-v2', ...lines.map((line) => `  ${line}`)].join('\n');
}

const shapeOf = ({ name, children }: State): string[] => {
  const shape = `state "${name.split('.').at(-1)}" as ${idOf(name)}`;
  if (children.length === 0) return [shape];
  return [`${shape} {`, ...children.flatMap(shapeOf).map((line) => `  ${line}`), '}'];
};

const arrowLine = ({ from, event, guard, to, effects }: Arrow): string =>
  [
    `${idOf(from)} --> ${idOf(to)} : ${event}`,
    ...(guard === null ? [] : [`[${guard}]`]),
    ...(effects.length === 0 ? [] : ['/', effects.map(words).join(', ')]),
  ].join(' ');

// A dot would name a style, and a colon would end the label.
const idOf = (state: string): string => state.replaceAll('.', '_');
const words = (effect: string): string => effect.replaceAll(':', ' ');
