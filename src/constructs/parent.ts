import { Construct } from 'constructs';
import { ProblemList } from '../base/errors.js';
import { requireTree } from '../base/plain-data.js';
import { whatIs } from '../base/properties.js';

/**
 * The parent of a construct, checked with its properties before anything reads them: the constructs library would fail with a TypeError, and every walk
 * through properties that contain themselves with a stack overflow.
 *
 * @param noun name of the class
 * @param props properties of the construct
 * @throws {@link EdgeError} with EDGE_MISSING or EDGE_TYPE
 */
export function parentOf(scope: Construct, id: string, noun: string, props: unknown): Construct {
  const problems = new ProblemList();
  const given: unknown = scope;
  // fromPoolName is a function
  const call = noun.includes('.') ? noun : `new ${noun}`;
  if (!Construct.isConstruct(given)) {
    problems
      .at('scope')
      .add(
        given === undefined || given === null ? 'EDGE_MISSING' : 'EDGE_TYPE',
        `the scope is ${whatIs(given)}, not a chart`,
        `write ${call}(chart, 'id', {…}) with const chart = new Chart(app, 'chart')`,
      );
  }
  if (typeof id !== 'string' || id === '') {
    problems
      .at('id')
      .add(
        'EDGE_MISSING',
        `the id of the construct is ${id === '' ? 'empty' : whatIs(id)}`,
        `write ${call}(chart, 'id', {…}): the id is text, and unique in its scope`,
      );
  }
  problems.throwIfAny(noun);
  requireTree(props, `${noun} ${[scope.node.path, id].filter((step) => step !== '').join('/')}`);
  return scope;
}
