import { isMap, type PlainMap } from '../base/plain-data.js';
import { compute, isUnknown } from '../base/unknown.js';

/** Fields of a Pod spec that hold containers. */
export const CONTAINER_FIELDS = ['initContainers', 'containers'] as const;

/** A container, completed, and the paths in its Pod spec at which it changed. */
export interface CompletedContainer {
  readonly container: PlainMap;
  readonly changed: readonly (readonly (string | number)[])[];
}

/** A Pod spec with every container completed, also those that are unknown; `changed` are paths from the Pod spec. */
export interface CompletedContainers {
  readonly podSpec: PlainMap;
  readonly changed: readonly (readonly (string | number)[])[];
}

/**
 * Completes every container of a Pod spec. A container or a list of them that is unknown is completed as soon as it is known.
 *
 * @param settings what `complete` needs besides the container
 * @param complete a pure function of its parameters; returns the same container where nothing changes, and paths from the container
 */
export function withCompletedContainers<Settings>(
  podSpec: PlainMap,
  settings: Settings,
  complete: (container: PlainMap, settings: Settings, isInit: boolean) => CompletedContainer,
): CompletedContainers {
  const changed: (readonly (readonly (string | number)[])[])[] = [];
  let result = podSpec;
  for (const field of CONTAINER_FIELDS) {
    const list = podSpec[field];
    const completeOne = (item: unknown, index: number, given: Settings): CompletedContainer => {
      const done = isMap(item) ? complete(item, given, field === 'initContainers') : { container: item, changed: [] };
      return {
        container: done.container as PlainMap,
        changed: compute(done.changed, (paths) => paths.map((path) => [field, index, ...path])),
      };
    };
    const completeAll = (items: unknown, given: Settings): readonly CompletedContainer[] =>
      Array.isArray(items)
        ? items.map((item: unknown, index) =>
            isUnknown(item) ? later(item, index, given, completeOne) : completeOne(item, index, given),
          )
        : [];
    const done = compute(
      { list, settings },
      (known) => completeAll(known.list, known.settings),
      isUnknown(list) && list,
    );
    if (isUnknown(done) || done.some(({ container }, index) => container !== (list as unknown[])[index])) {
      result = {
        ...result,
        [field]: compute(done, (all) => all.map(({ container }) => container), isUnknown(done) && done),
      };
    }
    changed.push(
      compute(
        done,
        (all) =>
          compute(
            all.map((one) => one.changed),
            flat,
          ),
        isUnknown(done) && done,
      ),
    );
  }
  return { podSpec: result, changed: compute(changed, flat) };
}

function later<Settings>(
  item: unknown,
  index: number,
  settings: Settings,
  completeOne: (item: unknown, index: number, settings: Settings) => CompletedContainer,
): CompletedContainer {
  const input = { item, settings };
  return {
    container: compute(input, (known) => completeOne(known.item, index, known.settings).container),
    changed: compute(input, (known) => completeOne(known.item, index, known.settings).changed),
  };
}

const flat = <T>(lists: readonly (readonly T[])[]): T[] => lists.flat();
