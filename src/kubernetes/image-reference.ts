import { isMap } from '../validation/plain-data.js';

/** An image, as a container runtime reads its name (distribution/reference, and the defaults of Docker that containerd has, too). */
export interface ImageReference {
  /** The name, as the manifest has it. */
  readonly name: string;
  /** Host of the registry, `docker.io` if the name has none. */
  readonly registry: string;
  /** Path in the registry. */
  readonly repository: string;
  /** The tag, `latest` if the name has neither tag nor digest.
   * @default - only a digest */
  readonly tag?: string;
  /** The digest, `sha256:…`.
   * @default - only a tag */
  readonly digest?: string;
}

const NAME = /^([^@]+?)(?::([\w][\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/;
const REPOSITORY = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/;

/** Reads the name of an image; undefined if it is none. */
export function imageReference(name: string): ImageReference | undefined {
  const [, path = '', tag, digest] = NAME.exec(name) ?? [];
  const [first = '', ...rest] = path.split('/');
  // without a dot or a port it is a user of Docker Hub
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  const inner = isHost ? rest.join('/') : path;
  const repository = isHost || inner.includes('/') ? inner : `library/${inner}`;
  if (!REPOSITORY.test(repository)) {
    return undefined;
  }
  return {
    name,
    registry: isHost ? first : 'docker.io',
    repository,
    ...(tag === undefined && digest !== undefined ? {} : { tag: tag ?? 'latest' }),
    ...(digest === undefined ? {} : { digest }),
  };
}

const LISTS = ['containers', 'initContainers', 'ephemeralContainers'];

/** The images of all containers and image volumes, at any depth, so that those in templates of custom resources are found, too; sorted, each once. */
export function imagesIn(objects: readonly unknown[]): string[] {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      value.forEach(visit);
    } else if (isMap(value)) {
      for (const [key, inner] of Object.entries(value)) {
        const items = Array.isArray(inner) ? inner.filter(isMap) : [];
        if (LISTS.includes(key)) {
          items.forEach(({ image }) => add(found, image));
        } else if (key === 'volumes') {
          items.forEach(({ image }) => add(found, isMap(image) ? image.reference : undefined));
        }
        visit(inner);
      }
    }
  };
  visit(objects);
  return [...found].sort();
}

function add(found: Set<string>, image: unknown): void {
  if (typeof image === 'string' && image !== '') {
    found.add(image);
  }
}
