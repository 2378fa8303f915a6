import { compactLines, quoteForShell } from '../text/shell.js';

/** What a script for a node consists of. */
export interface NodeScript {
  /** Comments at the beginning: where it comes from, and what it is for. */
  readonly comments: readonly string[];
  /** Exported variables, for example the proxy. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly lines: readonly string[];
}

/** A POSIX script that runs on a node. */
export function nodeScript({ comments, environment = {}, lines }: NodeScript): string {
  const head = [
    'set -u',
    // a trace would print the token
    'set +x',
    // what programs print is read by the script
    'LC_ALL=C',
    // cron and boot hooks have a short one, and kubeadm is in /usr/local on some images
    'PATH=${PATH:-/usr/sbin:/usr/bin:/sbin:/bin}:/usr/local/sbin:/usr/local/bin',
    'export LC_ALL PATH',
    ...Object.entries(environment).map(([name, value]) => `export ${name}=${quoteForShell(value)}`),
  ];
  return `${['#!/bin/sh', ...comments.map((comment) => `# ${comment}`), ...compactLines([...head, ...lines].flatMap((line) => line.split('\n')))].join('\n')}\n`;
}
