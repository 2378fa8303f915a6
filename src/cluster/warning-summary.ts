import { EDGE_CODES, type EdgeCode } from '../base/error-codes.js';
import {
  type EdgeWarning,
  explainProblem,
  inBrief,
  ProblemList,
  seeLine,
  visible,
  withoutTokens,
} from '../base/errors.js';
import { nearest, whatIs } from '../base/properties.js';

/** Places of one code that are shown; a large fleet has the same warning at thousands. */
const SHOWN_PLACES = 3;

/**
 * Warnings as text, with one entry per code: how often, the first places, and what to write; at last, where the codes are explained.
 *
 * @param rest where the other places are
 */
export function summaries(warnings: readonly EdgeWarning[], rest: string): string[] {
  const entries = byCode(warnings).map(([code, all]) => {
    const [first] = all;
    if (all.length === 1 && first !== undefined) {
      return `warning:${first.construct === undefined ? '' : ` ${visible(first.construct)}`}\n${explainProblem(first)}`;
    }
    const shown = shownOf(all);
    const more = all.length - shown.length;
    return [
      `warning: ${code}, ${all.length} times`,
      ...placesOf(shown, '  ', '      -> '),
      ...(more > 0 ? [`  and ${more} more${rest}`] : []),
    ].join('\n');
  });
  return entries.length === 0 ? [] : [...entries, seeLine(warnings)];
}

/** One entry per code as one message, with where the code is explained, for logs that add the severity and the first place themselves. */
export function logEntries<W extends EdgeWarning>(
  warnings: readonly W[],
): { readonly first: W; readonly text: string }[] {
  return byCode(warnings).map(([code, all]) => {
    const first = all[0] as W;
    const { path, message, hint } = inBrief(withoutTokens(first));
    const shown = shownOf(all);
    const more = all.length - shown.length;
    const text =
      all.length === 1
        ? `${code} ${path}: ${message}; ${hint}`
        : [
            `${code}, ${all.length} times:`,
            ...placesOf(shown, '  ', '    -> '),
            ...(more > 0 ? [`  and ${more} more`] : []),
          ].join('\n');
    return { first, text: `${text}\n${seeLine([first])}` };
  });
}

/** Warnings by code, each once, in the order of the first of each code. */
function byCode<W extends EdgeWarning>(warnings: readonly W[]): [EdgeCode, W[]][] {
  const codes = new Map<EdgeCode, Map<string, W>>();
  for (const warning of warnings) {
    const { code, construct, path, message, hint } = warning;
    const known = codes.get(code) ?? new Map<string, W>();
    codes.set(code, known.set(JSON.stringify([construct, path, message, hint]), warning));
  }
  return [...codes].map(([code, all]) => [code, [...all.values()]]);
}

/** The first places, and the first of every kind of object that is not excluded: each kind needs something else. */
function shownOf(warnings: readonly EdgeWarning[]): EdgeWarning[] {
  const kinds = new Set<string>();
  return warnings.filter(({ code, message }, index) => {
    // `Worker web (example.com/v1) has …`
    const [, kind = '', version = ''] = /^(\S+) \S+(?: \((\S+)\))?/.exec(message) ?? [];
    const isNew = code === 'EDGE_NOT_EXCLUDED' && !kinds.has(kind + version);
    kinds.add(kind + version);
    return index < SHOWN_PLACES || isNew;
  });
}

/** Places, and each hint once, after the last place that it belongs to. */
function placesOf(warnings: readonly EdgeWarning[], indent: string, arrow: string): string[] {
  const shown = warnings.map((warning) => inBrief(withoutTokens(warning)));
  return shown.flatMap(({ construct, path, message, hint }, index) => {
    const where = [construct, path].filter((part) => part !== undefined && part !== '').join(' ');
    const line = `${indent}${where === '' ? '' : `${visible(where)}: `}${message}`;
    return shown[index + 1]?.hint === hint ? [line] : [line, `${arrow}${hint}`];
  });
}

/** Warnings that the user accepts, by code, with the reason. */
export class AcceptedWarnings {
  private readonly reasons = new Map<EdgeCode, string>();

  /**
   * Accepts the warnings of a code.
   *
   * @throws {@link EdgeError} with EDGE_VALUE or EDGE_MISSING
   */
  public accept(code: EdgeCode, reason: string): void {
    const problems = new ProblemList();
    if (typeof code !== 'string' || !Object.hasOwn(EDGE_CODES, code)) {
      const near = typeof code === 'string' ? nearest(code, Object.keys(EDGE_CODES)) : undefined;
      problems
        .at('code')
        .add(
          'EDGE_VALUE',
          `${typeof code === 'string' ? JSON.stringify(code) : whatIs(code)} is not a code of a warning`,
          near === undefined
            ? 'write the code that the warning shows, for example EDGE_NO_PORTS'
            : `did you mean '${near}'?`,
        );
    }
    if (typeof reason !== 'string' || reason.trim() === '') {
      problems
        .at('reason')
        .add('EDGE_MISSING', 'the reason is missing', "write why it is fine here: 'the port is opened by the host'");
    }
    problems.throwIfAny('EdgeWarnings.accept');
    this.reasons.set(code, reason);
  }

  /** The reason why a code is accepted; undefined if it is not. */
  public reasonFor(code: EdgeCode): string | undefined {
    return this.reasons.get(code);
  }
}
