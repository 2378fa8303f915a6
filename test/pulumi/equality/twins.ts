/** Every noun, and every single precondition, with both bindings. */
import { type Noun } from '../../nouns/noun.js';
import { NOUNS } from '../../nouns/nouns.js';
import * as preconditions from '../precondition-props.js';
import { twin, type Twin } from './equality.js';

const { edgePreconditions: _, ...SINGLE } = preconditions;

/** A single precondition, with its settings and the common properties. */
const single = ([name, samples]: [string, Noun['samples']]): [string, Twin] => [
  `EdgePreconditions ${name}`,
  twin('EdgePreconditions', {
    ...NOUNS.EdgePreconditions,
    samples,
    prepare: ({ cluster, guide, artifactFolder, ...settings }) => ({
      cluster,
      ...(guide === undefined ? {} : { guide }),
      artifactFolder,
      only: [name],
      [name]: settings,
    }),
  }),
];

export const TWINS: readonly [string, Twin][] = [
  ...Object.entries<Noun<any>>(NOUNS).map(([name, noun]): [string, Twin] => [name, twin(name, noun)]),
  ...Object.entries(SINGLE).map(single),
];
