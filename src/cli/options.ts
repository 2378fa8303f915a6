import { InvalidArgumentError, Option } from 'commander';
import { isLabelValue } from '../kubernetes/label-syntax.js';

/** The value of an option; if it looks like another option, the value is missing. */
export function text(value: string): string {
  if (/^-./.test(value)) {
    throw new InvalidArgumentError('A value is missing.');
  }
  return value;
}

/** The values of an option that can be repeated. */
export function eachText(value: string, others: readonly string[] = []): readonly string[] {
  return [...others, text(value)];
}

// options that several commands have

export function dump(what = 'YAML or JSON of the cluster: kubectl get --output=yaml; - for stdin'): Option {
  return new Option('--dump <folder or file>', what).argParser(text);
}

/** The same as the argument, for commands that read manifests: other commands read only dumps, and have no argument. */
export function dumpInstead(): Option {
  return new Option('--dump <file>', 'the same as the argument: a dump of a cluster').argParser(text);
}

export function outputFolder(folder: string): Option {
  return new Option('--out <folder>', 'output folder').argParser(text).default(folder);
}

export function reportFormat(what: 'report' | 'plan' | 'output'): Option {
  return new Option('--format <format>', `format of the ${what}`).choices(['text', 'json']).default('text');
}

export function json(): Option {
  return new Option('--json', 'the same as --format json').implies({ format: 'json' });
}

/** @param assumed what is taken without it */
export function openyurt(assumed?: string): Option {
  return new Option(
    '--openyurt <release>',
    `release of OpenYurt, for example 1.7, or none${unless(assumed)}`,
  ).argParser(text);
}

/** @param assumed what is taken without it */
export function kubernetes(assumed?: string): Option {
  return new Option('--kubernetes <minor>', `minor of Kubernetes, for example 1.34${unless(assumed)}`).argParser(text);
}

function unless(assumed: string | undefined): string {
  return assumed === undefined ? '' : ` (default: ${assumed})`;
}

export function nodes(): Option {
  return new Option('--nodes <pool=number>', 'number of nodes of a pool, for the totals; repeatable').argParser(
    eachText,
  );
}

export function pool(): Option {
  return new Option('--pool <name>', 'only this pool; repeatable').argParser(eachText);
}

export function allowNewer(): Option {
  return new Option('--allow-newer', 'treat a release newer than all known ones as the newest');
}

export function distribution(): Option {
  return new Option('--distribution <name>', 'other: the control plane was not created by kubeadm').argParser(text);
}

export function caCertHash(what: string): Option {
  return new Option('--ca-cert-hash <hash>', what).argParser(text);
}

export function nodePoolLabel(): Option {
  const what = 'node label with the name of the pool, if OpenYurt was built with another one';
  return new Option('--node-pool-label <key>', what).argParser(labelKey);
}

/** The key of a label: with a value no label of a node would be it. */
function labelKey(value: string): string {
  const [key = ''] = text(value).split('=');
  if (key !== value) {
    throw new InvalidArgumentError(`Write the key of the label, without a value: --node-pool-label ${key}`);
  }
  return value;
}

/** The names of pools, which are values of a label. */
function poolNames(value: string, others: readonly string[] = []): readonly string[] {
  if (value === '' || !isLabelValue(text(value))) {
    const names = value.split(/[,\s]+/).filter((name) => /^[A-Za-z0-9][\w.-]*$/.test(name));
    throw new InvalidArgumentError(
      /[,\s]/.test(value) && names.length > 1
        ? `Repeat the option: ${names.map((name) => `--host-network-pool ${name}`).join(' ')}`
        : /^[^=]+=\d+$/.test(value)
          ? `Write the name alone; the number of its nodes is --nodes ${value}`
          : 'It is not a pool name: letters, digits, "-", "_" and ".", at most 63.',
    );
  }
  return [...others, value];
}

export function hostNetworkPool(): Option {
  const what = 'a host-network pool without NodePool object, as without OpenYurt; repeatable';
  return new Option('--host-network-pool <name>', what).argParser(poolNames);
}

export function hostNetworkLabel(): Option {
  const what = 'node label by which host-network nodes are known, without OpenYurt';
  return new Option('--host-network-label <key=value>', what).argParser(text);
}
