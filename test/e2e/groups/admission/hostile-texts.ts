import fc from 'fast-check';
import { celAnnotation, celLabel, celText, celTexts } from '../../../../src/admission/cel.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';

const BY_HAND = [
  `'`,
  `"`,
  '\\',
  `\\'`,
  `\\"`,
  `\\\\'`,
  '`',
  `''' + "x`,
  `') || true || ('`,
  `"] + ["`,
  '\n',
  '\r\n',
  '\t',
  '\u0000',
  '\u0007',
  '\u007f',
  '\u2028',
  '\ufeff',
  '${x}',
  '{{ x }}',
  '%s',
  '\\u0027',
  '\\x27',
  'ünïcødé 世界 🚀',
  ' ',
];

const texts = fc.oneof(
  fc.constantFrom(...BY_HAND),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.array(fc.constantFrom(...BY_HAND), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
);

/**
 * A policy refuses unless the text in the request is exactly the text in the expression: as a value, in a list, as an annotation key, in a message.
 * A text that ends its literal does not compile, or compares unequal.
 */
export async function hostileTexts(plane: ControlPlane, name: string, proof: Proof): Promise<void> {
  const sample = [...new Set([...BY_HAND, ...fc.sample(texts, { numRuns: 60, seed: 20260 })])].filter(
    (text) => text !== '',
  );
  const data = Object.fromEntries(sample.map((text, index) => [`t${index}`, text]));
  const validations = sample.flatMap((text, index) => [
    {
      expression: `object.data.t${index} == ${celText(text)} && object.data.t${index} in ${celTexts(['other', text])}`,
      messageExpression: `${celText(`text ${index}: `)} + ${celText(text)}`,
    },
    {
      expression: `${celAnnotation('object.metadata', text)} == '' && ${celLabel('object', text)} == ''`,
      message: `key ${index}`,
    },
  ]);
  const metadata = { name: 'hostile-texts' };
  const rule = {
    apiGroups: [''],
    apiVersions: ['v1'],
    resources: ['configmaps'],
    operations: ['CREATE'],
    resourceNames: ['hostile-texts'],
  };
  await plane.apply([
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata,
      spec: { matchConstraints: { resourceRules: [rule] }, validations },
    },
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: metadata.name, validationActions: ['Deny'] },
    },
  ]);
  const send = (changed: object): Promise<any> =>
    plane.api.send(
      'POST',
      '/api/v1/namespaces/default/configmaps',
      { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { ...data, ...changed } },
      { query: { dryRun: 'All' } },
    );
  await proof.eventually(
    `Kubernetes ${name}: the policy with hostile texts is in force`,
    async () => (await send({ t0: 'x' })).status === 422,
  );
  const same = await send({});
  proof.that(
    `Kubernetes ${name}: ${sample.length} hostile texts stay inside their literals`,
    same.status === 201,
    same.body.message,
  );
  for (const index of sample.keys()) {
    const { status, body } = await send({ [`t${index}`]: 'another' });
    proof.that(
      `Kubernetes ${name}: ${JSON.stringify(sample[index])} differs from another text`,
      (status === 422 && body.message.includes(`text ${index}`)) ||
        (status === 422 && /[\n\r]|^\s*$/.test(sample[index] as string)),
      body.message,
    );
  }
}
