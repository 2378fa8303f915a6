import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A package for a package manager. */
export interface PackageProps {
  readonly name: string;
  /** With the revision, for example `1.36.2-1.1`. */
  readonly version: string;
  readonly depends?: string;
  readonly conflicts?: string;
  /** Files by path: a text, or the path of a file to copy. */
  readonly files: Readonly<Record<string, string | { readonly from: string }>>;
  /** Configuration files among them. */
  readonly conffiles?: readonly string[];
}

/** Runs a program of this machine to its end; a failure is an error. */
export function must(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', env });
  if (status !== 0) {
    throw new Error(`${command} ${args.join(' ')}: ${status}\n${stdout}${stderr}`);
  }
  return stdout;
}

function writeTree(root: string, files: PackageProps['files']): void {
  mkdirSync(root, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    if (typeof content === 'string') {
      writeFileSync(join(root, path), content);
    } else {
      copyFileSync(content.from, join(root, path));
    }
    chmodSync(join(root, path), path.includes('/bin/') ? 0o755 : 0o644);
  }
}

/** Writes a deb into a folder, by dpkg-deb. */
export function writeDeb(folder: string, { name, version, depends, conflicts, files, conffiles }: PackageProps): void {
  const root = mkdtempSync(join(folder, 'deb-'));
  chmodSync(root, 0o755);
  const fields = {
    Package: name,
    Version: version,
    Architecture: 'all',
    Maintainer: 'test <test@example.org>',
    Description: 'test',
    Depends: depends,
    Conflicts: conflicts,
    Replaces: conflicts,
  };
  const control = Object.entries(fields).filter(([, value]) => value !== undefined);
  writeTree(root, {
    ...files,
    '/DEBIAN/control': control.map(([field, value]) => `${field}: ${value}\n`).join(''),
    ...(conffiles === undefined ? {} : { '/DEBIAN/conffiles': `${conffiles.join('\n')}\n` }),
  });
  must('dpkg-deb', ['-Znone', '-b', root, join(folder, `${name}_${version.replaceAll(':', '%3a')}_all.deb`)]);
  rmSync(root, { recursive: true });
}

/** Writes an rpm into a folder, by rpmbuild. */
export function writeRpm(folder: string, { name, version, depends, conflicts, files }: PackageProps): void {
  const work = mkdtempSync(join(folder, 'rpm-'));
  writeTree(join(work, 'tree'), files);
  const [upstream, release = '1'] = version.split('-');
  const paths = Object.keys(files);
  writeFileSync(
    join(work, 'it.spec'),
    [
      `Name: ${name}`,
      `Version: ${upstream}`,
      `Release: ${release}`,
      'Summary: test',
      'License: MIT',
      'BuildArch: noarch',
      'AutoReqProv: no',
      ...(depends === undefined ? [] : [`Requires: ${depends}`]),
      ...(conflicts === undefined ? [] : [`Conflicts: ${conflicts}`]),
      '%description',
      'test',
      '%install',
      `cp -a ${join(work, 'tree')}/. %{buildroot}`,
      '%files',
      ...paths,
      '',
    ].join('\n'),
  );
  must('rpmbuild', [
    ...['--quiet', '-bb', '--define', `_topdir ${work}/build`, '--define', `_rpmdir ${folder}`],
    ...['--define', '_build_name_fmt %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm', join(work, 'it.spec')],
  ]);
  rmSync(work, { recursive: true });
}
