// Compares an operation before and after: its name in clients, who may call it, its parameters, body and answers.
import { type Changes, matched } from './changes.ts';
import { compareOthers } from './compare-others.ts';
import type { CompareSchemas } from './compare-schema.ts';
import type { Place } from './compare-values.ts';
import {
  type Answer,
  type Contract,
  type Header,
  type Operation,
  type Parameter,
  resolved,
} from './document.ts';

type Both = { before: Contract; former: Operation; after: Contract; present: Operation };
type Findings = { changes: Changes; compareSchemas: CompareSchemas };

export function compareOperation(name: string, both: Both, findings: Findings): void {
  compareNames(name, both, findings);
  compareParameters(name, both, findings);
  compareBodies(name, both, findings);
  compareAnswers(name, both, findings);
  const compared = ['operationId', 'tags', 'security', 'parameters', 'requestBody', 'responses'];
  compareOthers(
    { where: name, subject: 'the operation', compared },
    both.former,
    both.present,
    findings.changes,
  );
}

function compareNames(name: string, { before, former, after, present }: Both, { changes }: Findings): void {
  if (former.operationId !== present.operationId)
    changes.breaking(name, `the operationId \`${former.operationId}\` became \`${present.operationId}\``);
  // Generators name the class of an operation by its first tag.
  if (former.tags?.[0] !== present.tags?.[0])
    changes.breaking(name, `the tag \`${former.tags?.[0]}\` became \`${present.tags?.[0]}\``);
  const security = JSON.stringify(former.security ?? before.security ?? []);
  if (security !== JSON.stringify(present.security ?? after.security ?? []))
    changes.breaking(name, 'other credentials are required');
}

function compareParameters(name: string, both: Both, { changes, compareSchemas }: Findings): void {
  const parameters = matched(parametersOf(both.before, both.former), parametersOf(both.after, both.present));
  // A parameter that an operation does not declare is refused with 400.
  for (const [parameter] of parameters.gone)
    changes.breaking(name, `the parameter \`${parameter}\` was removed`);
  for (const [parameter, { required }] of parameters.added) {
    if (required) changes.breaking(name, `the required parameter \`${parameter}\` was added`);
    else changes.compatible(name, `the optional parameter \`${parameter}\` was added`);
  }
  for (const [parameter, former, present] of parameters.kept) {
    if (!former.required && present.required)
      changes.breaking(name, `the parameter \`${parameter}\` became required`);
    if (former.required && !present.required)
      changes.compatible(name, `the parameter \`${parameter}\` became optional`);
    const part = `the parameter \`${parameter}\``;
    compareSchemas('sent', { where: name, part }, former.schema, present.schema);
    compareOthers(
      { where: name, subject: part, compared: ['name', 'required', 'schema'] },
      former,
      present,
      changes,
    );
  }
}

/** Returns the parameters by name. Header names are not case-sensitive. */
const parametersOf = (contract: Contract, { parameters = [] }: Operation): Record<string, Parameter> =>
  Object.fromEntries(
    parameters
      .map((parameter) => resolved(contract, parameter))
      .map((parameter) => [
        parameter.in === 'header' ? parameter.name.toLowerCase() : parameter.name,
        parameter,
      ]),
  );

function compareBodies(name: string, both: Both, { changes, compareSchemas }: Findings): void {
  const former = resolved(both.before, both.former.requestBody ?? {});
  const present = resolved(both.after, both.present.requestBody ?? {});
  if (!former.required && present.required) changes.breaking(name, 'a body became required');
  if (former.required && !present.required) changes.compatible(name, 'the body became optional');
  const size = { former: former['x-max-bytes'] ?? Infinity, present: present['x-max-bytes'] ?? Infinity };
  if (former.content !== undefined && size.present < size.former)
    changes.breaking(name, `the body may have ${size.present} bytes at most`);
  const compared = ['required', 'x-max-bytes', 'content'];
  compareOthers({ where: name, subject: 'the body', compared }, former, present, changes);
  const content = matched(former.content, present.content);
  for (const [type] of content.gone) changes.breaking(name, `the body can no longer be \`${type}\``);
  for (const [type] of content.added) changes.compatible(name, `the body can be \`${type}\``);
  for (const [, one, other] of content.kept) {
    compareSchemas('sent', { where: name, part: 'the body' }, one.schema, other.schema);
    compareOthers({ where: name, subject: 'the body', compared: ['schema'] }, one, other, changes);
  }
}

function compareAnswers(name: string, both: Both, { changes, compareSchemas }: Findings): void {
  const answers = matched(both.former.responses, both.present.responses);
  for (const [status] of answers.gone) changes.breaking(name, `the status ${status} was removed`);
  for (const [status] of answers.added) changes.compatible(name, `the status ${status} was added`);
  for (const [status, one, other] of answers.kept) {
    const [former, present]: [Answer, Answer] = [resolved(both.before, one), resolved(both.after, other)];
    const part = `the answer ${status}`;
    compareOthers({ where: name, subject: part, compared: ['headers', 'content'] }, former, present, changes);
    const content = matched(former.content, present.content);
    for (const [type] of content.gone)
      changes.breaking(name, `the answer ${status} is no longer \`${type}\``);
    for (const [type] of content.added) changes.compatible(name, `the answer ${status} can be \`${type}\``);
    for (const [, media, newMedia] of content.kept) {
      compareSchemas('answered', { where: name, part }, media.schema, newMedia.schema);
      compareOthers({ where: name, subject: part, compared: ['schema'] }, media, newMedia, changes);
    }
    const headers = matched(former.headers, present.headers);
    for (const [header] of headers.gone)
      changes.breaking(name, `the header \`${header}\` of ${status} was removed`);
    for (const [header] of headers.added)
      changes.compatible(name, `the header \`${header}\` of ${status} was added`);
    for (const [header, was, is] of headers.kept)
      compareHeaders(
        { where: name, part: `the header \`${header}\` of ${status}` },
        resolved(both.before, was),
        resolved(both.after, is),
        { changes, compareSchemas },
      );
  }
}

function compareHeaders(
  place: Place,
  former: Header,
  present: Header,
  { changes, compareSchemas }: Findings,
): void {
  if (former.required && !present.required) changes.breaking(place.where, `${place.part} became optional`);
  compareSchemas('answered', place, former.schema, present.schema);
  const compared = ['required', 'schema'];
  compareOthers({ where: place.where, subject: place.part, compared }, former, present, changes);
}
