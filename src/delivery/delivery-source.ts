import { ProblemList } from '../base/errors.js';
import { checkObjectName } from '../kubernetes/names.js';
import { isMap, requireTree } from '../base/plain-data.js';
import { checkBoolean, quoted, showValue } from '../base/properties.js';
import { type Check, checkProperties, optional, type PropertyTable } from '../base/property-table.js';

/**
 * Properties of {@link fromGit}.
 *
 * @category Deliver many clusters
 */
export interface GitSourceProps {
  /** Address of the repository, as the engine reaches it: `https://…`, `http://…` or `ssh://…`. */
  readonly url: string;
  /** Branch that is delivered.
   * @default main */
  readonly branch?: string;
  /** Tag that is delivered, instead of a branch.
   * @default - the branch */
  readonly tag?: string;
  /** Where the output folder of the program stands in the repository, for example `dist`.
   * @default - the root of the repository */
  readonly path?: string;
  /** Secret with which Flux reads the repository, in the namespace of the engine. Argo CD finds its credentials by the address.
   * @default - none */
  readonly secretName?: string;
}

/**
 * Properties of {@link fromOci}.
 *
 * @category Deliver many clusters
 */
export interface OciSourceProps {
  /** Address below which each site has a repository: `oci://registry.example/fleet` for `oci://registry.example/fleet/beijing`. */
  readonly url: string;
  /** Tag that is delivered.
   * @default latest */
  readonly tag?: string;
  /** Secret with which Flux reads the registry, in the namespace of the engine. Argo CD finds its credentials by the address.
   * @default - none */
  readonly secretName?: string;
  /** Whether Flux reads the registry by plain http. For Argo CD the Secret of the repository says it: `insecureOCIForceHttp`.
   * @default false */
  readonly insecure?: boolean;
}

/**
 * Manifests in a Git repository, made by {@link fromGit}.
 *
 * @category Deliver many clusters
 */
export interface GitSource extends GitSourceProps {
  /** What it is. */
  readonly source: 'git';
}

/**
 * Manifests in an OCI registry, made by {@link fromOci}.
 *
 * @category Deliver many clusters
 */
export interface OciSource extends OciSourceProps {
  /** What it is. */
  readonly source: 'oci';
}

/**
 * Manifests in a Git repository, into which the output folder is committed.
 *
 * @param props address, branch and path
 * @throws {@link EdgeError} with EDGE_VALUE, EDGE_NAME, EDGE_CONTRADICTION, EDGE_MISSING, EDGE_TYPE or EDGE_UNKNOWN_PROPERTY
 * @category Deliver many clusters
 */
export function fromGit(props: GitSourceProps): GitSource {
  return checked('fromGit', props, GIT, (problems) => {
    checkRevisions(props, problems);
    return { source: 'git', ...props };
  });
}

function checkRevisions({ branch, tag }: Partial<GitSourceProps>, problems: ProblemList): void {
  if (branch !== undefined && tag !== undefined) {
    problems.at('tag').add('EDGE_CONTRADICTION', 'there is also a branch', 'write a branch or a tag');
  }
}

/**
 * Manifests in an OCI registry: an artifact for each site, whose layer is the archive that the synth writes for it. A change of one site changes only its
 * artifact, so an engine with many sites reads only what has changed.
 *
 * @param props address and tag
 * @throws {@link EdgeError} with EDGE_VALUE, EDGE_NAME, EDGE_MISSING, EDGE_TYPE or EDGE_UNKNOWN_PROPERTY
 * @category Deliver many clusters
 */
export function fromOci(props: OciSourceProps): OciSource {
  return checked('fromOci', props, OCI, () => ({ source: 'oci', ...props }));
}

function checked<Props extends object, Result>(
  subject: string,
  given: Props,
  table: PropertyTable<Props>,
  make: (problems: ProblemList) => Result,
): Result {
  requireTree(given, subject);
  const problems = new ProblemList();
  checkProperties(given ?? {}, table, problems);
  const result = make(problems);
  problems.throwIfAny(subject);
  return result;
}

const GIT_ADDRESS = /^(https?|ssh):\/\/[^\s'"{}]+$/;
const OCI_ADDRESS = /^oci:\/\/[a-z0-9][a-z0-9._:-]*(\/[a-z0-9][a-z0-9._-]*)*$/;

/**
 * Pages of a repository, which a browser shows and git does not clone, by the paths of GitHub, GitLab, Gitea and Bitbucket: the repository, the revision, and the
 * folder.
 */
const PAGES: readonly RegExp[] = [
  /^(https?:\/\/(?:www\.)?github\.com\/[^/]+\/[^/]+)\/(?:tree|blob|raw|edit)\/([^/?#]+)(?:\/([^?#]*))?/,
  /^(https?:\/\/[^?#]+?)\/-\/(?:tree|blob|raw)\/([^/?#]+)(?:\/([^?#]*))?/,
  /^(https?:\/\/[^/]+\/[^/]+\/[^/]+)\/src\/(?:branch|tag)\/([^/?#]+)(?:\/([^?#]*))?/,
  /^(https?:\/\/bitbucket\.org\/[^/]+\/[^/]+)\/src\/([^/?#]+)(?:\/([^?#]*))?/,
  // as kustomize has it
  /^(https?:\/\/[^?#]+)\?ref=([^&#]+)()/,
];

/**
 * Whether an address has credentials in it: a password, or with https any user, because a token is written there, too. With ssh it is the account on the
 * server.
 */
function hasCredentials(value: unknown): boolean {
  const [, scheme, user = ''] = typeof value === 'string' ? (/^([\w+.-]+):\/\/([^/?#]*)@/.exec(value) ?? []) : [];
  return scheme !== undefined && (scheme !== 'ssh' || user.includes(':'));
}

/** Never with the value in it: the whole address is in the message of every other problem. */
function addCredentials(problems: ProblemList): void {
  problems.add(
    'EDGE_PASSWORD',
    'the address has a user, a password or a token in it, which everyone can read who reads the repository',
    'write the address without what is before @, and give the engine a Secret: secretName with Flux, a repository Secret with Argo CD',
  );
}

const gitAddress: Check = (value, problems) => {
  if (hasCredentials(value)) {
    addCredentials(problems);
    return;
  }
  const page =
    typeof value === 'string' ? PAGES.map((form) => form.exec(value)).find((one) => one !== null) : undefined;
  if (page === undefined) {
    address(GIT_ADDRESS, 'https://git.example/fleet.git')(value, problems);
    return;
  }
  const [, repository = '', branch, path] = page;
  const url = /\.git$/.test(repository) ? repository : `${repository}.git`;
  problems.add(
    'EDGE_VALUE',
    `${quoted(value)} is a page about a repository, not the repository`,
    `write url: '${url}', branch: '${branch}'${path ? `, path: '${path.split('/').filter(Boolean).join('/')}'` : ''}`,
  );
};

function address(form: RegExp, example: string): Check {
  return (value, problems) => {
    if (value === undefined || value === null || value === '') {
      problems.add('EDGE_MISSING', 'an address is required', `write url: '${example}'`);
    } else if (hasCredentials(value)) {
      addCredentials(problems);
    } else if (typeof value !== 'string' || !form.test(value)) {
      const [, untagged, tag] =
        typeof value === 'string' ? (/^(oci:\/\/[^\s'"]+):([\w][\w.-]*)$/.exec(value) ?? []) : [];
      if (form === OCI_ADDRESS && untagged !== undefined && OCI_ADDRESS.test(untagged)) {
        problems.add(
          'EDGE_VALUE',
          `${quoted(value)} has a tag, which is a property`,
          `write url: '${untagged}', tag: '${tag}'`,
        );
        return;
      }
      const [, user, host, path] =
        typeof value === 'string' ? (/^([\w.-]+)@([\w.-]+):(?!\d+\/)([\w./~-]+)$/.exec(value) ?? []) : [];
      const lower = typeof value === 'string' && form.test(value.toLowerCase()) ? value.toLowerCase() : undefined;
      if (form === OCI_ADDRESS && lower !== undefined) {
        problems.add(
          'EDGE_VALUE',
          `${quoted(value)} has capitals, and the names of repositories in a registry have none`,
          `write url: '${lower}'`,
        );
        return;
      }
      problems.add(
        'EDGE_VALUE',
        `${quoted(value)} is not an address that an engine reads`,
        `write url: '${host === undefined || form === OCI_ADDRESS ? example : `ssh://${user}@${host}/${path}`}'`,
      );
    }
  };
}

/** A branch or a tag, by the rules of git check-ref-format that matter in a manifest; an engine puts the folder of its kind before it. */
function revision(kind: 'branch' | 'tag'): Check {
  return optional((value, problems) => {
    const name = typeof value === 'string' ? value : '';
    const [, folder, short] = /^refs\/(heads|tags|remotes\/[^/]+)\/(.+)$/.exec(name) ?? [];
    if (!/^[A-Za-z0-9_][A-Za-z0-9_./-]*$/.test(name) || /\.\.|\/\/|[./]$/.test(name)) {
      problems.add(
        'EDGE_VALUE',
        `${showValue(value)} is not the name of a branch or a tag`,
        `write ${kind === 'tag' ? "'v1.0.0'" : "'main'"}`,
      );
    } else if (short !== undefined) {
      problems.add(
        'EDGE_VALUE',
        `${showValue(value)} is a reference, and the engine adds refs/ itself`,
        `write ${folder === 'tags' ? 'tag' : 'branch'}: '${short}'`,
      );
    } else if (/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(name)) {
      problems.add(
        'EDGE_VALUE',
        `${name} is a commit, not a ${kind}`,
        'write the name of a tag of that commit: git tag v1.0.0 COMMIT, and git push origin v1.0.0',
      );
    }
  });
}

/** A tag of a registry (distribution reference). */
const ociTag: Check = optional((value, problems) => {
  if (typeof value !== 'string' || !/^\w[\w.-]{0,127}$/.test(value)) {
    problems.add('EDGE_VALUE', `${showValue(value)} is not the tag of an artifact`, "write tag: 'stable'");
  }
});

/** A folder in a repository, without its first and last slash. */
const repositoryPath: Check = optional((value, problems) => {
  const isFolder = typeof value === 'string' && /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/.test(value);
  if (!isFolder) {
    const [, inner = 'dist'] =
      typeof value === 'string' ? (/^\.?\/?([\w-][\w.-]*(?:\/[\w-][\w.-]*)*)\/?$/.exec(value) ?? []) : [];
    problems.add('EDGE_VALUE', `${quoted(value)} is not a folder in the repository`, `write path: '${inner}'`);
  }
});

const secretName: Check = optional(checkObjectName);

const GIT: PropertyTable<GitSourceProps> = {
  url: gitAddress,
  branch: revision('branch'),
  tag: revision('tag'),
  path: repositoryPath,
  secretName,
};

const OCI: PropertyTable<OciSourceProps> = {
  url: address(OCI_ADDRESS, 'oci://registry.example/fleet'),
  tag: ociTag,
  secretName,
  insecure: checkBoolean,
};

/** Checks the source of a delivery. */
export function checkSource(value: unknown, problems: ProblemList): void {
  if (!isMap(value) || !['git', 'oci'].includes(value.source as string)) {
    problems.add(
      value === undefined ? 'EDGE_MISSING' : 'EDGE_TYPE',
      'the source of the manifests is required',
      "write source: fromGit({ url: 'https://git.example/fleet.git', path: 'dist' }) or fromOci({ url: 'oci://registry.example/fleet' })",
    );
    return;
  }
  // one that fromGit() or fromOci() has made is checked already; a plain object has the type, too
  const { source, ...props } = value;
  checkProperties(props, (source === 'git' ? GIT : OCI) as PropertyTable<object>, problems);
  checkRevisions(props, problems);
}

/** A path in the repository of a Git source. */
export function inRepository({ path }: GitSource, inner: string): string {
  return path === undefined ? inner : `${path}/${inner}`;
}
