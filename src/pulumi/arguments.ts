// Arguments from other languages are data: interfaces in place of the classes of this library (scripts/docs/plugin-differences.mjs says which).
import * as pulumi from '@pulumi/pulumi';
import { EdgeCluster, type EdgeClusterArgs } from './edge-cluster.js';
import { importedPool, type INodePool } from './node-pool.js';
import { JoinToken, type TokenSecret } from '../join/join-token.js';
import { NodeReservation } from '../pools/node-reservation.js';
import type { ReservationPreset } from '../pools/reservation-presets.js';
import { SystemComponent, type SystemComponentProps } from '../system-components/system-component.js';
import { isMap } from '../base/plain-data.js';
import { quoted, whatIs } from '../base/properties.js';
import { Conversion, type Data, present, refuse } from './conversion.js';
import type { Shape } from './known-outputs.js';

/** Makes an argument of the library of one of a program; it gets the path, and the cluster of the component. */
type Convert = (value: unknown, path: string, conversion: Conversion, cluster?: EdgeCluster) => unknown;

const TYPE = '#/types/edge-nodepools:index:';
const POOL = `${TYPE}PoolReference`;

/** Arguments that are not those of the library, by component and name. */
const BY_NAME: Readonly<Record<string, Convert>> = {
  'ControlPlaneQos.components': (components, path, conversion) =>
    conversion.list(path, components, (one, at) =>
      conversion.made(at, one, (given) => componentQos(given, at, conversion)),
    ),
};

/** Arguments that are not those of the library, by their type in the schema. */
const BY_TYPE: Readonly<Record<string, Convert>> = {
  [POOL]: (pool, path, conversion, cluster) => pooled(pool, path, conversion, cluster),
  [`${TYPE}Reservation`]: (reservation, path, conversion) => conversion.made(path, reservation, reservationOf),
};

/** How an argument is made of one of its type, if it is not the same. */
function conversionOf({ $ref = '', items }: Shape): Convert | undefined {
  const each = BY_TYPE[items?.$ref ?? ''];
  return each === undefined
    ? BY_TYPE[$ref]
    : (list, path, conversion, cluster) => conversion.list(path, list, (one, at) => each(one, at, conversion, cluster));
}

/** Whether a pool is an argument of a component: then its cluster is that of the pool. */
function isOfPools(shapes: Readonly<Record<string, Shape>>): boolean {
  return Object.values(shapes).some(({ $ref, items }) => $ref === POOL || items?.$ref === POOL);
}

/**
 * The arguments of a component of this library.
 *
 * @param kind name of the component
 * @param subject the component in messages
 * @param shapes its arguments in the schema
 * @throws {@link EdgeError} with the problems of clusters, pools, reservations, tokens and system components
 */
export function libraryArguments(
  kind: string,
  subject: string,
  given: Data,
  shapes: Readonly<Record<string, Shape>>,
): Data {
  const conversion = new Conversion();
  const { cluster: described, ...args } = present(given);
  const cluster = conversion.made('cluster', described, clusterOf);
  const made = Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      const convert = BY_NAME[`${kind}.${name}`] ?? conversionOf(shapes[name] ?? {});
      return [name, convert === undefined ? value : convert(value, name, conversion, cluster)];
    }),
  );
  if (!isOfPools(shapes)) {
    made.cluster = cluster;
  } else if (described === undefined) {
    conversion.made('cluster', '', () =>
      refuse('EDGE_MISSING', 'the cluster of the pool is absent', 'write cluster, with openYurt and kubernetes'),
    );
  }
  const all = present(BY_KIND[kind]?.(made, conversion, cluster) ?? made);
  conversion.throwIfAny(subject);
  return all;
}

/** What several arguments of a component become together. */
const BY_KIND: Readonly<Record<string, (args: Data, conversion: Conversion, cluster?: EdgeCluster) => Data>> = {
  BootstrapToken: withToken,
  EdgeSystemComponents: ({ exclude, workloads, manifests, ...others }, conversion) => ({
    ...others,
    exclude: [
      ...conversion.list('exclude', exclude, (one, at) => conversion.made(at, one, knownComponent)),
      ...conversion.list('workloads', workloads, (one, at) => conversion.made(at, one, workloadOf)),
      ...conversion.list('manifests', manifests, (one, at) =>
        conversion.made(at, one, (manifest) => SystemComponent.fromManifest(manifest as string)),
      ),
    ],
  }),
  NodeJoin: withToken,
  // the components of a program do not know each other here
  PoolAdmission: (args, _, cluster) => ({
    ...(args.otherPools === undefined && cluster?.hasOpenYurt() === true ? { pools: 'live' } : {}),
    ...args,
  }),
};

function clusterOf(cluster: unknown): EdgeCluster {
  return EdgeCluster.of(present(mapOf(cluster)) as unknown as EdgeClusterArgs);
}

/** A pool, also one that is unknown in a preview: then only its name counts, and the update knows the rest. */
function pooled(pool: unknown, path: string, conversion: Conversion, cluster?: EdgeCluster): INodePool | undefined {
  const given = pulumi.Output.isInstance(pool) ? { poolName: pool.apply((known) => (known as Data).poolName) } : pool;
  return conversion.made(path, given, (one) => poolOf(one, path, conversion, cluster));
}

/** A pool by reference. Its cluster is that of the component; if that is refused, it has its own error. */
function poolOf(pool: unknown, path: string, conversion: Conversion, cluster?: EdgeCluster): INodePool | undefined {
  const { hostNetwork = true, ...props } = present(mapOf(pool));
  const kind =
    hostNetwork === false
      ? ({ subject: 'RegularNodePool', mode: 'regular', makesObject: false } as const)
      : ({ subject: 'HostNetworkNodePool', mode: 'host-network', makesObject: false } as const);
  const reservation = conversion.made(`${path}.reservation`, props.reservation, reservationOf);
  return cluster && importedPool(kind, present({ ...props, reservation, cluster }));
}

function reservationOf(reservation: unknown): NodeReservation {
  const { preset, capacity, maxPods, diskSize, ...amounts } = present(mapOf(reservation));
  if (preset === undefined) {
    return NodeReservation.of({ ...amounts, ...present({ capacity, maxPods, diskSize }) });
  }
  if (Object.keys(amounts).length > 0) {
    refuse(
      'EDGE_CONTRADICTION',
      `the reservation has a preset and ${Object.keys(amounts).join(', ')}`,
      'write either the preset or the amounts',
    );
  }
  return NodeReservation.preset(preset as ReservationPreset, present({ capacity, maxPods, diskSize }));
}

/** The token, which is a secret here in any case, or where the machine finds it. */
function withToken(args: Data, conversion: Conversion): Data {
  const { token, tokenFile, removeTokenFile, tokenCommand, tokenCommandTimeout, tokenSecret, ...others } = args;
  const ways = Object.keys(present({ token, tokenFile, tokenCommand, tokenSecret }));
  if (ways.length !== 1) {
    const named = ways.length === 0 ? 'the token is absent' : `there is more than one token: ${ways.join(', ')}`;
    conversion.made('token', '', () =>
      refuse(
        ways.length === 0 ? 'EDGE_MISSING' : 'EDGE_CONTRADICTION',
        named,
        'write one of token (a secret), tokenFile, tokenCommand and tokenSecret',
      ),
    );
  }
  const options = present({ removeAfterJoin: removeTokenFile });
  const timeout = present({ timeoutSeconds: tokenCommandTimeout });
  return {
    ...others,
    token:
      (token === undefined ? undefined : pulumi.secret(token)) ??
      conversion.made('tokenFile', tokenFile, (path) => JoinToken.fromFile(path as string, options)) ??
      conversion.made('tokenCommand', tokenCommand, (command) => JoinToken.fromCommand(command as string[], timeout)) ??
      conversion.made('tokenSecret', tokenSecret, (secret) =>
        JoinToken.fromSecret(present(mapOf(secret)) as unknown as TokenSecret),
      ),
  };
}

function componentQos(given: unknown, path: string, conversion: Conversion): Data {
  const { component, ...others } = present(mapOf(given));
  return present({ ...others, component: conversion.made(`${path}.component`, component, knownComponent) });
}

function knownComponent(name: unknown): SystemComponent {
  const known = Object.values(SystemComponent).filter((value) => value instanceof SystemComponent);
  return (
    known.find((one) => one.name === name) ??
    refuse(
      'EDGE_VALUE',
      `there is no component ${typeof name === 'string' ? quoted(name) : whatIs(name)}`,
      `write one of ${known.map((one) => one.name).join(', ')}; or name its workload in workloads`,
    )
  );
}

function workloadOf(workload: unknown): SystemComponent {
  return SystemComponent.of(present(mapOf(workload)) as unknown as SystemComponentProps);
}

function mapOf(value: unknown): object {
  return isMap(value)
    ? value
    : refuse('EDGE_TYPE', `this is ${whatIs(value)}, not a map`, 'write a map of its properties');
}
