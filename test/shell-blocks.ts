import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const ROOT = resolve(__dirname, '..');

/** A block of shell commands of a page. */
export interface ShellBlock {
  readonly page: string;
  /** Line of the page at which it begins. */
  readonly line: number;
  /** Title of its section. */
  readonly heading: string;
  /** Notes for the tests, comments directly before the block: `not run`, `run by`, `only`. */
  readonly notes: Readonly<Record<string, string>>;
  readonly code: string;
}

/** The shell blocks of a page, in their order. */
export function shellBlocksOf(page: string): ShellBlock[] {
  const blocks: ShellBlock[] = [];
  let heading = '';
  let notes: Record<string, string> = {};
  let fence: { readonly marks: string; readonly line: number; readonly isShell: boolean } | undefined;
  let code: string[] = [];
  for (const [index, line] of readFileSync(resolve(ROOT, page), 'utf8').split(/\r?\n/).entries()) {
    const [, marks, info = ''] = /^ *(```+|~~~+)(.*)$/.exec(line) ?? [];
    if (fence !== undefined) {
      if (marks?.startsWith(fence.marks) === true && info.trim() === '') {
        if (fence.isShell) {
          blocks.push({ page, line: fence.line, heading, notes, code: `${code.join('\n')}\n` });
        }
        fence = undefined;
        notes = {};
      } else {
        code.push(line);
      }
    } else if (marks !== undefined) {
      fence = { marks, line: index + 1, isShell: /^(sh|bash|shell|console|zsh|powershell)\b/.test(info.trim()) };
      code = [];
    } else if (line.startsWith('#')) {
      heading = line.replace(/^#+ /, '');
    } else {
      const [, key, value] = /^<!-- (not run|run by|only): (.*) -->$/.exec(line) ?? [];
      // a note belongs to the block right after it
      notes = key === undefined ? (line.trim() === '' ? notes : {}) : { ...notes, [key]: value ?? '' };
    }
  }
  return blocks;
}
