import { YamlSyntaxError } from './yaml-reader.js';
import type { Token } from './yaml-token.js';

/** Tags of a document, as its directives define them. */
export class YamlTags {
  private readonly prefixes = new Map([
    ['!', '!'],
    ['!!', 'tag:yaml.org,2002:'],
  ]);

  /** Reads `%TAG ! prefix`; other directives define nothing. */
  public define(directive: string): void {
    const [, handle, prefix] = /^%TAG[ \t]+(!|!!|![\w-]+!)[ \t]+(\S+)[ \t]*$/.exec(directive) ?? [];
    if (handle !== undefined && prefix !== undefined) {
      this.prefixes.set(handle, prefix);
    }
  }

  /** A tag in full, `tag:yaml.org,2002:str`. */
  public inFull({ value, start }: Token): string {
    const [, verbatim, handle = '!', suffix = ''] = /^(?:!<(.*)>|(!(?:[\w-]*!)?)(.*))$/.exec(value) ?? [];
    const prefix = verbatim ?? this.prefixes.get(handle);
    if (prefix === undefined) {
      throw new YamlSyntaxError('found undefined tag handle', start);
    }
    return prefix + suffix;
  }
}
