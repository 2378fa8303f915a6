import { isMap, type PlainMap } from '../base/plain-data.js';
import { objectKind } from './group-kind.js';
import { nameOf } from './object.js';
import { podTracesIn } from './pod-traces.js';

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

/** The images of some objects, and what is not known of them. */
export interface FoundImages {
  /** Sorted, each once. */
  readonly images: readonly string[];
  /** Objects that have images which they do not name, `Prometheus monitoring/k8s`. */
  readonly unknown: readonly string[];
}

/** Kinds that bring objects from elsewhere. */
const FROM_ELSEWHERE: ReadonlySet<string> = new Set([
  ...['HelmRelease.helm.toolkit.fluxcd.io', 'Kustomization.kustomize.toolkit.fluxcd.io', 'HelmChart.helm.cattle.io'],
  ...['Application.argoproj.io', 'ApplicationSet.argoproj.io', 'Subscription.operators.coreos.com'],
]);

const LISTS = ['containers', 'initContainers', 'ephemeralContainers'];

/**
 * The images of all containers and image volumes, at any depth; those that arguments and variables of a container name, as operators get the images of
 * what they make; and those in `image` and `…Image` of custom resources of which an operator makes Pods.
 */
export function imagesIn(objects: readonly unknown[]): FoundImages {
  const images = new Set<string>();
  const unknown = new Set<string>();
  for (const object of objects.flatMap(listed)) {
    const makesPods = isMap(object) && makesPodsOf(object);
    const found = new Search(makesPods && !objectKind(object).isOfKubernetes);
    found.visit(object);
    found.images.forEach((image) => images.add(image));
    if (makesPods && (found.images.size === 0 || found.hasOnlyVersion)) {
      unknown.add(nameOf(object));
    }
  }
  return { images: [...images].sort(), unknown: [...unknown].sort() };
}

/** The objects of a list. */
function listed(object: unknown): readonly unknown[] {
  return isMap(object) && Array.isArray(object.items) ? object.items.flatMap(listed) : [object];
}

/** Whether a controller makes Pods of what an object has besides containers: fields of a custom resource, or text. */
function makesPodsOf(object: PlainMap): boolean {
  const { groupKind, row, isOfKubernetes } = objectKind(object);
  const traces = (): boolean => podTracesIn(object).some(({ podSpec }) => podSpec === undefined || !isOfKubernetes);
  return (
    FROM_ELSEWHERE.has(groupKind) ||
    // images of machines
    (!groupKind.endsWith('.cluster.x-k8s.io') &&
      ((!isOfKubernetes && (row?.templates ?? row?.nodeAffinities) !== undefined) || traces()))
  );
}

class Search {
  public readonly images = new Set<string>();
  /** Whether there is a version of something without its image, so that an operator chooses it: `thanos: { version: 'v0.39' }`. */
  public hasOnlyVersion = false;

  /** @param isCustom whether `image` is an image wherever it is */
  constructor(private readonly isCustom: boolean) {}

  public visit(value: unknown): void {
    if (Array.isArray(value)) {
      value.forEach((item) => this.visit(item));
    } else if (isMap(value)) {
      Object.entries(value).forEach(([key, inner]) => this.visitField(key, inner));
      if (this.isCustom && typeof value.version === 'string' && !Object.keys(value).some(isImageField)) {
        this.hasOnlyVersion = true;
      }
    }
  }

  private visitField(key: string, inner: unknown): void {
    const items = Array.isArray(inner) ? inner.filter(isMap) : [];
    if (LISTS.includes(key)) {
      items.forEach((container) => {
        this.add(container.image);
        argumentImages(container).forEach((image) => this.add(image));
      });
    } else if (key === 'volumes') {
      items.forEach(({ image }) => this.add(isMap(image) ? image.reference : undefined));
    } else if (this.isCustom && isImageField(key)) {
      this.add(isMap(inner) ? imageOfParts(inner) : inner);
    }
    this.visit(inner);
  }

  private add(image: unknown): void {
    if (typeof image === 'string' && image !== '') {
      this.images.add(image);
    }
  }
}

function isImageField(key: string): boolean {
  return /^image$|Image$/.test(key);
}

/** `image: { repository, tag }`, as operator.victoriametrics.com has it. */
function imageOfParts({ registry, repository, tag }: PlainMap): string | undefined {
  return typeof repository === 'string' && typeof tag === 'string'
    ? `${typeof registry === 'string' ? `${registry}/` : ''}${repository}:${tag}`
    : undefined;
}

/** Images in `--prometheus-config-reloader=quay.io/…:v0.85.0`, or `RELATED_IMAGE_…` of the environment. */
function argumentImages({ command, args, env }: PlainMap): string[] {
  const words = [command, args].flatMap((list) => (Array.isArray(list) ? list.map(String) : []));
  const pairs = [
    ...words.map((word, index) => {
      const [, key, value] = /^--?([\w.-]+)=(.*)$/s.exec(word) ?? [];
      return [key ?? words[index - 1] ?? '', value ?? word] as const;
    }),
    ...(Array.isArray(env) ? env.filter(isMap).map(({ name, value }) => [String(name), String(value)] as const) : []),
  ];
  return pairs.filter(([key, value]) => isArgument(key, value)).map(([, value]) => value);
}

/** With a tag or a digest, and with a host unless its name says that it is an image: other arguments have colons, too. */
function isArgument(key: string, value: string): boolean {
  const { tag, digest } = imageReference(value) ?? {};
  return (
    (digest !== undefined || (tag !== undefined && value.endsWith(`:${tag}`))) &&
    (/image/i.test(key) ||
      (/[.:]/.test(value.slice(0, Math.max(0, value.indexOf('/')))) && !/^\d{2,5}$/.test(tag ?? '')))
  );
}
