import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { must, type PackageProps, writeDeb, writeRpm } from './packages.js';

/** Signs packages and repositories. */
export class SigningKey {
  private readonly home: string;
  private readonly env: NodeJS.ProcessEnv;

  constructor(folder: string) {
    this.home = mkdtempSync(join(folder, 'gpg-'));
    this.env = { ...process.env, GNUPGHOME: this.home };
    const name = 'test <test@example.org>';
    must('gpg', ['--batch', '--passphrase', '', '--quick-generate-key', name, 'rsa2048', 'sign', 'never'], this.env);
  }

  public get armored(): string {
    return must('gpg', ['--armor', '--export'], this.env);
  }

  /** A clear text with its signature. */
  public signed(file: string): void {
    must('gpg', ['--batch', '--yes', '--clearsign', '-o', file.replace('Release', 'InRelease'), file], this.env);
  }

  public signRpms(folder: string): void {
    const files = rpmsIn(folder);
    const names = ['--define', '_gpg_name test@example.org', '--define', '__gpg /usr/bin/gpg'];
    must('rpmsign', [...names, '--addsign', ...files], this.env);
  }

  /** Ends the agent that gpg has started. */
  public close(): void {
    must('gpgconf', ['--kill', 'all'], this.env);
  }
}

const rpmsIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.rpm'))
    .map((name) => join(folder, name));

/** An index of the debs below a folder, as apt reads it; paths are relative to a base. */
function packagesOf(folder: string, base: string): string {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.deb'))
    .map((name) => {
      const file = join(folder, name);
      const content = readFileSync(file);
      const sum = createHash('sha256').update(content).digest('hex');
      return `${must('dpkg-deb', ['-f', file]).trim()}\nFilename: ${base}${name}\nSize: ${content.length}\nSHA256: ${sum}\n\n`;
    })
    .join('');
}

function release(folder: string, lists: Readonly<Record<string, string>>, fields: string, key: SigningKey): void {
  const sums = Object.entries(lists).map(([path, text]) => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
    return ` ${createHash('sha256').update(text).digest('hex')} ${Buffer.byteLength(text)} ${path}\n`;
  });
  writeFileSync(join(folder, 'Release'), `${fields}Date: ${new Date().toUTCString()}\nSHA256:\n${sums.join('')}`);
  key.signed(join(folder, 'Release'));
}

/** A flat repository, as pkgs.k8s.io and the openSUSE Build Service have them. */
export function flatRepository(folder: string, packages: readonly PackageProps[], key: SigningKey): void {
  mkdirSync(folder, { recursive: true });
  packages.forEach((props) => writeDeb(folder, props));
  writeFileSync(join(folder, 'Release.key'), key.armored);
  release(folder, { Packages: packagesOf(folder, './') }, 'Origin: test\n', key);
}

/** A repository as Docker has it, for a distribution by its code name. */
export function dockerRepository(
  folder: string,
  codename: string,
  packages: readonly PackageProps[],
  key: SigningKey,
): void {
  const pool = join(folder, 'pool');
  mkdirSync(pool, { recursive: true });
  packages.forEach((props) => writeDeb(pool, props));
  writeFileSync(join(folder, 'gpg'), key.armored);
  const architecture = must('dpkg', ['--print-architecture']).trim();
  release(
    join(folder, 'dists', codename),
    { [`stable/binary-${architecture}/Packages`]: packagesOf(pool, 'pool/') },
    `Suite: ${codename}\nCodename: ${codename}\nComponents: stable\nArchitectures: ${architecture}\n`,
    key,
  );
}

/** A repository of signed rpms; the key is where pkgs.k8s.io has it, and where Docker has it. */
export function rpmRepository(folder: string, base: string, packages: readonly PackageProps[], key: SigningKey): void {
  mkdirSync(folder, { recursive: true });
  packages.forEach((props) => writeRpm(folder, props));
  key.signRpms(folder);
  must('createrepo_c', ['-q', folder]);
  writeFileSync(join(folder, 'repodata', 'repomd.xml.key'), key.armored);
  writeFileSync(join(base, 'gpg'), key.armored);
}
