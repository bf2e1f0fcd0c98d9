// Leaves texts for people unmutated: no test should check the wording of a description or of an error's message.
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** Properties whose value is a text for people. */
const texts = new Set(['description', 'otherwise', 'says', 'sentence']);

type Node = {
  type: string;
  key?: { name?: string };
  callee?: { name?: string };
  properties?: Node[];
};
type NodePath = { node: Node; parentPath: NodePath | null };

const isProperty = ({ type, key }: Node, names: Set<string>): boolean =>
  type === 'ObjectProperty' && names.has(key?.name ?? '');

function reasonFor({ node, parentPath }: NodePath): string | undefined {
  if (node.type === 'ObjectExpression') return reasonForObject(node, parentPath);
  if (!/^(String|Template)Literal$/.test(node.type)) return undefined;
  for (let around = parentPath; around !== null; around = around.parentPath) {
    const { type, callee } = around.node;
    if (isProperty(around.node, texts)) return 'a text for people';
    if (type === 'NewExpression' && /(Error|OutcomeUnknown)$/.test(callee?.name ?? ''))
      return 'the message of an error';
    if (!/^(ConditionalExpression|LogicalExpression|BinaryExpression|TemplateLiteral)$/.test(type))
      return undefined;
  }
  return undefined;
}

/** `{ description: '...' }` is a state without behaviour, and only the compiler uses a machine's `types: {...}`. */
function reasonForObject({ properties = [] }: Node, parentPath: NodePath | null): string | undefined {
  if (properties.length > 0 && properties.every((one) => isProperty(one, texts))) return 'a text for people';
  return parentPath && isProperty(parentPath.node, new Set(['types'])) ? 'types of a machine' : undefined;
}

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'messages', { shouldIgnore: reasonFor }),
];
