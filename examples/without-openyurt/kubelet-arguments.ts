import type { NodeJoin } from 'edge-nodepools';

interface Registration {
  readonly kubeletExtraArgs: readonly { readonly name: string; readonly value: string }[];
  readonly taints: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
}

/** The kubelet flags with which a node registers, from the JoinConfiguration: for nodes that join in another way. */
export function kubeletArguments(join: NodeJoin): string[] {
  const { kubeletExtraArgs, taints } = join.joinConfiguration.nodeRegistration as Registration;
  const list = taints.map(({ key, value, effect }) => `${key}=${value ?? ''}:${effect}`);
  return [
    ...kubeletExtraArgs.map(({ name, value }) => `--${name}=${value}`),
    ...(list.length > 0 ? [`--register-with-taints=${list.join(',')}`] : []),
  ];
}
