import { EdgeError } from '../base/errors.js';

/** What a preview needs of `pulumi.runtime`. */
interface ConfigStore {
  allConfig(): Record<string, string>;
  setAllConfig(config: Record<string, string>): void;
}

/** Gives a program its configuration. Pulumi keeps one for the whole process, so that without this end the next preview has it, too. */
export function configured(store: ConfigStore, config: Readonly<Record<string, string>>): { readonly end: () => void } {
  checkConfig(config);
  const before = store.allConfig();
  store.setAllConfig({ ...before, ...config });
  return { end: () => store.setAllConfig(before) };
}

/** Refuses keys that no program reads: Pulumi adds the project to each. */
function checkConfig(config: Readonly<Record<string, string>>): void {
  const bare = Object.keys(config).filter((key) => !key.includes(':'));
  if (bare.length > 0) {
    throw new EdgeError(
      'Testing.preview',
      bare.map((key) => ({
        code: 'EDGE_VALUE',
        path: `config.${key}`,
        message: `the key ${key} names no project`,
        hint: `write 'project:${key}': project is the name of every project in a preview`,
      })),
    );
  }
}

/** The error of `Config.require`, which asks for a command that changes no test: the configuration that this preview lacks. */
export function missingConfig(error: unknown, config: Readonly<Record<string, string>>): unknown {
  const text = error instanceof Error ? error.message : '';
  const key = /^Missing required configuration variable '([^']+)'/.exec(text)?.[1];
  if (key === undefined) {
    return error;
  }
  const name = key.slice(key.indexOf(':'));
  const given = Object.keys(config).find((each) => each.slice(each.indexOf(':')) === name);
  const instead = given === undefined ? '' : `, not '${given}'`;
  const why = key.startsWith('project:') ? ': project is the name of every project in a preview' : '';
  return new EdgeError('Testing.preview', [
    {
      code: 'EDGE_MISSING',
      path: `config.${key}`,
      message: `the program requires the configuration ${key}, which the preview does not have`,
      hint: `write Testing.preview(program, { '${key}': '…' })${instead}${why}`,
    },
  ]);
}
