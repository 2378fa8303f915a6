import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What docs/troubleshooting.md of the package says of each code, as plain text: links without their targets. */
export function codePages(): Readonly<Record<string, string>> {
  const page = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'troubleshooting.md'), 'utf8');
  const sections = page.split(/^#+ /m).filter((section) => section.startsWith('EDGE_'));
  return Object.fromEntries(
    sections.map((section) => {
      const [code = '', ...lines] = section.split('\n');
      const text = lines.join('\n').trim();
      return [code, text.replace(/\[([^[\]]*)\]\([^()]*\)/g, '$1')];
    }),
  );
}
